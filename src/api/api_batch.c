/* SPDX-License-Identifier: Apache-2.0
 * api_batch.c - the session's batch as arrays of plain C types: dead rows left out, texts as pointer and length.
 *
 * Tests: test/unit/api/test_api.c */
#include "api/api_internal.h"

BasaltType api__type(TypeId id) {
    static const uint8_t TYPES[TYPE_COUNT] = {
        [TYPE_UNKNOWN] = BASALT_TEXT,  [TYPE_BOOL] = BASALT_BOOL,         [TYPE_BYTE] = BASALT_INT8,
        [TYPE_INT2] = BASALT_INT16,    [TYPE_INT4] = BASALT_INT32,        [TYPE_INT8] = BASALT_INT64,
        [TYPE_FLOAT4] = BASALT_FLOAT,  [TYPE_FLOAT8] = BASALT_DOUBLE,     [TYPE_NUMERIC] = BASALT_OTHER,
        [TYPE_DECIMAL8] = BASALT_OTHER, [TYPE_DECIMAL16] = BASALT_OTHER,  [TYPE_SYMBOL] = BASALT_TEXT,
        [TYPE_TEXT] = BASALT_TEXT,     [TYPE_VARCHAR] = BASALT_TEXT,      [TYPE_BPCHAR] = BASALT_TEXT,
        [TYPE_CHAR] = BASALT_OTHER,    [TYPE_BYTEA] = BASALT_BYTES,       [TYPE_DATE] = BASALT_DATE,
        [TYPE_TIMESTAMP_MS] = BASALT_TIMESTAMP_MS, [TYPE_TIMESTAMP] = BASALT_TIMESTAMP,
        [TYPE_TIMESTAMP_NS] = BASALT_TIMESTAMP_NS, [TYPE_TIMESTAMPTZ] = BASALT_TIMESTAMP,
        [TYPE_INTERVAL] = BASALT_OTHER, [TYPE_UUID] = BASALT_UUID,        [TYPE_FLOAT8_ARRAY] = BASALT_OTHER,
    };
    if (id > TYPE_FLOAT8_ARRAY) { /* as text */
        bool text = id == TYPE_NAME || id == TYPE_JSON || id == TYPE_JSONB || id == TYPE_ACLITEM || id == TYPE_NODE_TREE || id == TYPE_VOID;
        return text ? BASALT_TEXT : BASALT_OTHER;
    }
    return (BasaltType)TYPES[id];
}

/* Bytes of one value in a public column. */
static size_t public_bytes(BasaltType type, Physical physical) {
    if (type == BASALT_BOOL) {
        return 1;
    }
    return type == BASALT_TEXT || type == BASALT_BYTES || type == BASALT_OTHER ? sizeof(BasaltText) : physical_bytes(physical);
}

static BasaltText text_of(BasaltStatement *s, const Vector *vector, BasaltType type, size_t row) {
    if (type != BASALT_OTHER) {
        Str text = vector_text(vector, row);
        if (text.len <= STRREF_INLINE && vector->type.id != TYPE_SYMBOL) {
            text = arena_str(&s->batch_arena, text); /* inside the reference, whose place may change */
        }
        return (BasaltText){text.data, text.len};
    }
    Buffer text;
    buffer_init(&text, API_RESULT_BYTES_MAX);
    (void)pg_text_value(vector, row, &(TextStyle){.full_nanos = true, .names = statement_oid_names(s->statement)}, &text);
    Str copy = arena_str(&s->batch_arena, buffer_str(&text));
    buffer_deinit(&text);
    return (BasaltText){copy.data, copy.len};
}

static void export_value(BasaltStatement *s, const Vector *vector, BasaltType type, size_t row, void *out, size_t bytes) {
    if (type == BASALT_BOOL) {
        *(uint8_t *)out = vector_bool(vector, row);
    } else if (type == BASALT_TEXT || type == BASALT_BYTES || type == BASALT_OTHER) {
        *(BasaltText *)out = text_of(s, vector, type, row);
    } else {
        memcpy(out, vector_value(vector, row), bytes);
    }
}

static void export_column(BasaltStatement *s, const Batch *batch, uint16_t index, BasaltColumn *column) {
    const Vector *vector = &batch->columns[index];
    BasaltType type = s->types[index];
    size_t bytes = public_bytes(type, type_physical(vector->type.id)), to = 0;
    uint8_t *values = arena_calloc_bytes(&s->batch_arena, bytes * batch->live_count);
    uint64_t *validity = NULL;
    for (size_t row = 0; row < batch->row_count; row++) {
        if (batch->live != NULL && !bit_get(batch->live, row)) {
            continue;
        }
        if (!vector_is_null(vector, row)) {
            export_value(s, vector, type, row, values + to * bytes, bytes);
        } else {
            if (validity == NULL) {
                validity = arena_array(&s->batch_arena, uint64_t, BATCH_WORDS);
                memset(validity, 0xff, BATCH_WORDS * sizeof *validity);
            }
            bit_clear(validity, to);
        }
        to++;
    }
    assert(to == batch->live_count);
    *column = (BasaltColumn){.type = type, .values = values, .validity = validity};
}

ErrorCode api__batch_export(BasaltStatement *s, Error *err) {
    Batch *batch = s->batch;
    arena_reset(&s->batch_arena);
    BasaltColumn *columns = arena_array(&s->batch_arena, BasaltColumn, s->column_count);
    assert(batch->column_count >= s->column_count);
    for (uint16_t i = 0; i < s->column_count; i++) {
        TRY(vector_dense(&batch->columns[i], &s->batch_arena, err));
        export_column(s, batch, i, &columns[i]);
    }
    s->public_batch = (BasaltBatch){
        .size = sizeof(BasaltBatch),
        .row_count = batch->live_count,
        .column_count = s->column_count,
        .columns = columns,
    };
    return ERR_OK;
}
