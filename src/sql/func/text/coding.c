/* SPDX-License-Identifier: Apache-2.0
 * text/coding.c - encode and decode: bytea <-> hex, base64, escape; convert_to and convert_from for UTF-8. */
#include "sql/func/text/text_internal.h"

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
enum { BASE64_LINE = 76 };

static void base64_encode(Str bytes, bool lines, Buffer *out) {
    size_t column = 0;
    for (size_t i = 0; i < bytes.len; i += 3) {
        uint32_t group = 0;
        size_t have = MIN_OF(bytes.len - i, 3);
        for (size_t k = 0; k < 3; k++) {
            group = group << 8 | (k < have ? (uint8_t)bytes.data[i + k] : 0);
        }
        if (lines && column == BASE64_LINE) {
            buffer_append_char(out, '\n');
            column = 0;
        }
        for (size_t k = 0; k < 4; k++) {
            buffer_append_char(out, k > have ? '=' : BASE64[group >> (18 - 6 * k) & 63]);
        }
        column += 4;
    }
}

static ErrorCode base64_decode(Str text, Buffer *out, Error *err) {
    uint32_t group = 0;
    size_t have = 0, padding = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            continue;
        }
        const char *place = c == '=' ? BASE64 : memchr(BASE64, c, 64);
        if (place == NULL || (padding > 0 && c != '=')) {
            return error_set(err, ERR_INVALID_PARAMETER, (int64_t)i, "invalid symbol \"%c\" found while decoding base64 sequence", c);
        }
        padding += c == '=';
        group = group << 6 | (uint32_t)(place - BASE64);
        if (++have == 4) {
            for (size_t k = 0; k + padding < 3; k++) {
                buffer_put_u8(out, (uint8_t)(group >> (16 - 8 * k)));
            }
            group = 0;
            have = 0;
        }
    }
    if (have != 0 || padding > 2) {
        return error_set(err, ERR_INVALID_PARAMETER, (int64_t)text.len, "invalid base64 end sequence");
    }
    return ERR_OK;
}

static void escape_encode(Str bytes, Buffer *out) {
    for (size_t i = 0; i < bytes.len; i++) {
        uint8_t byte = (uint8_t)bytes.data[i];
        if (byte == 0 || byte >= 0x80) {
            buffer_printf(out, "\\%03o", byte);
        } else if (byte == '\\') {
            buffer_append_str(out, STR("\\\\"));
        } else {
            buffer_append_char(out, (char)byte);
        }
    }
}

static ErrorCode unknown_coding(Str name, Error *err) {
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "unrecognized encoding: \"%.*s\"", STR_ARG(name));
}

static ErrorCode encode_row(Str bytes, Str coding, Buffer *out, Error *err) {
    if (str_equal_ignore_case(coding, STR("base64"))) {
        base64_encode(bytes, true, out);
    } else if (str_equal_ignore_case(coding, STR("escape"))) {
        escape_encode(bytes, out);
    } else if (str_equal_ignore_case(coding, STR("hex"))) {
        static const char HEX[] = "0123456789abcdef";
        for (size_t i = 0; i < bytes.len; i++) {
            buffer_append_char(out, HEX[(uint8_t)bytes.data[i] >> 4]);
            buffer_append_char(out, HEX[(uint8_t)bytes.data[i] & 15]);
        }
    } else {
        return unknown_coding(coding, err);
    }
    return ERR_OK;
}

static ErrorCode decode_row(Str text, Str coding, Buffer *out, Error *err) {
    if (str_equal_ignore_case(coding, STR("base64"))) {
        return base64_decode(text, out, err);
    }
    bool hex = str_equal_ignore_case(coding, STR("hex"));
    if (!hex && !str_equal_ignore_case(coding, STR("escape"))) {
        return unknown_coding(coding, err);
    }
    Buffer input;
    buffer_init(&input, SIZE_MAX);
    buffer_append_str(&input, hex ? STR("\\x") : STR(""));
    buffer_append_str(&input, text);
    bool valid = bytea_parse(buffer_str(&input), out);
    buffer_deinit(&input);
    return valid ? ERR_OK
                 : error_set(err, hex ? ERR_INVALID_PARAMETER : ERR_INVALID_TEXT, ERROR_NO_POSITION, "invalid %s data",
                             hex ? "hexadecimal" : "bytea");
}

typedef ErrorCode (*Coder)(Str input, Str coding, Buffer *out, Error *err);

static ErrorCode code_rows(const KernelCall *call, Vector *out, Coder coder, Error *err) {
    ArgView a = func__arg(call, 0), b = func__arg(call, 1);
    Buffer buffer;
    ErrorCode code = ERR_OK;
    buffer_init(&buffer, TEXT_RESULT_BYTES_MAX);
    FOR_ROWS(call, row) {
        TRY_OR(done, coder(func__text(a, row), func__text(b, row), &buffer, err));
        TRY_OR(done, buffer.failed ? func__check_text_bytes(UINT64_MAX, err) : ERR_OK);
        text__end(call, out, row, &buffer);
    }
done:
    buffer_deinit(&buffer);
    return code;
}

ErrorCode func__encode(const KernelCall *call, Vector *out, Error *err) {
    return code_rows(call, out, encode_row, err);
}
ErrorCode func__decode(const KernelCall *call, Vector *out, Error *err) {
    return code_rows(call, out, decode_row, err);
}

/* base64(bytea, length limit) of QuestDB: no line breaks. */
ErrorCode func__base64(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    ArgView a = func__arg(call, 0), limit = func__arg(call, 1);
    Buffer buffer;
    buffer_init(&buffer, SIZE_MAX);
    FOR_ROWS(call, row) {
        Str bytes = func__text(a, row);
        bytes.len = MIN_OF(bytes.len, (size_t)MAX_OF(AT(int32_t, limit, row), 0));
        base64_encode(bytes, false, &buffer);
        text__end(call, out, row, &buffer);
    }
    buffer_deinit(&buffer);
    return ERR_OK;
}

static bool is_utf8_name(Str name) {
    return str_equal_ignore_case(name, STR("utf8")) || str_equal_ignore_case(name, STR("utf-8"));
}

/* Text is UTF-8 inside: only that encoding is known. */
static ErrorCode convert_row(Str input, Str coding, Buffer *out, Error *err) {
    if (!is_utf8_name(coding)) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "encoding \"%.*s\" is not supported", STR_ARG(coding));
    }
    if (!utf8_valid(input)) {
        return error_set(err, ERR_INVALID_ENCODING, ERROR_NO_POSITION, "invalid byte sequence for encoding \"UTF8\"");
    }
    buffer_append_str(out, input);
    return ERR_OK;
}

ErrorCode func__convert(const KernelCall *call, Vector *out, Error *err) {
    return code_rows(call, out, convert_row, err);
}
