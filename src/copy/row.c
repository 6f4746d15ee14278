/* SPDX-License-Identifier: Apache-2.0
 * row.c - the fields of one row of text or csv into the builders, all or none; rows that ON_ERROR ignore lets go.
 *
 * Invariants: after any return every builder has the same number of rows: those of whole rows. */
#include "copy/copy_internal.h"

/* ---- values ---- */

void copy__store(CopyField *field, const void *value) {
    if (type_physical((TypeId)field->builder.type.id) == PHYS_BIT) {
        column_builder_bool(&field->builder, *(const uint8_t *)value != 0);
    } else {
        column_builder_value(&field->builder, value);
    }
}

static ErrorCode dictionary_full(const CopyField *field, Error *err) {
    return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "the dictionary of column \"%.*s\" is full", STR_ARG(field->name));
}

static ErrorCode store_text(CopyReader *reader, CopyField *field, Str text, Error *err) {
    if (field->plain_text) {
        column_builder_text(&field->builder, text);
        return ERR_OK;
    }
    if (field->symbols != NULL) {
        return copy__symbol(field, text) ? ERR_OK : dictionary_full(field, err);
    }
    if (field->fast != NULL && LIKELY(field->fast(reader, field, text))) {
        return ERR_OK;
    }
    _Alignas(16) uint8_t value[16] = {0};
    TRY(value_parse(field->type, text, reader->environment, &reader->scratch, value, err));
    copy__store(field, value);
    return ERR_OK;
}

/* ---- ON_ERROR ignore ---- */

static void tell_skipped(const CopyReader *reader, const CopyField *field, Str text, bool is_null) {
    Buffer message;
    buffer_init(&message, COPY_CONTEXT_BYTES_MAX * 2);
    buffer_printf(&message, "skipping row due to data type incompatibility at line %lu for column \"%.*s\": ", (unsigned long)reader->line,
                  STR_ARG(field->name));
    if (is_null) {
        buffer_append_str(&message, STR("null input"));
    } else {
        buffer_printf(&message, "\"%.*s%s\"", (int)MIN_OF(text.len, (size_t)COPY_VALUE_SHOWN_MAX), text.data,
                      text.len > COPY_VALUE_SHOWN_MAX ? "..." : "");
    }
    reader->notice(reader->notice_context, buffer_str(&message));
    buffer_deinit(&message);
}

static ErrorCode reject(CopyReader *reader, ErrorCode code, const CopyField *field, Str text, bool is_null, Error *err) {
    copy__set_context(reader, is_null ? CONTEXT_COLUMN_NULL : reader->copy.format == COPY_BINARY ? CONTEXT_COLUMN : CONTEXT_COLUMN_VALUE, field->name,
                      text);
    if (!reader->copy.on_error_ignore || code == ERR_OUT_OF_MEMORY || code == ERR_LIMIT_EXCEEDED) {
        return code;
    }
    reader->rejected++;
    if (reader->copy.reject_limit > 0 && reader->rejected > (uint64_t)reader->copy.reject_limit) {
        return error_set(err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "skipped more than REJECT_LIMIT (%ld) rows due to data type incompatibility",
                         (long)reader->copy.reject_limit);
    }
    if (reader->copy.log_verbose && reader->notice != NULL) {
        tell_skipped(reader, field, text, is_null);
    }
    return ERR_OK;
}

/* ---- fields ---- */

static ErrorCode check_bytes(Str text, Error *err) {
    size_t at = 0;
    uint32_t code_point;
    if (LIKELY(utf8_valid(text) && (text.len == 0 || memchr(text.data, 0, text.len) == NULL))) {
        return ERR_OK;
    }
    for (int used = 1; at < text.len && text.data[at] != '\0'; at += (size_t)used) {
        used = utf8_decode(text, at, &code_point);
        if (used <= 0) {
            break;
        }
    }
    return error_set(err, ERR_INVALID_ENCODING, ERROR_NO_POSITION, "invalid byte sequence for encoding \"UTF8\": 0x%02x", (uint8_t)text.data[at]);
}

typedef struct FieldText { Str text; bool is_null, is_default; } FieldText;

