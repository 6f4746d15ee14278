/* SPDX-License-Identifier: Apache-2.0
 * encode.c - the encoder's state, columns made readable by row, cached symbols and dates.
 *
 * Why: one row loop over cells; encoding each column into slots and weaving them was no faster. */
#include "encode/encode_internal.h"

void encoder_init(Encoder *encoder, uint16_t column_count, const EncoderOptions *options) {
    *encoder = (Encoder){.column_count = column_count};
    if (options != NULL) {
        encoder->options = *options;
    }
    encoder->caches = mem_calloc(column_count == 0 ? 1 : column_count, sizeof *encoder->caches);
    arena_init(&encoder->texts, SYMBOL_CACHE_BYTES_MAX * 2);
    arena_init(&encoder->scratch, SIZE_MAX);
}

void encoder_deinit(Encoder *encoder) {
    for (size_t c = 0; encoder->caches != NULL && c < encoder->column_count; c++) {
        mem_free(encoder->caches[c].texts);
    }
    mem_free(encoder->caches);
    arena_deinit(&encoder->texts);
    arena_deinit(&encoder->scratch);
    *encoder = (Encoder){0};
}

/* ---- cells ---- */

static void cell_set(Cell *cell, const Vector *vector) {
    *cell = (Cell){
        .type = vector->type,
        .width = (uint8_t)physical_bytes(type_physical((TypeId)vector->type.id)),
        .constant = vector->form == VECTOR_CONSTANT,
        .data = vector->data,
        .valid = vector->valid,
    };
    if (vector->form == VECTOR_INDEXED) {
        cell->row_valid = vector->valid;
        cell->index = vector->index;
        cell->data = vector->base->data;
        cell->valid = vector->base->valid;
    }
}

static void cache_attach(SymbolCache *cache, const SymbolTable *symbols) {
    if (cache->symbols != symbols) {
        if (cache->texts != NULL) {
            memset(cache->texts, 0, cache->capacity * sizeof *cache->texts);
        }
        cache->symbols = symbols;
    }
}

ErrorCode encode__cells(Encoder *encoder, Batch *batch, const uint16_t *columns, Cell **cells_out, Error *err) {
    arena_reset(&encoder->scratch);
    Cell *cells = arena_array(&encoder->scratch, Cell, encoder->column_count + 1);
    for (uint16_t c = 0; c < encoder->column_count; c++) {
        uint16_t number = columns == NULL ? c : columns[c];
        assert(number < batch->column_count);
        Vector *vector = &batch->columns[number];
        if (vector->form == VECTOR_ENCODED) {
            TRY(vector_flat(vector, &encoder->scratch, err));
        } else if (vector->form == VECTOR_INDEXED) {
            TRY(vector_flat(vector->base, &encoder->scratch, err));
        }
        cell_set(&cells[c], vector);
        if (vector->type.id == TYPE_SYMBOL) {
            assert(vector->symbols != NULL || vector->form == VECTOR_CONSTANT);
            cells[c].cache = &encoder->caches[c];
            cache_attach(cells[c].cache, vector->symbols);
        }
    }
    *cells_out = cells;
    return ERR_OK;
}

/* ---- symbols ---- */

static void cache_grow(SymbolCache *cache, uint32_t code) {
    uint32_t capacity = cache->capacity == 0 ? 64 : cache->capacity;
    while (capacity <= code) {
        capacity *= 2;
    }
    cache->texts = mem_realloc(cache->texts, capacity * sizeof *cache->texts);
    memset(cache->texts + cache->capacity, 0, (capacity - cache->capacity) * sizeof *cache->texts);
    cache->capacity = capacity;
}

void encode__symbol(Encoder *encoder, SymbolCache *cache, int32_t code, TextEscaper escape, Buffer *out) {
    assert(code >= 0);
    uint32_t slot = (uint32_t)code;
    if (slot < cache->capacity && cache->texts[slot].data != NULL) {
        buffer_append_str(out, cache->texts[slot]);
        return;
    }
    size_t from = out->len;
    escape(out, cache->symbols->text(cache->symbols, code));
    if (out->failed || slot >= SYMBOL_CACHE_CODES || encoder->texts.used_bytes > SYMBOL_CACHE_BYTES_MAX) {
        return;
    }
    if (slot >= cache->capacity) {
        cache_grow(cache, slot);
    }
    cache->texts[slot] = arena_str(&encoder->texts, str_slice(buffer_str(out), from, out->len));
}

