/* SPDX-License-Identifier: Apache-2.0
 * txn.h - versions of rows: stamps, run lists (when rows began), end maps (which rows ended), snapshots, write sets.
 *
 * Stamps:     a u64 is either an LSN or, with the top bit, the number of a running transaction and of its statement. The publish
 *             step of a commit replaces the numbers by the commit's LSN before that LSN becomes visible; so a reader that meets the
 *             number of another transaction knows that the row is not its business, and needs no table of transactions.
 * Visible:    a row is visible if its begin stamp is and its end stamp is not. What a snapshot sees never changes: later ends have
 *             later LSNs, later statements of the same transaction have later numbers.
 * Threads:    RunList, EndMap and WriteSet are guarded by their owner's mutex. TxnRegistry locks itself. */
#pragma once
#include "os/os.h"

/* ---- stamps ---- */
typedef uint64_t Stamp;
#define STAMP_OWN_BIT (UINT64_C(1) << 63)
#define STAMP_NEVER ((UINT64_C(1) << 63) - 1) /* above every LSN: a row without end, a row not begun */
#define STAMP_ALWAYS UINT64_C(0)             /* below every snapshot: as an end, the row is dead for all */
enum { TXN_COMMAND_BITS = 24, TXN_COMMAND_MAX = (1 << TXN_COMMAND_BITS) - 1 };

typedef struct Snapshot {
    uint64_t lsn;     /* commits up to it are seen */
    Stamp own;        /* STAMP_OWN_BIT | number << TXN_COMMAND_BITS; 0 = none */
    uint32_t command; /* own changes of statements below it are seen */
} Snapshot;

/* One comparison for others' stamps, one for own ones: stamp - own wraps to a huge number for everything that is not own. */
static inline bool stamp_visible(Stamp stamp, const Snapshot *snapshot) {
    return stamp <= snapshot->lsn || stamp - snapshot->own < snapshot->command;
}
static inline bool stamp_is_number(Stamp stamp) { return (stamp & STAMP_OWN_BIT) != 0; }
static inline bool stamp_is_settled(Stamp stamp) { return stamp < STAMP_NEVER; }
static inline Stamp stamp_owner(Stamp stamp) { return stamp & ~(Stamp)TXN_COMMAND_MAX; }

/* ---- runs: when rows began ---- */
typedef struct Run {
    uint32_t first; /* rows from here to the next run (or to the list's end) */
    Stamp stamp;
} Run;
typedef struct RunList {
    Run *runs;
    uint32_t count, capacity;
    uint32_t end;         /* rows covered */
    uint32_t clean_count; /* leading runs known to be settled */
    uint64_t clean_lsn;   /* the largest stamp of those */
} RunList;
typedef struct RowSpan { uint32_t first, end; } RowSpan;

void runs_deinit(RunList *list);
void runs_append(RunList *list, uint32_t row_count, Stamp stamp); /* after the last row; joins an equal stamp */
void runs_set(RunList *list, RowSpan rows, Stamp stamp);          /* splits and joins as needed; rows must be covered */
Stamp runs_get(const RunList *list, uint32_t row);
/* Rows below `limit` that have begun for the snapshot, as disjoint rising spans. Returns their number; writes at most span_max.
 * Remembers what is settled, so that a repeated call skips it. */
uint32_t runs_visible(RunList *list, const Snapshot *snapshot, uint32_t limit, RowSpan *spans, uint32_t span_max);
/* Joins the leading runs that every present and later snapshot sees. */
void runs_collapse(RunList *list, uint64_t horizon);
bool runs_all_settled(const RunList *list);

/* ---- ends: which rows ended ---- */
enum { END_GRANULE_ROWS = 4096, END_SPARSE_MAX = 64 };
typedef struct EndGranule EndGranule;
typedef struct EndMap {
    EndGranule **granules; /* NULL until the first end; an entry is NULL while its 4,096 rows have none */
    uint32_t granule_count;
    uint32_t ended_rows;   /* rows with any end stamp */
} EndMap;

