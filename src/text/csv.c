/* SPDX-License-Identifier: Apache-2.0
 * csv.c - the reader: one buffer, eight bytes a step, rows as offsets into the buffer.
 *
 * Layout:     data[row_start .. scan) is the row being read, data[scan .. len) is not looked at yet. Fields are kept as offsets
 *             from row_start, so the row may move to the front of the buffer while it is incomplete. Fields with doubled quotes
 *             are unescaped in place: their bytes are never read again.
 * States:     plain (at the start of or inside an unquoted field) -> quoted -> behind the closing quote -> plain.
 * Why:        a byte loop with a state per byte runs at 200 MB/s; four comparisons on eight bytes at once find the next byte that
 *             means something at several times that, without intrinsics. The scan position survives, so feeding one byte at
 *             a time costs no second look.
 * Invariants: row_start <= field_start <= scan <= len; eight readable bytes follow len.
 * Tests:      test/unit/text/test_csv.c, test_csv_files.c, fuzz/fuzz_csv.c */
#include "text/csv.h"

enum { SLACK_BYTES = 8, FIELDS_FIRST = 64 };
typedef enum ReadState { STATE_PLAIN, STATE_QUOTED, STATE_CLOSED } ReadState;

typedef struct FieldPlace {
    uint32_t start, len; /* from row_start, quotes left out */
    uint8_t quoted, escaped, stray;
} FieldPlace;

struct CsvReader {
    CsvOptions options;
    uint64_t word_delimiter, word_quote;
    uint8_t *data;
    size_t len, capacity, scan, row_start, field_start, row_bytes_max;
    FieldPlace *places;
    CsvField *fields;
    uint32_t field_count, field_capacity;
    ReadState state;
    bool field_quoted, field_escaped, field_stray, skip_line_feed, ended, failed, started, odd_bytes;
    size_t content_end;   /* STATE_CLOSED: where the quoted part ended */
    uint64_t base_offset; /* in the input, of data[0] */
    uint64_t line, row_line, quote_line;
    CsvRow row;
};

static void grow_fields(CsvReader *reader);
static void close_field(CsvReader *reader, size_t end);
static bool close_row(CsvReader *reader, size_t end, const CsvRow **row_out);

static uint64_t splat(char c) {
    return (uint8_t)c * UINT64_C(0x0101010101010101);
}

/* 0x80 in every byte of x that is zero; exact, no borrow from byte to byte. */
static inline uint64_t zero_bytes(uint64_t x) {
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return ~(((x & low7) + low7) | x | low7);
}

CsvReader *csv_open(const CsvOptions *options) {
    CsvReader *reader = mem_calloc(1, sizeof *reader);
    csv_reset(reader, options);
    return reader;
}

void csv_close(CsvReader *reader) {
    if (reader == NULL) {
        return;
    }
    mem_free(reader->data);
    mem_free(reader->places);
    mem_free(reader->fields);
    mem_free(reader);
}

void csv_reset(CsvReader *reader, const CsvOptions *options) {
    CsvReader kept = {
        .data = reader->data,
        .capacity = reader->capacity,
        .places = reader->places,
        .fields = reader->fields,
        .field_capacity = reader->field_capacity,
        .line = 1,
        .row_line = 1,
    };
    *reader = kept;
    if (options != NULL) {
        reader->options = *options;
    }
    CsvOptions *o = &reader->options;
    o->delimiter = o->delimiter == 0 ? ',' : o->delimiter;
    o->quote = o->quote == 0 ? '"' : o->quote;
    o->field_bytes_max = o->field_bytes_max == 0 ? CSV_FIELD_BYTES_DEFAULT : o->field_bytes_max;
    reader->row_bytes_max = MIN_OF(o->field_bytes_max * 4, (size_t)1 << 31);
    reader->word_delimiter = splat(o->delimiter);
    reader->word_quote = o->no_quotes ? reader->word_delimiter : splat(o->quote);
    if (reader->field_capacity == 0) {
        grow_fields(reader);
    }
}

uint8_t *csv_room(CsvReader *reader, size_t *room_out) {
    assert(!reader->ended);
    if (reader->row_start > 0) { /* the rows before are done: the open one moves to the front */
        size_t kept = reader->len - reader->row_start;
        memmove(reader->data, reader->data + reader->row_start, kept);
        reader->base_offset += reader->row_start;
        reader->scan -= reader->row_start;
        reader->field_start -= reader->row_start;
        reader->content_end -= MIN_OF(reader->content_end, reader->row_start);
        reader->len = kept;
        reader->row_start = 0;
    }
    if (reader->capacity - reader->len < CSV_PIECE_BYTES + SLACK_BYTES) {
        reader->capacity = MAX_OF(reader->capacity * 2, reader->len + CSV_PIECE_BYTES + SLACK_BYTES);
        reader->data = mem_realloc(reader->data, reader->capacity);
    }
    *room_out = reader->capacity - reader->len - SLACK_BYTES;
    return reader->data + reader->len;
}

