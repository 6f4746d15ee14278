/* SPDX-License-Identifier: Apache-2.0
 * encode_text.c - text granules and dictionaries of any type.
 *
 * Layout: text = packed(lengths) | bytes; codes = packed(codes); dictionary (block header) = u32 count | u32 0 | u64 per value, or
 *         u32 length per text, padded to 8, then the bytes. */
#include "base/hash.h"
#include "codec/codec_internal.h"

static bool row_valid(const ColumnBlock *block, uint32_t row) { return block->valid == NULL || bit_get(block->valid, row); }

void codec__write_text(const ColumnBlock *block, uint32_t from, uint32_t count, EncodeScratch *scratch, Buffer *out) {
    const StrRef *texts = (const StrRef *)block->data + from;
    for (uint32_t i = 0; i < count; i++) {
        scratch->packed[i] = row_valid(block, from + i) ? texts[i].len : 0;
    }
    codec__packed_write(out, scratch->packed, count, codec__packed_plan(scratch->packed, count, true));
    for (uint32_t i = 0; i < count; i++) {
        if (scratch->packed[i] != 0) {
            buffer_append_str(out, strref_str(&texts[i]));
        }
    }
}

static bool same_text(const ColumnBlock *block, uint64_t row_a, uint32_t row_b) {
    const StrRef *texts = block->data;
    return strref_equal(&texts[row_a], &texts[row_b]);
}

static uint64_t bits_at(const ColumnBlock *block, uint32_t row) {
    return physical_bytes(type_physical((TypeId)block->type.id)) == 4 ? ((const uint32_t *)block->data)[row] : ((const uint64_t *)block->data)[row];
}

uint32_t codec__dictionary_build(const ColumnBlock *block, EncodeScratch *scratch, uint32_t limit) {
    assert(limit <= DICTIONARY_MAX);
    bool is_text = type_physical((TypeId)block->type.id) == PHYS_STR;
    const size_t mask = COUNT_OF(scratch->slots) - 1;
    memset(scratch->slots, 0, sizeof scratch->slots);
    uint32_t count = 0, last = 0;
    for (uint32_t row = 0; row < block->row_count; row++) {
        if (!row_valid(block, row)) {
            scratch->codes[row] = last;
            continue;
        }
        Str text = is_text ? strref_str((const StrRef *)block->data + row) : (Str){0};
        uint64_t key = is_text ? hash_bytes(text.data, text.len, 0) : bits_at(block, row);
        size_t at = (is_text ? key : hash_u64(key)) & mask;
        while (scratch->slots[at].used &&
               (scratch->slots[at].key != key || (is_text && !same_text(block, scratch->entries[scratch->slots[at].code], row)))) {
            at = (at + 1) & mask;
        }
        if (!scratch->slots[at].used) {
            if (count == limit) {
                return 0;
            }
            scratch->slots[at] = (DictionarySlot){key, count, 1};
            scratch->entries[count++] = is_text ? row : key;
        }
        last = scratch->codes[row] = scratch->slots[at].code;
    }
    return count;
}

void codec__write_codes(uint32_t from, uint32_t count, uint32_t dictionary_count, EncodeScratch *scratch, Buffer *out) {
    for (uint32_t i = 0; i < count; i++) {
        scratch->packed[i] = scratch->codes[from + i];
    }
    uint8_t width = (uint8_t)bit_width(dictionary_count - 1);
    codec__packed_write(out, scratch->packed, count, (PackedPlan){.width = width});
}

void codec__write_dictionary(const ColumnBlock *block, uint32_t count, const EncodeScratch *scratch, Buffer *out) {
    buffer_put_u32le(out, count);
    buffer_put_u32le(out, 0);
    if (type_physical((TypeId)block->type.id) != PHYS_STR) {
        buffer_append(out, scratch->entries, count * sizeof scratch->entries[0]);
        return;
    }
    const StrRef *texts = block->data;
    for (uint32_t i = 0; i < count; i++) {
        buffer_put_u32le(out, texts[scratch->entries[i]].len);
    }
    buffer_append_fill(out, 0, (8 - count * 4 % 8) % 8);
    for (uint32_t i = 0; i < count; i++) {
        buffer_append_str(out, strref_str(&texts[scratch->entries[i]]));
    }
}
