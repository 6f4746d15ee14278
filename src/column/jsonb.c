/* SPDX-License-Identifier: Apache-2.0
 * jsonb.c - checks json texts and brings them into jsonb's normal form.
 *
 * Layout:     one recursive walk, bounded by JSON_DEPTH_MAX. An object's pairs are written as they come; at its end they are put in order.
 * Invariants: numbers keep their scale (1.50) and lose their exponent; what follows a value at top level is blanks only.
 * Why:        text and not a binary tree, so that storage, output and equality of the common case need nothing of their own. */
#include "column/jsonb.h"

enum { JSON_BYTES_MAX = 1 << 30, NUMBER_EXPONENT_MAX = 131072, NUMBER_SCALE_MAX = 16383 };

typedef struct JsonPair {
    size_t key_at, key_len;     /* decoded, in JsonReader.keys */
    size_t at, len;             /* of key, colon and value in the output */
} JsonPair;

typedef struct JsonReader {
    Str text;
    size_t at;
    Buffer *out;                /* NULL: only checked */
    Buffer keys, pairs;
    int depth;
    const char *type;
    Error *err;
} JsonReader;

static ErrorCode read_value(JsonReader *r, const char *wanted);

/* CONTEXT: the line up to `end`, the end of the token that is wrong; of a long one its last bytes. */
static ErrorCode where(JsonReader *r, ErrorCode code, size_t end) {
    enum { SHOWN_BYTES = 50, NEAR_BYTES = 3 };
    size_t line = 1, start = 0;
    for (size_t i = 0; i < end; i++) {
        if (r->text.data[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    size_t from = start;
    while (end - from >= SHOWN_BYTES) {
        do {
            from++;
        } while (((unsigned char)r->text.data[from] & 0xc0) == 0x80);
    }
    from = from - start <= NEAR_BYTES ? start : from;
    bool more = end < r->text.len && r->text.data[end] != '\n' && r->text.data[end] != '\r';
    error_ignore(error_add(r->err, 'W', "JSON data, line %zu: %s%.*s%s", line, from > start ? "..." : "", (int)(end - from), r->text.data + from, more ? "..." : ""));
    return code;
}

static ErrorCode invalid(JsonReader *r, const char *detail, size_t end) {
    error_ignore(error_set(r->err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "invalid input syntax for type json"));
    error_ignore(error_add(r->err, 'D', "%s", detail));
    return where(r, ERR_INVALID_TEXT, end);
}

static bool is_word_char(char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || (unsigned char)c >= 0x80;
}

/* The token that begins at `from`, up to where its reading failed and what hangs on behind. */
static ErrorCode bad_token(JsonReader *r, size_t from) {
    size_t end = MAX_OF(r->at, from);
    while (end < r->text.len && is_word_char(r->text.data[end])) {
        end++;
    }
    end = MIN_OF(MAX_OF(end, from + 1), r->text.len);
    error_ignore(error_set(r->err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "invalid input syntax for type json"));
    error_ignore(error_add(r->err, 'D', "Token \"%.*s\" is invalid.", (int)(end - from), r->text.data + from));
    return where(r, ERR_INVALID_TEXT, end);
}

static ErrorCode unexpected(JsonReader *r, const char *wanted);

static char peek(const JsonReader *r) {
    return r->at < r->text.len ? r->text.data[r->at] : '\0';
}

static void skip_blanks(JsonReader *r) {
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r') {
        r->at++;
    }
}

static void put(JsonReader *r, Str text) {
    if (r->out != NULL) {
        buffer_append_str(r->out, text);
    }
}

/* ---- strings ---- */

static bool read_hex4(JsonReader *r, uint32_t *unit_out) {
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = peek(r), lower = (char)(c | 0x20);
        if (c >= '0' && c <= '9') {
            unit = unit << 4 | (uint32_t)(c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            unit = unit << 4 | (uint32_t)(lower - 'a' + 10);
        } else {
            return false;
        }
    }
    *unit_out = unit;
    return true;
}

/* Behind "\u". The normal form decodes; text alone is only checked for its digits. */
static ErrorCode read_unicode(JsonReader *r, Buffer *decoded) {
    uint32_t unit = 0, low = 0;
    char bytes[4];
    if (!read_hex4(r, &unit)) {
        return invalid(r, "\"\\u\" must be followed by four hexadecimal digits.", MIN_OF(r->at + 1, r->text.len));
    }
    if (decoded == NULL) {
        return ERR_OK;
    }
    if (unit == 0) {
        error_ignore(error_set(r->err, ERR_UNTRANSLATABLE, ERROR_NO_POSITION, "unsupported Unicode escape sequence"));
        error_ignore(error_add(r->err, 'D', "\\u0000 cannot be converted to text."));
        return where(r, ERR_UNTRANSLATABLE, r->at);
    }
    if (unit >= 0xd800 && unit < 0xdc00) {
        bool pair = peek(r) == '\\' && r->at + 1 < r->text.len && r->text.data[r->at + 1] == 'u';
        r->at += pair ? 2 : 0;
        if (!pair || !read_hex4(r, &low) || low < 0xdc00 || low >= 0xe000) {
            return invalid(r, "Unicode high surrogate must be followed by a low surrogate.", r->at);
        }
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    } else if (unit >= 0xdc00 && unit < 0xe000) {
        return invalid(r, "Unicode low surrogate must follow a high surrogate.", r->at);
    }
    buffer_append(decoded, bytes, (size_t)utf8_encode(unit, bytes));
    return ERR_OK;
}

static ErrorCode read_escape(JsonReader *r, Buffer *decoded) {
    static const char NAMES[] = "\"\\/bfnrt", VALUES[] = "\"\\/\b\f\n\r\t";
    char c = peek(r);
    r->at++;
    if (c == 'u') {
        return read_unicode(r, decoded);
    }
    const char *name = c == '\0' ? NULL : strchr(NAMES, c);
    if (name == NULL) {
        error_ignore(error_set(r->err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "invalid input syntax for type json"));
        error_ignore(error_add(r->err, 'D', "Escape sequence \"\\%.*s\" is invalid.", c == '\0' ? 0 : 1, &c));
        return where(r, ERR_INVALID_TEXT, MIN_OF(r->at, r->text.len));
    }
    if (decoded != NULL) {
        buffer_append_char(decoded, VALUES[name - NAMES]);
    }
    return ERR_OK;
}

/* Appends the decoded string to `decoded`, if given. */
static ErrorCode read_string(JsonReader *r, Buffer *decoded) {
    assert(peek(r) == '"');
    size_t from = r->at;
    r->at++;
    while (r->at < r->text.len && r->text.data[r->at] != '"') {
        char c = r->text.data[r->at++];
        if ((unsigned char)c < 0x20) {
            error_ignore(error_set(r->err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "invalid input syntax for type json"));
            error_ignore(error_add(r->err, 'D', "Character with value 0x%02x must be escaped.", (unsigned)(unsigned char)c));
            return where(r, ERR_INVALID_TEXT, r->at - 1);
        }
        if (c == '\\') {
            TRY(read_escape(r, decoded));
        } else if (decoded != NULL) {
            buffer_append_char(decoded, c);
        }
    }
    if (r->at >= r->text.len) {
        return bad_token(r, from);
    }
    r->at++;
    return ERR_OK;
}

static void put_string(Buffer *out, Str text) {
    static const char HEX[] = "0123456789abcdef", NAMES[] = "bfnrt", VALUES[] = "\b\f\n\r\t";
    buffer_append_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        const char *named = (unsigned char)c < 0x20 && c != '\0' ? strchr(VALUES, c) : NULL;
        if (c == '"' || c == '\\') {
            buffer_append_char(out, '\\');
            buffer_append_char(out, c);
        } else if (named != NULL) {
            buffer_append_char(out, '\\');
            buffer_append_char(out, NAMES[named - VALUES]);
        } else if ((unsigned char)c < 0x20) {
            buffer_append_str(out, STR("\\u00"));
            buffer_append_char(out, HEX[(unsigned char)c >> 4]);
            buffer_append_char(out, HEX[c & 15]);
        } else {
            buffer_append_char(out, c);
        }
    }
    buffer_append_char(out, '"');
}

static ErrorCode read_string_value(JsonReader *r) {
    if (r->out == NULL) {
        return read_string(r, NULL);
    }
    size_t from = r->keys.len;
    TRY(read_string(r, &r->keys));
    TRY(buffer_check(&r->keys, r->err));
    put_string(r->out, str_from((const char *)r->keys.data + from, r->keys.len - from));
    r->keys.len = from;
    return ERR_OK;
}

/* ---- numbers ---- */

static size_t skip_digits(JsonReader *r) {
    size_t from = r->at;
    while (peek(r) >= '0' && peek(r) <= '9') {
        r->at++;
    }
    return r->at - from;
}

/* digits x 10^-scale as plain text. */
static ErrorCode put_number(JsonReader *r, bool negative, Str whole, Str fraction, int64_t exponent) {
    Buffer *out = r->out;
    int64_t scale = (int64_t)fraction.len - exponent;
    size_t zeros = 0, count = whole.len + fraction.len;
    if (exponent > NUMBER_EXPONENT_MAX || scale > NUMBER_SCALE_MAX || (int64_t)whole.len + exponent > NUMBER_EXPONENT_MAX) {
        return error_set(r->err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "value overflows numeric format");
    }
#define DIGIT(i) ((i) < whole.len ? whole.data[i] : fraction.data[(i) - whole.len])
    while (zeros < count && DIGIT(zeros) == '0') {
        zeros++;
    }
    int64_t places = (int64_t)count - scale; /* digits in front of the point */
    if (negative && zeros < count) {
        buffer_append_char(out, '-');
    }
    if (zeros == count) {
        places = 0;
        scale = MAX_OF(scale, 0);
    }
    size_t from = MIN_OF(zeros, (size_t)MAX_OF(places, 0));
    if (places <= (int64_t)from) {
        buffer_append_char(out, '0');
    }
    for (int64_t i = (int64_t)from; i < places; i++) {
        buffer_append_char(out, (size_t)i < count ? DIGIT((size_t)i) : '0');
    }
    if (scale > 0) {
        buffer_append_char(out, '.');
        for (int64_t i = MAX_OF(places, (int64_t)count - scale); i < (int64_t)count || (zeros == count && i < scale); i++) {
            bool real = i >= 0 && i < (int64_t)count && zeros < count;
            buffer_append_char(out, real ? DIGIT((size_t)i) : '0');
        }
    }
#undef DIGIT
    return ERR_OK;
}

static ErrorCode read_exponent(JsonReader *r, size_t token, int64_t *exponent_out) {
    bool negative = false;
    int64_t exponent = 0;
    r->at++;
    if (peek(r) == '-' || peek(r) == '+') {
        negative = peek(r) == '-';
        r->at++;
    }
    size_t from = r->at;
    if (skip_digits(r) == 0) {
        return bad_token(r, token);
    }
    for (size_t i = from; i < r->at && exponent < 100000000; i++) {
        exponent = exponent * 10 + (r->text.data[i] - '0');
    }
    *exponent_out = negative ? -exponent : exponent;
    return ERR_OK;
}

static ErrorCode read_number(JsonReader *r) {
    bool negative = peek(r) == '-';
    int64_t exponent = 0;
    Str fraction = {0};
    const size_t token = r->at;
    r->at += negative;
    size_t from = r->at, digits = skip_digits(r);
    if (digits == 0 || (digits > 1 && r->text.data[from] == '0')) {
        return bad_token(r, token);
    }
    Str whole = str_slice(r->text, from, r->at);
    if (peek(r) == '.') {
        r->at++;
        from = r->at;
        if (skip_digits(r) == 0) {
            return bad_token(r, token);
        }
        fraction = str_slice(r->text, from, r->at);
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        TRY(read_exponent(r, token, &exponent));
    }
    if (is_word_char(peek(r))) {
        return bad_token(r, token);
    }
    return r->out == NULL ? ERR_OK : put_number(r, negative, whole, fraction, exponent);
}

/* ---- arrays and objects ---- */

static ErrorCode enter(JsonReader *r) {
    r->at++;
    if (++r->depth > JSON_DEPTH_MAX) {
        return error_set(r->err, ERR_TOO_COMPLEX, ERROR_NO_POSITION, "json is nested deeper than %d levels", JSON_DEPTH_MAX);
    }
    return ERR_OK;
}

static ErrorCode read_list(JsonReader *r) {
    TRY(enter(r));
    put(r, STR("["));
    skip_blanks(r);
    for (bool first = true; peek(r) != ']'; first = false) {
        if (!first) {
            if (peek(r) != ',') {
                return unexpected(r, "\",\" or \"]\"");
            }
            r->at++;
            put(r, STR(", "));
        }
        TRY(read_value(r, first ? "array element or \"]\"" : "JSON value"));
        skip_blanks(r);
    }
    r->at++;
    r->depth--;
    put(r, STR("]"));
    return ERR_OK;
}

static ErrorCode read_pair(JsonReader *r, bool first) {
    JsonPair pair = {.key_at = r->keys.len};
    skip_blanks(r);
    if (peek(r) != '"') {
        return unexpected(r, first ? "string or \"}\"" : "string");
    }
    TRY(read_string(r, r->out == NULL ? NULL : &r->keys));
    pair.key_len = r->keys.len - pair.key_at;
    if (r->out != NULL) {
        pair.at = r->out->len;
        put_string(r->out, str_from((const char *)r->keys.data + pair.key_at, pair.key_len));
    }
    skip_blanks(r);
    if (peek(r) != ':') {
        return unexpected(r, "\":\"");
    }
    r->at++;
    put(r, STR(": "));
    TRY(read_value(r, "JSON value"));
    if (r->out != NULL) {
        pair.len = r->out->len - pair.at;
        buffer_append(&r->pairs, &pair, sizeof pair);
    }
    skip_blanks(r);
    return ERR_OK;
}

static int compare_keys(const JsonReader *r, const JsonPair *a, const JsonPair *b) {
    if (a->key_len != b->key_len) {
        return a->key_len < b->key_len ? -1 : 1;
    }
    return a->key_len == 0 ? 0 : memcmp(r->keys.data + a->key_at, r->keys.data + b->key_at, a->key_len);
}

/* Stable, by merging: of equal keys the last one comes last. */
static void sort_pairs(const JsonReader *r, JsonPair *pairs, JsonPair *scratch, size_t count) {
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t from = 0; from < count; from += 2 * run) {
            size_t a = from, a_end = MIN_OF(from + run, count), b = a_end, end = MIN_OF(from + 2 * run, count);
            for (size_t to = from; to < end; to++) {
                bool left = a < a_end && (b >= end || compare_keys(r, &pairs[a], &pairs[b]) <= 0);
                scratch[to] = left ? pairs[a++] : pairs[b++];
            }
        }
        memcpy(pairs, scratch, count * sizeof *pairs);
    }
}