/* ---- times and numbers ---- */

static inline char *put_two(char *out, uint32_t value) {
    out[0] = (char)('0' + value / 10);
    out[1] = (char)('0' + value % 10);
    return out + 2;
}

static bool date_set(DateCache *cache, int64_t day) {
    int32_t year, month, date;
    civil_from_days(day, &year, &month, &date);
    if (year < 0 || year > 9999) {
        return false;
    }
    put_two(cache->text, (uint32_t)year / 100);
    put_two(cache->text + 2, (uint32_t)year % 100);
    cache->text[4] = '-';
    put_two(cache->text + 5, (uint32_t)month);
    cache->text[7] = '-';
    put_two(cache->text + 8, (uint32_t)date);
    cache->text[10] = 'T';
    cache->day = day;
    cache->known = true;
    return true;
}

/* digits is a constant where this is inlined, so that all divisions are multiplications. */
static inline __attribute__((always_inline)) size_t iso_time(DateCache *cache, char *out, int64_t value, int digits, int64_t units) {
    int64_t per_day = 86400 * units;
    uint64_t rest = (uint64_t)value - (uint64_t)(cache->day * per_day);
    if (UNLIKELY(!cache->known || rest >= (uint64_t)per_day)) {
        if (!date_set(cache, floor_div(value, per_day))) {
            return timestamp_format_iso(out, value, digits);
        }
        rest = (uint64_t)value - (uint64_t)(cache->day * per_day);
    }
    uint32_t seconds = (uint32_t)(rest / (uint64_t)units);
    uint32_t fraction = (uint32_t)(rest % (uint64_t)units);
    memcpy(out, cache->text, sizeof cache->text);
    char *p = put_two(out + sizeof cache->text, seconds / 3600);
    *p++ = ':';
    p = put_two(p, seconds / 60 % 60);
    *p++ = ':';
    p = put_two(p, seconds % 60);
    *p++ = '.';
    for (int i = digits - 1; i >= 0; i--) {
        p[i] = (char)('0' + fraction % 10);
        fraction /= 10;
    }
    p[digits] = 'Z';
    return (size_t)(p + digits + 1 - out);
}

size_t encode__iso_time(DateCache *cache, char *out, int64_t value, int digits) {
    switch (digits) {
    case 3:
        return iso_time(cache, out, value, 3, 1000);
    case 9:
        return iso_time(cache, out, value, 9, 1000000000);
    default:
        return iso_time(cache, out, value, 6, 1000000);
    }
}

int64_t encode__load_int(TypeId id, const void *value) {
    switch (id) {
    case TYPE_BYTE:
        return *(const int8_t *)value;
    case TYPE_INT2:
        return *(const int16_t *)value;
    case TYPE_INT4:
        return *(const int32_t *)value;
    default:
        assert(id == TYPE_INT8);
        return *(const int64_t *)value;
    }
}

/* ---- the writer ---- */

static size_t worst_case(const Cell *cell) {
    return cell->type.id == TYPE_SYMBOL || cell->width == 16 ? SHORT_TEXT_BYTES : FIELD_BYTES_MAX;
}

bool encode__reserve(RowWriter *w) {
    if (w->at != NULL) {
        encode__sync(w);
    }
    w->at = (char *)buffer_reserve(w->out, w->row_bytes);
    w->end = w->at == NULL ? NULL : (char *)w->out->data + w->out->capacity;
    return w->at != NULL;
}

void encode__writer_begin(RowWriter *w, Encoder *encoder, const Cell *cells, Buffer *out) {
    *w = (RowWriter){.encoder = encoder, .out = out, .row_bytes = 8};
    for (size_t c = 0; c < encoder->column_count; c++) {
        w->row_bytes += worst_case(&cells[c]);
    }
}

bool encode__made_text(RowWriter *w, void (*append)(Buffer *out, Str text), Type type, const void *value) {
    Buffer text;
    encode__sync(w);
    w->at = NULL;
    buffer_init(&text, w->out->limit_bytes);
    value_format(type, value, &(TextStyle){.names = w->encoder->options.text.names}, &text);
    append(w->out, buffer_str(&text));
    buffer_deinit(&text);
    return encode__reserve(w);
}
