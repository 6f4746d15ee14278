/* SPDX-License-Identifier: Apache-2.0
 * text/build.c - texts made of others: ||, concat, repeat, pad, replace, translate, reverse, quoting. */
#include "sql/func/text/text_internal.h"

/* ---- joining ---- */

void text__append_any(const KernelCall *call, size_t argument, size_t row, Buffer *out) {
    const Vector *vector = call->args[argument];
    TextStyle style = func__text_style(call);
    if (vector->type.id == TYPE_BOOL) {
        uint8_t truth = func__bool(func__arg(call, argument), row);
        value_format(vector->type, &truth, &style, out);
    } else if (vector->type.id == TYPE_SYMBOL) {
        buffer_append_str(out, vector_text(vector, row));
    } else {
        value_format(vector->type, vector_value(vector, row), &style, out);
    }
}

ErrorCode func__concat_text(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    FOR_ROWS(call, row) {
        Str x = func__text(a, row), y = func__text(b, row);
        TRY(func__check_text_bytes((uint64_t)x.len + y.len, err));
        char inline_room[STRREF_INLINE];
        char *room = x.len + y.len <= STRREF_INLINE ? inline_room : text__room(call, x.len + y.len);
        memcpy(room, x.data, x.len);
        memcpy(room + x.len, y.data, y.len);
        func__put_text(out, row, str_from(room, x.len + y.len));
    }
    return ERR_OK;
}

/* All arguments' texts, NULLs left out, from argument `first` on, with a separator between. */
static void append_all(const KernelCall *call, size_t first, size_t row, Str separator, Buffer *buffer) {
    bool any = false;
    for (size_t i = first; i < call->arg_count; i++) {
        if (vector_is_null(call->args[i], row)) {
            continue;
        }
        if (any) {
            buffer_append_str(buffer, separator);
        }
        text__append_any(call, i, row, buffer);
        any = true;
    }
}

static ErrorCode concat_rows(const KernelCall *call, Vector *out, bool separated, Error *err) {
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        if (separated && vector_is_null(call->args[0], row)) {
            vector_set_null(out, call->arena, row);
            continue;
        }
        Str separator = separated ? func__text(func__arg(call, 0), row) : STR("");
        append_all(call, separated ? 1 : 0, row, separator, &buffer);
        TRY_OR(done, buffer.failed ? func__check_text_bytes(UINT64_MAX, err) : ERR_OK);
        text__end(call, out, row, &buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}

ErrorCode func__concat(const KernelCall *call, Vector *out, Error *err) {
    return concat_rows(call, out, false, err);
}
ErrorCode func__concat_ws(const KernelCall *call, Vector *out, Error *err) {
    return concat_rows(call, out, true, err);
}

/* text || anything: by the casts to text, where a boolean is true or false. */
ErrorCode func__concat_any(const KernelCall *call, Vector *out, Error *err) {
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        for (size_t i = 0; i < call->arg_count; i++) {
            if (call->args[i]->type.id == TYPE_BOOL) {
                buffer_append_str(&buffer, func__bool(func__arg(call, i), row) ? STR("true") : STR("false"));
            } else {
                text__append_any(call, i, row, &buffer);
            }
        }
        TRY_OR(done, buffer.failed ? func__check_text_bytes(UINT64_MAX, err) : ERR_OK);
        text__end(call, out, row, &buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}

/* || of the questdb dialect: NULL only if both are. */
ErrorCode func__concat_skip(const KernelCall *call, Vector *out, Error *err) {
    TRY(concat_rows(call, out, false, err));
    FOR_ROWS(call, row) {
        if (vector_is_null(call->args[0], row) && vector_is_null(call->args[1], row)) {
            vector_set_null(out, call->arena, row);
        }
    }
    return ERR_OK;
}

/* ---- repeating and padding ---- */

ErrorCode func__repeat(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), n = func__arg(call, 1);
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        size_t times = (size_t)MAX_OF(AT(int32_t, n, row), 0);
        TRY(func__check_text_bytes((uint64_t)text.len * times, err));
        char *room = text__room(call, text.len * times);
        for (size_t i = 0; i < times; i++) {
            memcpy(room + i * text.len, text.data, text.len);
        }
        func__put_text(out, row, str_from(room, text.len * times));
    }
    return ERR_OK;
}