void ends_deinit(EndMap *map);
Stamp ends_get(const EndMap *map, uint32_t row);                          /* STAMP_NEVER = live */
void ends_set(EndMap *map, uint32_t row_count, uint32_t row, Stamp stamp); /* row_count: of the whole map. STAMP_NEVER takes the end back */
void ends_kill(EndMap *map, uint32_t row_count, RowSpan rows);             /* STAMP_ALWAYS for all of them */
/* Clears in `live` (bit 0 = row `first`, a multiple of 64) the rows that have ended for the snapshot. false: none has. */
bool ends_apply(const EndMap *map, uint32_t first, uint32_t row_count, const Snapshot *snapshot, uint64_t *live);
/* Walks ended rows upwards: for (uint32_t at = 0; ends_next(map, &at, &row, &stamp);) */
bool ends_next(const EndMap *map, uint32_t *cursor, uint32_t *row_out, Stamp *stamp_out);
/* Ends that every snapshot sees become one bit a row. */
void ends_collapse(EndMap *map, uint64_t horizon);
bool ends_all_old(const EndMap *map, uint32_t row_count); /* every row has ended for every snapshot */
size_t ends_bytes(const EndMap *map);

/* ---- write sets ---- */
typedef struct Write {
    uint8_t kind;                 /* the caller's */
    uint32_t table, part, first, count;
    void *object;                 /* the caller's */
} Write;
typedef struct WriteSet {
    Write *writes;
    size_t count, capacity;
    size_t sealed;                /* writes below are not extended any more: a mark lies behind them */
} WriteSet;
enum { WRITES_MAX = 1 << 28 };
void writes_deinit(WriteSet *set);
void writes_add(WriteSet *set, Write write);
/* Joins rows that follow directly on the newest write's, if no mark lies between. */
void writes_add_rows(WriteSet *set, Write write);
static inline size_t writes_mark(WriteSet *set) { set->sealed = set->count; return set->count; }

/* ---- running transactions and their snapshots ---- */
typedef struct TxnEntry TxnEntry;
struct TxnEntry {
    Stamp own;                    /* as in Snapshot */
    uint64_t begin_lsn;           /* the first snapshot: catalog objects seen since then are kept */
    uint64_t snapshot_lsn;
    TxnEntry *next, *previous;
};
typedef struct TxnRegistry {
    Sched *sched;
    Mutex lock;                   /* guards everything below */
    TxnEntry list;                /* ring of running transactions */
    uint64_t next_number;
    uint64_t open_count;
} TxnRegistry;
typedef uint64_t (*TxnClock)(void *context); /* newest visible LSN; called under the registry's lock, so that no snapshot slips below the horizon */

void registry_init(TxnRegistry *registry, Sched *sched);
void registry_deinit(TxnRegistry *registry);
void registry_begin(TxnRegistry *registry, TxnEntry *entry, TxnClock clock, void *context);
void registry_refresh(TxnRegistry *registry, TxnEntry *entry, TxnClock clock, void *context); /* new snapshot */
static inline uint64_t registry_number(const TxnEntry *entry) { return (entry->own & ~STAMP_OWN_BIT) >> TXN_COMMAND_BITS; }
/* Takes the snapshot that another running transaction holds: its number and LSN name it. false: nobody holds it any more. */
bool registry_adopt(TxnRegistry *registry, TxnEntry *entry, uint64_t number, uint64_t lsn);
void registry_end(TxnRegistry *registry, TxnEntry *entry);
/* Oldest snapshot in use, or the newest visible LSN: a version that ended at or below it is garbage. */
uint64_t registry_horizon(TxnRegistry *registry, TxnClock clock, void *context);
uint64_t registry_begin_horizon(TxnRegistry *registry, TxnClock clock, void *context); /* the same for begin_lsn */
uint64_t registry_open_count(TxnRegistry *registry);