void csv_added(CsvReader *reader, size_t len) {
    assert(reader->len + len + SLACK_BYTES <= reader->capacity);
    reader->len += len;
    memset(reader->data + reader->len, ' ', SLACK_BYTES);
}

void csv_feed(CsvReader *reader, Bytes piece) {
    while (piece.len > 0) {
        size_t room = 0;
        uint8_t *to = csv_room(reader, &room);
        size_t part = MIN_OF(room, piece.len);
        memcpy(to, piece.data, part);
        csv_added(reader, part);
        piece.data += part;
        piece.len -= part;
        assert(piece.len == 0 || reader->capacity > CSV_PIECE_BYTES);
    }
}

void csv_end(CsvReader *reader) {
    reader->ended = true;
}

uint64_t csv_line(const CsvReader *reader) {
    return reader->row_line;
}

uint64_t csv_bytes_fed(const CsvReader *reader) {
    return reader->base_offset + reader->len;
}

const char *csv_problem_text(CsvProblem problem) {
    static const char *const TEXT[] = {"no problem", "NUL byte", "invalid UTF-8", "quote inside an unquoted field"};
    assert((size_t)problem < COUNT_OF(TEXT));
    return TEXT[problem];
}

static ErrorCode fail(CsvReader *reader, ErrorCode code, size_t at, uint64_t line, const char *what, Error *err) {
    reader->failed = true;
    return error_set(err, code, (int64_t)(reader->base_offset + at), "line %llu: %s", (unsigned long long)line, what);
}

static void grow_fields(CsvReader *reader) {
    uint32_t capacity = MAX_OF(reader->field_capacity * 2, (uint32_t)FIELDS_FIRST);
    reader->places = mem_realloc(reader->places, capacity * sizeof *reader->places);
    reader->fields = mem_realloc(reader->fields, capacity * sizeof *reader->fields);
    reader->field_capacity = capacity;
}

/* Ends the field in front of `end` and begins the next one behind it. */
static inline void close_field(CsvReader *reader, size_t end) {
    if (UNLIKELY(reader->field_count == reader->field_capacity)) {
        grow_fields(reader);
    }
    FieldPlace *place = &reader->places[reader->field_count++];
    place->start = (uint32_t)(reader->field_start - reader->row_start);
    place->len = (uint32_t)(end - reader->field_start);
    place->quoted = reader->field_quoted;
    place->escaped = reader->field_escaped;
    place->stray = reader->field_stray;
    reader->field_quoted = false;
    reader->field_escaped = false;
    reader->field_stray = false;
    reader->state = STATE_PLAIN;
    reader->field_start = end + 1;
}

/* Takes quotes out of a field that began with one: `""` is one quote, what stands behind the closing quote is kept. */
static uint32_t unescape(const CsvReader *reader, char *text, uint32_t len) {
    char quote = reader->options.quote;
    uint32_t to = 0;
    bool inside = true;
    for (uint32_t at = 0; at < len; at++) {
        char c = text[at];
        if (inside && reader->options.backslash && c == '\\' && at + 1 < len) {
            c = text[++at];
        } else if (inside && c == quote) {
            if (at + 1 < len && text[at + 1] == quote) {
                at++;
            } else {
                inside = false;
                continue;
            }
        }
        text[to++] = c;
    }
    return to;
}

static void find_problem(CsvReader *reader) {
    for (uint32_t i = 0; i < reader->field_count; i++) {
        Str text = csv_text(&reader->row, i);
        CsvProblem problem = CSV_FINE;
        if (memchr(text.data, 0, text.len) != NULL) {
            problem = CSV_NUL_BYTE;
        } else if (!utf8_valid(text)) {
            problem = CSV_NOT_UTF8;
        }
        if (problem != CSV_FINE) {
            reader->row.problem = problem;
            reader->row.problem_field = i;
            return;
        }
    }
}

