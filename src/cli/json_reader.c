/* SPDX-License-Identifier: Apache-2.0
 * json_reader.c - the few calls that reading a server's answers needs.
 *
 * Tests: test/cli */
#include "cli/json_reader.h"
#include "base/number.h"

char json_peek(JsonReader *reader) {
    while (reader->at < reader->text.len && strchr(" \t\r\n", reader->text.data[reader->at]) != NULL) {
        reader->at++;
    }
    return reader->at < reader->text.len && !reader->failed ? reader->text.data[reader->at] : '\0';
}

static void expect(JsonReader *reader, char c) {
    if (json_peek(reader) != c) {
        reader->failed = true;
        return;
    }
    reader->at++;
}

void json_enter(JsonReader *reader, char open) {
    expect(reader, open);
    reader->first = true;
}

bool json_next(JsonReader *reader, char close) {
    bool first = reader->first;
    char c = json_peek(reader);
    reader->first = false;
    if (c == close) {
        reader->at++;
        return false;
    }
    if (!first) {
        expect(reader, ',');
    }
    return !reader->failed && json_peek(reader) != '\0';
}

void json_colon(JsonReader *reader) {
    expect(reader, ':');
}

static uint32_t hex4(JsonReader *reader) {
    uint64_t value = 0;
    if (reader->at + 4 > reader->text.len || !parse_hex64(str_slice(reader->text, reader->at, reader->at + 4), &value)) {
        reader->failed = true;
        return 0;
    }
    reader->at += 4;
    return (uint32_t)value;
}

static void take_escape(JsonReader *reader, Buffer *buffer) {
    static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
    char c = reader->at < reader->text.len ? reader->text.data[reader->at++] : '\0';
    const char *place = c != '\0' ? strchr(FROM, c) : NULL;
    if (place != NULL) {
        buffer_append_char(buffer, TO[place - FROM]);
        return;
    }
    if (c != 'u') {
        reader->failed = true;
        return;
    }
    uint32_t code = hex4(reader);
    if (code >= 0xd800 && code < 0xdc00 && str_starts_with(str_slice(reader->text, reader->at, reader->text.len), STR("\\u"))) {
        reader->at += 2;
        code = 0x10000 + ((code - 0xd800) << 10) + (hex4(reader) & 0x3ff);
    }
    char bytes[4];
    buffer_append(buffer, bytes, (size_t)utf8_encode(code, bytes));
}

Str json_string(JsonReader *reader, Buffer *buffer) {
    size_t start = buffer->len;
    expect(reader, '"');
    while (!reader->failed) {
        if (reader->at >= reader->text.len) {
            reader->failed = true;
            break;
        }
        char c = reader->text.data[reader->at++];
        if (c == '"') {
            break;
        }
        if (c == '\\') {
            take_escape(reader, buffer);
        } else {
            buffer_append_char(buffer, c);
        }
    }
    return (Str){(const char *)buffer->data + start, buffer->len - start};
}

/* Steps over a string without reading it. */
static void skip_string(JsonReader *reader) {
    for (reader->at++; reader->at < reader->text.len; reader->at++) {
        if (reader->text.data[reader->at] == '\\') {
            reader->at++;
        } else if (reader->text.data[reader->at] == '"') {
            reader->at++;
            return;
        }
    }
    reader->failed = true;
}

void json_skip(JsonReader *reader) {
    int depth = 0;
    do {
        char c = json_peek(reader);
        if (c == '\0') {
            reader->failed = true;
        } else if (c == '"') {
            skip_string(reader);
        } else if (c == '[' || c == '{') {
            depth++;
            reader->at++;
        } else if (c == ']' || c == '}') {
            depth--;
            reader->at++;
        } else if (c == ',' || c == ':') {
            reader->at++;
        } else {
            while (reader->at < reader->text.len && strchr(",:]} \t\r\n", reader->text.data[reader->at]) == NULL) {
                reader->at++;
            }
        }
    } while (depth > 0 && !reader->failed);
}

Str json_raw(JsonReader *reader) {
    (void)json_peek(reader);
    size_t start = reader->at;
    json_skip(reader);
    return reader->failed ? STR("") : str_slice(reader->text, start, reader->at);
}
