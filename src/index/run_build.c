/* SPDX-License-Identifier: Apache-2.0
 * run_build.c - the keys of one part's rows, sorted and written as a run.
 *
 * Sorting: rows often come in key order: then there is nothing to do. Else radix by the first eight bytes, and ties by what is behind.
 * Layout:  docs/format/index-run.md
 * Tests:   test/unit/index/test_run.c */
#include "index/index_internal.h"
#include <stdlib.h>

typedef struct RunEntry { uint64_t prefix, tail; uint32_t row; } RunEntry; /* tail: place + 1 in tails, 0 = none */

struct RunBuilder {
    RunEntry *entries;
    size_t count, capacity;
    Buffer tails;                /* u32 length, bytes */
    bool sorted;                 /* as added so far */
};

RunBuilder *run_builder_create(void) {
    RunBuilder *builder = mem_calloc(1, sizeof *builder);
    buffer_init(&builder->tails, SIZE_MAX);
    builder->sorted = true;
    return builder;
}

void run_builder_destroy(RunBuilder *builder) {
    if (builder != NULL) {
        buffer_deinit(&builder->tails);
        mem_free(builder->entries);
        mem_free(builder);
    }
}

void run_builder_clear(RunBuilder *builder) {
    builder->count = 0;
    builder->sorted = true;
    buffer_clear(&builder->tails);
}

size_t run_builder_count(const RunBuilder *builder) { return builder->count; }

static Bytes tail_bytes(const RunBuilder *builder, const RunEntry *entry) {
    if (entry->tail == 0) {
        return (Bytes){0};
    }
    const uint8_t *record = builder->tails.data + entry->tail - 1;
    return (Bytes){record + 4, get_u32le(record)};
}

static int compare_keys(const RunBuilder *builder, const RunEntry *a, const RunEntry *b) {
    if (a->prefix != b->prefix) {
        return a->prefix < b->prefix ? -1 : 1;
    }
    return a->tail == 0 && b->tail == 0 ? 0 : key_compare(tail_bytes(builder, a), tail_bytes(builder, b));
}

