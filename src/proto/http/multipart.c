/* SPDX-License-Identifier: Apache-2.0
 * multipart.c - multipart/form-data (RFC 7578) as a stream: parts begin, data passes through, parts end.
 *
 * States:     PREAMBLE -> (after a delimiter) EDGE -> HEAD -> DATA -> EDGE …; EDGE + "--" -> OVER.
 * Layout:     delimiter = CRLF "--" boundary; the very first one may lack its CRLF, which is why matching starts as if it was seen.
 * Why:        bytes that might begin a delimiter at the end of a piece are not kept: they are a prefix of the delimiter, so the
 *             number of matched bytes is all there is to remember. Data is passed on where it lies.
 * Tests:      test/unit/proto/http/test_multipart.c (every cut) */
#include "proto/http/http.h"

typedef enum State { PREAMBLE, EDGE, HEAD, DATA, OVER } State;

struct HttpMultipart {
    const HttpMultipartHandler *handler;
    void *context;
    uint8_t state;
    bool edge_dash, edge_cr;
    char delimiter[HTTP_BOUNDARY_MAX + 4];
    size_t delimiter_len, matched;
    Buffer head;
};

static bool boundary_is_fine(Str boundary) {
    for (size_t i = 0; i < boundary.len; i++) {
        if ((uint8_t)boundary.data[i] < ' ' || (uint8_t)boundary.data[i] >= 0x7f) {
            return false;
        }
    }
    return boundary.len > 0 && boundary.len <= HTTP_BOUNDARY_MAX;
}

/* Value of `name=value` or `name="value"` behind the first ';' of a header. Quoted pairs are left as they are. */
static Str parameter(Str header, Str name) {
    size_t at = 0;
    while (at < header.len && header.data[at] != ';') {
        at++;
    }
    while (at < header.len) {
        at++; /* ';' */
        while (at < header.len && (header.data[at] == ' ' || header.data[at] == '\t')) {
            at++;
        }
        size_t from = at;
        while (at < header.len && header.data[at] != '=' && header.data[at] != ';') {
            at++;
        }
        Str found = str_trim(str_slice(header, from, at));
        Str value = STR("");
        if (at < header.len && header.data[at] == '=') {
            at++;
            bool quoted = at < header.len && header.data[at] == '"';
            at += quoted;
            from = at;
            while (at < header.len && header.data[at] != (quoted ? '"' : ';')) {
                at++;
            }
            value = quoted ? str_slice(header, from, at) : str_trim(str_slice(header, from, at));
            at += quoted && at < header.len;
        }
        if (str_equal_ignore_case(found, name)) {
            return value;
        }
        while (at < header.len && header.data[at] != ';') {
            at++;
        }
    }
    return (Str){NULL, 0};
}

ErrorCode http_multipart_open(Str content_type, const HttpMultipartHandler *handler, void *context, HttpMultipart **multipart_out, Error *err) {
    Str kind = content_type;
    Str word;
    Str boundary = parameter(content_type, STR("boundary"));
    bool right = content_type.len > 0 && str_split(&kind, ';', &word) && str_equal_ignore_case(str_trim(word), STR("multipart/form-data"));
    if (!right || !boundary_is_fine(boundary)) {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "the body must be multipart/form-data with a boundary");
    }
    HttpMultipart *m = mem_calloc(1, sizeof(HttpMultipart));
    m->handler = handler;
    m->context = context;
    memcpy(m->delimiter, "\r\n--", 4);
    memcpy(m->delimiter + 4, boundary.data, boundary.len);
    m->delimiter_len = boundary.len + 4;
    m->matched = 2; /* the CRLF before the first one may be missing */
    buffer_init(&m->head, HTTP_PART_HEAD_BYTES_MAX);
    *multipart_out = m;
    return ERR_OK;
}

void http_multipart_close(HttpMultipart *m) {
    if (m != NULL) {
        buffer_deinit(&m->head);
        mem_free(m);
    }
}

static ErrorCode emit(HttpMultipart *m, const uint8_t *from, const uint8_t *to, Error *err) {
    if (m->state != DATA || from == to) {
        return ERR_OK;
    }
    return m->handler->part_data(m->context, bytes_from(from, (size_t)(to - from)), err);
}

