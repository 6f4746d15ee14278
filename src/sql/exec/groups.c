/* SPDX-License-Identifier: Apache-2.0
 * groups.c - see groups.h. */
#include "sql/exec/groups.h"
#include "kernels/kernels.h"

enum { ROWS_FIRST = 64, SLOTS_FIRST = 256, PREFETCH_SLOTS_MIN = 1 << 15 };

/* One key column of a batch, every value at data + (constant ? 0 : row) * width. */
typedef struct KeyIn {
    const uint8_t *data;
    const uint64_t *valid;
    size_t step;            /* 0 for constants */
    bool null;              /* constant NULL */
} KeyIn;

/* ---- shape ---- */
static uint32_t code_domain(const GroupKey *key) {
    switch ((TypeId)key->type.id) {
    case TYPE_SYMBOL:
        return key->symbols == NULL ? 0 : (uint32_t)key->symbols->count(key->symbols) + 1;
    case TYPE_BOOL:
        return 3;
    case TYPE_BYTE:
        return 257;
    default:
        return 0;
    }
}

/* Product of the keys' domains, kept in the keys; 0 if a key has none or there are too many. */
static uint32_t codes_product(GroupKey *keys, uint32_t count) {
    uint64_t product = 1;
    for (uint32_t k = 0; k < count; k++) {
        keys[k].domain = code_domain(&keys[k]);
        product *= keys[k].domain;
        if (product == 0 || product > GROUP_CODES_MAX) {
            return 0;
        }
    }
    return (uint32_t)product;
}

static void choose_codes(GroupSpec *spec, uint32_t state_bytes) {
    uint32_t product = codes_product(spec->keys, spec->key_count);
    if (product > 0 && (size_t)product * (state_bytes + GROUP_HEADER_BYTES) <= GROUP_CODE_BYTES_MAX) {
        spec->by_code = true;
        spec->codes = product;
    }
}

static bool bytes_are_values(TypeId type) {
    Physical physical = type_physical(type);
    return physical != PHYS_F32 && physical != PHYS_F64 && physical != PHYS_STR && type != TYPE_NUMERIC && type != TYPE_INTERVAL;
}

GroupSpec *group_spec(Arena *arena, const Program *program, uint32_t first, uint32_t count, const PlanAggregate *aggregates,
                      uint32_t aggregate_count, uint32_t state_bytes, bool by_code_wanted) {
    GroupSpec *spec = arena_new(arena, GroupSpec);
    spec->keys = arena_array(arena, GroupKey, count + 1);
    spec->key_count = count;
    spec->aggregates = aggregates;
    spec->aggregate_count = aggregate_count;
    for (uint32_t k = 0; k < count; k++) {
        const Register *reg = &program->registers[program->outputs[first + k]];
        TypeId type = (TypeId)reg->type.id;
        size_t width = physical_bytes(type_physical(type));
        spec->keys[k] = (GroupKey){.type = reg->type, .width = width == 0 ? 1 : (uint32_t)width, .by_bytes = bytes_are_values(type),
                                   .rules = value_rules(type), .symbols = reg->symbols};
    }
    if (count == 0 || by_code_wanted) {
        choose_codes(spec, state_bytes);
    }
    uint32_t offset = GROUP_HEADER_BYTES;
    spec->null_offset = offset;
    if (!spec->by_code) {
        offset += (count + 63) / 64 * 8;
        for (uint32_t k = 0; k < count; k++) {
            spec->keys[k].offset = offset;
            offset += (spec->keys[k].width + 7) / 8 * 8;
        }
    }
    spec->state_offset = (offset + 15) / 16 * 16;
    spec->stride = spec->state_offset + (state_bytes + 15) / 16 * 16;
    return spec;
}

static void states_init(const GroupSpec *spec, uint8_t *row) {
    for (uint32_t a = 0; a < spec->aggregate_count; a++) {
        if (spec->aggregates[a].aggregate->init != NULL) {
            spec->aggregates[a].aggregate->init(row + spec->state_offset + spec->aggregates[a].state_offset);
        }
    }
}

static ErrorCode reserve(GroupTable *table, size_t bytes, Error *err) {
    TRY(budget_reserve(table->budget, bytes, err));
    table->reserved += bytes;
    return ERR_OK;
}

