/* SPDX-License-Identifier: Apache-2.0
 * keys_find.c - foreign keys' question: which of these keys does a table hold now?
 *
 * Tests: test/unit/engine/test_keys.c, test/sql/foreign_keys.slt */
#include "base/hash.h"
#include "table/index_part.h"

static const void *value_at(const ColumnBlock *block, uint32_t row, uint8_t *bit) {
    if (block->valid != NULL && !bit_get(block->valid, row)) {
        return NULL;
    }
    Physical physical = type_physical((TypeId)block->type.id);
    if (physical == PHYS_BIT) {
        *bit = bit_get(block->data, row);
        return bit;
    }
    return (const uint8_t *)block->data + physical_bytes(physical) * row;
}

/* false: no row can have such a key. */
static bool put_key(const KeySearch *search, const IndexShape *shape, uint32_t row, Buffer *key, bool *has_null_out) {
    bool possible = true;
    uint8_t bit = 0;
    buffer_clear(key);
    *has_null_out = false;
    for (uint16_t i = 0; i < search->count; i++) {
        const void *value = value_at(&search->columns[i], row, &bit);
        *has_null_out = *has_null_out || value == NULL;
        possible = possible && value != NULL && key_put_as(key, &shape->parts[i], search->types[i], value);
    }
    return possible;
}

static KeyPresence presence_of(const KeyOwner *owner) {
    if (owner->live || (owner->ended_by != 0 && owner->ended_by == owner->begun_by)) {
        return KEY_PRESENT;
    }
    return owner->ended_by != 0 || owner->begun_by != 0 ? KEY_UNSURE : KEY_ABSENT;
}

static ErrorCode find_all(Prober *prober, const KeySearch *search, uint8_t *presence_out, Error *err) {
    StrMap known; /* keys repeat: many rows name one parent */
    Buffer key;
    ErrorCode code = ERR_OK;
    strmap_init(&known);
    buffer_init(&key, SIZE_MAX);
    for (uint32_t row = 0; row < search->columns[0].row_count && code == ERR_OK; row++) {
        bool has_null = false;
        uint64_t before = 0;
        if (!put_key(search, prober->shape, row, &key, &has_null)) {
            presence_out[row] = has_null ? KEY_HAS_NULL : KEY_ABSENT;
            continue;
        }
        if (strmap_get(&known, buffer_str(&key), &before)) {
            presence_out[row] = (uint8_t)before;
            continue;
        }
        KeyQuestion question = {.head = buffer_bytes(&key), .whole_key = search->count == prober->shape->count};
        KeyOwner owner;
        code = table__prober_find(prober, &question, &owner, err);
        presence_out[row] = (uint8_t)presence_of(&owner);
        (void)strmap_put(&known, buffer_str(&key), presence_out[row]);
    }
    buffer_deinit(&key);
    strmap_deinit(&known);
    return code;
}

bool table_key_types_comparable(const ColumnDef *a, const ColumnDef *b) {
    bool symbols = a->type.id == TYPE_SYMBOL || b->type.id == TYPE_SYMBOL; /* codes of different dictionaries */
    return key_types_comparable((TypeId)a->type.id, (TypeId)b->type.id) && (!symbols || a->symbols == b->symbols);
}

ErrorCode table_keys_find(Table *to, const KeySearch *search, uint8_t *presence_out, Error *err) {
    IndexShape shape;
    Prober prober;
    table__shape(search->to, search->index, &shape);
    assert(search->count <= shape.count);
    TRY(table__prober_open(to, search->to, &shape, search->own, &prober, err));
    ErrorCode code = find_all(&prober, search, presence_out, err);
    table__prober_close(&prober);
    return code;
}
