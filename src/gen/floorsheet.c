/* SPDX-License-Identifier: Apache-2.0
 * floorsheet.c - trades as the Nepal Stock Exchange publishes them, in time order over all symbols.
 *
 * Layout:     day -> minute -> order -> trades. A day has a number of trades, which the minutes share by the measured curve of
 *             the day. In a minute orders arrive with exponential gaps; one order meets 1 to 30 counterparties 60-160 us apart.
 * Why:        time order must come out of one pass with constant memory, so the minutes are cut first and filled after.
 * Invariants: times rise strictly; amount = quantity x rate exactly; prices keep within 10 % of the last day's close; thirty
 *             days from 2024-10-01 hold exactly 1,537,200 trades.
 * Tests:      test/unit/gen/test_gen.c */
#include "base/calendar.h"
#include "gen/floorsheet_tables.h"
#include "gen/gen_internal.h"

enum { ORDERS_PER_MINUTE_MAX = 4096, SWEEP_MAX = 30, OPENING_MINUTE = 10 * 60 + 46, FIRST_MINUTE = 11 * 60 };
static const int64_t FIRST_DAY = 19997;              /* 2024-10-01 */
static const int64_t KATHMANDU_SECONDS = 20700;      /* local time is 05:45 before UTC */
static const int64_t MINUTE_MICROS = 60 * MICROS_PER_SECOND;

typedef struct FloorOrder {
    uint32_t start_micros; /* in its minute */
    uint8_t trades;
} FloorOrder;

typedef struct FloorPrice {
    uint32_t now, close, usual; /* hundredths; usual pulls the price back over months */
} FloorPrice;

typedef struct FloorSheet {
    Random random;
    GenTime time;
    GenChoice symbols, buyers, sellers;
    FloorPrice price[FLOOR_SYMBOLS];
    uint8_t name_len[FLOOR_SYMBOLS];
    GenFormat format;
    Str table;
    /* the day */
    int64_t day;             /* since 1970 */
    uint32_t day_index;      /* trading days since the first */
    uint64_t contract_day;   /* YYYYMMDD */
    uint32_t serial[FLOOR_GROUPS];
    uint32_t minute_rows[FLOOR_MINUTES];
    uint32_t minute;         /* next one to fill */
    /* the minute */
    FloorOrder orders[ORDERS_PER_MINUTE_MAX];
    uint32_t order_count, order_next;
    int64_t minute_start;    /* micros UTC */
    int64_t last_time;       /* micros UTC of the last trade */
    /* the order */
    uint32_t trades_left;
    uint16_t symbol, taker;  /* index of symbol, of the broker who sweeps */
    bool taker_buys;
} FloorSheet;

static void *floorsheet_open(const GenOptions *options, Arena *arena);
static char *floorsheet_write_rows(void *state, uint32_t count, char *out);
static void begin_day(FloorSheet *f);

const GenKind GEN_FLOORSHEET = {
    .name = "floorsheet",
    .table = "trades",
    .csv_header = "timestamp,symbol,buyer,seller,contract,quantity,rate,amount",
    .open = floorsheet_open,
    .write_rows = floorsheet_write_rows,
};

static void *floorsheet_open(const GenOptions *options, Arena *arena) {
    FloorSheet *f = arena_new(arena, FloorSheet);
    random_init(&f->random, options->seed);
    f->time.second = INT64_MIN;
    f->format = options->format;
    f->table = arena_str(arena, options->table);
    gen__choice_init(&f->symbols, FLOOR_SYMBOLS, arena);
    gen__choice_init(&f->buyers, FLOOR_BROKERS, arena);
    gen__choice_init(&f->sellers, FLOOR_BROKERS, arena);
    Arena scratch;
    arena_init(&scratch, SIZE_MAX);
    uint32_t buys[FLOOR_BROKERS], sells[FLOOR_BROKERS];
    for (size_t i = 0; i < FLOOR_BROKERS; i++) {
        buys[i] = FLOOR_BROKER[i].buys;
        sells[i] = FLOOR_BROKER[i].sells;
    }
    gen__choice_fill(&f->buyers, buys, &scratch);
    gen__choice_fill(&f->sellers, sells, &scratch);
    arena_deinit(&scratch);
    for (size_t i = 0; i < FLOOR_SYMBOLS; i++) {
        uint32_t price = FLOOR_SYMBOL[i].price;
        f->price[i] = (FloorPrice){.now = price, .close = price, .usual = price};
        f->name_len[i] = (uint8_t)strlen(FLOOR_SYMBOL[i].name);
    }
    f->day = FIRST_DAY;
    begin_day(f);
    return f;
}