static ErrorCode rows_grow(GroupTable *table, uint32_t capacity, Error *err) {
    size_t stride = table->spec->stride;
    TRY(reserve(table, (capacity - table->capacity) * stride, err));
    if (table->capacity == 0) {
        table->rows = mem_calloc(capacity, stride);
    } else {
        table->rows = mem_realloc(table->rows, capacity * stride);
        memset(table->rows + table->capacity * stride, 0, (capacity - table->capacity) * stride);
    }
    table->capacity = capacity;
    return ERR_OK;
}

ErrorCode groups_init(GroupTable *table, const GroupSpec *spec, Budget *budget, Error *err) {
    *table = (GroupTable){.spec = spec, .budget = budget};
    arena_init(&table->arena, SIZE_MAX);
    table->hashes = mem_alloc_aligned(BATCH_ROWS * sizeof(uint64_t));
    table->bool_bytes = mem_alloc_aligned((size_t)BATCH_ROWS * (spec->key_count + 1));
    if (spec->by_code) {
        TRY(reserve(table, spec->codes, err));
        table->seen = mem_calloc(spec->codes, 1);
        TRY(rows_grow(table, spec->codes, err));
        table->count = spec->codes;
        return ERR_OK;
    }
    table->slot_count = SLOTS_FIRST;
    table->slots = mem_calloc(table->slot_count, sizeof(uint64_t));
    return rows_grow(table, ROWS_FIRST, err);
}

void groups_deinit(GroupTable *table) {
    if (table->spec == NULL) {
        return;
    }
    budget_release(table->budget, table->reserved + table->arena_seen);
    mem_free(table->rows);
    mem_free(table->slots);
    mem_free(table->seen);
    mem_free(table->hashes);
    mem_free(table->bool_bytes);
    arena_deinit(&table->arena);
    *table = (GroupTable){0};
}

/* ---- reading keys ---- */
static void key_in(GroupTable *table, uint32_t k, const Vector *vector, uint16_t row_count, KeyIn *in) {
    bool constant = vector->form == VECTOR_CONSTANT;
    assert(constant || vector->form == VECTOR_FLAT);
    in->data = vector->data;
    in->valid = constant ? NULL : vector->valid;
    in->null = constant && vector->valid != NULL && !bit_get(vector->valid, 0);
    in->step = constant ? 0 : table->spec->keys[k].width;
    if (type_physical((TypeId)vector->type.id) == PHYS_BIT) {
        uint8_t *bytes = table->bool_bytes + (size_t)k * BATCH_ROWS;
        for (uint16_t r = 0; r < (constant ? 1 : row_count); r++) {
            bytes[r] = bit_get(vector->data, r);
        }
        in->data = bytes;
    }
}

static bool key_null(const KeyIn *in, size_t row) {
    return in->null || (in->valid != NULL && !bit_get(in->valid, row));
}

/* ---- by code ---- */
static uint32_t code_of(const GroupKey *key, const KeyIn *in, size_t row) {
    if (key_null(in, row)) {
        return 0;
    }
    const uint8_t *value = in->data + row * in->step;
    if (key->type.id == TYPE_SYMBOL) {
        return get_u32le(value) + 1;
    }
    return (uint32_t)value[0] + 1;
}

/* group = mixed-radix code of the keys. No keys: 0. The largest group of any row, or UINT32_MAX: not known. */
static uint32_t codes_mix(const GroupKey *spec_keys, const KeyIn *keys, uint32_t count, uint16_t row_count, uint32_t *group) {
    if (count == 0) {
        memset(group, 0, row_count * sizeof *group);
        return 0;
    }
    if (spec_keys[0].type.id == TYPE_SYMBOL && keys[0].step != 0 && keys[0].valid == NULL) {
        uint32_t most = kernels_pick()->number_codes(group, (const uint32_t *)(const void *)keys[0].data, row_count);
        if (count == 1) {
            return most;
        }
    } else {
        for (uint16_t r = 0; r < row_count; r++) {
            group[r] = code_of(&spec_keys[0], &keys[0], r);
        }
    }
    for (uint32_t k = 1; k < count; k++) {
        for (uint16_t r = 0; r < row_count; r++) {
            group[r] = group[r] * spec_keys[k].domain + code_of(&spec_keys[k], &keys[k], r);
        }
    }
    return UINT32_MAX;
}