static ErrorCode order_pairs(JsonReader *r, size_t object_at, JsonPair *pairs, size_t count) {
    bool ordered = true;
    for (size_t i = 1; i < count; i++) {
        ordered = ordered && compare_keys(r, &pairs[i - 1], &pairs[i]) < 0;
    }
    if (ordered) {
        return ERR_OK;
    }
    JsonPair *scratch = mem_calloc(count, sizeof *scratch);
    sort_pairs(r, pairs, scratch, count);
    mem_free(scratch);
    Buffer sorted;
    buffer_init(&sorted, JSON_BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && compare_keys(r, &pairs[i], &pairs[i + 1]) == 0) {
            continue;
        }
        if (sorted.len > 0) {
            buffer_append_str(&sorted, STR(", "));
        }
        buffer_append(&sorted, r->out->data + pairs[i].at, pairs[i].len);
    }
    ErrorCode code = buffer_check(&sorted, r->err);
    if (code == ERR_OK) {
        r->out->len = object_at;
        buffer_append(r->out, sorted.data, sorted.len);
    }
    buffer_deinit(&sorted);
    return code;
}

static ErrorCode read_object(JsonReader *r) {
    size_t keys_at = r->keys.len, pairs_at = r->pairs.len;
    TRY(enter(r));
    put(r, STR("{"));
    size_t object_at = r->out == NULL ? 0 : r->out->len;
    skip_blanks(r);
    for (bool first = true; peek(r) != '}'; first = false) {
        if (!first) {
            if (peek(r) != ',') {
                return unexpected(r, "\",\" or \"}\"");
            }
            r->at++;
            put(r, STR(", "));
        }
        TRY(read_pair(r, first));
    }
    if (r->out != NULL) {
        TRY(buffer_check(&r->pairs, r->err));
        TRY(buffer_check(&r->keys, r->err));
        TRY(buffer_check(r->out, r->err));
        TRY(order_pairs(r, object_at, (JsonPair *)(void *)(r->pairs.data + pairs_at), (r->pairs.len - pairs_at) / sizeof(JsonPair)));
    }
    r->keys.len = keys_at;
    r->pairs.len = pairs_at;
    r->at++;
    r->depth--;
    put(r, STR("}"));
    return ERR_OK;
}

