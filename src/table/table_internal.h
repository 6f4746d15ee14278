/* SPDX-License-Identifier: Apache-2.0
 * table_internal.h - parts and what the files of this folder share. */
#pragma once
#include "segment/segment.h"
#include "table/table.h"
#include <stdatomic.h>

enum { PART_ROWS_MAX = 1 << 26, TABLE_WRITERS_MAX = 4096 };

/* An immutable file, shared by the parts that read it. Opened when first read: a start costs no footers. */
typedef struct SegmentFile {
    uint64_t file_id, bytes;
    uint32_t table_id, crc;
    uint32_t refs;               /* parts; under the table's lock */
    uint32_t listed;             /* parts of the list; at 0 the file is dead from dead_lsn on */
    uint64_t dead_lsn;           /* newest record that took one of its parts out */
    uint64_t figure_round;       /* counted in that round of table_figures */
    Mutex open_lock;             /* guards opening */
    _Atomic(Segment *) segment;  /* NULL until opened */
} SegmentFile;

/* The run of one index beside a segment: a file of its own, named with the part. */
typedef struct RunFile {
    uint32_t index_id, crc, refs; /* refs: parts and writes; under the table's lock */
    uint64_t file_id, bytes;
    Mutex open_lock;
    _Atomic(struct IndexRun *) run; /* NULL until opened */
} RunFile;
struct PartIndex;

/* Where the rows of a retired part have gone: an entry a row, {0, 0} = dropped as garbage. A row block that a slice has taken over as
 * it is keeps its offsets and needs no entries. */
typedef struct PartMoves {
    uint32_t *bases;             /* place in `to` of the first row of each chunk or row block */
    uint32_t *slices;            /* segments: the part that has the row block now, 0 = row by row */
    RowRef *to;
} PartMoves;

/* Offsets: in a memory part the number of the row; in a segment row block << 16 | row of the block, so that granules of rows and of
 * ends lie alike whatever the blocks' sizes. */
typedef struct Part {
    uint32_t id;
    uint32_t refs;               /* the list's and open scans' */
    uint32_t rank;               /* arrival order among parts; those of one rank share no time */
    bool sealed;                 /* takes no more rows */
    bool busy;                   /* a flush or merge is reading it */
    bool tail;                   /* rows that a flush left in memory: they wait for the next one's company */
    uint32_t tail_id;            /* sealed memory part: the id that is kept free for what its flush leaves in memory; 0 = none */
    Stamp begin, end;            /* of the whole part; rows of memory parts have their own besides */
    uint32_t row_end;            /* offsets below it are taken */
    PartMoves *moves;            /* retired by a publish: ends go on to the new parts */
    /* memory part */
    ChunkLayout *layout;         /* owned; NULL in a segment */
    Chunk **chunks;              /* rising first_offset; an entry is never moved to another place of the part */
    uint32_t chunk_count, chunk_capacity;
    /* segment */
    SegmentFile *file;
    uint32_t first_block, block_count; /* the slice of the file */
    uint64_t rows;
    bool has_time;
    int64_t min, max;            /* times */
    EndMap ends;
    Stamp published;             /* of the publish that made it: rows that begin with it were there before */
    struct PartIndex *indexes;   /* index_part.h */
    uint32_t index_count;
} Part;

struct Table {
    TableEnv *env;
    uint32_t id;
    Mutex lock;                  /* guards everything below, and the parts */
    Cond filled;                 /* a copy is complete */
    Part **parts;
    uint32_t part_count, part_capacity;
    uint32_t next_part_id;
    uint64_t changes;            /* of the part list; a merge is looked for after a change only */
    uint64_t merge_state;        /* list, ends and horizon when no merge was due */
    uint64_t nothing_at;         /* changes when levels were picked and there was nothing to do */
    uint64_t figure_round;
    WriteFigures written;
    bool folder_made;            /* its folder is on the disk, durably */
    Stamp claim;                 /* owner of the table alone, 0 = none */
    Stamp *writers;              /* owners of unfinished writes */
    uint32_t writer_count, writer_capacity;
};

