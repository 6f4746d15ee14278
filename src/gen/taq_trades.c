/* SPDX-License-Identifier: Apache-2.0
 * taq_trades.c - trades beside the quotes of taq.c: the same seed gives the trades of the same tape, about one for four quotes.
 *
 * Why:        shares follow a measured tape: 54 % of trades stand at the time of the one before, 46 % are odd lots, at the bid, at the ask
 *             or inside; sale conditions, 8 % exact repeats, one correction in 40,000.
 * Invariants: times never go back; a price lies between bid and ask of the newest quote (of a crossed one at either).
 * Tests:      test/unit/gen/test_gen.c */
#include "gen/taq_internal.h"

enum { TRADE_FILE_COLUMNS = 15, QUOTES_A_TRADE = 4, VENUES = 13, CONDITIONS = 8 };

typedef struct TradeVenue { char code; uint8_t share; } TradeVenue;
static const TradeVenue VENUE[VENUES] = {{'D', 31}, {'T', 17}, {'N', 14}, {'K', 9}, {'P', 8}, {'Z', 7}, {'B', 5},
                                         {'Y', 4},  {'V', 2},  {'J', 1},  {'A', 1}, {'M', 1}, {'X', 0}};
typedef struct TradeCondition { const char *text; uint8_t share; } TradeCondition;
static const TradeCondition CONDITION[CONDITIONS] = {{"", 33}, {"I", 26}, {"F", 20}, {"F I", 19}, {"T", 1}, {"T I", 1}, {"4", 0}, {"O", 0}};

typedef struct Trade {
    TaqQuote quote;              /* the newest */
    uint64_t sequence, id;
    uint32_t price, volume;
    uint32_t venue, condition, correction;
} Trade;

typedef struct Trades {
    Taq *taq;
    Random random;               /* apart from the tape's, so that the quotes are those of the same seed */
    GenChoice venues, conditions;
    GenFormat format;
    Str table;
    Trade trade;
} Trades;

static void *trades_open(const GenOptions *options, Arena *arena) {
    Trades *trades = arena_new(arena, Trades);
    uint32_t venues[VENUES], conditions[CONDITIONS];
    trades->taq = gen__taq_open(options, arena);
    trades->format = options->format;
    trades->table = arena_str(arena, options->table);
    random_init(&trades->random, options->seed ^ UINT64_C(0x7261646573));
    gen__choice_init(&trades->venues, VENUES, arena);
    gen__choice_init(&trades->conditions, CONDITIONS, arena);
    for (size_t i = 0; i < VENUES; i++) {
        venues[i] = VENUE[i].share * UINT32_C(10) + 1;
    }
    for (size_t i = 0; i < CONDITIONS; i++) {
        conditions[i] = CONDITION[i].share * UINT32_C(10) + 1;
    }
    gen__choice_fill(&trades->venues, venues, arena);
    gen__choice_fill(&trades->conditions, conditions, arena);
    return trades;
}

/* At the bid, at the ask, or at a cent between. */
static uint32_t price_of(const TaqQuote *quote, uint64_t random) {
    uint32_t low = MIN_OF(quote->bid, quote->ask), high = MAX_OF(quote->bid, quote->ask);
    uint32_t where = (uint32_t)(random % 100);
    if (where < 40) {
        return quote->bid;
    }
    return where < 80 ? quote->ask : low + (uint32_t)((random >> 8) % (high - low + 1));
}

static uint32_t volume_of(uint64_t random) {
    uint32_t size = 1 + (gen__neg_log2(random) >> 11); /* exponential */
    return random % 100 < 46 ? 1 + size % 99 : 100 * (1 + size % 40);
}

static void next_trade(Trades *trades) {
    Trade *trade = &trades->trade;
    uint64_t r = random_next(&trades->random);
    bool first = trade->sequence == 0;
    if (!first && r % 100 < 8) {
        return; /* an exact repeat */
    }
    if (first || (r >> 8) % 100 >= 54) {
        for (int i = 0; i < QUOTES_A_TRADE; i++) {
            gen__taq_next(trades->taq, &trade->quote);
        }
    }
    trade->sequence = trade->quote.sequence + trade->id + 1;
    trade->id++;
    uint64_t at = random_next(&trades->random), size = random_next(&trades->random);
    trade->price = price_of(&trade->quote, at);
    trade->volume = volume_of(size);
    trade->venue = gen__choose(&trades->venues, random_next(&trades->random));
    trade->condition = gen__choose(&trades->conditions, random_next(&trades->random));
    trade->correction = (r >> 24) % 40000 != 0 ? 0 : (r >> 20) % 2 == 0 ? 8 : 10;
}