/* `count` characters of fill, over and over. */
static size_t put_fill(char *room, Str fill, size_t count) {
    size_t len = 0;
    for (size_t at = 0; count > 0; count--) {
        uint32_t ignored;
        int used = utf8_decode(fill, at, &ignored);
        size_t bytes = used <= 0 ? 1 : (size_t)used;
        memcpy(room + len, fill.data + at, bytes);
        len += bytes;
        at = at + bytes >= fill.len ? 0 : at + bytes;
    }
    return len;
}

static ErrorCode pad_row(const KernelCall *call, Vector *out, size_t row, bool front, Error *err) {
    Str text = func__text(func__arg(call, 0), row);
    size_t wanted = (size_t)MAX_OF(AT(int32_t, func__arg(call, 1), row), 0);
    Str fill = call->arg_count > 2 ? func__text(func__arg(call, 2), row) : STR(" ");
    TRY(func__check_text_bytes((uint64_t)wanted * 4, err));
    size_t have = utf8_length(text);
    if (wanted <= have || fill.len == 0) {
        func__put_copy(call, out, row, str_slice(text, 0, utf8_offset(text, MIN_OF(wanted, have))));
        return ERR_OK;
    }
    char *room = text__room(call, text.len + (wanted - have) * 4);
    size_t len = 0;
    if (front) {
        len = put_fill(room, fill, wanted - have);
    }
    memcpy(room + len, text.data, text.len);
    len += text.len;
    if (!front) {
        len += put_fill(room + len, fill, wanted - have);
    }
    func__put_text(out, row, str_from(room, len));
    return ERR_OK;
}

ErrorCode func__lpad(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        TRY(pad_row(call, out, row, true, err));
    }
    return ERR_OK;
}
ErrorCode func__rpad(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        TRY(pad_row(call, out, row, false, err));
    }
    return ERR_OK;
}

/* ---- replacing ---- */

ErrorCode func__replace(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1), c = func__arg(call, 2);
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        Str text = func__text(a, row), from = func__text(b, row), to = func__text(c, row);
        size_t at = 0;
        for (ptrdiff_t hit; from.len > 0 && (hit = str_find(text, from, at)) >= 0;) {
            buffer_append_str(&buffer, str_slice(text, at, (size_t)hit));
            buffer_append_str(&buffer, to);
            at = (size_t)hit + from.len;
        }
        buffer_append_str(&buffer, str_slice(text, at, text.len));
        TRY_OR(done, buffer.failed ? func__check_text_bytes(UINT64_MAX, err) : ERR_OK);
        text__end(call, out, row, &buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}

/* Index of the character in set, or -1. */
static ptrdiff_t character_index(Str set, uint32_t wanted) {
    ptrdiff_t index = 0;
    for (size_t at = 0; at < set.len; index++) {
        uint32_t code_point = 0;
        int used = utf8_decode(set, at, &code_point);
        if (used > 0 && code_point == wanted) {
            return index;
        }
        at += used <= 0 ? 1 : (size_t)used;
    }
    return -1;
}

static void translate_row(Str text, Str from, Str to, Buffer *buffer) {
    for (size_t at = 0; at < text.len;) {
        uint32_t code_point = 0;
        int used = utf8_decode(text, at, &code_point);
        size_t bytes = used <= 0 ? 1 : (size_t)used;
        ptrdiff_t index = used <= 0 ? -1 : character_index(from, code_point);
        if (index < 0) {
            buffer_append(buffer, text.data + at, bytes);
        } else {
            size_t start = utf8_offset(to, (size_t)index);
            uint32_t ignored;
            int width = start < to.len ? utf8_decode(to, start, &ignored) : 0;
            buffer_append(buffer, to.data + start, width <= 0 ? 0 : (size_t)width);
        }
        at += bytes;
    }
}

ErrorCode func__translate(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1), c = func__arg(call, 2);
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        translate_row(func__text(a, row), func__text(b, row), func__text(c, row), &buffer);
        TRY_OR(done, buffer.failed ? func__check_text_bytes(UINT64_MAX, err) : ERR_OK);
        text__end(call, out, row, &buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}