static uint32_t codes_max(const uint32_t *group) {
    uint32_t max = 0;
    for (size_t r = 0; r < 64; r++) {
        max = group[r] > max ? group[r] : max;
    }
    return max;
}

/* A code outside the domain (a dictionary that grew under way) is an error, not a wild write. */
static ErrorCode touch_one(GroupTable *table, uint32_t group, uint64_t position, bool *fresh, Error *err) {
    const GroupSpec *spec = table->spec;
    if (UNLIKELY(group >= spec->codes)) {
        return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "symbol code %u is not in its dictionary of %u", group, spec->codes);
    }
    *fresh = table->seen[group] == 0;
    if (UNLIKELY(*fresh)) {
        uint8_t *row = groups_row(table, group);
        table->seen[group] = 1;
        table->seen_count += group != 0;
        put_u64le(row + 8, position);
        states_init(spec, row);
    }
    return ERR_OK;
}

/* One key without NULLs whose every code has been met: no row can make a group. */
static bool all_codes_met(const GroupTable *table, const KeyIn *keys) {
    const GroupSpec *spec = table->spec;
    return spec->key_count == 1 && keys[0].valid == NULL && !keys[0].null && table->seen_count + 1 == spec->codes;
}

static ErrorCode codes_touch(GroupTable *table, const KeyIn *keys, const uint64_t *rows, uint16_t row_count, RowPosition first,
                             const uint32_t *group, uint32_t most, uint64_t *fresh, Error *err) {
    bool met = all_codes_met(table, keys), known = most < table->spec->codes;
    const Kernels *kernels = kernels_pick();
    uint64_t position = ((uint64_t)first.morsel << 32 | first.row) + 1;
    for (size_t w = 0; w < words_for(row_count); w++) {
        uint64_t word = rows[w];
        const uint32_t *here = group + w * 64;
        if (word == ~UINT64_C(0) && (known || codes_max(here) < table->spec->codes) && (met || kernels->all_flagged(table->seen, here))) {
            continue;
        }
        for (; word != 0; word &= word - 1) {
            size_t r = w * 64 + (size_t)__builtin_ctzll(word);
            bool is_fresh = false;
            TRY(touch_one(table, group[r], position + r, &is_fresh, err));
            if (is_fresh && fresh != NULL) {
                bit_set(fresh, r);
            }
        }
    }
    return ERR_OK;
}

static ErrorCode find_by_code(GroupTable *table, const KeyIn *keys, const uint64_t *rows, uint16_t row_count, RowPosition first, uint32_t *group,
                              uint64_t *fresh, Error *err) {
    const GroupSpec *spec = table->spec;
    uint32_t most = codes_mix(spec->keys, keys, spec->key_count, row_count, group);
    return codes_touch(table, keys, rows, row_count, first, group, most, fresh, err);
}

/* ---- by hash ---- */
static const uint64_t NULL_HASH = 0x9e3779b97f4a7c15u;

static void hash_key(const GroupKey *key, const KeyIn *in, size_t from, size_t to, uint64_t *hashes) {
    for (size_t r = from; r < to; r++) {
        const uint8_t *value = in->data + r * in->step;
        uint64_t h = NULL_HASH;
        if (!key_null(in, r)) {
            if (key->width == 8 && key->by_bytes) {
                h = get_u64le(value);
            } else if (key->width == 4 && key->by_bytes) {
                h = get_u32le(value);
            } else {
                h = key->rules->hash(value);
            }
        }
        hashes[r] = hash_u64(hashes[r] * 31 + h);
    }
}

static bool value_equal_key(const GroupKey *key, const uint8_t *stored, const uint8_t *value) {
    if (key->by_bytes) {
        switch (key->width) {
        case 4:
            return get_u32le(stored) == get_u32le(value);
        case 8:
            return get_u64le(stored) == get_u64le(value);
        default:
            return memcmp(stored, value, key->width) == 0;
        }
    }
    return key->rules->equal(stored, value);
}

