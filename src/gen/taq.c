/* SPDX-License-Identifier: Apache-2.0
 * taq.c - quotes in the shape of the NYSE "Daily TAQ" tape: many symbols, venues with books of their own, clusters in time.
 *
 * Layout:     day -> minute -> cluster of one symbol -> quotes some tens of microseconds apart.
 * Why:        shares of venues, spreads, sizes and repeats follow a measured tape, so that compression and queries meet the same
 *             runs and gaps as on real quotes; a day is 4,000,000 quotes, not the tape's two thousand million.
 * Invariants: times never go back; bid < ask but for 0.03 % crossed rows; 0.07 % of rows have an empty side (size 0).
 * Tests:      test/unit/gen/test_gen.c */
#include "base/calendar.h"
#include "gen/taq_internal.h"

typedef struct TaqVenue {
    char code;
    uint8_t share;
} TaqVenue;
static const TaqVenue TAQ_VENUE[TAQ_VENUES] = {
    {'D', 8},  {'T', 21}, {'N', 17}, {'K', 12}, {'P', 13}, {'Z', 10}, {'B', 6},
    {'Y', 4},  {'V', 3},  {'J', 2},  {'A', 2},  {'M', 1},  {'X', 1},
};

static char *taq_write_rows(void *state, uint32_t count, char *out);
static char *taq_trailer(uint64_t rows, char *out);

const GenKind GEN_TAQ = {
    .name = "taq",
    .table = "quotes",
    .csv_header = "timestamp,symbol,exchange,bid_price,bid_size,ask_price,ask_size,condition,sequence",
    .pipe_header = "Time|Exchange|Symbol|Bid_Price|Bid_Size|Offer_Price|Offer_Size|Quote_Condition|Sequence_Number|National_BBO_Ind|FINRA_BBO_Indicator|"
                   "FINRA_ADF_MPID_Indicator|Quote_Cancel_Correction|Source_Of_Quote|Retail_Interest_Indicator|Short_Sale_Restriction_Indicator|"
                   "LULD_BBO_Indicator|SIP_Generated_Message_Identifier|National_BBO_LULD_Indicator|Participant_Timestamp|FINRA_ADF_Timestamp|"
                   "FINRA_ADF_Market_Participant_Quote_Indicator|Security_Status_Indicator",
    .pipe_rows_max = TAQ_FILE_QUOTES_MAX,
    .pipe_trailer = taq_trailer,
    .open = gen__taq_open,
    .write_rows = taq_write_rows,
};

/* Letters of the index in base 26 behind a scramble, so that often traded names are not alphabetic. */
static void name_symbol(TaqSymbol *symbol, uint32_t index) {
    uint32_t code = (uint32_t)((index * UINT64_C(7919) + 104729) % 456976); /* 26^4: every index another code */
    uint32_t len = 4;
    for (uint32_t i = 0; i < len; i++) {
        symbol->name[i] = (char)('A' + code % 26);
        code /= 26;
    }
    symbol->name_len = (uint8_t)len;
}

static void init_symbol(TaqSymbol *symbol, uint32_t index, Random *random) {
    name_symbol(symbol, index);
    symbol->middle = (uint32_t)gen__exp2((int32_t)(9 * 65536 + random_below(random, 6 * 65536))); /* 5 to 320 dollars */
    symbol->spread = (uint8_t)(1 + symbol->middle / 8000 + random_below(random, 3));
    symbol->size_scale = (uint16_t)gen__exp2((int32_t)(8 * 65536 + random_below(random, 3 * 65536)));
    for (size_t i = 0; i < TAQ_VENUES; i++) {
        symbol->bid_off[i] = (uint8_t)random_below(random, 3);
        symbol->ask_off[i] = (uint8_t)random_below(random, 3);
        symbol->bid_size[i] = (uint8_t)(1 + random_below(random, 5));
        symbol->ask_size[i] = (uint8_t)(1 + random_below(random, 5));
    }
}

/* Thin before the opening and after the close, eight times the usual near both. */
static uint32_t minute_weight(uint32_t minute) {
    uint32_t open = 9 * 60 + 30 - TAQ_FIRST_MINUTE, close = 16 * 60 - TAQ_FIRST_MINUTE;
    if (minute < open || minute >= close) {
        return 2;
    }
    uint32_t from_open = minute - open, to_close = close - minute;
    uint32_t near_open = from_open < 30 ? (30 - from_open) * 700 / 30 : 0;
    uint32_t near_close = to_close < 20 ? (20 - to_close) * 700 / 20 : 0;
    return 100 + near_open + near_close;
}