/* Each day other symbols are in favour: the usual share times 0.35 to 2.8. */
static void choose_favourites(FloorSheet *f) {
    uint32_t weights[FLOOR_SYMBOLS];
    Arena scratch;
    arena_init(&scratch, SIZE_MAX);
    for (size_t i = 0; i < FLOOR_SYMBOLS; i++) {
        uint64_t factor = gen__exp2((int32_t)random_below(&f->random, 3 * 65536)); /* 1 to 8, as likely below 2.8 as above */
        weights[i] = (uint32_t)(FLOOR_SYMBOL[i].trades * factor * 16 + 1);
    }
    gen__choice_fill(&f->symbols, weights, &scratch);
    arena_deinit(&scratch);
}

static void share_day(FloorSheet *f, uint32_t rows) {
    uint64_t weights[FLOOR_MINUTES], total = 0, before = 0;
    for (uint32_t i = 0; i < FLOOR_MINUTES; i++) {
        uint64_t usual = i == 0 ? FLOOR_OPENING_SHARE * 10 : FLOOR_TEN_MINUTES[(i - 1) / 10];
        weights[i] = usual * (600 + random_below(&f->random, 848));
        total += weights[i];
    }
    for (uint32_t i = 0; i < FLOOR_MINUTES; i++) {
        uint64_t after = before + weights[i];
        f->minute_rows[i] = (uint32_t)(after * rows / total - before * rows / total);
        before = after;
    }
}

static void begin_day(FloorSheet *f) {
    int32_t year = 0, month = 0, day = 0;
    while (day_of_week(f->day) >= 5) { /* no trading on Friday and Saturday */
        f->day++;
    }
    civil_from_days(f->day, &year, &month, &day);
    f->contract_day = (uint64_t)year * 10000 + (uint64_t)month * 100 + (uint64_t)day;
    memset(f->serial, 0, sizeof f->serial);
    for (size_t i = 0; i < FLOOR_SYMBOLS; i++) {
        f->price[i].close = f->price[i].now;
    }
    choose_favourites(f);
    share_day(f, (uint32_t)(FLOOR_DAY_MEAN + FLOOR_DAY[f->day_index % COUNT_OF(FLOOR_DAY)]));
    f->minute = 0;
}

/* How many counterparties one order meets: most one, few very many. */
static uint8_t sweep_size(Random *random) {
    uint64_t r = random_next(random);
    if ((r & 0xff) < 190) {
        return 1;
    }
    uint32_t more = 1 + (gen__neg_log2(r ^ (r << 17)) >> 15); /* exponential, mean 2.9 */
    return (uint8_t)MIN_OF(more + 1, (uint32_t)SWEEP_MAX);
}

