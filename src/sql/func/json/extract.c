/* SPDX-License-Identifier: Apache-2.0
 * json/extract.c - parts of json and jsonb values: -> ->> #> #>>, their kinds and lengths.
 *
 * Why:        both are text, so one walk serves both; json may hold blanks anywhere and a key twice (the last one counts).
 * Invariants: the texts are valid: they were checked when they were read. */
#include "column/any_array.h"
#include "column/jsonb.h"
#include "sql/func/func_internal.h"

typedef struct JsonWalk { Str text; size_t at; } JsonWalk;

static char peek(const JsonWalk *w) {
    return w->at < w->text.len ? w->text.data[w->at] : '\0';
}

static void skip_blanks(JsonWalk *w) {
    while (peek(w) == ' ' || peek(w) == '\t' || peek(w) == '\n' || peek(w) == '\r') {
        w->at++;
    }
}

static void skip_string(JsonWalk *w) {
    w->at++;
    while (w->at < w->text.len && peek(w) != '"') {
        w->at += peek(w) == '\\' ? 2 : 1;
    }
    w->at++;
}

/* The next value, from its first to its last byte. */
static Str take_value(JsonWalk *w) {
    skip_blanks(w);
    size_t from = w->at;
    int depth = 0;
    do {
        char c = peek(w);
        if (c == '"') {
            skip_string(w);
        } else if (c == '{' || c == '[') {
            depth++;
            w->at++;
        } else if (c == '}' || c == ']') {
            depth--;
            w->at++;
        } else if (depth > 0) {
            w->at++;
        } else { /* a word or a number */
            while (w->at < w->text.len && str_find_char(STR(",]} \t\r\n:"), peek(w), 0) < 0) {
                w->at++;
            }
        }
    } while (depth > 0 && w->at < w->text.len);
    return str_slice(w->text, from, MIN_OF(w->at, w->text.len));
}

/* Steps into an array or object; false: it is empty or something else. */
static bool enter(JsonWalk *w, char open, char close) {
    skip_blanks(w);
    if (peek(w) != open) {
        return false;
    }
    w->at++;
    skip_blanks(w);
    return peek(w) != close;
}

/* Past the comma; false at the end. */
static bool more(JsonWalk *w) {
    skip_blanks(w);
    bool comma = peek(w) == ',';
    w->at += comma;
    return comma;
}

static bool key_is(Str quoted, Str key, Buffer *scratch) {
    Str plain = str_slice(quoted, 1, quoted.len - 1);
    if (str_find_char(plain, '\\', 0) < 0) {
        return str_equal(plain, key);
    }
    buffer_clear(scratch);
    return json_decode_string(quoted, scratch, NULL) == ERR_OK && str_equal(buffer_str(scratch), key);
}

static bool field(Str json, Str key, Str *value_out) {
    JsonWalk w = {json, 0};
    Buffer scratch;
    bool found = false;
    buffer_init(&scratch, TEXT_RESULT_BYTES_MAX);
    if (enter(&w, '{', '}')) {
        do {
            Str name = take_value(&w);
            skip_blanks(&w);
            w.at++; /* the colon */
            Str value = take_value(&w);
            if (key_is(name, key, &scratch)) {
                *value_out = value;
                found = true;
            }
        } while (more(&w));
    }
    buffer_deinit(&scratch);
    return found;
}

static int64_t element_count(Str json) {
    JsonWalk w = {json, 0};
    int64_t count = 0;
    if (enter(&w, '[', ']')) {
        do {
            (void)take_value(&w);
            count++;
        } while (more(&w));
    }
    return count;
}

/* Negative numbers count from the end. */
static bool element(Str json, int64_t number, Str *value_out) {
    JsonWalk w = {json, 0};
    number += number < 0 ? element_count(json) : 0;
    if (number < 0 || !enter(&w, '[', ']')) {
        return false;
    }
    for (int64_t i = 0;; i++) {
        Str value = take_value(&w);
        if (i == number) {
            *value_out = value;
            return true;
        }
        if (!more(&w)) {
            return false;
        }
    }
}

/* ---- answers ---- */