static bool row_equal(const GroupSpec *spec, const uint8_t *row, const KeyIn *keys, size_t r) {
    const uint64_t *nulls = (const uint64_t *)(const void *)(row + spec->null_offset);
    for (uint32_t k = 0; k < spec->key_count; k++) {
        bool null = key_null(&keys[k], r);
        if (null != bit_get(nulls, k)) {
            return false;
        }
        if (!null && !value_equal_key(&spec->keys[k], row + spec->keys[k].offset, keys[k].data + r * keys[k].step)) {
            return false;
        }
    }
    return true;
}

static void slots_rebuild(GroupTable *table, size_t slot_count) {
    mem_free(table->slots);
    table->slots = mem_calloc(slot_count, sizeof(uint64_t));
    table->slot_count = slot_count;
    for (uint32_t g = 0; g < table->count; g++) {
        uint64_t hash = get_u64le(groups_row(table, g));
        size_t at = hash & (slot_count - 1);
        while (table->slots[at] != 0) {
            at = (at + 1) & (slot_count - 1);
        }
        table->slots[at] = (hash >> 32 << 32) | (g + 1);
    }
}

static ErrorCode make_room(GroupTable *table, Error *err) {
    if (table->count == table->capacity) {
        if (table->capacity >= UINT32_MAX / 4) {
            return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "more than %u groups", table->capacity);
        }
        TRY(rows_grow(table, table->capacity * 2, err));
    }
    if ((size_t)table->count * 2 >= table->slot_count) {
        TRY(reserve(table, table->slot_count * sizeof(uint64_t), err));
        slots_rebuild(table, table->slot_count * 2);
    }
    return ERR_OK;
}

static void store_key(GroupTable *table, const GroupKey *key, uint8_t *place, const uint8_t *value) {
    memcpy(place, value, key->width);
    if (type_physical((TypeId)key->type.id) == PHYS_STR) {
        StrRef ref;
        memcpy(&ref, value, sizeof ref);
        if (ref.len > STRREF_INLINE) {
            Str copy = arena_str(&table->arena, strref_str(&ref));
            ref = strref_make(copy.data, copy.len);
            memcpy(place, &ref, sizeof ref);
        }
    } else if (key->type.id == TYPE_NUMERIC) {
        NumericSlot slot;
        memcpy(&slot, value, sizeof slot);
        if (slot.is_big) {
            slot = numeric_to_slot(numeric_from_slot(&slot), &table->arena);
            memcpy(place, &slot, sizeof slot);
        }
    }
}

static void store_row(GroupTable *table, const KeyIn *keys, size_t r, uint64_t hash, uint64_t position) {
    const GroupSpec *spec = table->spec;
    uint8_t *row = groups_row(table, table->count);
    put_u64le(row, hash);
    put_u64le(row + 8, position);
    for (uint32_t k = 0; k < spec->key_count; k++) {
        if (key_null(&keys[k], r)) {
            bit_set((uint64_t *)(void *)(row + spec->null_offset), k);
        } else {
            store_key(table, &spec->keys[k], row + spec->keys[k].offset, keys[k].data + r * keys[k].step);
        }
    }
    states_init(spec, row);
    table->count++;
}

static ErrorCode find_row(GroupTable *table, const KeyIn *keys, size_t r, uint64_t position, uint32_t *group, uint64_t *fresh, Error *err) {
    const GroupSpec *spec = table->spec;
    uint64_t hash = table->hashes[r];
    size_t at = hash & (table->slot_count - 1);
    for (;;) {
        uint64_t slot = table->slots[at];
        if (slot == 0) {
            break;
        }
        uint32_t g = (uint32_t)slot - 1;
        if (slot >> 32 == hash >> 32 && row_equal(spec, groups_row(table, g), keys, r)) {
            group[r] = g;
            return ERR_OK;
        }
        at = (at + 1) & (table->slot_count - 1);
    }
    table->slots[at] = (hash >> 32 << 32) | (table->count + 1);
    group[r] = table->count;
    store_row(table, keys, r, hash, position);
    if (fresh != NULL) {
        bit_set(fresh, r);
    }
    return make_room(table, err);
}