ErrorCode func__reverse(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        Str text = func__text(a, row);
        char *room = text__room(call, text.len);
        for (size_t at = 0; at < text.len;) {
            uint32_t ignored;
            int used = utf8_decode(text, at, &ignored);
            size_t bytes = used <= 0 ? 1 : (size_t)used;
            memcpy(room + text.len - at - bytes, text.data + at, bytes);
            at += bytes;
        }
        func__put_text(out, row, str_from(room, text.len));
    }
    return ERR_OK;
}

/* ---- quoting ---- */

static void append_doubled(Buffer *buffer, Str text, char quote) {
    buffer_append_char(buffer, quote);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == quote) {
            buffer_append_char(buffer, quote);
        }
        buffer_append_char(buffer, text.data[i]);
    }
    buffer_append_char(buffer, quote);
}

void text__quote_literal(Buffer *buffer, Str text) {
    if (str_find_char(text, '\\', 0) < 0) {
        append_doubled(buffer, text, '\'');
        return;
    }
    buffer_append_char(buffer, 'E');
    buffer_append_char(buffer, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\'' || text.data[i] == '\\') {
            buffer_append_char(buffer, text.data[i]);
        }
        buffer_append_char(buffer, text.data[i]);
    }
    buffer_append_char(buffer, '\'');
}