static void begin_day(Taq *taq) {
    uint64_t weights[TAQ_MINUTES], total = 0, before = 0;
    while (day_of_week(taq->day) == 0 || day_of_week(taq->day) == 6) {
        taq->day++;
    }
    for (uint32_t i = 0; i < TAQ_MINUTES; i++) {
        weights[i] = minute_weight(i) * (700 + random_below(&taq->random, 648));
        total += weights[i];
    }
    for (uint32_t i = 0; i < TAQ_MINUTES; i++) {
        uint64_t after = before + weights[i];
        taq->minute_rows[i] = (uint32_t)(after * TAQ_DAY_ROWS / total - before * TAQ_DAY_ROWS / total);
        before = after;
    }
    taq->minute = 0;
    taq->sequence = 1;
}

void *gen__taq_open(const GenOptions *options, Arena *arena) {
    Taq *taq = arena_new(arena, Taq);
    taq->format = options->format;
    taq->table = arena_str(arena, options->table);
    taq->time.second = INT64_MIN;
    taq->symbol = arena_array(arena, TaqSymbol, TAQ_SYMBOLS);
    random_init(&taq->random, options->seed);
    gen__choice_init(&taq->symbols, TAQ_SYMBOLS, arena);
    gen__choice_init(&taq->venues, TAQ_VENUES, arena);
    uint32_t *weights = arena_array(arena, uint32_t, TAQ_SYMBOLS), venues[TAQ_VENUES];
    for (uint32_t i = 0; i < TAQ_SYMBOLS; i++) {
        weights[i] = 100000000 / (i + 8); /* Zipf with a blunt head: the first has 1.7 % of all rows */
        init_symbol(&taq->symbol[i], i, &taq->random);
    }
    for (size_t i = 0; i < TAQ_VENUES; i++) {
        venues[i] = TAQ_VENUE[i].share;
    }
    gen__choice_fill(&taq->symbols, weights, arena);
    gen__choice_fill(&taq->venues, venues, arena);
    taq->day = TAQ_FIRST_DAY;
    begin_day(taq);
    return taq;
}

static void begin_minute(Taq *taq) {
    while (taq->minute_left == 0) {
        if (taq->minute == TAQ_MINUTES) {
            taq->day++;
            begin_day(taq);
        }
        int64_t second = taq->day * 86400 + (TAQ_FIRST_MINUTE + taq->minute) * 60 + TAQ_NEW_YORK_SECONDS;
        taq->minute_start = second * 1000000000;
        taq->minute_size = taq->minute_left = taq->minute_rows[taq->minute++];
    }
}

/* A cluster starts where its rows stand in the minute, give or take half a gap: order without sorting. */
static void begin_cluster(Taq *taq) {
    begin_minute(taq);
    uint64_t r = random_next(&taq->random);
    uint32_t size = 1 + (gen__neg_log2(r) >> 13); /* exponential, mean 12 rows, median 8 */
    taq->cluster_left = MIN_OF(size, taq->minute_left);
    taq->cluster_symbol = gen__choose(&taq->symbols, random_next(&taq->random));
    taq->coarse_time = taq->cluster_symbol % 4 != 0;
    uint64_t done = taq->minute_size - taq->minute_left, gap = UINT64_C(60000000000) / taq->minute_size;
    int64_t start = taq->minute_start + (int64_t)(done * gap + random_below(&taq->random, gap * 4));
    taq->last_time = MAX_OF(start, taq->last_time);
    taq->minute_left -= taq->cluster_left;
}

static uint8_t next_size(Random *random, uint16_t scale) {
    uint32_t lots = ((gen__neg_log2(random_next(random)) >> 8) * scale) >> 16;
    return (uint8_t)MIN_OF(1 + lots, (uint32_t)255);
}

/* One event at one venue: re-quote after a move of the middle, or a new price on one side, or only a new size. */
static void move_book(Taq *taq, TaqSymbol *symbol, uint32_t venue) {
    uint64_t r = random_next(&taq->random);
    if ((r & 31) == 0) {
        uint32_t step = 1 + symbol->middle / 20000;
        symbol->middle = symbol->middle < 300 || (r & 32) != 0 ? symbol->middle + step : symbol->middle - step;
    }
    bool bid_side = (r & 64) != 0;
    if (((r >> 8) & 3) == 0) {
        uint8_t off = (r >> 16) % 3 != 0 ? 0 : (uint8_t)(1 + (gen__neg_log2(r) >> 16) % 8);
        *(bid_side ? &symbol->bid_off[venue] : &symbol->ask_off[venue]) = off;
    }
    *(bid_side ? &symbol->bid_size[venue] : &symbol->ask_size[venue]) = next_size(&taq->random, symbol->size_scale);
}