/* Cuts the minute into orders: sizes first, then arrival times by exponential gaps scaled to the minute. */
static void begin_minute(FloorSheet *f) {
    uint32_t rows = f->minute_rows[f->minute], gaps[ORDERS_PER_MINUTE_MAX + 1];
    uint32_t local = f->minute == 0 ? OPENING_MINUTE : FIRST_MINUTE + f->minute - 1;
    uint64_t total = 0, passed = 0;
    f->minute_start = f->day * MICROS_PER_DAY + local * MINUTE_MICROS - KATHMANDU_SECONDS * MICROS_PER_SECOND;
    f->minute++;
    f->order_count = 0;
    f->order_next = 0;
    while (rows > 0) {
        assert(f->order_count < ORDERS_PER_MINUTE_MAX);
        uint32_t size = sweep_size(&f->random);
        uint8_t trades = (uint8_t)MIN_OF(size, rows);
        rows -= trades;
        gaps[f->order_count] = gen__neg_log2(random_next(&f->random)) + 1;
        total += gaps[f->order_count];
        f->orders[f->order_count++].trades = trades;
    }
    total += gen__neg_log2(random_next(&f->random)) + 1;
    for (uint32_t i = 0; i < f->order_count; i++) {
        passed += gaps[i];
        f->orders[i].start_micros = (uint32_t)(passed * (uint64_t)MINUTE_MICROS / total);
    }
}

static uint32_t price_step(const FloorSheet *f) {
    uint32_t tick = FLOOR_SYMBOL[f->symbol].tick;
    return MAX_OF(f->price[f->symbol].now / 1000 / tick, 1) * tick; /* a thousandth, in whole ticks */
}

/* Moves the price by `delta` hundredths and keeps it within 10 % of the last close. */
static void move_price(FloorSheet *f, int64_t delta) {
    FloorPrice *price = &f->price[f->symbol];
    int64_t tick = FLOOR_SYMBOL[f->symbol].tick;
    int64_t low = (price->close * INT64_C(9) / 10 / tick + 1) * tick;
    int64_t high = price->close * INT64_C(11) / 10 / tick * tick;
    int64_t next = (int64_t)price->now + delta;
    next = next < low ? low : next;
    price->now = (uint32_t)(next > high && high >= low ? high : next);
}

static void begin_order(FloorSheet *f) {
    const FloorOrder *order = &f->orders[f->order_next++];
    uint64_t r = random_next(&f->random);
    f->trades_left = order->trades;
    f->taker_buys = (r & 1) != 0;
    f->symbol = (uint16_t)gen__choose(&f->symbols, random_next(&f->random));
    f->taker = (uint16_t)gen__choose(f->taker_buys ? &f->buyers : &f->sellers, random_next(&f->random));
    int64_t start = f->minute_start + order->start_micros;
    f->last_time = MAX_OF(start - 60, f->last_time);
    /* Mostly small steps either way; a price far from the usual one is drawn back a little. */
    int64_t steps = (int64_t)((r >> 8) & 7) - 3;
    steps = steps == 4 ? 0 : steps;
    FloorPrice *price = &f->price[f->symbol];
    if (((r >> 16) & 63) == 0) {
        steps += price->now > price->usual ? -1 : 1;
    }
    move_price(f, steps * (int64_t)price_step(f) / 2 / FLOOR_SYMBOL[f->symbol].tick * FLOOR_SYMBOL[f->symbol].tick);
}

static uint32_t choose_quantity(Random *random) {
    uint64_t r = random_next(random);
    uint32_t at = (uint32_t)(((r & 0xffffffff) * 10000) >> 32);
    for (size_t i = 0; i < COUNT_OF(FLOOR_QUANTITY); i++) {
        if (at < FLOOR_QUANTITY[i].share) {
            return FLOOR_QUANTITY[i].quantity;
        }
        at -= FLOOR_QUANTITY[i].share;
    }
    /* 2^(6.1 + 2.3 z): median 69, cut at 10; one in 1,024 of these is a block trade. */
    int32_t power = 399770 + (int32_t)((int64_t)gen__normal(random_next(random)) * 4);
    uint64_t quantity = power < 217706 ? 10 + (r >> 60) : gen__exp2(MIN_OF(power, 16 * 65536));
    if (((r >> 40) & 1023) == 0) {
        quantity *= 16;
    }
    if (((r >> 32) & 3) == 0) {
        quantity = quantity / 10 * 10;
    }
    return (uint32_t)MAX_OF(quantity, (uint64_t)10);
}

typedef struct FloorTrade {
    int64_t micros;
    uint32_t quantity, rate;
    uint16_t symbol, buyer, seller;
    uint64_t contract;
} FloorTrade;

