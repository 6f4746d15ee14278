/* SPDX-License-Identifier: Apache-2.0
 * load_internal.h - the state of a load, shared by planning (load_plan.c), parsing (load_value*.c) and the loop (load.c). */
#pragma once
#include "catalog/user_type.h"
#include "load/load.h"
#include "load/unpack.h"

typedef struct LoadColumn LoadColumn;
/* Reads text as the column's type and stores it at `row`. False: not a value of the type. text is not empty. */
typedef bool (*LoadParse)(LoadColumn *column, Str text, uint32_t row);

/* Texts of up to sixteen bytes that were seen last, with their codes: most symbols are found here without the dictionary. */
enum { SYMBOL_CACHE_SLOTS = 1024 };
typedef struct SymbolCacheSlot {
    uint64_t word[2];
    uint32_t len_and_one; /* 0 = free */
    int32_t code;
} SymbolCacheSlot;

/* At most sixteen bytes as two words, zeros behind them. Overlapping loads instead of a copy of unknown length: no call, no loop. */
static inline void load__pad(Str text, uint64_t word_out[2]) {
    const char *p = text.data;
    size_t len = text.len;
    uint64_t low = 0, high = 0;
    assert_slow(len <= 16);
    if (len >= 8) {
        low = get_u64le(p);
        high = len > 8 ? get_u64le(p + len - 8) >> (8 * (16 - len)) : 0;
    } else if (len >= 4) {
        low = get_u32le(p) | ((uint64_t)get_u32le(p + len - 4) << (8 * (len - 4)));
    } else if (len > 0) {
        low = (uint8_t)p[0] | ((uint64_t)(uint8_t)p[len / 2] << (8 * (len / 2))) | ((uint64_t)(uint8_t)p[len - 1] << (8 * (len - 1)));
    }
    word_out[0] = low;
    word_out[1] = high;
}

/* One column of the table while its batch fills. */
struct LoadColumn {
    Type type;
    LoadParse parse;
    void *data;          /* LOAD_BATCH_ROWS values */
    uint64_t *valid;
    uint32_t null_count; /* of the batch */
    uint32_t width;      /* bytes a value, 0 = bits */
    bool not_null, is_text;
    Arena *heap;         /* texts of the batch */
    SymbolTable *symbols;
    SymbolCacheSlot *cache;
    const TypeBody *labels; /* of an enum */
    /* times */
    TimePattern pattern;
    bool has_pattern;
    const Zone *zone;
    int64_t units;       /* per second */
    uint64_t date_key[2];/* text of the last date and its day */
    int64_t date_days;
    int64_t zone_slot;   /* quarter of an hour whose offset is known */
    int64_t zone_offset;
};

typedef struct LoadField {
    int32_t column;      /* of the table */
    uint64_t errors;
} LoadField;

struct Load {
    Session *session;
    Arena arena;         /* lives as long as the load */
    Arena heap;          /* texts of the batch */
    LoadOptions options;
    Unpack *unpack;
    Buffer sample;
    bool planned, own_transaction, finished, header_due;
    CsvReader *csv;
    const TableDef *table;
    LoadColumn *columns;
    uint32_t column_count;
    LoadField *fields;   /* of the file */
    uint32_t field_count;
    uint32_t *absent;    /* table columns that the file lacks */
    uint32_t absent_count;
    uint32_t batch_rows;
    LoadReport report;
    LoadColumnReport *field_reports;
    LoadProblem problems[LOAD_PROBLEMS_KEPT];
};

/* load_plan.c: looks at the sample, finds or makes the table, sets fields and columns. sample_is_all: no more bytes come. */
NODISCARD ErrorCode load__plan(Load *load, bool sample_is_all, Error *err);
/* load_value.c */
NODISCARD ErrorCode load__column_init(LoadColumn *column, const ColumnDef *def, Str pattern, const Zone *zone, Arena *heap, Error *err);
void load__column_clear(LoadColumn *column);  /* before the next batch */
void load__column_deinit(LoadColumn *column);
void load__column_null(LoadColumn *column, uint32_t row);
ColumnBlock load__column_block(LoadColumn *column, uint32_t rows);
/* load_time.c: local or UTC text -> units since 1970 UTC. */
bool load__parse_time(LoadColumn *column, Str text, int64_t *value_out);