void gen__taq_next(Taq *taq, TaqQuote *quote_out) {
    if (taq->cluster_left == 0) {
        begin_cluster(taq);
    }
    taq->cluster_left--;
    uint64_t r = random_next(&taq->random);
    if (r % 100 >= 6) { /* gap: log-normal around 40 us */
        int32_t power = 15 * 65536 + gen__normal(random_next(&taq->random)) * 2;
        taq->last_time += (int64_t)gen__exp2(power > 0 ? power : 0);
    }
    if (taq->coarse_time) {
        taq->last_time = (taq->last_time + 255) & ~INT64_C(255); /* upward, so that time never goes back */
    }
    TaqSymbol *symbol = &taq->symbol[taq->cluster_symbol];
    uint32_t venue = gen__choose(&taq->venues, random_next(&taq->random));
    move_book(taq, symbol, venue);
    uint32_t bid = symbol->middle - symbol->spread / 2 - symbol->bid_off[venue];
    uint32_t ask = symbol->middle - symbol->spread / 2 + symbol->spread + symbol->ask_off[venue];
    uint32_t oddity = (uint32_t)(r >> 32) % 10000;
    bool crossed = oddity < 3, empty_side = oddity >= 3 && oddity < 10;
    taq->sequence += 1 + ((r >> 8) & 3);
    *quote_out = (TaqQuote){
        .nanos = taq->last_time,
        .sequence = taq->sequence,
        .symbol = symbol,
        .bid = crossed ? ask : bid,
        .ask = crossed ? bid : ask,
        .bid_size = empty_side ? 0 : symbol->bid_size[venue] * UINT32_C(100),
        .ask_size = symbol->ask_size[venue] * UINT32_C(100),
        .venue = TAQ_VENUE[venue].code,
        .condition = (r >> 20) % 64 == 0 ? 'Y' : 'R',
    };
}

static char *write_csv(Taq *taq, const TaqQuote *quote, char *out) {
    out = gen__put_time(&taq->time, out, quote->nanos, 9);
    *out++ = ',';
    out = gen__put_text(out, quote->symbol->name, quote->symbol->name_len);
    *out++ = ',';
    *out++ = quote->venue;
    *out++ = ',';
    out = gen__put_hundredths(out, quote->bid);
    *out++ = ',';
    out = gen__put_uint(out, quote->bid_size);
    *out++ = ',';
    out = gen__put_hundredths(out, quote->ask);
    *out++ = ',';
    out = gen__put_uint(out, quote->ask_size);
    *out++ = ',';
    *out++ = quote->condition;
    *out++ = ',';
    out = gen__put_uint(out, quote->sequence);
    *out++ = '\n';
    return out;
}

static char *write_ilp(Taq *taq, const TaqQuote *quote, char *out) {
    out = gen__put_text(out, taq->table.data, taq->table.len);
    out = GEN_PUT(out, ",symbol=");
    out = gen__put_text(out, quote->symbol->name, quote->symbol->name_len);
    out = GEN_PUT(out, ",exchange=");
    *out++ = quote->venue;
    out = GEN_PUT(out, ",condition=");
    *out++ = quote->condition;
    out = GEN_PUT(out, " bid_price=");
    out = gen__put_hundredths(out, quote->bid);
    out = GEN_PUT(out, ",bid_size=");
    out = gen__put_uint(out, quote->bid_size);
    out = GEN_PUT(out, "i,ask_price=");
    out = gen__put_hundredths(out, quote->ask);
    out = GEN_PUT(out, ",ask_size=");
    out = gen__put_uint(out, quote->ask_size);
    out = GEN_PUT(out, "i,sequence=");
    out = gen__put_uint(out, quote->sequence);
    out = GEN_PUT(out, "i ");
    out = gen__put_uint(out, (uint64_t)quote->nanos);
    *out++ = '\n';
    return out;
}

enum { QUOTE_FILE_COLUMNS = 23 };

static char *write_pipe(const TaqQuote *quote, char *out) {
    out = gen__put_tape_time(out, quote->nanos);
    *out++ = '|';
    *out++ = quote->venue;
    *out++ = '|';
    out = gen__put_text(out, quote->symbol->name, quote->symbol->name_len);
    *out++ = '|';
    out = gen__put_hundredths(out, quote->bid);
    *out++ = '|';
    out = gen__put_uint(out, quote->bid_size / 100);
    *out++ = '|';
    out = gen__put_hundredths(out, quote->ask);
    *out++ = '|';
    out = gen__put_uint(out, quote->ask_size / 100);
    *out++ = '|';
    *out++ = quote->condition;
    *out++ = '|';
    out = gen__put_uint(out, quote->sequence);
    out = GEN_PUT(out, "|A||||C||||||");
    out = gen__put_tape_time(out, quote->nanos - (int64_t)(quote->sequence % 97) * 1000 - 12000);
    return GEN_PUT(out, "|||\n");
}

static char *taq_trailer(uint64_t rows, char *out) {
    return gen__put_tape_trailer(out, rows, QUOTE_FILE_COLUMNS);
}

static char *taq_write_rows(void *state, uint32_t count, char *out) {
    Taq *taq = state;
    TaqQuote quote;
    for (uint32_t i = 0; i < count; i++) {
        gen__taq_next(taq, &quote);
        out = taq->format == GEN_CSV    ? write_csv(taq, &quote, out)
              : taq->format == GEN_PIPE ? write_pipe(&quote, out)
                                        : write_ilp(taq, &quote, out);
    }
    return out;
}
