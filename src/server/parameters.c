/* SPDX-License-Identifier: Apache-2.0
 * parameters.c - name=value lists of the query and of posted forms, decoded into the request's arena. */
#include "server/server_internal.h"

ErrorCode server__parameters_read(Request *request, Str encoded, Error *err) {
    Str name, value;
    while (http_query_next(&encoded, &name, &value)) {
        if (request->parameter_count == PARAMETERS_MAX) {
            return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "more than %d parameters", PARAMETERS_MAX);
        }
        Parameter *parameter = &request->parameters[request->parameter_count];
        if (!http_url_decode(name, true, &request->arena, &parameter->name) || !http_url_decode(value, true, &request->arena, &parameter->value)) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "broken percent-encoding in parameter '%.*s'", STR_ARG(name));
        }
        if (!utf8_valid(parameter->name) || !utf8_valid(parameter->value)) {
            return error_set(err, ERR_INVALID_ENCODING, ERROR_NO_POSITION, "parameter is not UTF-8");
        }
        request->parameter_count++;
    }
    return ERR_OK;
}

Str request_parameter(const Request *request, const char *name) {
    for (uint32_t i = 0; i < request->parameter_count; i++) {
        if (str_equal(request->parameters[i].name, str_from_c(name))) {
            return request->parameters[i].value;
        }
    }
    return (Str){NULL, 0};
}

bool request_flag(const Request *request, const char *name) {
    Str value = request_parameter(request, name);
    return str_equal_ignore_case(value, STR("true")) || str_equal(value, STR("1"));
}
