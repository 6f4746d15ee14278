/* SPDX-License-Identifier: Apache-2.0
 * rows.c - writes values of any column type from the few forms that producers have. */
#include "sql/system/rows.h"
#include "column/any_array.h"

void system_rows_init(SystemRows *rows, const TableDef *table, const bool *wanted) {
    *rows = (SystemRows){.table = table, .wanted = wanted};
    arena_init(&rows->scratch, SIZE_MAX);
}

void system_rows_deinit(SystemRows *rows) {
    for (SystemBlock *block = rows->first, *next; block != NULL; block = next) {
        next = block->next;
        for (uint16_t c = 0; c < rows->table->column_count; c++) {
            column_builder_deinit(&block->columns[c]);
        }
        mem_free(block);
    }
    arena_deinit(&rows->scratch);
}

static void add_block(SystemRows *rows) {
    uint16_t count = rows->table->column_count;
    SystemBlock *block = mem_calloc(1, sizeof *block + count * sizeof *block->columns);
    for (uint16_t c = 0; c < count; c++) {
        column_builder_init(&block->columns[c], rows->table->columns[c].type);
    }
    if (rows->last == NULL) {
        rows->first = block;
    } else {
        rows->last->next = block;
    }
    rows->last = block;
    rows->block_count++;
}

void row_begin(SystemRows *rows) {
    assert(rows->column == 0);
    if (rows->last == NULL || rows->last->row_count == BLOCK_ROWS) {
        add_block(rows);
    }
}

/* The builder of the next column, NULL if nobody reads it. */
static ColumnBuilder *next_column(SystemRows *rows) {
    assert(rows->column < rows->table->column_count);
    uint16_t c = rows->column++;
    return rows->wanted[c] ? &rows->last->columns[c] : NULL;
}

bool is_wanted(const SystemRows *rows) { return rows->wanted[rows->column]; }

void put_null(SystemRows *rows) {
    ColumnBuilder *column = next_column(rows);
    if (column != NULL) {
        column_builder_null(column);
    }
}

void put_nulls(SystemRows *rows, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        put_null(rows);
    }
}

void row_end(SystemRows *rows) {
    while (rows->column < rows->table->column_count) {
        put_null(rows);
    }
    rows->column = 0;
    rows->last->row_count++;
    rows->row_count++;
}

static void put_number(ColumnBuilder *column, int64_t value) {
    int8_t i8 = (int8_t)value;
    int16_t i16 = (int16_t)value;
    int32_t i32 = (int32_t)value;
    float f32 = (float)value;
    double f64 = (double)value;
    NumericSlot slot = {.as.coefficient = value};
    switch (type_physical((TypeId)column->type.id)) {
    case PHYS_BIT: column_builder_bool(column, value != 0); break;
    case PHYS_8: column_builder_value(column, &i8); break;
    case PHYS_16: column_builder_value(column, &i16); break;
    case PHYS_32: column_builder_value(column, &i32); break;
    case PHYS_64: column_builder_value(column, &value); break;
    case PHYS_F32: column_builder_value(column, &f32); break;
    case PHYS_F64: column_builder_value(column, &f64); break;
    case PHYS_128: column_builder_value(column, &slot); break;
    default: assert(!"a number for a text column"); column_builder_null(column);
    }
}

void put_int(SystemRows *rows, int64_t value) {
    ColumnBuilder *column = next_column(rows);
    if (column != NULL) {
        put_number(column, value);
    }
}

void put_oid(SystemRows *rows, uint32_t value) { put_int(rows, value); }
void put_bool(SystemRows *rows, bool value) { put_int(rows, value); }

void put_text(SystemRows *rows, Str value) {
    ColumnBuilder *column = next_column(rows);
    if (column != NULL) {
        assert(type_physical((TypeId)column->type.id) == PHYS_STR);
        column_builder_text(column, value);
    }
}

void put_filled(SystemRows *rows, Str value) {
    if (value.len == 0) {
        put_null(rows);
    } else {
        put_text(rows, value);
    }
}

void put_c(SystemRows *rows, const char *value) {
    if (value == NULL) {
        put_null(rows);
    } else {
        put_text(rows, str_from_c(value));
    }
}

void put_char(SystemRows *rows, char value) {
    ColumnBuilder *column = next_column(rows);
    if (column != NULL) {
        if (type_physical((TypeId)column->type.id) == PHYS_STR) {
            column_builder_text(column, str_from(&value, value != 0));
        } else {
            put_number(column, value);
        }
    }
}

void put_yes(SystemRows *rows, bool value) { put_text(rows, value ? STR("YES") : STR("NO")); }

/* ---- arrays ---- */

enum { ARRAY_BYTES_MAX = 16 << 20 };

/* Ends the array as the column wants it: the vectors count from 0. */
static void finish_array(ColumnBuilder *column, AnyArrayBuilder *builder) {
    Buffer bytes;
    uint32_t length = builder->count;
    int32_t lower = column->type.id == TYPE_INT2VECTOR || column->type.id == TYPE_OIDVECTOR ? 0 : 1;
    buffer_init(&bytes, ARRAY_BYTES_MAX);
    if (any_array_end(builder, length == 0 ? 0 : 1, &length, &lower, &bytes, NULL) == ERR_OK) {
        column_builder_text(column, buffer_str(&bytes));
    } else {
        column_builder_null(column);
    }
    buffer_deinit(&bytes);
    any_array_abandon(builder);
}

static TypeId element_of(const ColumnBuilder *column) { return (TypeId)type_element(column->type).id; }

/* count values, stride bytes apart, each as the element's physical value. */
static void put_array(SystemRows *rows, const void *values, size_t stride, uint32_t count) {
    ColumnBuilder *column = next_column(rows);
    AnyArrayBuilder builder;
    if (column == NULL) {
        return;
    }
    any_array_begin(&builder, element_of(column), ARRAY_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        any_array_add(&builder, (const uint8_t *)values + i * stride);
    }
    finish_array(column, &builder);
}

void put_oids(SystemRows *rows, const uint32_t *values, uint32_t count) { put_array(rows, values, sizeof *values, count); }
void put_int2s(SystemRows *rows, const int16_t *values, uint32_t count) { put_array(rows, values, sizeof *values, count); }

void put_texts(SystemRows *rows, const Str *values, uint32_t count) {
    StrRef *refs = arena_array(&rows->scratch, StrRef, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        refs[i] = strref_make(values[i].data, values[i].len);
    }
    put_array(rows, refs, sizeof *refs, count);
}