/* Bytes that looked like a delimiter in the piece before, but were data: they equal the delimiter's own beginning. */
static ErrorCode emit_matched(HttpMultipart *m, size_t count, Error *err) {
    const uint8_t *data = (const uint8_t *)m->delimiter;
    return emit(m, data, data + count, err);
}

/* Data up to the delimiter or the end of input; *used_out bytes are taken. CR occurs only once in a delimiter, so after a mismatch
 * everything matched is data and the search starts anew. `held`: matched bytes that lie in earlier pieces. */
static ErrorCode search(HttpMultipart *m, Bytes input, size_t *used_out, Error *err) {
    size_t held = m->matched, at = 0;
    while (at < input.len && m->matched < m->delimiter_len) {
        if ((char)input.data[at] == m->delimiter[m->matched]) {
            m->matched++;
            at++;
        } else if (m->matched > 0) {
            TRY(emit_matched(m, held, err));
            held = m->matched = 0;
        } else {
            const uint8_t *next = memchr(input.data + at, '\r', input.len - at);
            at = next == NULL ? input.len : (size_t)(next - input.data);
        }
    }
    TRY(emit(m, input.data, input.data + at - (m->matched - held), err));
    *used_out = at;
    return ERR_OK;
}

static ErrorCode begin_part(HttpMultipart *m, Error *err) {
    HttpPart part = {0};
    Str rest = buffer_str(&m->head);
    Str line;
    while (rest.len > 0 && str_split(&rest, '\n', &line)) {
        ptrdiff_t colon = str_find_char(line, ':', 0);
        if (colon < 0) {
            continue;
        }
        Str name = str_trim(str_slice(line, 0, (size_t)colon));
        Str value = str_trim(str_slice(line, (size_t)colon + 1, line.len));
        if (str_equal_ignore_case(name, STR("content-disposition"))) {
            part.name = parameter(value, STR("name"));
            part.file_name = parameter(value, STR("filename"));
        } else if (str_equal_ignore_case(name, STR("content-type"))) {
            part.content_type = value;
        }
    }
    m->state = DATA;
    m->matched = 0;
    return m->handler->part_begin(m->context, &part, err);
}

/* Behind a delimiter: CRLF, or "--" and the end. */
static ErrorCode edge_byte(HttpMultipart *m, uint8_t c, Error *err) {
    if (c == '-' && m->edge_dash) {
        m->state = OVER;
    } else if (c == '-') {
        m->edge_dash = true;
    } else if (c == '\n' && m->edge_cr) {
        m->state = HEAD;
        buffer_clear(&m->head);
    } else if (c == '\r') {
        m->edge_cr = true;
    } else if (c != ' ' && c != '\t') {
        return error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "bad multipart boundary");
    }
    return ERR_OK;
}

static ErrorCode head_byte(HttpMultipart *m, uint8_t c, Error *err) {
    buffer_append_char(&m->head, (char)c);
    if (m->head.failed) {
        return error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "headers of a part are too large");
    }
    Str head = buffer_str(&m->head);
    bool over = str_equal(head, STR("\r\n")) || str_ends_with(head, STR("\r\n\r\n"));
    return over ? begin_part(m, err) : ERR_OK;
}

static ErrorCode after_search(HttpMultipart *m, Error *err) {
    if (m->matched < m->delimiter_len) {
        return ERR_OK;
    }
    bool in_part = m->state == DATA;
    m->state = EDGE;
    m->edge_dash = m->edge_cr = false;
    m->matched = 0;
    return in_part ? m->handler->part_end(m->context, err) : ERR_OK;
}

ErrorCode http_multipart_feed(HttpMultipart *m, Bytes data, Error *err) {
    size_t at = 0;
    while (at < data.len && m->state != OVER) {
        if (m->state == EDGE) {
            TRY(edge_byte(m, data.data[at++], err));
        } else if (m->state == HEAD) {
            TRY(head_byte(m, data.data[at++], err));
        } else {
            size_t used = 0;
            TRY(search(m, bytes_from(data.data + at, data.len - at), &used, err));
            at += used;
            TRY(after_search(m, err));
        }
    }
    return ERR_OK;
}

ErrorCode http_multipart_end(HttpMultipart *m, Error *err) {
    return m->state == OVER ? ERR_OK : error_set(err, ERR_PROTOCOL, ERROR_NO_POSITION, "the last boundary of the multipart body is missing");
}