void table__lock(Table *table);
void table__unlock(Table *table);
/* All under the lock. */
Part *table__part_create(Table *table, uint32_t id, ChunkLayout *layout); /* memory part; takes the layout; put into the list */
void table__part_insert(Table *table, Part *part);                        /* the list is sorted by rank, then time */
Part *table__part_find(Table *table, uint32_t id);
void table__part_release(Table *table, Part *part);
void table__part_remove(Table *table, Part *part, uint64_t lsn);          /* from the list; its file is dead from lsn on */
/* Ends of the row and its place in them. false: no such row. */
typedef struct EndPlace { EndMap *map; uint32_t row, row_count; } EndPlace;
bool table__end_place(Part *part, uint32_t offset, EndPlace *place_out);
/* The row in the part that has taken it over, if any. false: it has not moved, or was garbage. */
bool table__moved(Table *table, const Part *part, uint32_t offset, Part **part_out, uint32_t *offset_out);
Stamp table__newest_end(Table *table, Part *part, uint32_t offset);       /* the row's end stamp in the part that has it now */
uint32_t table__chunk_at(const Part *part, uint32_t offset);              /* place of the chunk that holds the offset */
Chunk *table__chunk_add(Table *table, Part *part, uint32_t capacity, bool to_be_placed);
bool table__writer_add(Table *table, Stamp own);                          /* false: claimed by another, or too many */
ChunkLayout *table__layout_of(const TableDef *def);

/* index_part.c: runs of segments, named beside the parts in the log. */
typedef struct RunEntry { uint32_t part, index_id, crc; uint64_t file_id, bytes; } RunEntry;
void table__run_attach(Table *table, Part *part, const RunEntry *entry);   /* under the lock; replaces a tree */
void table__runs_encode(Table *table, const Part *part, Buffer *out);      /* one operation a run; under the lock */
void table__runs_dead(Table *table, const Part *part, uint64_t lsn);       /* their files are dead from lsn on */
size_t table__trees_bytes(const Part *part);
void table__trees_sweep(Part *part);
void table__part_indexes_free(Table *table, Part *part);
NODISCARD ErrorCode table__check_runs(Table *table, Buffer *report, Error *err);
void table__run_undo(Table *table, Part *part, uint32_t index_id);  /* part may be gone; under the lock */
void table__run_encode_write(Table *table, const Write *write, Buffer *out);
bool table__names_run(const Part *part, uint64_t file_id);

/* Calls visit for each chunk's piece of rows [first, first + count) of the part. */
typedef void (*ChunkVisit)(void *context, Chunk *chunk, uint32_t first, uint32_t end);
void table__visit_rows(Part *part, uint32_t first, uint32_t count, ChunkVisit visit, void *context);

void table__kill_rows(void *context, Chunk *chunk, uint32_t first, uint32_t end); /* dead for all; a ChunkVisit */

void table__drop_dead_chunks(Table *table);
/* One END operation with all ends at or below the stamp; nothing if there are none. Under the lock. */
void table__encode_settled_ends(const Table *table, const Part *part, Stamp newest, Buffer *out);
void table__encode_chunk(Table *table, Part *part, Chunk *chunk, Buffer *out); /* all its rows as an APPEND operation; no lock held */

/* column_image.c: one column of some rows <-> bytes. */
void table__column_encode(Type type, const void *data, const uint64_t *valid, RowSpan rows, Buffer *out);
NODISCARD ErrorCode table__column_decode(Type type, uint32_t row_count, Reader *reader, Arena *arena, ColumnBlock *block_out, Error *err);

