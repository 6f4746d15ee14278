/* SPDX-License-Identifier: Apache-2.0
 * index_keys.c - the keys of rows: from columns as they lie in chunks, blocks and batches.
 *
 * Tests: test/unit/engine/test_keys.c */
#include "table/index_part.h"

void table__shape(const TableDef *def, const IndexDef *index, IndexShape *shape) {
    *shape = (IndexShape){.index = index, .def = def, .count = index->key_count, .predicate = -1};
    assert(index->key_count <= INDEX_KEYS_MAX);
    for (uint16_t i = 0; i < index->key_count; i++) {
        int number = table_column_by_id(def, index->keys[i].column_id);
        assert(number >= 0);
        shape->columns[i] = (uint16_t)number;
        shape->parts[i] = (KeyPart){.type = def->columns[number].type, .descending = index->keys[i].descending,
                                    .nulls_first = index->keys[i].nulls_first, .never_null = index->is_primary};
    }
    shape->column_count = shape->count;
    if (index->predicate_column_id != 0) {
        shape->predicate = shape->column_count;
        shape->columns[shape->column_count++] = (uint16_t)table_column_by_id(def, index->predicate_column_id);
    }
}

/* ---- where columns lie ---- */

static KeyColumn missing_column(const ColumnDef *column) {
    static const uint64_t NO_BITS = 0;
    bool text = type_physical(column->type.id) == PHYS_STR;
    return (KeyColumn){.data = text ? (const void *)&column->missing_text : column->missing_value, .valid = column->missing_is_null ? &NO_BITS : NULL,
                       .constant = true, .physical = type_physical(column->type.id)};
}

void table__keys_of_chunk(const IndexShape *shape, const Chunk *chunk, KeyColumn *columns) {
    for (uint16_t i = 0; i < shape->column_count; i++) {
        const ColumnDef *column = &shape->def->columns[shape->columns[i]];
        int place = layout_find(chunk->layout, column->id);
        columns[i] = missing_column(column);
        if (place >= 0 && type_physical(chunk->layout->columns[place].type.id) == columns[i].physical) {
            columns[i].data = chunk->columns[place].data;
            columns[i].valid = chunk->columns[place].valid;
            columns[i].constant = false;
        }
    }
}

void table__keys_of_blocks(const IndexShape *shape, const ColumnBlock *blocks, KeyColumn *columns) {
    for (uint16_t i = 0; i < shape->column_count; i++) {
        const ColumnBlock *block = &blocks[shape->columns[i]];
        columns[i] = (KeyColumn){.data = block->data, .valid = block->valid, .physical = type_physical(block->type.id)};
    }
}

void table__keys_of_vectors(const IndexShape *shape, const Vector *vectors, KeyColumn *columns) {
    for (uint16_t i = 0; i < shape->column_count; i++) {
        const Vector *vector = &vectors[shape->columns[i]];
        assert(vector->form == VECTOR_FLAT || vector->form == VECTOR_CONSTANT);
        columns[i] = (KeyColumn){.data = vector->data, .valid = vector->valid, .constant = vector->form == VECTOR_CONSTANT,
                                 .physical = type_physical(vector->type.id)};
    }
}

/* NULL: the value is NULL. *bit holds a boolean. */
static const void *value_at(const KeyColumn *column, uint32_t row, uint8_t *bit) {
    uint32_t at = column->constant ? 0 : row;
    if (column->valid != NULL && !bit_get(column->valid, at)) {
        return NULL;
    }
    if (column->physical == PHYS_BIT) {
        *bit = column->constant ? *(const uint8_t *)column->data & 1 : bit_get(column->data, at);
        return bit;
    }
    return (const uint8_t *)column->data + physical_bytes(column->physical) * at;
}

bool table__key(const IndexShape *shape, const KeyColumn *columns, uint32_t row, Buffer *key, bool *has_null_out) {
    uint8_t bit = 0;
    *has_null_out = false;
    if (shape->predicate >= 0) {
        const uint8_t *holds = value_at(&columns[shape->predicate], row, &bit);
        if (holds == NULL || *holds == 0) {
            return false;
        }
    }
    buffer_clear(key);
    for (uint16_t i = 0; i < shape->count; i++) {
        const void *value = value_at(&columns[i], row, &bit);
        *has_null_out = *has_null_out || value == NULL;
        if (value == NULL && shape->parts[i].never_null) {
            return false; /* only forged files can do that */
        }
        key_put(key, &shape->parts[i], value);
    }
    key_pad(key);
    return true;
}

