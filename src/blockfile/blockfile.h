/* SPDX-License-Identifier: Apache-2.0
 * blockfile.h - the one container of every immutable file: header, checked blocks, directory, footer; writer, reader,
 * block cache.
 *
 * Layout:     header 4 KiB | blocks, each from a 64-byte boundary, zero padded | directory | footer 128 bytes.
 *             docs/format/blockfile.md fixes the bytes.
 * Checks:     CRC-32C of a block covers (file id, offset, payload); header, directory and footer have their own. Every
 *             mismatch is ERR_DAMAGED with the path in the message and the file offset as position. A later format
 *             version or an unknown must-understand bit is ERR_NEWER_FORMAT before anything else is believed.
 * Writing:    under a temporary name, with large writes; finish = sync, rename, folder sync. A file is never changed
 *             afterwards.
 * Threads:    a writer belongs to one thread. A BlockFile is immutable after open: any number of threads may read. A
 *             BlockCache locks itself. */
#pragma once
#include "os/os.h"

enum {
    BLOCKFILE_HEADER_BYTES = 4096,
    BLOCKFILE_FOOTER_BYTES = 128,
    BLOCKFILE_ENTRY_BYTES = 64,
    BLOCKFILE_ALIGNMENT = 64,
    BLOCKFILE_PATH_BYTES_MAX = 256,
    BLOCKFILE_FORMAT_VERSION = 1
};
#define BLOCKFILE_BLOCK_BYTES_MAX (UINT32_C(1) << 30)
#define BLOCKFILE_BLOCKS_MAX (UINT32_C(1) << 24)

typedef enum BlockFileKind {
    BLOCKFILE_SEGMENT = 'S',
    BLOCKFILE_HISTORY = 'H',
    BLOCKFILE_TEXT = 'T',
    BLOCKFILE_DICTIONARY = 'D',
    BLOCKFILE_CHECKPOINT = 'C',
    BLOCKFILE_INDEX = 'I',
    BLOCKFILE_BODY = 'B',
    BLOCKFILE_SPILL = 'P'
} BlockFileKind;

/* ---- writer ---- */
typedef struct BlockFileOptions {
    const char *path;            /* final name, e.g. "table/7/42.seg"; written as path + ".tmp" */
    BlockFileKind kind;
    uint64_t file_id;            /* unique per database, never reused */
    uint64_t engine_id;
    uint64_t salt;               /* random */
    uint64_t features_read;      /* a reader that does not know one of these bits must refuse */
    uint64_t features_write;     /* one that does not know these may read, not change */
    uint64_t lsn;                /* meaning is the kind's: e.g. the checkpoint's LSN; may also be set before finish */
    Buffer *scratch;             /* write buffer to use again from file to file (caller's); NULL = the writer's own */
    bool not_durable;            /* no sync, no folder sync: spill files */
    bool no_folder_sync;         /* the caller syncs the folder once for several files */
} BlockFileOptions;
typedef struct BlockSpec {
    uint16_t kind, flags;        /* the caller's */
    uint64_t key;                /* the caller's: e.g. column id and block number */
    Bytes extra;                 /* per-block bytes kept in the directory (statistics); at most 64 KiB; copied */
} BlockSpec;
typedef struct BlockFileSummary {
    uint64_t bytes;
    uint32_t blocks;
    uint32_t crc;                /* of the whole file: header, directory with every block's crc; also in the footer */
} BlockFileSummary;
typedef struct BlockWriter BlockWriter;

NODISCARD ErrorCode blockfile_writer_open(Io *io, const BlockFileOptions *options, BlockWriter **writer_out,
                                          Error *err);
/* Appends one block made of parts. index_out (may be NULL) = its place in the directory. */
NODISCARD ErrorCode blockfile_writer_add(BlockWriter *writer, const BlockSpec *spec, const IoVec *parts,
                                         int part_count, uint32_t *index_out, Error *err);
/* One opaque section inside the directory, read with it at open (up to 1 GiB, meant for a few KiB). Replaces an
 * earlier one. Copied. */
void blockfile_writer_set_section(BlockWriter *writer, Bytes section);
void blockfile_writer_set_lsn(BlockWriter *writer, uint64_t lsn);
uint64_t blockfile_writer_bytes(const BlockWriter *writer); /* blocks so far, header included */
uint32_t blockfile_writer_block_count(const BlockWriter *writer);
/* Writes directory and footer, syncs, renames; frees the writer in every case. On error the temporary file is
 * removed. */
NODISCARD ErrorCode blockfile_writer_finish(BlockWriter *writer, BlockFileSummary *summary_out, Error *err);
void blockfile_writer_abort(BlockWriter *writer); /* removes the temporary file, frees; NULL is fine */