static int compare_entries(const RunBuilder *builder, const RunEntry *a, const RunEntry *b) {
    int order = compare_keys(builder, a, b);
    return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

void run_builder_add(RunBuilder *builder, Bytes key, uint32_t row) {
    assert(key.len >= INDEX_KEY_BYTES_MIN);
    if (builder->count == builder->capacity) {
        builder->capacity = MAX_OF((size_t)256, builder->capacity * 2);
        builder->entries = mem_realloc(builder->entries, sizeof *builder->entries * builder->capacity);
    }
    RunEntry *entry = &builder->entries[builder->count++];
    *entry = (RunEntry){.prefix = key_prefix(key), .row = row};
    if (key.len > INDEX_KEY_BYTES_MIN) {
        entry->tail = builder->tails.len + 1;
        buffer_put_u32le(&builder->tails, (uint32_t)(key.len - INDEX_KEY_BYTES_MIN));
        buffer_append(&builder->tails, key.data + INDEX_KEY_BYTES_MIN, key.len - INDEX_KEY_BYTES_MIN);
    }
    builder->sorted = builder->sorted && (builder->count == 1 || compare_entries(builder, entry - 1, entry) < 0);
}

/* ---- sorting ---- */

static void radix_pass(const RunEntry *from, RunEntry *to, size_t count, int shift, const size_t *counts) {
    size_t places[256];
    size_t at = 0;
    for (int i = 0; i < 256; i++) {
        places[i] = at;
        at += counts[i];
    }
    for (size_t i = 0; i < count; i++) {
        to[places[from[i].prefix >> shift & 255]++] = from[i];
    }
}

static void radix_sort(RunBuilder *builder) {
    RunEntry *spare = mem_alloc(sizeof *spare * builder->count);
    for (int shift = 0; shift < 64; shift += 8) {
        size_t counts[256] = {0};
        for (size_t i = 0; i < builder->count; i++) {
            counts[builder->entries[i].prefix >> shift & 255]++;
        }
        if (counts[builder->entries[0].prefix >> shift & 255] == builder->count) {
            continue;
        }
        radix_pass(builder->entries, spare, builder->count, shift, counts);
        RunEntry *swap = builder->entries;
        builder->entries = spare;
        spare = swap;
    }
    mem_free(spare);
    builder->capacity = builder->count;
}

/* Heap sort: no memory, no deep recursion, whatever the ties are. */
static void sift(const RunBuilder *builder, RunEntry *items, size_t root, size_t count) {
    for (size_t child = root * 2 + 1; child < count; root = child, child = root * 2 + 1) {
        child += child + 1 < count && compare_entries(builder, &items[child], &items[child + 1]) < 0;
        if (compare_entries(builder, &items[root], &items[child]) >= 0) {
            return;
        }
        RunEntry swap = items[root];
        items[root] = items[child];
        items[child] = swap;
    }
}

static bool is_ordered(const RunBuilder *builder, const RunEntry *items, size_t count) {
    for (size_t i = 1; i < count; i++) {
        if (compare_entries(builder, &items[i - 1], &items[i]) > 0) {
            return false;
        }
    }
    return true;
}

static void heap_sort(const RunBuilder *builder, RunEntry *items, size_t count) {
    if (is_ordered(builder, items, count)) {
        return;
    }
    for (size_t root = count / 2; root > 0; root--) {
        sift(builder, items, root - 1, count);
    }
    for (size_t end = count - 1; end > 0; end--) {
        RunEntry swap = items[0];
        items[0] = items[end];
        items[end] = swap;
        sift(builder, items, 0, end);
    }
}

void run_builder_sort(RunBuilder *builder) {
    if (builder->sorted || builder->count == 0) {
        return;
    }
    radix_sort(builder);
    for (size_t from = 0, to = 0; from < builder->count; from = to) {
        for (to = from + 1; to < builder->count && builder->entries[to].prefix == builder->entries[from].prefix; to++) {
        }
        heap_sort(builder, builder->entries + from, to - from);
    }
    builder->sorted = true;
}

uint32_t run_builder_entry(const RunBuilder *builder, size_t i, Buffer *key) {
    const RunEntry *entry = &builder->entries[i];
    uint64_t word = __builtin_bswap64(entry->prefix);
    Bytes tail = tail_bytes(builder, entry);
    buffer_clear(key);
    buffer_append(key, &word, sizeof word);
    buffer_append(key, tail.data, tail.len);
    return entry->row;
}

bool run_builder_same_key(const RunBuilder *builder, size_t i, size_t j) {
    return compare_keys(builder, &builder->entries[i], &builder->entries[j]) == 0;
}

/* ---- writing ---- */

typedef struct RunWriting {
    RunBuilder *builder;
    BlockWriter *writer;
    Buffer key, rows, keys, starts, head;
    RunBuilder *fences;
    uint8_t *filter;
    uint32_t filter_blocks, entry_blocks;
    Buffer last_key;
} RunWriting;

static ErrorCode add_block(RunWriting *writing, RunBlockKind kind, uint32_t number, const IoVec *parts, int part_count, Error *err) {
    BlockSpec spec = {.kind = (uint16_t)kind, .key = number};
    return blockfile_writer_add(writing->writer, &spec, parts, part_count, NULL, err);
}

/* Entries [from, to) of a builder as one block. */
static ErrorCode write_entries(RunWriting *writing, const RunBuilder *entries, size_t from, size_t to, RunBlockKind kind, uint32_t number, Error *err) {
    buffer_clear(&writing->rows);
    buffer_clear(&writing->keys);
    buffer_clear(&writing->starts);
    buffer_clear(&writing->head);
    bool fixed = true;
    size_t width = 0;
    for (size_t i = from; i < to; i++) {
        buffer_put_u32le(&writing->rows, run_builder_entry(entries, i, &writing->key));
        buffer_put_u32le(&writing->starts, (uint32_t)writing->keys.len);
        fixed = fixed && (i == from || writing->key.len == width);
        width = writing->key.len;
        buffer_append(&writing->keys, writing->key.data, writing->key.len);
    }
    buffer_put_u32le(&writing->starts, (uint32_t)writing->keys.len);
    fixed = fixed && width > 0;
    buffer_put_u32le(&writing->head, (uint32_t)(to - from));
    buffer_put_u32le(&writing->head, fixed ? (uint32_t)width : 0);
    IoVec parts[4] = {{writing->head.data, writing->head.len}, {writing->rows.data, writing->rows.len}};
    int count = 2;
    if (!fixed) {
        parts[count++] = (IoVec){writing->starts.data, writing->starts.len};
    }
    parts[count++] = (IoVec){writing->keys.data, writing->keys.len};
    return add_block(writing, kind, number, parts, count, err);
}

static void note_filter(RunWriting *writing, Bytes key) {
    uint64_t hash = filter_hash(key);
    filter_add(writing->filter + (size_t)filter_block_of(hash, writing->filter_blocks) * FILTER_BLOCK_BYTES, hash);
}

static ErrorCode write_all_entries(RunWriting *writing, Error *err) {
    RunBuilder *builder = writing->builder;
    Buffer key;
    ErrorCode code = ERR_OK;
    buffer_init(&key, SIZE_MAX);
    for (size_t from = 0, to = 0; from < builder->count && code == ERR_OK; from = to) {
        size_t bytes = 0;
        for (to = from; to < builder->count && to - from < RUN_BLOCK_ENTRIES && (to == from || bytes < RUN_BLOCK_BYTES); to++) {
            (void)run_builder_entry(builder, to, &key);
            note_filter(writing, buffer_bytes(&key));
            bytes += key.len + 8;
        }
        buffer_clear(&writing->last_key);
        buffer_append(&writing->last_key, key.data, key.len);
        (void)run_builder_entry(builder, from, &key);
        run_builder_add(writing->fences, buffer_bytes(&key), writing->entry_blocks);
        code = write_entries(writing, builder, from, to, RUN_ENTRIES, writing->entry_blocks++, err);
    }
    buffer_deinit(&key);
    return code;
}

static ErrorCode write_filter(RunWriting *writing, uint32_t *pieces_out, Error *err) {
    for (uint32_t from = 0; from < writing->filter_blocks; from += RUN_FILTER_PIECE) {
        uint32_t count = MIN_OF(writing->filter_blocks - from, (uint32_t)RUN_FILTER_PIECE);
        IoVec part = {writing->filter + (size_t)from * FILTER_BLOCK_BYTES, (size_t)count * FILTER_BLOCK_BYTES};
        TRY(add_block(writing, RUN_FILTER, (*pieces_out)++, &part, 1, err));
    }
    return ERR_OK;
}

static void put_section(RunWriting *writing, const RunOptions *options, uint32_t filter_pieces) {
    Buffer section;
    buffer_init(&section, 1 << 20);
    buffer_put_u32le(&section, RUN_FORMAT);
    buffer_put_u32le(&section, options->table_id);
    buffer_put_u32le(&section, options->index_id);
    buffer_put_u64le(&section, writing->builder->count);
    buffer_put_u32le(&section, writing->entry_blocks);
    buffer_put_u32le(&section, filter_pieces);
    buffer_put_u32le(&section, writing->filter_blocks);
    buffer_put_u32le(&section, (uint32_t)writing->last_key.len);
    buffer_append(&section, writing->last_key.data, writing->last_key.len);
    blockfile_writer_set_section(writing->writer, buffer_bytes(&section));
    buffer_deinit(&section);
}

static ErrorCode write_run(RunWriting *writing, const RunOptions *options, Error *err) {
    uint32_t pieces = 0;
    TRY(write_all_entries(writing, err));
    TRY(write_filter(writing, &pieces, err));
    TRY(write_entries(writing, writing->fences, 0, writing->fences->count, RUN_FENCES, 0, err));
    put_section(writing, options, pieces);
    return ERR_OK;
}

static void writing_deinit(RunWriting *writing) {
    Buffer *buffers[] = {&writing->key, &writing->rows, &writing->keys, &writing->starts, &writing->head, &writing->last_key};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        buffer_deinit(buffers[i]);
    }
    run_builder_destroy(writing->fences);
    mem_free(writing->filter);
}