/* True when a row was made; false for a blank line. */
static bool close_row(CsvReader *reader, size_t end, const CsvRow **row_out) {
    close_field(reader, end);
    uint64_t line = reader->row_line;
    reader->row_line = reader->line;
    bool blank = reader->field_count == 1 && reader->places[0].len == 0 && !reader->places[0].quoted;
    if (blank && !reader->options.keep_blank_lines) {
        reader->field_count = 0;
        return false;
    }
    reader->row = (CsvRow){
        .fields = reader->fields,
        .field_count = reader->field_count,
        .line = line,
        .offset = reader->base_offset + reader->row_start,
    };
    char *base = (char *)reader->data + reader->row_start;
    for (uint32_t i = 0; i < reader->field_count; i++) {
        const FieldPlace *place = &reader->places[i];
        uint32_t len = place->len;
        if (UNLIKELY(place->escaped)) {
            len = unescape(reader, base + place->start, len);
        }
        if (UNLIKELY(place->stray) && reader->options.strict && reader->row.problem == CSV_FINE) {
            reader->row.problem = CSV_STRAY_QUOTE;
            reader->row.problem_field = i;
        }
        reader->fields[i] = (CsvField){base + place->start, len, place->quoted};
    }
    if (UNLIKELY(reader->odd_bytes) && reader->row.problem == CSV_FINE) {
        find_problem(reader);
    }
    reader->odd_bytes = false;
    *row_out = &reader->row;
    return true;
}

/* Sets the start of the next row at `at`, which is behind the line end. */
static void begin_row(CsvReader *reader, size_t at) {
    reader->row_start = at;
    reader->field_start = at;
    reader->scan = at;
}

/* The line end at `at`: counts it, closes the row, steps over it. True when a row was made. */
static bool end_line(CsvReader *reader, size_t at, const CsvRow **row_out) {
    reader->line++;
    size_t content_end = reader->state == STATE_CLOSED && !reader->field_escaped ? reader->content_end : at;
    size_t row_start = reader->row_start;
    bool made = close_row(reader, content_end, row_out);
    size_t next = at + 1;
    if (reader->data[at] == '\r') {
        if (next < reader->len && reader->data[next] == '\n') {
            next++;
        } else if (next == reader->len) {
            reader->skip_line_feed = true;
        }
    }
    assert(row_start <= at);
    begin_row(reader, next);
    return made;
}

/* Plain text from scan on: fields until a line end, a quote at the start of a field, or the end of the bytes. True: a row was made. */
static bool read_plain(CsvReader *reader, const CsvRow **row_out) {
    const uint64_t delimiter = reader->word_delimiter, quote = reader->word_quote;
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = UINT64_C(0x8080808080808080);
    const uint64_t line_feed = splat('\n'), carriage = splat('\r');
    const uint8_t *data = reader->data;
    size_t at = reader->scan, len = reader->len;
    uint64_t odd = 0;
    while (at < len) {
        uint64_t word = get_u64le(data + at);
        uint64_t marks = zero_bytes(word ^ delimiter) | zero_bytes(word ^ line_feed) | zero_bytes(word ^ carriage) |
                         zero_bytes(word ^ quote);
        if (len - at < 8) {
            marks &= (UINT64_C(1) << ((len - at) * 8)) - 1;
        }
        odd |= (word - ones) | word; /* high bit: a NUL or no ASCII (or, rarely, neither) */
        while (marks != 0) {
            size_t mark = at + (size_t)(__builtin_ctzll(marks) >> 3);
            uint8_t c = data[mark];
            marks &= marks - 1;
            if (LIKELY(c == (uint8_t)reader->options.delimiter)) {
                close_field(reader, mark);
            } else if (c == '\n' || c == '\r') {
                reader->odd_bytes |= (odd & highs) != 0;
                if (end_line(reader, mark, row_out)) {
                    return true;
                }
                at = reader->scan - 8; /* the blank line is behind us */
                odd = 0;
                break;
            } else if (mark == reader->field_start) {
                reader->odd_bytes |= (odd & highs) != 0;
                reader->state = STATE_QUOTED;
                reader->field_quoted = true;
                reader->quote_line = reader->line;
                reader->field_start = mark + 1;
                reader->scan = mark + 1;
                return false;
            } else {
                reader->field_stray = true;
            }
        }
        at += 8;
    }
    reader->odd_bytes |= (odd & highs) != 0;
    reader->scan = MIN_OF(at, len);
    return false;
}

/* Inside quotes: to the closing quote. Line breaks are text here but count as lines. */
static void read_quoted(CsvReader *reader) {
    const uint8_t *data = reader->data;
    size_t at = reader->scan, len = reader->len;
    while (at < len) {
        uint8_t c = data[at];
        if (c == (uint8_t)reader->options.quote) {
            reader->state = STATE_CLOSED;
            reader->content_end = at;
            reader->scan = at + 1;
            return;
        }
        if (reader->options.backslash && c == '\\') {
            if (at + 1 == len) {
                break; /* what it escapes is not here yet */
            }
            reader->field_escaped = true;
            c = data[++at];
        }
        if (c == '\n' || (c == '\r' && (at + 1 == len || data[at + 1] != '\n'))) {
            reader->line++;
        }
        reader->odd_bytes |= c == 0 || c >= 0x80;
        at++;
    }
    reader->scan = at;
}

