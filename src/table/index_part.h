/* SPDX-License-Identifier: Apache-2.0
 * index_part.h - the indexes of one part: keys of rows, the tree of a memory part, the run of a segment part, what a key has now.
 *
 * Trees are filled as far as the part's rows go when somebody looks: an append that has to be checked, a look-up. So an index costs nothing
 * before it is used, and neither recovery nor CREATE INDEX has to know of memory parts. A segment part without its run (an index made
 * while a flush was under way) gets a tree that is filled from its rows.
 * Threads: trees and lists under the table's lock; runs are immutable once attached. */
#pragma once
#include "index/index.h"
#include "table/table_internal.h"

enum { KEY_TEXT_BYTES_MAX = 2704 }; /* texts of one key together, as in PostgreSQL */

typedef struct IndexShape {
    const IndexDef *index;
    const TableDef *def;
    uint16_t count;              /* keys */
    uint16_t column_count;       /* with the predicate's */
    int16_t predicate;           /* place in columns, -1 = all rows */
    uint16_t columns[INDEX_KEYS_MAX + 1]; /* numbers in the definition */
    KeyPart parts[INDEX_KEYS_MAX];
} IndexShape;
void table__shape(const TableDef *def, const IndexDef *index, IndexShape *shape);

typedef struct KeyColumn { const void *data; const uint64_t *valid; bool constant; Physical physical; } KeyColumn;
void table__keys_of_chunk(const IndexShape *shape, const Chunk *chunk, KeyColumn *columns);
void table__keys_of_blocks(const IndexShape *shape, const ColumnBlock *blocks, KeyColumn *columns);  /* by column number */
void table__keys_of_vectors(const IndexShape *shape, const Vector *vectors, KeyColumn *columns);     /* by column number; FLAT or CONSTANT */
/* false: the row is not in the index. The key is padded. */
bool table__key(const IndexShape *shape, const KeyColumn *columns, uint32_t row, Buffer *key, bool *has_null_out);
NODISCARD ErrorCode table__check_key_sizes(const TableDef *def, const ColumnBlock *blocks, Error *err);

/* Keys from `from` on and below `to`. */
typedef struct KeyStretch { Buffer from, to; bool endless, whole_key, nothing; } KeyStretch;
void table__stretch(const IndexShape *shape, const IndexProbe *probe, KeyStretch *stretch);
void table__stretch_deinit(KeyStretch *stretch);

/* ---- of a part ---- */
typedef struct PartIndex {
    uint32_t index_id;
    Btree *tree;
    uint32_t chunk;              /* memory part: chunks before it are in the tree for good */
    uint32_t *rows, row_capacity; /* of each chunk: rows that are in the tree */
    size_t dropped_rows;         /* memory part: entries of dropped chunks, about */
    RunFile *run;                /* segment part, or NULL */
} PartIndex;
PartIndex *table__part_index(Part *part, uint32_t index_id);      /* NULL: none yet */
/* Under the lock: the tree of a memory part up to its filled rows. */
PartIndex *table__tree_fill(Part *part, const IndexShape *shape);
/* No lock held, the part is pinned: after it the segment part has a run that is open, or a tree. */
NODISCARD ErrorCode table__segment_index(Table *table, const TableDef *def, Part *part, const IndexShape *shape, struct IndexRun **run_out, Error *err);
/* Keys of all rows of a part that are not dead for everybody. */
NODISCARD ErrorCode table__part_keys(Table *table, const TableDef *def, Part *part, const IndexShape *shape, RunBuilder *builder, Error *err);
/* rewrite.c: sorted and written as a file. */
NODISCARD ErrorCode table__run_write(Table *table, uint32_t index_id, uint32_t part, RunBuilder *builder, bool no_folder_sync, RunEntry *entry_out,
                                     Error *err);

/* ---- what a key has now ---- */
/* Parts in which a live row may stand, pinned, with their indexes ready. */
typedef struct Prober {
    Table *table;
    const IndexShape *shape;
    const OidNames *names;       /* of the writer, for messages */
    Stamp own;
    Part **parts;
    struct IndexRun **runs;      /* of each; NULL: it has a tree */
    uint32_t part_count;
} Prober;
NODISCARD ErrorCode table__prober_open(Table *table, const TableDef *def, const IndexShape *shape, Stamp own, Prober *prober, Error *err);
void table__prober_close(Prober *prober);
typedef struct KeyOwner {
    bool live;
    RowRef row;                  /* the live one */
    Stamp ended_by, begun_by;    /* other transactions that have not ended and ended or wrote such a row; 0 = none */
} KeyOwner;
/* Rows whose key begins with `head`. In part `self` only those below self_offset count; 0 = all of every part. */
typedef struct KeyQuestion { Bytes head; bool whole_key; uint32_t self, self_offset; } KeyQuestion;
NODISCARD ErrorCode table__prober_find(Prober *prober, const KeyQuestion *question, KeyOwner *owner_out, Error *err);

/* Rows just appended break no unique index. */
typedef struct AppendedRows { uint32_t part, first, count; } AppendedRows;
NODISCARD ErrorCode table__check_unique(Table *table, const TableDef *def, const TableWriter *writer, const AppendedRows *pieces, uint32_t piece_count,
                                        Error *err);