static void writing_init(RunWriting *writing) {
    Buffer *buffers[] = {&writing->key, &writing->rows, &writing->keys, &writing->starts, &writing->head, &writing->last_key};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        buffer_init(buffers[i], SIZE_MAX);
    }
    writing->fences = run_builder_create();
    writing->filter_blocks = filter_block_count(writing->builder->count);
    writing->filter = mem_calloc(writing->filter_blocks, FILTER_BLOCK_BYTES);
}

ErrorCode run_builder_write(RunBuilder *builder, Io *io, const RunOptions *options, BlockFileSummary *summary_out, Error *err) {
    run_builder_sort(builder);
    BlockFileOptions file = {.path = options->path, .kind = BLOCKFILE_INDEX, .file_id = options->file_id, .engine_id = options->engine_id,
                             .salt = options->salt, .no_folder_sync = options->no_folder_sync};
    RunWriting writing = {.builder = builder};
    TRY(blockfile_writer_open(io, &file, &writing.writer, err));
    writing_init(&writing);
    ErrorCode code = write_run(&writing, options, err);
    if (code == ERR_OK) {
        code = blockfile_writer_finish(writing.writer, summary_out, err);
    } else {
        blockfile_writer_abort(writing.writer);
    }
    writing_deinit(&writing);
    return code;
}
