/* SPDX-License-Identifier: Apache-2.0
 * startup_parameters.c - what a start packet asks for: user, database, settings, options of the protocol, and settings inside `options`. */
#include "proto/pgwire/pgwire_internal.h"

/* What is gathered while the list is read; at most a packet's bytes. */
typedef struct Gathered {
    PgStartup *startup;
    Arena *arena;
    Str options;
    Buffer settings, protocol_options;   /* PgParameter, Str */
} Gathered;

static bool means_no(Str value) {
    static const Str NO[] = {STR(""), STR("0"), STR("f"), STR("false"), STR("n"), STR("no"), STR("of"), STR("off")};
    for (size_t i = 0; i < COUNT_OF(NO); i++) {
        if (str_equal_ignore_case(value, NO[i])) {
            return true;
        }
    }
    return false;
}

static ErrorCode take_parameter(Gathered *gathered, PgParameter parameter, Error *err) {
    Str name = parameter.name;
    if (str_equal(name, STR("user"))) {
        gathered->startup->user = parameter.value;
    } else if (str_equal(name, STR("database"))) {
        gathered->startup->database = parameter.value;
    } else if (str_equal(name, STR("options"))) {
        gathered->options = parameter.value;
    } else if (str_equal(name, STR("replication"))) {
        if (!means_no(parameter.value)) {
            return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "replication connections are not supported");
        }
    } else if (str_starts_with(name, STR("_pq_."))) {
        buffer_append(&gathered->protocol_options, &name, sizeof name);
    } else {
        buffer_append(&gathered->settings, &parameter, sizeof parameter);
    }
    return ERR_OK;
}

static ErrorCode take_list(Gathered *gathered, Fields *fields, Error *err) {
    for (;;) {
        PgParameter parameter = {.name = pgwire__text(fields)};
        if (fields->failed || parameter.name.len == 0) {
            break;
        }
        parameter.value = pgwire__text(fields);
        if (fields->failed) {
            break;
        }
        TRY(pgwire_text_check(parameter.name, err));
        TRY(pgwire_text_check(parameter.value, err));
        TRY(take_parameter(gathered, parameter, err));
    }
    if (fields->failed || fields->at != fields->end) {
        return error_set(err, ERR_PROTOCOL, fields->at - fields->start, "invalid startup packet layout: expected terminator as last byte");
    }
    return ERR_OK;
}

static void *keep(Arena *arena, const Buffer *buffer) {
    void *copy = arena_alloc_aligned(arena, MAX_OF(buffer->len, (size_t)1), sizeof(void *));
    if (buffer->len > 0) {
        memcpy(copy, buffer->data, buffer->len);
    }
    return copy;
}

/* Settings of `options` come first, so that one which is also given by name wins. */
static ErrorCode finish(Gathered *gathered, Error *err) {
    PgStartup *startup = gathered->startup;
    if (startup->user.len == 0) {
        return error_set(err, ERR_INVALID_AUTHORIZATION, ERROR_NO_POSITION, "no PostgreSQL user name specified in startup packet");
    }
    if (startup->database.len == 0) {
        startup->database = startup->user;
    }
    Buffer all;
    buffer_init(&all, SIZE_MAX);
    ErrorCode code = pgwire__startup_options(gathered->options, gathered->arena, &all, err);
    buffer_append(&all, gathered->settings.data, gathered->settings.len);
    startup->parameter_count = (uint16_t)(all.len / sizeof(PgParameter));
    startup->parameters = keep(gathered->arena, &all);
    startup->unknown_option_count = (uint16_t)(gathered->protocol_options.len / sizeof(Str));
    startup->unknown_options = keep(gathered->arena, &gathered->protocol_options);
    buffer_deinit(&all);
    return code;
}

ErrorCode pgwire__startup_parameters(PgStartup *startup, Fields *fields, Arena *arena, Error *err) {
    Gathered gathered = {.startup = startup, .arena = arena};
    buffer_init(&gathered.settings, SIZE_MAX);
    buffer_init(&gathered.protocol_options, SIZE_MAX);
    ErrorCode code = take_list(&gathered, fields, err);
    if (code == ERR_OK) {
        code = finish(&gathered, err);
    }
    buffer_deinit(&gathered.settings);
    buffer_deinit(&gathered.protocol_options);
    return code;
}