/* A table beyond the caches: the misses of a word's rows overlap, first those of the directory, then those of the rows. */
static void prefetch_word(const GroupTable *table, uint64_t rows, size_t w) {
    if (table->slot_count < PREFETCH_SLOTS_MIN) {
        return;
    }
    const uint64_t *hashes = table->hashes + w * 64;
    for (uint64_t word = rows; word != 0; word &= word - 1) {
        __builtin_prefetch(&table->slots[hashes[__builtin_ctzll(word)] & (table->slot_count - 1)]);
    }
    for (uint64_t word = rows; word != 0; word &= word - 1) {
        uint64_t slot = table->slots[hashes[__builtin_ctzll(word)] & (table->slot_count - 1)];
        if (slot != 0) {
            __builtin_prefetch(groups_row(table, (uint32_t)slot - 1));
        }
    }
}

static ErrorCode find_by_hash(GroupTable *table, const KeyIn *keys, const uint64_t *rows, uint16_t row_count, RowPosition first, uint32_t *group,
                              uint64_t *fresh, Error *err) {
    uint64_t position = ((uint64_t)first.morsel << 32 | first.row) + 1;
    memset(table->hashes, 0, row_count * sizeof *table->hashes);
    for (size_t w = 0; w < words_for(row_count); w++) {
        for (uint32_t k = 0; k < table->spec->key_count && rows[w] != 0; k++) {
            hash_key(&table->spec->keys[k], &keys[k], w * 64, MIN_OF(w * 64 + 64, (size_t)row_count), table->hashes);
        }
    }
    for (size_t w = 0; w < words_for(row_count); w++) {
        prefetch_word(table, rows[w], w);
        for (uint64_t word = rows[w]; word != 0; word &= word - 1) {
            size_t r = w * 64 + (size_t)__builtin_ctzll(word);
            TRY(find_row(table, keys, r, position + r, group, fresh, err));
        }
    }
    return ERR_OK;
}

ErrorCode groups_find(GroupTable *table, Vector *const *keys, const uint64_t *rows, uint16_t row_count, RowPosition first, uint32_t *group,
                      uint64_t *fresh, Error *err) {
    KeyIn few[16];
    uint32_t count = table->spec->key_count;
    KeyIn *in = count <= COUNT_OF(few) ? few : mem_alloc(count * sizeof *in);
    for (uint32_t k = 0; k < count; k++) {
        key_in(table, k, keys[k], row_count, &in[k]);
    }
    ErrorCode code = table->spec->by_code ? find_by_code(table, in, rows, row_count, first, group, fresh, err)
                                          : find_by_hash(table, in, rows, row_count, first, group, fresh, err);
    if (in != few) {
        mem_free(in);
    }
    TRY(code);
    return budget_follow(table->budget, &table->arena, &table->arena_seen, err);
}

/* ---- the cache of (instant, codes) ---- */
ErrorCode groups_cache_init(GroupCache *cache, GroupTable *table, Error *err) {
    const GroupSpec *spec = table->spec;
    *cache = (GroupCache){0};
    uint32_t codes = spec->by_code ? 0 : codes_product(spec->keys + 1, spec->key_count - 1);
    if (codes == 0) {
        return ERR_OK;
    }
    TRY(reserve(table, codes * (sizeof(int64_t) + sizeof(uint32_t)), err));
    cache->codes = codes;
    cache->instants = mem_calloc(codes, sizeof *cache->instants);
    cache->groups = mem_alloc(codes * sizeof *cache->groups);
    memset(cache->groups, 0xff, codes * sizeof *cache->groups);
    cache->code = mem_calloc(BATCH_ROWS, sizeof *cache->code);
    return ERR_OK;
}

void groups_cache_deinit(GroupCache *cache) {
    mem_free(cache->instants);
    mem_free(cache->groups);
    mem_free(cache->code);
}

static void cache_codes(GroupTable *table, GroupCache *cache, Vector *const *keys, uint16_t row_count) {
    KeyIn in[4];
    uint32_t count = table->spec->key_count - 1;
    for (uint32_t k = 0; k < count; k++) {
        key_in(table, k + 1, keys[k + 1], row_count, &in[k]);
    }
    (void)codes_mix(table->spec->keys + 1, in, count, row_count, cache->code);
}