/* Reserved words of PostgreSQL that cannot stand unquoted as a name. */
static bool is_reserved(Str name) {
    static const char *const WORDS[] = {
        "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization", "between", "bigint", "binary",
        "bit", "boolean", "both", "case", "cast", "char", "character", "check", "coalesce", "collate", "collation", "column",
        "concurrently", "constraint", "create", "cross", "current_catalog", "current_date", "current_role", "current_schema",
        "current_time", "current_timestamp", "current_user", "dec", "decimal", "default", "deferrable", "desc", "distinct", "do",
        "else", "end", "except", "exists", "extract", "false", "fetch", "float", "for", "foreign", "freeze", "from", "full", "grant",
        "greatest", "group", "grouping", "having", "ilike", "in", "initially", "inner", "inout", "int", "integer", "intersect",
        "interval", "into", "is", "isnull", "join", "lateral", "leading", "least", "left", "like", "limit", "localtime",
        "localtimestamp", "national", "natural", "nchar", "none", "normalize", "not", "notnull", "null", "nullif", "numeric",
        "offset", "on", "only", "or", "order", "out", "outer", "overlaps", "overlay", "placing", "position", "precision", "primary",
        "real", "references", "returning", "right", "row", "select", "session_user", "setof", "similar", "smallint", "some",
        "substring", "symmetric", "table", "tablesample", "then", "time", "timestamp", "to", "trailing", "treat", "trim", "true",
        "union", "unique", "user", "using", "values", "varchar", "variadic", "verbose", "when", "where", "window", "with",
        "xmlattributes", "xmlconcat", "xmlelement", "xmlexists", "xmlforest", "xmlnamespaces", "xmlparse", "xmlpi", "xmlroot",
        "xmlserialize", "xmltable",
    };
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (str_equal(name, str_from_c(WORDS[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_plain_name(Str name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) {
            return false;
        }
    }
    return name.len > 0 && !is_reserved(name);
}

void text__quote_ident(Buffer *buffer, Str name) {
    if (is_plain_name(name)) {
        buffer_append_str(buffer, name);
    } else {
        append_doubled(buffer, name, '"');
    }
}

static ErrorCode quote_rows(const KernelCall *call, Vector *out, void (*append)(Buffer *, Str)) {
    Buffer buffer;
    buffer_init(&buffer, SIZE_MAX);
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        if (func__is_null(a, row)) { /* quote_nullable */
            func__put_text(out, row, STR("NULL"));
            continue;
        }
        append(&buffer, func__text(a, row));
        text__end(call, out, row, &buffer);
    }
    buffer_deinit(&buffer);
    return ERR_OK;
}

/* Any value's text, quoted as a literal; NULL gives NULL (quote_literal) or the word (quote_nullable). */
ErrorCode func__quote_any(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    Buffer buffer, text;
    buffer_init(&buffer, SIZE_MAX);
    buffer_init(&text, SIZE_MAX);
    FOR_ROWS(call, row) {
        if (vector_is_null(call->args[0], row)) {
            func__put_text(out, row, STR("NULL"));
            continue;
        }
        buffer_clear(&text);
        if (call->args[0]->type.id == TYPE_BOOL) { /* cast to text, not printed */
            buffer_append_str(&text, vector_bool(call->args[0], row) ? STR("true") : STR("false"));
        } else {
            text__append_any(call, 0, row, &text);
        }
        text__quote_literal(&buffer, buffer_str(&text));
        text__end(call, out, row, &buffer);
    }
    buffer_deinit(&buffer);
    buffer_deinit(&text);
    return ERR_OK;
}

ErrorCode func__quote_ident(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return quote_rows(call, out, text__quote_ident);
}
ErrorCode func__quote_literal(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return quote_rows(call, out, text__quote_literal);
}

/* ---- numbers as text ---- */

#define TO_HEX(name, T, U)                                                                                             \
    ErrorCode func__to_hex_##name(const KernelCall *call, Vector *out, Error *err) {                                   \
        (void)err;                                                                                                     \
        ArgView a = func__arg(call, 0);                                                                                \
        FOR_ROWS(call, row) {                                                                                          \
            Str text = arena_format(call->arena, "%llx", (unsigned long long)(U)AT(T, a, row));                        \
            func__put_text(out, row, text);                                                                            \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
TO_HEX(i32, int32_t, uint32_t)
TO_HEX(i64, int64_t, uint64_t)

static ErrorCode to_base(const KernelCall *call, Vector *out, unsigned bits) {
    bool wide = call->args[0]->type.id == TYPE_INT8;
    FOR_ROWS(call, row) {
        uint64_t value = wide ? (uint64_t)AT(int64_t, func__arg(call, 0), row) : (uint32_t)AT(int32_t, func__arg(call, 0), row);
        char digits[65];
        size_t at = sizeof digits;
        do {
            digits[--at] = (char)('0' + (value & ((1U << bits) - 1)));
            value >>= bits;
        } while (value != 0);
        func__put_copy(call, out, row, str_from(digits + at, sizeof digits - at));
    }
    return ERR_OK;
}
ErrorCode func__to_bin(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return to_base(call, out, 1);
}
ErrorCode func__to_oct(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    return to_base(call, out, 3);
}

/* 1536 -> "1.5 KiB" */
ErrorCode func__size_pretty(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    static const char *const UNITS[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        double size = (double)AT(int64_t, a, row);
        size_t unit = 0;
        while (unit + 1 < COUNT_OF(UNITS) && (size >= 1024 || size <= -1024)) {
            size /= 1024;
            unit++;
        }
        func__put_text(out, row, arena_format(call->arena, "%.1f %s", size, UNITS[unit]));
    }
    return ERR_OK;
}

/* PostgreSQL's: whole numbers, the next unit from 10,240 on, halves away from zero. */
ErrorCode func__pg_size_pretty(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    static const char *const UNITS[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    enum { UNIT_LIMIT = 10 * 1024, LAST_LIMIT = 20 * 1024 - 1 };
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        int64_t size = AT(int64_t, a, row);
        uint64_t magnitude = size < 0 ? UINT64_C(0) - (uint64_t)size : (uint64_t)size;
        size_t unit = 0;
        bool halves = false; /* from the second unit on, twice the size is kept for rounding */
        while (unit + 1 < COUNT_OF(UNITS) && magnitude >= (halves ? (uint64_t)LAST_LIMIT : (uint64_t)UNIT_LIMIT)) {
            magnitude >>= halves ? 10 : 9;
            halves = true;
            unit++;
        }
        if (halves) {
            magnitude = (magnitude + 1) / 2;
        }
        func__put_text(out, row, arena_format(call->arena, "%s%llu %s", size < 0 ? "-" : "", (unsigned long long)magnitude, UNITS[unit]));
    }
    return ERR_OK;
}