static bool is_marker_text(Str raw, Str marker) {
    return raw.len == marker.len && marker.data != NULL && (raw.len == 0 || memcmp(raw.data, marker.data, raw.len) == 0);
}

static ErrorCode text_field(CopyReader *reader, const CopySpan *span, Str raw, FieldText *out, Error *err) {
    bool made_bytes = false;
    *out = (FieldText){.text = raw, .is_null = is_marker_text(raw, reader->copy.null_text)};
    if (out->is_null) {
        return ERR_OK;
    }
    out->is_default = is_marker_text(raw, reader->copy.default_text);
    if (span->escaped && !out->is_default) {
        out->text = copy__text_unescape(reader, raw, &made_bytes);
    }
    return made_bytes ? check_bytes(out->text, err) : ERR_OK;
}

static void csv_field(CopyReader *reader, const CopyField *field, const CopySpan *span, Str raw, FieldText *out) {
    Str null_text = reader->copy.null_text;
    *out = (FieldText){.text = raw};
    if (!span->quoted && is_marker_text(raw, null_text)) {
        out->is_null = !field->force_not_null;
        return;
    }
    out->is_default = is_marker_text(raw, reader->copy.default_text);
    if (span->quoted) {
        out->text = copy__csv_unquote(reader, raw);
        out->is_null = field->force_null && is_marker_text(out->text, null_text);
    }
}

static void mark_default(CopyReader *reader, CopyField *field) {
    if (field->defaults == NULL) {
        field->defaults = mem_calloc(words_for(COPY_BATCH_ROWS), sizeof(uint64_t));
    }
    bit_set(field->defaults, reader->row_count);
}

/* *skipped_out: the row is one of those to be let go. */
static ErrorCode take_field(CopyReader *reader, CopyField *field, const CopySpan *span, Str row, bool *skipped_out, Error *err) {
    FieldText value;
    Str raw = str_from(row.data + span->start, span->len);
    if (reader->copy.format == COPY_CSV) {
        csv_field(reader, field, span, raw, &value);
    } else {
        ErrorCode code = text_field(reader, span, raw, &value, err);
        if (code != ERR_OK) {
            copy__set_context(reader, CONTEXT_COLUMN, field->name, (Str){0});
            return code;
        }
    }
    if (value.is_null || value.is_default) {
        column_builder_null(&field->builder);
        if (value.is_default) {
            mark_default(reader, field);
        }
        return ERR_OK;
    }
    ErrorCode code = store_text(reader, field, value.text, err);
    if (LIKELY(code == ERR_OK)) {
        return ERR_OK;
    }
    code = reject(reader, code, field, value.text, false, err);
    *skipped_out = code == ERR_OK;
    return code;
}

static ErrorCode check_count(CopyReader *reader, Str row, Error *err) {
    uint32_t count = reader->scan.field_count;
    if (reader->column_count == 0 && row.len == 0) {
        return ERR_OK;
    }
    if (count == reader->column_count) {
        return ERR_OK;
    }
    copy__set_context(reader, CONTEXT_LINE_TEXT, (Str){0}, row);
    if (count > reader->column_count) {
        return error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "extra data after last expected column");
    }
    return error_set(err, ERR_BAD_COPY, ERROR_NO_POSITION, "missing data for column \"%.*s\"", STR_ARG(reader->fields[count].name));
}

ErrorCode copy__take_row(CopyReader *reader, Str row, Error *err) {
    ErrorCode code = check_bytes(row, err);
    if (UNLIKELY(code != ERR_OK)) {
        copy__set_context(reader, CONTEXT_LINE, (Str){0}, (Str){0});
        return code;
    }
    TRY(check_count(reader, row, err));
    bool skipped = false;
    for (uint16_t c = 0; c < reader->column_count && code == ERR_OK && !skipped; c++) {
        code = take_field(reader, &reader->fields[c], &reader->spans[c], row, &skipped, err);
    }
    if (UNLIKELY(code != ERR_OK || skipped)) {
        copy__row_undo(reader);
        return code;
    }
    copy__row_done(reader);
    return ERR_OK;
}
