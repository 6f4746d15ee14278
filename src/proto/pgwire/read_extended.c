/* SPDX-License-Identifier: Apache-2.0
 * read_extended.c - the client's messages with lists: Parse, Bind, FunctionCall. */
#include "proto/pgwire/pgwire_internal.h"

ErrorCode pgwire_read_parse(Bytes body, PgParse *parse_out, Error *err) {
    Fields fields = pgwire__fields(body);
    parse_out->statement = pgwire__text(&fields);
    parse_out->text = pgwire__text(&fields);
    parse_out->oid_count = pgwire__u16(&fields);
    parse_out->oids = pgwire__bytes(&fields, (size_t)parse_out->oid_count * 4).data;
    TRY(pgwire__fields_end(&fields, err));
    TRY(pgwire_text_check(parse_out->statement, err));
    return pgwire_text_check(parse_out->text, err);
}

/* Some drivers send one format code without any parameter. */
static bool formats_fit(const PgFormats *formats, uint16_t parameter_count) {
    return formats->count <= 1 || formats->count == parameter_count;
}

ErrorCode pgwire_read_bind(Bytes body, Arena *arena, PgBind *bind_out, Error *err) {
    Fields fields = pgwire__fields(body);
    bind_out->portal = pgwire__text(&fields);
    bind_out->statement = pgwire__text(&fields);
    TRY(pgwire__formats(&fields, &bind_out->parameter_formats, err));
    bind_out->parameter_count = pgwire__u16(&fields);
    bind_out->parameters = pgwire__values(&fields, bind_out->parameter_count, arena);
    TRY(pgwire__formats(&fields, &bind_out->result_formats, err));
    TRY(pgwire__fields_end(&fields, err));
    TRY(pgwire_text_check(bind_out->portal, err));
    TRY(pgwire_text_check(bind_out->statement, err));
    if (!formats_fit(&bind_out->parameter_formats, bind_out->parameter_count)) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "bind message has %u parameter formats but %u parameters",
                         bind_out->parameter_formats.count, bind_out->parameter_count);
    }
    return ERR_OK;
}

ErrorCode pgwire_read_function_call(Bytes body, Arena *arena, PgFunctionCall *call_out, Error *err) {
    Fields fields = pgwire__fields(body);
    call_out->oid = pgwire__u32(&fields);
    TRY(pgwire__formats(&fields, &call_out->parameter_formats, err));
    call_out->parameter_count = pgwire__u16(&fields);
    call_out->parameters = pgwire__values(&fields, call_out->parameter_count, arena);
    call_out->result_format = pgwire__u16(&fields);
    TRY(pgwire__fields_end(&fields, err));
    if (!formats_fit(&call_out->parameter_formats, call_out->parameter_count)) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "function call message contains %u argument formats but %u arguments",
                         call_out->parameter_formats.count, call_out->parameter_count);
    }
    return ERR_OK;
}