ErrorCode groups_find_cached(GroupTable *table, GroupCache *cache, Vector *const *keys, const uint64_t *rows, uint16_t row_count,
                             RowPosition first, uint32_t *group, Error *err) {
    if (cache->codes == 0 || table->spec->key_count > 4) {
        return groups_find(table, keys, rows, row_count, first, group, NULL, err);
    }
    const int64_t *instants = keys[0]->data;
    uint64_t missed[BATCH_WORDS] = {0};
    uint64_t any = 0;
    cache_codes(table, cache, keys, row_count);
    for (size_t w = 0; w < words_for(row_count); w++) {
        for (uint64_t word = rows[w]; word != 0; word &= word - 1) {
            size_t r = w * 64 + (size_t)__builtin_ctzll(word);
            uint32_t code = cache->code[r];
            if (LIKELY(code < cache->codes && cache->groups[code] != UINT32_MAX && cache->instants[code] == instants[r])) {
                group[r] = cache->groups[code];
            } else {
                missed[w] |= word & -word;
            }
        }
        any |= missed[w];
    }
    if (any == 0) {
        return ERR_OK;
    }
    TRY(groups_find(table, keys, missed, row_count, first, group, NULL, err));
    for (size_t w = 0; w < words_for(row_count); w++) {
        for (uint64_t word = missed[w]; word != 0; word &= word - 1) {
            size_t r = w * 64 + (size_t)__builtin_ctzll(word);
            if (cache->code[r] < cache->codes) {
                cache->groups[cache->code[r]] = group[r];
                cache->instants[cache->code[r]] = instants[r];
            }
        }
    }
    return ERR_OK;
}

/* ---- merging ---- */
static ErrorCode merge_states(GroupTable *into, uint32_t group, const uint8_t *from_row, Error *err) {
    const GroupSpec *spec = into->spec;
    uint8_t *row = groups_row(into, group);
    for (uint32_t a = 0; a < spec->aggregate_count; a++) {
        const PlanAggregate *aggregate = &spec->aggregates[a];
        uint32_t offset = spec->state_offset + aggregate->state_offset;
        TRY(aggregate->aggregate->merge(row + offset, from_row + offset, &into->arena, err));
    }
    uint64_t first = get_u64le(from_row + 8);
    if (first < get_u64le(row + 8)) {
        put_u64le(row + 8, first);
    }
    return ERR_OK;
}

static ErrorCode merge_codes(GroupTable *into, const GroupTable *from, Error *err) {
    const GroupSpec *spec = into->spec;
    for (uint32_t g = 0; g < spec->codes; g++) {
        const uint8_t *from_row = groups_row(from, g);
        if (get_u64le(from_row + 8) == 0) {
            continue;
        }
        uint8_t *row = groups_row(into, g);
        if (into->seen[g] == 0) {
            into->seen[g] = 1;
            into->seen_count += g != 0;
            memcpy(row, from_row, spec->stride);
        } else {
            TRY(merge_states(into, g, from_row, err));
        }
    }
    return ERR_OK;
}

static void row_keys(const GroupSpec *spec, const uint8_t *row, KeyIn *keys) {
    const uint64_t *nulls = (const uint64_t *)(const void *)(row + spec->null_offset);
    for (uint32_t k = 0; k < spec->key_count; k++) {
        keys[k] = (KeyIn){.data = row + spec->keys[k].offset, .null = bit_get(nulls, k)};
    }
}

static ErrorCode merge_row(GroupTable *into, const uint8_t *from_row, KeyIn *keys, Error *err) {
    const GroupSpec *spec = into->spec;
    uint64_t hash = get_u64le(from_row);
    row_keys(spec, from_row, keys);
    size_t at = hash & (into->slot_count - 1);
    for (; into->slots[at] != 0; at = (at + 1) & (into->slot_count - 1)) {
        uint32_t g = (uint32_t)into->slots[at] - 1;
        if (into->slots[at] >> 32 == hash >> 32 && row_equal(spec, groups_row(into, g), keys, 0)) {
            return merge_states(into, g, from_row, err);
        }
    }
    into->slots[at] = (hash >> 32 << 32) | (into->count + 1);
    memcpy(groups_row(into, into->count), from_row, spec->stride);
    into->count++;
    return make_room(into, err);
}