/* ---- values ---- */

static ErrorCode read_word(JsonReader *r, const char *wanted) {
    static const Str WORDS[] = {{"true", 4}, {"false", 5}, {"null", 4}};
    const size_t token = r->at;
    if (r->at >= r->text.len || strchr("{}[],:", peek(r)) != NULL) {
        return unexpected(r, wanted);
    }
    for (size_t i = 0; i < COUNT_OF(WORDS); i++) {
        if (str_starts_with(str_slice(r->text, r->at, r->text.len), WORDS[i])) {
            r->at += WORDS[i].len;
            if (is_word_char(peek(r))) {
                break;
            }
            put(r, WORDS[i]);
            return ERR_OK;
        }
    }
    return bad_token(r, token);
}

static ErrorCode read_value(JsonReader *r, const char *wanted) {
    skip_blanks(r);
    char c = peek(r);
    switch (c) {
    case '{':
        return read_object(r);
    case '[':
        return read_list(r);
    case '"':
        return read_string_value(r);
    default:
        return c == '-' || (c >= '0' && c <= '9') ? read_number(r) : read_word(r, wanted);
    }
}

/* Something else stands there: what is no token at all is said first. */
static ErrorCode unexpected(JsonReader *r, const char *wanted) {
    JsonReader ahead = {.text = r->text, .at = r->at, .depth = r->depth, .err = r->err};
    if (r->at >= r->text.len) {
        return invalid(r, "The input string ended unexpectedly.", r->text.len);
    }
    if (strchr("{}[],:", peek(r)) != NULL) {
        ahead.at++;
    } else {
        TRY(read_value(&ahead, wanted));
    }
    error_ignore(error_set(r->err, ERR_INVALID_TEXT, ERROR_NO_POSITION, "invalid input syntax for type json"));
    error_ignore(error_add(r->err, 'D', "Expected %s, but found \"%.*s\".", wanted, (int)(ahead.at - r->at), r->text.data + r->at));
    return where(r, ERR_INVALID_TEXT, ahead.at);
}

