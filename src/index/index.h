/* SPDX-License-Identifier: Apache-2.0
 * index.h - keys as bytes whose memcmp order is the values' order; B+tree in memory, sorted runs in files.
 *
 * Keys:     every value of a key is self-delimiting, so no key of an index is a prefix of another. A key is padded with zeros to
 *           INDEX_KEY_BYTES_MIN bytes, so that a key's first eight bytes are one word. A probe may be shorter: zeros stand behind it.
 * Entries:  (key, row): equal keys are allowed and ordered by row. An entry is a hint: whoever follows it looks at the row.
 * Threads:  a Btree is guarded by its owner's lock. An IndexRun is immutable: any number of readers.
 * Format:   docs/format/index-run.md */
#pragma once
#include "blockfile/blockfile.h"
#include "column/vector.h"

enum { INDEX_KEY_BYTES_MIN = 8, INDEX_KEY_BYTES_MAX = 8192 };

/* ---- keys ---- */
typedef struct KeyPart {
    Type type;
    bool descending, nulls_first;
    bool never_null;             /* no room for NULL: columns of a primary key */
} KeyPart;
bool key_type_allowed(TypeId type);                      /* has an order that index keys can hold */
bool key_type_ordered(TypeId type);                      /* false: equal keys are found, but their order means nothing (symbols) */
/* One value behind what stands in out; value NULL = NULL. Bits (booleans) come as one byte, 0 or 1. */
void key_put(Buffer *out, const KeyPart *part, const void *value);
/* The same for a value of another type, as the part's type would hold it. false: no value of that type is equal; out is then unchanged. */
bool key_types_comparable(TypeId from, TypeId to);
bool key_put_as(Buffer *out, const KeyPart *part, Type from, const void *value);
void key_pad(Buffer *out);                               /* to INDEX_KEY_BYTES_MIN */
uint64_t key_prefix(Bytes key);                          /* the first eight bytes as a word in their order */
int key_compare(Bytes a, Bytes b);                       /* zeros stand behind the shorter one */

/* ---- B+tree in memory ---- */
typedef struct Btree Btree;
Btree *btree_create(void);
void btree_destroy(Btree *tree);                         /* NULL is fine */
bool btree_insert(Btree *tree, Bytes key, uint32_t row); /* false: it is there already */
bool btree_remove(Btree *tree, Bytes key, uint32_t row); /* false: it is not there */
size_t btree_count(const Btree *tree);
size_t btree_bytes(const Btree *tree);
/* Entries that keep(context, row) wants, packed anew. */
void btree_compact(Btree *tree, bool (*keep)(void *context, uint32_t row), void *context);
/* Place between two calls that change the tree. */
typedef struct BtreeCursor { const Btree *tree; const struct BtreeNode *node; uint32_t at; } BtreeCursor;
bool btree_seek(const Btree *tree, Bytes key, uint32_t row, BtreeCursor *cursor);        /* first entry >= (key, row); false: none */
bool btree_seek_before(const Btree *tree, Bytes key, uint32_t row, BtreeCursor *cursor); /* last entry < (key, row); false: none */
bool btree_next(BtreeCursor *cursor);                    /* false: that was the last; the cursor is used up */
bool btree_previous(BtreeCursor *cursor);
uint32_t btree_row(const BtreeCursor *cursor);
int btree_compare(const BtreeCursor *cursor, Bytes key); /* the entry's key against it; a shorter one has zeros behind it */
bool btree_starts_with(const BtreeCursor *cursor, Bytes head); /* the entry's key begins with these bytes */
void btree_key(const BtreeCursor *cursor, Buffer *out);  /* appends the key */

/* ---- blocked Bloom filter: 10 bits a key, 512-bit blocks ---- */
enum { FILTER_BLOCK_BYTES = 64, FILTER_BITS_PER_KEY = 10 };
uint32_t filter_block_count(uint64_t key_count);
uint64_t filter_hash(Bytes key);
uint32_t filter_block_of(uint64_t hash, uint32_t block_count);
void filter_add(uint8_t block[FILTER_BLOCK_BYTES], uint64_t hash);
bool filter_may_hold(const uint8_t block[FILTER_BLOCK_BYTES], uint64_t hash);

/* ---- runs ---- */
enum { RUN_BLOCK_ENTRIES = 4096, RUN_BLOCK_BYTES = 128 << 10, RUN_FILTER_PIECE = 1024 /* filter blocks a file block */ };
typedef struct RunBuilder RunBuilder;                    /* keys of one part's rows, in any order */
RunBuilder *run_builder_create(void);
void run_builder_destroy(RunBuilder *builder);           /* NULL is fine */
void run_builder_clear(RunBuilder *builder);
void run_builder_add(RunBuilder *builder, Bytes key, uint32_t row);
size_t run_builder_count(const RunBuilder *builder);
void run_builder_sort(RunBuilder *builder);
/* Sorted: the i-th entry; its key is written into *key. */
uint32_t run_builder_entry(const RunBuilder *builder, size_t i, Buffer *key);
bool run_builder_same_key(const RunBuilder *builder, size_t i, size_t j);

typedef struct RunOptions { const char *path; uint64_t file_id, engine_id, salt; uint32_t table_id, index_id; bool no_folder_sync; } RunOptions;
NODISCARD ErrorCode run_builder_write(RunBuilder *builder, Io *io, const RunOptions *options, BlockFileSummary *summary_out, Error *err);

typedef struct IndexRun IndexRun;
NODISCARD ErrorCode index_run_open(Io *io, const char *path, const BlockFileExpect *expect, IndexRun **run_out, Error *err);
void index_run_close(IndexRun *run);                     /* NULL is fine; block_cache_forget first */
uint64_t index_run_count(const IndexRun *run);
uint32_t index_run_index_id(const IndexRun *run);
uint32_t index_run_table_id(const IndexRun *run);
/* About how many entries lie from a key on and below another (endless: to the end): whole blocks by the fences. */
uint64_t index_run_estimate(const IndexRun *run, Bytes from, Bytes to, bool endless);
/* May the run hold exactly this key? By its first and last key and its filter. */
NODISCARD ErrorCode index_run_may_hold(const IndexRun *run, BlockCache *cache, Bytes key, bool *possible_out, Error *err);
typedef struct RunBlockView { uint32_t count, width; const uint8_t *rows, *keys, *starts; size_t key_bytes; } RunBlockView;
typedef struct RunCursor { const IndexRun *run; BlockCache *cache; BlockPin pin; RunBlockView view; uint32_t block, at; bool valid; } RunCursor;
/* The same places as with a tree; cursor->valid false: none. Release it. */
NODISCARD ErrorCode index_run_seek(const IndexRun *run, BlockCache *cache, Bytes key, uint32_t row, RunCursor *cursor, Error *err);
NODISCARD ErrorCode index_run_seek_before(const IndexRun *run, BlockCache *cache, Bytes key, uint32_t row, RunCursor *cursor, Error *err);
NODISCARD ErrorCode run_cursor_next(RunCursor *cursor, Error *err);
NODISCARD ErrorCode run_cursor_previous(RunCursor *cursor, Error *err);
Bytes run_cursor_key(const RunCursor *cursor);           /* until the cursor moves */
uint32_t run_cursor_row(const RunCursor *cursor);
void run_cursor_release(RunCursor *cursor);              /* a zeroed one is fine */
/* Every block read; order, filter and counts compared. */
NODISCARD ErrorCode index_run_check(Io *io, const char *path, const BlockFileExpect *expect, Error *err);