ErrorCode groups_merge(GroupTable *into, const GroupTable *from, Error *err) {
    assert(into->spec == from->spec);
    if (into->spec->by_code) {
        return merge_codes(into, from, err);
    }
    KeyIn *keys = mem_alloc((into->spec->key_count + 1) * sizeof *keys);
    ErrorCode code = ERR_OK;
    for (uint32_t g = 0; g < from->count && code == ERR_OK; g++) {
        code = merge_row(into, groups_row(from, g), keys, err);
    }
    mem_free(keys);
    return code;
}

/* ---- reading ---- */
void groups_sort(uint64_t *keys, uint32_t *numbers, uint32_t count, Arena *arena) {
    uint64_t *other_keys = arena_alloc_aligned(arena, (count + 1) * sizeof *other_keys, 64);
    uint32_t *other = arena_alloc_aligned(arena, (count + 1) * sizeof *other, 64);
    uint64_t varying = 0;
    for (uint32_t i = 1; i < count; i++) {
        varying |= keys[i] ^ keys[0];
    }
    uint64_t *from_keys = keys;
    uint32_t *from = numbers;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if ((varying >> shift & 0xff) == 0) {
            continue;
        }
        uint32_t starts[257] = {0};
        for (uint32_t i = 0; i < count; i++) {
            starts[(from_keys[i] >> shift & 0xff) + 1]++;
        }
        for (size_t d = 1; d < 257; d++) {
            starts[d] += starts[d - 1];
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = starts[from_keys[i] >> shift & 0xff]++;
            other_keys[at] = from_keys[i];
            other[at] = from[i];
        }
        uint64_t *swap_keys = from_keys;
        uint32_t *swap = from;
        from_keys = other_keys;
        from = other;
        other_keys = swap_keys;
        other = swap;
    }
    if (from != numbers) {
        memcpy(numbers, from, count * sizeof *numbers);
        memcpy(keys, from_keys, count * sizeof *keys);
    }
}

uint32_t *groups_order(const GroupTable *table, Arena *arena, uint32_t *count_out) {
    uint32_t *order = arena_alloc_aligned(arena, (table->count + 1) * sizeof *order, 64);
    uint64_t *keys = arena_alloc_aligned(arena, (table->count + 1) * sizeof *keys, 64);
    uint32_t count = 0;
    bool sorted = true;
    for (uint32_t g = 0; g < table->count; g++) {
        uint64_t first = groups_first(table, g);
        if (first != 0) {
            sorted = sorted && (count == 0 || keys[count - 1] <= first);
            keys[count] = first;
            order[count++] = g;
        }
    }
    if (!sorted) {
        groups_sort(keys, order, count, arena);
    }
    *count_out = count;
    return order;
}

static void put_code(const GroupSpec *spec, uint32_t group, uint32_t k, Vector *out, size_t row, Arena *arena) {
    for (uint32_t i = spec->key_count - 1; i > k; i--) {
        group /= spec->keys[i].domain;
    }
    uint32_t code = k == 0 ? group : group % spec->keys[k].domain;
    if (code == 0) {
        vector_set_null(out, arena, row);
        return;
    }
    code--;
    switch ((TypeId)out->type.id) {
    case TYPE_SYMBOL:
        ((uint32_t *)vector_data(out))[row] = code;
        return;
    case TYPE_BOOL:
        if (code != 0) {
            bit_set(vector_data(out), row);
        }
        return;
    default:
        ((uint8_t *)vector_data(out))[row] = (uint8_t)code;
        return;
    }
}

void groups_key(const GroupTable *table, uint32_t group, uint32_t k, Vector *out, size_t row, Arena *arena) {
    const GroupSpec *spec = table->spec;
    if (spec->by_code) {
        put_code(spec, group, k, out, row, arena);
        return;
    }
    const uint8_t *stored = groups_row(table, group);
    if (bit_get((const uint64_t *)(const void *)(stored + spec->null_offset), k)) {
        vector_set_null(out, arena, row);
        return;
    }
    const uint8_t *value = stored + spec->keys[k].offset;
    if (type_physical((TypeId)out->type.id) == PHYS_BIT) {
        if (*value != 0) {
            bit_set(vector_data(out), row);
        }
        return;
    }
    memcpy((uint8_t *)vector_data(out) + row * spec->keys[k].width, value, spec->keys[k].width);
}
