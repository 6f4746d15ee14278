/* SPDX-License-Identifier: Apache-2.0
 * taq_internal.h - the tape of quotes, which quotes and trades are written from; its pipe-separated form. */
#pragma once
#include "gen/gen_internal.h"

enum {
    TAQ_SYMBOLS = 8000, TAQ_VENUES = 13, TAQ_DAY_ROWS = 4000000, TAQ_FIRST_MINUTE = 4 * 60, TAQ_MINUTES = 16 * 60,
    TAQ_FIRST_DAY = 20090 /* 2025-01-02 */, TAQ_NEW_YORK_SECONDS = 5 * 3600,
};

typedef struct TaqSymbol {
    uint32_t middle;                  /* cents */
    uint16_t size_scale;              /* round lots, times 256 */
    uint8_t spread;                   /* cents, usual */
    uint8_t name_len;
    char name[6];
    uint8_t bid_off[TAQ_VENUES], ask_off[TAQ_VENUES];   /* how far each venue is behind the best, cents */
    uint8_t bid_size[TAQ_VENUES], ask_size[TAQ_VENUES]; /* round lots */
} TaqSymbol;

typedef struct Taq {
    Random random;
    GenTime time;
    GenFormat format;
    Str table;
    GenChoice symbols, venues;
    TaqSymbol *symbol;
    int64_t day;
    uint64_t sequence;
    uint32_t minute_rows[TAQ_MINUTES];
    uint32_t minute, minute_left, minute_size;
    int64_t minute_start, last_time;  /* nanos UTC */
    uint32_t cluster_left, cluster_symbol;
    bool coarse_time;                 /* the day's feed of this cluster cuts times to 256 ns */
} Taq;

typedef struct TaqQuote {
    int64_t nanos;
    uint64_t sequence;
    const TaqSymbol *symbol;
    uint32_t bid, ask, bid_size, ask_size;
    char venue, condition;
} TaqQuote;


void *gen__taq_open(const GenOptions *options, Arena *arena);
void gen__taq_next(Taq *taq, TaqQuote *quote_out);

/* ---- the daily files: | between the columns, times HHMMSSnnnnnnnnn in New York, a last line END|YYYYMMDD|rows ---- */
enum { TAQ_FILE_QUOTES_MAX = TAQ_DAY_ROWS, TAQ_FILE_TRADES_MAX = 2000000 }; /* a file holds one day */
char *gen__put_tape_time(char *out, int64_t nanos_utc);
char *gen__put_tape_trailer(char *out, uint64_t rows, uint32_t columns);
