/* SPDX-License-Identifier: Apache-2.0
 * json/walk.c - steps through valid json texts: values, pairs, elements.
 *
 * Why:        both json and jsonb are text, so one walk serves both; json may hold blanks anywhere and a key twice (the last one counts).
 * Invariants: the texts are valid: they were checked when they were read. */
#include "sql/func/json/json_internal.h"

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

Str json__take(JsonWalk *w) {
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

bool json__enter(JsonWalk *w, char open, char close) {
    skip_blanks(w);
    if (peek(w) != open) {
        return false;
    }
    w->at++;
    skip_blanks(w);
    return peek(w) != close;
}

bool json__more(JsonWalk *w) {
    skip_blanks(w);
    bool comma = peek(w) == ',';
    w->at += comma;
    return comma;
}

void json__take_pair(JsonWalk *w, Str *key_out, Str *value_out) {
    *key_out = json__take(w);
    skip_blanks(w);
    w->at++; /* the colon */
    *value_out = json__take(w);
}

void json__take_member(JsonWalk *w, bool object, Str *key_out, Str *value_out) {
    *key_out = STR("");
    if (object) {
        json__take_pair(w, key_out, value_out);
    } else {
        *value_out = json__take(w);
    }
}

bool json__key_is(Str quoted, Str key, Buffer *scratch) {
    Str plain = str_slice(quoted, 1, quoted.len - 1);
    if (str_find_char(plain, '\\', 0) < 0) {
        return str_equal(plain, key);
    }
    buffer_clear(scratch);
    return json_decode_string(quoted, scratch, NULL) == ERR_OK && str_equal(buffer_str(scratch), key);
}

bool json__field(Str json, Str key, Str *value_out) {
    JsonWalk w = {json, 0};
    Buffer scratch;
    bool found = false;
    buffer_init(&scratch, TEXT_RESULT_BYTES_MAX);
    if (json__enter(&w, '{', '}')) {
        do {
            Str name, value;
            json__take_pair(&w, &name, &value);
            if (json__key_is(name, key, &scratch)) {
                *value_out = value;
                found = true;
            }
        } while (json__more(&w));
    }
    buffer_deinit(&scratch);
    return found;
}

int64_t json__element_count(Str json) {
    JsonWalk w = {json, 0};
    int64_t count = 0;
    if (json__enter(&w, '[', ']')) {
        do {
            (void)json__take(&w);
            count++;
        } while (json__more(&w));
    }
    return count;
}

bool json__element(Str json, int64_t number, Str *value_out) {
    JsonWalk w = {json, 0};
    number += number < 0 ? json__element_count(json) : 0;
    if (number < 0 || !json__enter(&w, '[', ']')) {
        return false;
    }
    for (int64_t i = 0;; i++) {
        Str value = json__take(&w);
        if (i == number) {
            *value_out = value;
            return true;
        }
        if (!json__more(&w)) {
            return false;
        }
    }
}