/* segment_part.c */
typedef struct PartEntry {
    uint32_t part, rank, crc, first_block, block_count;
    uint64_t file_id, bytes, rows;
    bool has_time;
    int64_t min, max;
} PartEntry;
void table__entry_encode(const PartEntry *entry, Buffer *out);
PartEntry table__entry_decode(Reader *reader);
PartEntry table__entry_of(const Part *part);
Part *table__segment_part_create(Table *table, const PartEntry *entry, Stamp begin); /* put into the list */
NODISCARD ErrorCode table__segment_open(Table *table, SegmentFile *file, Segment **segment_out, Error *err); /* no lock held */
void table__file_release(Table *table, SegmentFile *file);

/* rewrite.c: rows of a scan into new segments. */
typedef struct RewriteOutput {
    PartEntry *entries;
    uint32_t count, capacity;
    struct RunEntry *runs;       /* one a part and index */
    uint32_t run_count, run_capacity;
    Part *tail;                  /* not in the list yet */
} RewriteOutput;
/* groups: of a segment, per row block of the part: the group of blocks that are rewritten together, 0 = the block stays as it is.
 * NULL = everything is rewritten, as one group. */
typedef struct RewriteInput { Part *part; PartMoves *moves; uint32_t *groups; } RewriteInput;
typedef struct RewriteTarget {
    uint32_t rank;               /* of the new parts; 0 = the id of the first */
    RewriteInput *inputs;        /* whose moves are noted; none for a transaction's own rows */
    uint32_t input_count;
    bool merge;                  /* for the counters */
    uint32_t tail_id;            /* part for a last piece that is less than a block of the newest partition; 0 = it is written too */
} RewriteTarget;
NODISCARD ErrorCode table__write_segments(Table *table, Scan *scan, const RewriteTarget *target, RewriteOutput *output, Error *err);
void table__unlink_outputs(Table *table, const RewriteOutput *output);
void table__unlink_runs(Table *table, const Part *part); /* files of its runs; what stays is swept at the next start */
void table__output_free(RewriteOutput *output);
/* The runs of a part that has just been made of an entry; under the lock. */
void table__output_attach(Table *table, const RewriteOutput *output, Part *part);
void table__output_add(RewriteOutput *output, const PartEntry *entry);
uint32_t table__block_rows(const Table *table); /* of a full row block */

/* moves.c */
PartMoves *table__moves_create(const RewriteInput *input); /* under the lock; all dropped */
void table__moves_free(PartMoves *moves);
RowRef *table__moves_place(const RewriteInput *input, uint32_t offset);              /* of a row that is rewritten */
RowRef table__moves_find(const Part *part, const PartMoves *moves, uint32_t offset); /* {0, 0}: dropped */

/* tail.c: the rows of a flush that stay in memory. NULL: they do not fit one chunk. */
Part *table__tail_create(Table *table, const TableDef *def, const ColumnBlock *blocks, uint32_t id);
void table__tail_destroy(Table *table, Part *tail); /* not in the list */

/* merge_plan.c: which row blocks of the inputs must be rewritten, and what is left of the parts. */
typedef enum MergeScope { MERGE_OVERLAPS, MERGE_ALL, MERGE_EACH } MergeScope; /* what overlaps; all blocks joined; all, part by part */
/* Fills in the inputs' groups and the slices that stay. An input that is not touched loses its part. ERR_OK with *changes_out false:
 * there is nothing to do. */
NODISCARD ErrorCode table__merge_plan(Table *table, MergeScope scope, RewriteInput *inputs, uint32_t input_count, const TableDef *def,
                                      RewriteOutput *slices, bool *changes_out, Error *err);
/* publish.c: pins the parts and marks them busy. Under the lock. */
Rewrite *table__rewrite_create(Table *table, Part **parts, uint32_t part_count, bool merge, MergeScope scope);
bool table__overlap(const Part *older, const Part *newer); /* must rows of the newer come before rows of the older? */

/* partition.c: the first time behind the partition of a time; INT64_MAX = none */
int64_t table__partition_end(PartitionUnit unit, TypeId type, int64_t time);