/* Behind a closing quote: a second one means a quote in the text; a delimiter or line end closes; else text goes on (lenient). */
static bool read_closed(CsvReader *reader, const CsvRow **row_out) {
    size_t at = reader->scan;
    uint8_t c = reader->data[at];
    if (c == (uint8_t)reader->options.quote && at == reader->content_end + 1) {
        reader->field_escaped = true;
        reader->state = STATE_QUOTED;
        reader->scan = at + 1;
        return false;
    }
    if (c == (uint8_t)reader->options.delimiter) {
        close_field(reader, reader->field_escaped ? at : reader->content_end);
        reader->field_start = at + 1;
        reader->scan = at + 1;
        return false;
    }
    if (c == '\n' || c == '\r') {
        return end_line(reader, at, row_out);
    }
    /* Blanks between the closing quote and the delimiter mean nothing; other text makes the quotes part of an odd field. */
    if (c != ' ' && c != '\t') {
        reader->field_escaped = true;
        reader->field_stray = true;
    }
    reader->odd_bytes |= c == 0 || c >= 0x80;
    reader->scan = at + 1;
    return false;
}

/* Byte-order marks: UTF-8's is skipped, UTF-16 is refused. True: there are enough bytes to know. */
static ErrorCode begin_input(CsvReader *reader, Error *err) {
    const uint8_t *d = reader->data;
    if (reader->len < 3 && !reader->ended) {
        return ERR_OK;
    }
    reader->started = true;
    if (reader->len >= 3 && d[0] == 0xef && d[1] == 0xbb && d[2] == 0xbf) {
        begin_row(reader, 3);
    } else if (reader->len >= 2 && ((d[0] == 0xff && d[1] == 0xfe) || (d[0] == 0xfe && d[1] == 0xff))) {
        return fail(reader, ERR_INVALID_ENCODING, 0, 1, "the file is UTF-16; only UTF-8 is read", err);
    }
    return ERR_OK;
}

static ErrorCode check_limits(CsvReader *reader, Error *err) {
    char text[160];
    if (reader->scan - reader->field_start > reader->options.field_bytes_max) {
        bool quoted = reader->state == STATE_QUOTED;
        snprintf(text, sizeof text, "a field is longer than field_bytes_max (%zu bytes)%s", reader->options.field_bytes_max,
                 quoted ? "; is its quote closed?" : "");
        return fail(reader, ERR_LIMIT_EXCEEDED, reader->field_start, quoted ? reader->quote_line : reader->line, text, err);
    }
    if (reader->scan - reader->row_start > reader->row_bytes_max) {
        return fail(reader, ERR_LIMIT_EXCEEDED, reader->row_start, reader->row_line, "the row is too long", err);
    }
    if (reader->field_count > CSV_FIELDS_MAX) {
        return fail(reader, ERR_LIMIT_EXCEEDED, reader->row_start, reader->row_line, "more than 65,536 fields in a row", err);
    }
    return ERR_OK;
}

/* The last row has no line end. */
static ErrorCode finish(CsvReader *reader, const CsvRow **row_out, Error *err) {
    if (reader->state == STATE_QUOTED) {
        return fail(reader, ERR_BAD_COPY, reader->field_start - 1, reader->quote_line, "a quote is never closed", err);
    }
    if (reader->row_start == reader->len && reader->field_count == 0) {
        return ERR_OK;
    }
    size_t end = reader->state == STATE_CLOSED && !reader->field_escaped ? reader->content_end : reader->len;
    (void)close_row(reader, end, row_out);
    begin_row(reader, reader->len);
    return ERR_OK;
}

ErrorCode csv_next(CsvReader *reader, const CsvRow **row_out, Error *err) {
    assert(row_out != NULL);
    *row_out = NULL;
    if (reader->failed || reader->data == NULL) {
        return ERR_OK;
    }
    if (!reader->started) {
        TRY(begin_input(reader, err));
        if (!reader->started) {
            return ERR_OK;
        }
    }
    if (reader->field_count > 0 && reader->row_start == reader->scan) {
        reader->field_count = 0; /* the row handed out last */
    }
    if (reader->skip_line_feed && reader->scan < reader->len) {
        reader->skip_line_feed = false;
        if (reader->data[reader->scan] == '\n') {
            begin_row(reader, reader->scan + 1);
        }
    }
    while (reader->scan < reader->len) {
        size_t before = reader->scan;
        bool made = false;
        if (reader->state == STATE_PLAIN) {
            made = read_plain(reader, row_out);
        } else if (reader->state == STATE_QUOTED) {
            read_quoted(reader);
        } else {
            made = read_closed(reader, row_out);
        }
        if (made) {
            return ERR_OK;
        }
        if (reader->scan == before) {
            break; /* a backslash waits for its second byte */
        }
        TRY(check_limits(reader, err));
    }
    return reader->ended ? finish(reader, row_out, err) : ERR_OK;
}