/* as_text: strings without quotes, null as NULL. */
static ErrorCode put(const KernelCall *call, Vector *out, size_t row, bool found, Str value, bool as_text, Error *err) {
    if (!found || (as_text && json_kind(value) == JSON_NULL)) {
        vector_set_null(out, call->arena, row);
        return ERR_OK;
    }
    if (!as_text || json_kind(value) != JSON_STRING) {
        func__put_copy(call, out, row, value);
        return ERR_OK;
    }
    Buffer text;
    buffer_init(&text, TEXT_RESULT_BYTES_MAX);
    ErrorCode code = json_decode_string(value, &text, err);
    if (code == ERR_OK) {
        func__put_copy(call, out, row, buffer_str(&text));
    }
    buffer_deinit(&text);
    return code;
}

static bool any_null(const KernelCall *call, size_t row) {
    return vector_is_null(call->args[0], row) || vector_is_null(call->args[1], row);
}

static ErrorCode get_rows(const KernelCall *call, Vector *out, bool as_text, Error *err) {
    bool by_number = call->args[1]->type.id == TYPE_INT4;
    FOR_ROWS(call, row) {
        Str value = {0};
        bool found = false;
        if (!any_null(call, row)) {
            Str json = vector_text(call->args[0], row);
            found = by_number ? element(json, AT(int32_t, func__arg(call, 1), row), &value) : field(json, vector_text(call->args[1], row), &value);
        }
        TRY(put(call, out, row, found, value, as_text, err));
    }
    return ERR_OK;
}

ErrorCode func__json_get(const KernelCall *call, Vector *out, Error *err) {
    return get_rows(call, out, false, err);
}
ErrorCode func__json_get_text(const KernelCall *call, Vector *out, Error *err) {
    return get_rows(call, out, true, err);
}

/* One step of a path: a key of an object, a number in an array. */
static bool path_step(Str *value, Str step) {
    int64_t number = 0;
    bool overflow = false;
    JsonKind kind = json_kind(*value);
    if (kind == JSON_OBJECT) {
        return field(*value, step, value);
    }
    return kind == JSON_ARRAY && parse_int64(step, &number, &overflow) && element(*value, number, value);
}

static ErrorCode path_rows(const KernelCall *call, Vector *out, bool as_text, Error *err) {
    FOR_ROWS(call, row) {
        AnyArray path;
        AnyValue step;
        bool found = !any_null(call, row);
        Str value = found ? str_trim(vector_text(call->args[0], row)) : (Str){0};
        if (found) {
            TRY(func__array_view(call->args[1]->type, vector_text(call->args[1], row), call->arena, &path, err));
        }
        for (uint32_t i = 0; found && i < path.count; i++) {
            found = !any_array_is_null(&path, i);
            if (found) {
                any_array_value(&path, i, &step);
                found = path_step(&value, strref_str((const StrRef *)(const void *)step.bytes));
            }
        }
        TRY(put(call, out, row, found, value, as_text, err));
    }
    return ERR_OK;
}

ErrorCode func__json_path(const KernelCall *call, Vector *out, Error *err) {
    return path_rows(call, out, false, err);
}
ErrorCode func__json_path_text(const KernelCall *call, Vector *out, Error *err) {
    return path_rows(call, out, true, err);
}

ErrorCode func__json_typeof(const KernelCall *call, Vector *out, Error *err) {
    static const Str KINDS[] = {{"null", 4}, {"string", 6}, {"number", 6}, {"boolean", 7}, {"array", 5}, {"object", 6}};
    (void)err;
    FOR_ROWS(call, row) {
        func__put_text(out, row, KINDS[json_kind(vector_text(call->args[0], row))]);
    }
    return ERR_OK;
}

ErrorCode func__json_array_length(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        Str json = vector_text(call->args[0], row);
        JsonKind kind = json_kind(json);
        if (kind != JSON_ARRAY) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "cannot get array length of a %s", kind == JSON_OBJECT ? "non-array" : "scalar");
        }
        ((int32_t *)vector_data(out))[row] = (int32_t)element_count(json);
    }
    return ERR_OK;
}

/* jsonb ? key: of an object, or a string among an array's elements. */
ErrorCode func__jsonb_has(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        Str json = vector_text(call->args[0], row), key = vector_text(call->args[1], row), value;
        bool found = json_kind(json) == JSON_OBJECT && field(json, key, &value);
        for (int64_t i = 0; json_kind(json) == JSON_ARRAY && !found && element(json, i, &value); i++) {
            Buffer scratch;
            buffer_init(&scratch, TEXT_RESULT_BYTES_MAX);
            found = json_kind(value) == JSON_STRING && key_is(value, key, &scratch);
            buffer_deinit(&scratch);
        }
        func__put_bool(out, row, found);
    }
    return ERR_OK;
}