static void next_trade(FloorSheet *f, FloorTrade *trade_out) {
    while (f->trades_left == 0) {
        while (f->order_next == f->order_count) {
            if (f->minute == FLOOR_MINUTES) {
                f->day++;
                f->day_index++;
                begin_day(f);
            }
            begin_minute(f);
        }
        begin_order(f);
    }
    f->trades_left--;
    uint64_t r = random_next(&f->random);
    f->last_time += 60 + (int64_t)(r & 63) + (int64_t)((r >> 6) & 31);
    uint16_t other = (uint16_t)gen__choose(f->taker_buys ? &f->sellers : &f->buyers, random_next(&f->random));
    uint32_t group = FLOOR_SYMBOL[f->symbol].group;
    static const uint8_t GROUP_ID[FLOOR_GROUPS] = {1, 3, 4, 5};
    *trade_out = (FloorTrade){
        .micros = f->last_time,
        .quantity = choose_quantity(&f->random),
        .rate = f->price[f->symbol].now,
        .symbol = f->symbol,
        .buyer = FLOOR_BROKER[f->taker_buys ? f->taker : other].id,
        .seller = FLOOR_BROKER[f->taker_buys ? other : f->taker].id,
        .contract = (f->contract_day * 100 + GROUP_ID[group]) * 1000000 + ++f->serial[group],
    };
    if (((r >> 16) & 3) == 0) { /* the order eats into the book */
        move_price(f, f->taker_buys ? FLOOR_SYMBOL[f->symbol].tick : -(int64_t)FLOOR_SYMBOL[f->symbol].tick);
    }
}

static char *write_csv(FloorSheet *f, const FloorTrade *trade, char *out) {
    out = gen__put_time(&f->time, out, trade->micros * 1000, 6);
    *out++ = ',';
    out = gen__put_text(out, FLOOR_SYMBOL[trade->symbol].name, f->name_len[trade->symbol]);
    *out++ = ',';
    out = gen__put_uint(out, trade->buyer);
    *out++ = ',';
    out = gen__put_uint(out, trade->seller);
    *out++ = ',';
    out = gen__put_uint(out, trade->contract);
    *out++ = ',';
    out = gen__put_uint(out, trade->quantity);
    *out++ = ',';
    out = gen__put_hundredths(out, trade->rate);
    *out++ = ',';
    out = gen__put_hundredths(out, (uint64_t)trade->rate * trade->quantity);
    *out++ = '\n';
    return out;
}

static char *write_ilp(FloorSheet *f, const FloorTrade *trade, char *out) {
    out = gen__put_text(out, f->table.data, f->table.len);
    out = GEN_PUT(out, ",symbol=");
    out = gen__put_text(out, FLOOR_SYMBOL[trade->symbol].name, f->name_len[trade->symbol]);
    out = GEN_PUT(out, ",buyer=");
    out = gen__put_uint(out, trade->buyer);
    out = GEN_PUT(out, ",seller=");
    out = gen__put_uint(out, trade->seller);
    out = GEN_PUT(out, " contract=");
    out = gen__put_uint(out, trade->contract);
    out = GEN_PUT(out, "i,quantity=");
    out = gen__put_uint(out, trade->quantity);
    out = GEN_PUT(out, "i,rate=");
    out = gen__put_hundredths(out, trade->rate);
    out = GEN_PUT(out, ",amount=");
    out = gen__put_hundredths(out, (uint64_t)trade->rate * trade->quantity);
    *out++ = ' ';
    out = gen__put_uint(out, (uint64_t)trade->micros * 1000);
    *out++ = '\n';
    return out;
}

static char *floorsheet_write_rows(void *state, uint32_t count, char *out) {
    FloorSheet *f = state;
    FloorTrade trade;
    for (uint32_t i = 0; i < count; i++) {
        next_trade(f, &trade);
        out = f->format == GEN_CSV ? write_csv(f, &trade, out) : write_ilp(f, &trade, out);
    }
    return out;
}
