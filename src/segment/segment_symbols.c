/* SPDX-License-Identifier: Apache-2.0
 * segment_symbols.c - which symbols a segment holds and the last row of each: prunes `symbol = x`, answers LATEST ON.
 *
 * Layout: u32 count | u32 0 | u32 code per symbol, ascending | u32 last row per symbol. */
#include "segment/segment_internal.h"

static bool grow(SymbolSet *set, uint32_t code) {
    enum { CODES_MAX = 1 << 24 }; /* 64 MiB of marks while writing */
    if (code >= CODES_MAX) {
        return false;
    }
    size_t want = set->capacity == 0 ? 256 : set->capacity;
    while (want <= code) {
        want *= 2;
    }
    set->last = mem_realloc(set->last, want * sizeof *set->last);
    memset(set->last + set->capacity, 0, (want - set->capacity) * sizeof *set->last);
    set->capacity = want;
    return true;
}

void segment__symbols_add(SymbolSet *set, const ColumnBlock *block, uint64_t first_row) {
    assert(block->type.id == TYPE_SYMBOL);
    const uint32_t *codes = block->data;
    for (uint32_t i = 0; i < block->row_count && !set->too_many; i++) {
        if (block->valid != NULL && !bit_get(block->valid, i)) {
            continue;
        }
        if (codes[i] >= set->capacity && !grow(set, codes[i])) {
            set->too_many = true;
            return;
        }
        set->distinct += set->last[codes[i]] == 0;
        set->last[codes[i]] = (uint32_t)(first_row + i + 1);
        set->too_many = set->distinct > SEGMENT_SYMBOLS_MAX;
    }
}

void segment__symbols_write(const SymbolSet *set, Buffer *out) {
    assert(!set->too_many);
    buffer_put_u32le(out, set->distinct);
    buffer_put_u32le(out, 0);
    for (uint32_t code = 0; code < set->capacity; code++) {
        if (set->last[code] != 0) {
            buffer_put_u32le(out, code);
        }
    }
    for (uint32_t code = 0; code < set->capacity; code++) {
        if (set->last[code] != 0) {
            buffer_put_u32le(out, set->last[code] - 1);
        }
    }
}

static bool symbols_sane(const Segment *segment, Bytes data) {
    if (data.len < 8 || data.len != 8 + (size_t)get_u32le(data.data) * 8) {
        return false;
    }
    uint32_t count = get_u32le(data.data);
    uint64_t rows = segment->first_rows[segment->block_count];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t code = get_u32le(data.data + 8 + (size_t)i * 4);
        bool rising = i == 0 || code > get_u32le(data.data + 4 + (size_t)i * 4);
        if (!rising || code > INT32_MAX || get_u32le(data.data + 8 + ((size_t)count + i) * 4) >= rows) {
            return false;
        }
    }
    return true;
}

ErrorCode segment_symbols(const Segment *segment, uint16_t column, BlockCache *cache, bool *found_out, SegmentSymbols *symbols_out, Error *err) {
    assert(column < segment->column_count);
    *symbols_out = (SegmentSymbols){0};
    *found_out = segment->symbol_blocks[column] >= 0;
    if (!*found_out) {
        return ERR_OK;
    }
    TRY(block_cache_read(cache, segment->file, (uint32_t)segment->symbol_blocks[column], &symbols_out->pin, err));
    Bytes data = symbols_out->pin.data;
    if (!symbols_sane(segment, data)) {
        block_cache_release(cache, &symbols_out->pin);
        return error_set(err, ERR_DAMAGED, 0, "%s: symbols of column %u are damaged", segment_path(segment), segment->columns[column].id);
    }
    symbols_out->count = get_u32le(data.data);
    symbols_out->codes = (const uint32_t *)(const void *)(data.data + 8);
    symbols_out->last_rows = symbols_out->codes + symbols_out->count;
    return ERR_OK;
}

bool segment_symbols_find(const SegmentSymbols *symbols, uint32_t code, uint32_t *last_row_out) {
    uint32_t low = 0, high = symbols->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (symbols->codes[middle] < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == symbols->count || symbols->codes[low] != code) {
        return false;
    }
    *last_row_out = symbols->last_rows[low];
    return true;
}