static char *put_condition(const Trade *trade, char *out) {
    const char *text = CONDITION[trade->condition].text;
    return gen__put_text(out, text, strlen(text));
}

static char *write_csv(Trades *trades, char *out) {
    const Trade *trade = &trades->trade;
    out = gen__put_time(&trades->taq->time, out, trade->quote.nanos, 9);
    *out++ = ',';
    out = gen__put_text(out, trade->quote.symbol->name, trade->quote.symbol->name_len);
    *out++ = ',';
    *out++ = VENUE[trade->venue].code;
    *out++ = ',';
    out = gen__put_hundredths(out, trade->price);
    *out++ = ',';
    out = gen__put_uint(out, trade->volume);
    *out++ = ',';
    out = put_condition(trade, out);
    *out++ = ',';
    out = gen__put_uint(out, trade->correction);
    *out++ = ',';
    out = gen__put_uint(out, trade->sequence);
    *out++ = ',';
    out = gen__put_uint(out, trade->id);
    *out++ = '\n';
    return out;
}

static char *write_ilp(Trades *trades, char *out) {
    const Trade *trade = &trades->trade;
    out = gen__put_text(out, trades->table.data, trades->table.len);
    out = GEN_PUT(out, ",symbol=");
    out = gen__put_text(out, trade->quote.symbol->name, trade->quote.symbol->name_len);
    out = GEN_PUT(out, ",exchange=");
    *out++ = VENUE[trade->venue].code;
    out = GEN_PUT(out, " price=");
    out = gen__put_hundredths(out, trade->price);
    out = GEN_PUT(out, ",volume=");
    out = gen__put_uint(out, trade->volume);
    out = GEN_PUT(out, "i,condition=\"");
    out = put_condition(trade, out);
    out = GEN_PUT(out, "\",correction=");
    out = gen__put_uint(out, trade->correction);
    out = GEN_PUT(out, "i,sequence=");
    out = gen__put_uint(out, trade->sequence);
    out = GEN_PUT(out, "i,trade_id=");
    out = gen__put_uint(out, trade->id);
    out = GEN_PUT(out, "i ");
    out = gen__put_uint(out, (uint64_t)trade->quote.nanos);
    *out++ = '\n';
    return out;
}

static char *write_pipe(const Trade *trade, char *out) {
    out = gen__put_tape_time(out, trade->quote.nanos);
    *out++ = '|';
    *out++ = VENUE[trade->venue].code;
    *out++ = '|';
    out = gen__put_text(out, trade->quote.symbol->name, trade->quote.symbol->name_len);
    *out++ = '|';
    out = put_condition(trade, out);
    *out++ = '|';
    out = gen__put_uint(out, trade->volume);
    *out++ = '|';
    out = gen__put_hundredths(out, trade->price);
    out = GEN_PUT(out, "||");
    out = gen__put_uint(out, trade->correction);
    *out++ = '|';
    out = gen__put_uint(out, trade->sequence);
    *out++ = '|';
    out = gen__put_uint(out, trade->id);
    out = GEN_PUT(out, "|C||");
    out = gen__put_tape_time(out, trade->quote.nanos - (int64_t)(trade->id % 89) * 1000 - 9000);
    return GEN_PUT(out, "||0\n");
}

static char *trades_write_rows(void *state, uint32_t count, char *out) {
    Trades *trades = state;
    for (uint32_t i = 0; i < count; i++) {
        next_trade(trades);
        out = trades->format == GEN_CSV    ? write_csv(trades, out)
              : trades->format == GEN_PIPE ? write_pipe(&trades->trade, out)
                                           : write_ilp(trades, out);
    }
    return out;
}

static char *trades_trailer(uint64_t rows, char *out) {
    return gen__put_tape_trailer(out, rows, TRADE_FILE_COLUMNS);
}

const GenKind GEN_TAQ_TRADES = {
    .name = "taq-trades",
    .table = "tape",
    .csv_header = "timestamp,symbol,exchange,price,volume,condition,correction,sequence,trade_id",
    .pipe_header = "Time|Exchange|Symbol|Sale Condition|Trade Volume|Trade Price|Trade Stop Stock Indicator|Trade Correction Indicator|Sequence Number|"
                   "Trade Id|Source of Trade|Trade Reporting Facility|Participant Timestamp|Trade Reporting Facility TRF Timestamp|"
                   "Trade Through Exempt Indicator",
    .pipe_rows_max = TAQ_FILE_TRADES_MAX,
    .pipe_trailer = trades_trailer,
    .open = trades_open,
    .write_rows = trades_write_rows,
};
