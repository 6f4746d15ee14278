/* SPDX-License-Identifier: Apache-2.0
 * table_internal.h - parts and what the files of this folder share. */
#pragma once
#include "table/table.h"

enum { PART_ROWS_MAX = 1 << 26, TABLE_WRITERS_MAX = 4096 };

typedef struct Part {
    uint32_t id;
    uint32_t refs;               /* the list's and open scans' */
    uint32_t rank;               /* arrival order among parts; ties by id */
    bool sealed;                 /* takes no more rows */
    Stamp begin, end;            /* of the whole part; rows of memory parts have their own besides */
    ChunkLayout *layout;         /* owned */
    Chunk **chunks;              /* rising first_offset; an entry is never moved to another place of the part */
    uint32_t chunk_count, chunk_capacity;
    uint32_t row_end;            /* offsets below it are taken */
} Part;

struct Table {
    TableEnv *env;
    uint32_t id;
    Mutex lock;                  /* guards everything below, and the parts */
    Cond filled;                 /* a copy is complete */
    Part **parts;
    uint32_t part_count, part_capacity;
    uint32_t next_part_id;
    Stamp claim;                 /* owner of the table alone, 0 = none */
    Stamp *writers;              /* owners of unfinished writes */
    uint32_t writer_count, writer_capacity;
};

void table__lock(Table *table);
void table__unlock(Table *table);
/* All under the lock. */
Part *table__part_create(Table *table, uint32_t id, ChunkLayout *layout); /* takes the layout; put into the list */
Part *table__part_find(Table *table, uint32_t id);
void table__part_release(Part *part);
uint32_t table__chunk_at(const Part *part, uint32_t offset);              /* place of the chunk that holds the offset */
Chunk *table__chunk_add(Table *table, Part *part, uint32_t capacity, bool zeroed);
bool table__writer_add(Table *table, Stamp own);                          /* false: claimed by another, or too many */
ChunkLayout *table__layout_of(const TableDef *def);

/* Calls visit for each chunk's piece of rows [first, first + count) of the part. */
typedef void (*ChunkVisit)(void *context, Chunk *chunk, uint32_t first, uint32_t end);
void table__visit_rows(Part *part, uint32_t first, uint32_t count, ChunkVisit visit, void *context);

/* column_image.c: one column of some rows <-> bytes. */
void table__column_encode(Type type, const void *data, const uint64_t *valid, RowSpan rows, Buffer *out);
NODISCARD ErrorCode table__column_decode(Type type, uint32_t row_count, Reader *reader, Arena *arena, ColumnBlock *block_out, Error *err);