/* ---- reader ---- */
typedef struct BlockFileHeader {
    uint32_t format_version;
    BlockFileKind kind;
    uint64_t file_id, engine_id, salt, features_read, features_write;
} BlockFileHeader;
typedef struct BlockEntry {
    uint64_t offset, key;
    uint32_t bytes, crc;
    uint16_t kind, flags;
    Bytes extra;                 /* points into the directory; lives as long as the BlockFile */
} BlockEntry;
/* What the opener knows; zero = do not compare. */
typedef struct BlockFileExpect {
    BlockFileKind kind;
    uint64_t file_id, engine_id;
    uint64_t features_known;     /* bits of features_read that the caller understands; others are ERR_NEWER_FORMAT */
    uint64_t bytes;              /* size by the part list or checkpoint */
    uint32_t crc;                /* BlockFileSummary.crc */
    bool has_crc;
} BlockFileExpect;
typedef struct BlockFile BlockFile;

/* Reads and checks header, footer, directory (two or three preads). expect may be NULL. A file whose checksum is expected was published
 * once: ERR_DAMAGED if it is missing. */
NODISCARD ErrorCode blockfile_open(Io *io, const char *path, const BlockFileExpect *expect, BlockFile **file_out,
                                   Error *err);
void blockfile_close(BlockFile *file);                  /* NULL is fine; cached blocks: block_cache_forget first */
const BlockFileHeader *blockfile_header(const BlockFile *file);
const char *blockfile_path(const BlockFile *file);
uint64_t blockfile_bytes(const BlockFile *file);        /* size of the file */
uint64_t blockfile_memory_bytes(const BlockFile *file); /* held by the reader: its directory */
uint64_t blockfile_lsn(const BlockFile *file);
uint32_t blockfile_crc(const BlockFile *file);
Bytes blockfile_section(const BlockFile *file);         /* of blockfile_writer_set_section; empty if none */
uint32_t blockfile_block_count(const BlockFile *file);
BlockEntry blockfile_entry(const BlockFile *file, uint32_t index);
/* first such block, by a walk of the directory */
bool blockfile_find(const BlockFile *file, uint16_t kind, uint64_t key, uint32_t *index_out);

/* Reads one block into the caller's memory and checks it. capacity >= entry.bytes. Offsets are multiples of 64: with
 * 64-byte aligned memory the payload can be used in place. */
NODISCARD ErrorCode blockfile_read(const BlockFile *file, uint32_t index, void *memory, size_t capacity, Error *err);
/* replaces the buffer's content */
NODISCARD ErrorCode blockfile_read_buffer(const BlockFile *file, uint32_t index, Buffer *buffer, Error *err);
/* Reads `count` neighbouring blocks with one pread into memory as they lie in the file (each at its offset - the
 * first one's), checks each. capacity >= blockfile_span. */
uint64_t blockfile_span(const BlockFile *file, uint32_t index, uint32_t count);
NODISCARD ErrorCode blockfile_read_span(const BlockFile *file, uint32_t index, uint32_t count, void *memory,
                                        size_t capacity, Error *err);

/* Opens and reads everything: all blocks, padding, sizes. visit (may be NULL) gets each damage; without it the first
 * one ends the check. */
typedef void (*BlockDamageVisit)(void *context, const Error *damage);
NODISCARD ErrorCode blockfile_check(Io *io, const char *path, BlockDamageVisit visit, void *context, Error *err);
/* Text for people: header, one line per block, footer. */
NODISCARD ErrorCode blockfile_dump(Io *io, const char *path, Buffer *out, Error *err);

/* ---- cache of small and hot blocks, shared by all readers; scans go around it ---- */
typedef struct BlockCache BlockCache;
typedef struct BlockPin {
    Bytes data;                  /* 64-byte aligned; valid until block_cache_release */
    void *slot;                  /* the cache's */
} BlockPin;
typedef struct BlockCacheStats { uint64_t hits, misses, evictions, bytes, blocks; } BlockCacheStats;
BlockCache *block_cache_create(Sched *sched, uint64_t limit_bytes); /* no memory for blocks until first use */
void block_cache_destroy(BlockCache *cache);            /* no pins may be left */
/* From the cache, else read, check and keep it (clock replacement). A block larger than a quarter of a shard is read
 * for this pin only. */
NODISCARD ErrorCode block_cache_read(BlockCache *cache, const BlockFile *file, uint32_t index, BlockPin *pin_out,
                                     Error *err);
/* The same for bytes that are made of a block, such as one of its granules unpacked: `part` is the caller's number of them. make() fills the
 * memory given; it runs without a lock, and two threads may make the same part. */
enum { BLOCK_PARTS_MAX = 31 };
typedef struct BlockPart {
    uint32_t part;               /* below BLOCK_PARTS_MAX */
    uint32_t bytes;
    ErrorCode (*make)(void *context, void *memory, uint32_t bytes, Error *err);
    void *context;
} BlockPart;
NODISCARD ErrorCode block_cache_part(BlockCache *cache, const BlockFile *file, uint32_t index, const BlockPart *part, BlockPin *pin_out,
                                     Error *err);
void block_cache_release(BlockCache *cache, BlockPin *pin); /* clears *pin; a zeroed pin is fine */
void block_cache_forget(BlockCache *cache, uint64_t file_id); /* before a file is closed and removed */
void block_cache_stats(BlockCache *cache, BlockCacheStats *stats_out);
uint64_t block_cache_limit(const BlockCache *cache);
void block_cache_clear(BlockCache *cache); /* all that nobody holds */