static ErrorCode read_all(Str text, Buffer *out, Error *err) {
    JsonReader r = {.text = text, .out = out, .err = err};
    buffer_init(&r.keys, JSON_BYTES_MAX);
    buffer_init(&r.pairs, JSON_BYTES_MAX);
    ErrorCode code = read_value(&r, "JSON value");
    skip_blanks(&r);
    if (code == ERR_OK && r.at < text.len) {
        code = unexpected(&r, "end of input");
    }
    buffer_deinit(&r.keys);
    buffer_deinit(&r.pairs);
    return code == ERR_OK && out != NULL ? buffer_check(out, err) : code;
}

ErrorCode json_check(Str text, Error *err) {
    return read_all(text, NULL, err);
}

ErrorCode jsonb_normalise(Str text, Buffer *out, Error *err) {
    return read_all(text, out, err);
}

JsonKind json_kind(Str text) {
    size_t at = 0;
    while (at + 1 < text.len && (text.data[at] == ' ' || (text.data[at] >= '\t' && text.data[at] <= '\r'))) {
        at++;
    }
    switch (text.len == 0 ? 'n' : text.data[at]) {
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 't':
    case 'f':
        return JSON_BOOL;
    case 'n':
        return JSON_NULL;
    default:
        return JSON_NUMBER;
    }
}

ErrorCode json_decode_string(Str quoted, Buffer *out, Error *err) {
    JsonReader r = {.text = quoted, .err = err};
    assert(quoted.len >= 2);
    TRY(read_string(&r, out));
    return buffer_check(out, err);
}