ErrorCode table__check_key_sizes(const TableDef *def, const ColumnBlock *blocks, Error *err) {
    for (uint16_t n = 0; n < def->index_count; n++) {
        IndexShape shape;
        table__shape(def, &def->indexes[n], &shape);
        for (uint32_t row = 0; row < blocks[0].row_count; row++) {
            size_t bytes = 0;
            for (uint16_t i = 0; i < shape.count; i++) {
                const ColumnBlock *block = &blocks[shape.columns[i]];
                if (type_physical(block->type.id) != PHYS_STR) {
                    continue;
                }
                bytes += block->valid == NULL || bit_get(block->valid, row) ? ((const StrRef *)block->data)[row].len : 0;
            }
            if (bytes > KEY_TEXT_BYTES_MAX) {
                return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "index row size %zu exceeds maximum %d for index \"%.*s\"", bytes,
                                 KEY_TEXT_BYTES_MAX, STR_ARG(def->indexes[n].name));
            }
            if (bytes == 0 && row == 0) {
                bool texts = false;
                for (uint16_t i = 0; i < shape.count; i++) {
                    texts = texts || type_physical(shape.parts[i].type.id) == PHYS_STR;
                }
                if (!texts) {
                    break;
                }
            }
        }
    }
    return ERR_OK;
}

/* ---- stretches of an index as bytes ---- */

/* The least bytes above everything that begins with these; empty: there are none. */
static void step_up(Buffer *bytes) {
    while (bytes->len > 0 && bytes->data[bytes->len - 1] == 0xff) {
        bytes->len--;
    }
    if (bytes->len > 0) {
        bytes->data[bytes->len - 1]++;
    }
}

static void put_bound(Buffer *out, Bytes head, const KeyPart *part, const void *value, bool above) {
    buffer_clear(out);
    buffer_append(out, head.data, head.len);
    key_put(out, part, value);
    if (above) {
        step_up(out);
    }
}

/* All values of the next key that are not NULL. */
static void put_not_null(KeyStretch *stretch, Bytes head, const KeyPart *part) {
    buffer_append(&stretch->from, head.data, head.len);
    buffer_append(&stretch->to, head.data, head.len);
    if (!part->never_null) {
        buffer_put_u8(&stretch->from, 1);
        buffer_put_u8(&stretch->to, 1);
    }
    step_up(&stretch->to);
}

void table__stretch(const IndexShape *shape, const IndexProbe *probe, KeyStretch *stretch) {
    Buffer head;
    buffer_init(&head, SIZE_MAX);
    buffer_init(&stretch->from, SIZE_MAX);
    buffer_init(&stretch->to, SIZE_MAX);
    stretch->whole_key = probe->equal_count == shape->count;
    stretch->nothing = false;
    for (uint16_t i = 0; i < probe->equal_count; i++) {
        if (probe->equal[i] == NULL && shape->parts[i].never_null) {
            stretch->nothing = true;
            break;
        }
        key_put(&head, &shape->parts[i], probe->equal[i]);
    }
    const KeyPart *part = probe->equal_count < shape->count ? &shape->parts[probe->equal_count] : NULL;
    bool bounded = part != NULL && (probe->low != NULL || probe->high != NULL || probe->not_null);
    if (bounded && !stretch->nothing) {
        const void *low = part->descending ? probe->high : probe->low, *high = part->descending ? probe->low : probe->high;
        bool low_open = part->descending ? probe->high_open : probe->low_open, high_open = part->descending ? probe->low_open : probe->high_open;
        put_not_null(stretch, buffer_bytes(&head), part);
        if (low != NULL) {
            put_bound(&stretch->from, buffer_bytes(&head), part, low, low_open);
            stretch->nothing = low_open && stretch->from.len == 0;
        }
        if (high != NULL) {
            put_bound(&stretch->to, buffer_bytes(&head), part, high, !high_open);
        }
    } else if (!stretch->nothing) {
        buffer_append(&stretch->to, head.data, head.len);
        step_up(&stretch->to);
        stretch->from = head;
        buffer_init(&head, SIZE_MAX);
    }
    stretch->endless = stretch->to.len == 0;
    buffer_deinit(&head);
}

void table__stretch_deinit(KeyStretch *stretch) {
    buffer_deinit(&stretch->from);
    buffer_deinit(&stretch->to);
}
