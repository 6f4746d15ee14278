/* SPDX-License-Identifier: Apache-2.0
 * write_report.c - ErrorResponse and NoticeResponse: one field letter and text each, for whatever is set. */
#include "proto/pgwire/pgwire_internal.h"
#include <stdio.h>

static void put_field(Buffer *out, char letter, Str text) {
    buffer_append_char(out, letter);
    pgwire__put_text(out, text);
}

static void put_field_if_set(Buffer *out, char letter, Str text) {
    if (text.len > 0) {
        put_field(out, letter, text);
    }
}

static void put_position(Buffer *out, uint32_t position) {
    char digits[12];
    if (position > 0) {
        int len = snprintf(digits, sizeof digits, "%u", position);
        put_field(out, 'P', str_from(digits, (size_t)len));
    }
}

static void write_report(Buffer *out, char type, const PgReport *report) {
    assert(report->severity.len > 0);
    assert(report->sqlstate.len == 5);
    size_t begin = pgwire__begin(out, type);
    put_field(out, 'S', report->severity);
    put_field(out, 'V', report->severity);
    put_field(out, 'C', report->sqlstate);
    put_field(out, 'M', report->message);
    put_field_if_set(out, 'D', report->detail);
    put_field_if_set(out, 'H', report->hint);
    put_position(out, report->position);
    put_field_if_set(out, 'W', report->where);
    put_field_if_set(out, 's', report->schema);
    put_field_if_set(out, 't', report->table);
    put_field_if_set(out, 'c', report->column);
    put_field_if_set(out, 'd', report->type);
    put_field_if_set(out, 'n', report->constraint);
    put_field_if_set(out, 'R', report->routine);
    buffer_append_char(out, '\0');
    pgwire__end(out, begin);
}

void pgwire_write_error(Buffer *out, const PgReport *report) {
    write_report(out, 'E', report);
}

void pgwire_write_notice(Buffer *out, const PgReport *report) {
    write_report(out, 'N', report);
}

uint32_t pgwire_character_position(Str statement, int64_t offset) {
    if (offset < 0 || (uint64_t)offset > statement.len) {
        return 0;
    }
    uint32_t characters = 1;
    for (size_t i = 0; i < (size_t)offset; i++) {
        characters += ((uint8_t)statement.data[i] & 0xC0) != 0x80;
    }
    return characters;
}

static Str field_of(const Error *error, char letter) {
    const char *text = error_field(error, letter);
    return text == NULL ? STR("") : str_from_c(text);
}

PgReport pgwire_report(Str severity, const Error *error, Str statement) {
    return (PgReport){
        .severity = severity,
        .sqlstate = str_from_c(error_sqlstate(error->code)),
        .message = str_from_c(error->message),
        .detail = field_of(error, 'D'),
        .hint = field_of(error, 'H'),
        .position = statement.len == 0 ? 0 : pgwire_character_position(statement, error->position),
        .where = field_of(error, 'W'),
        .routine = field_of(error, 'R'),
        .schema = field_of(error, 's'),
        .table = field_of(error, 't'),
        .column = field_of(error, 'c'),
        .type = field_of(error, 'd'),
        .constraint = field_of(error, 'n'),
    };
}
