/* SPDX-License-Identifier: Apache-2.0
 * sort_keys.c - see sort_keys.h. Sorting is radix by word, most significant word first, each word least significant byte first over the
 * bytes that differ; runs of equal words go on with the next word. */
#include "sql/exec/sort_keys.h"

enum { SMALL_RUN = 24, TEXT_PREFIX = 15 };

/* ---- shape ---- */
static uint32_t words_of(Type type) {
    switch (type_physical((TypeId)type.id)) {
    case PHYS_BIT:
    case PHYS_8:
    case PHYS_16:
    case PHYS_32:
    case PHYS_F32:
        return 1;
    case PHYS_STR:
    case PHYS_64:
    case PHYS_F64:
        return 2;
    default:
        return type.id == TYPE_NUMERIC ? 2 : 3;
    }
}

void sort_keys_init(SortKeys *keys, const PlanSortKey *plan, uint32_t count, uint32_t payload_columns, Arena *arena, Budget *budget) {
    *keys = (SortKeys){.key_count = count, .budget = budget};
    keys->shapes = arena_array(arena, SortKeyShape, count + 1);
    for (uint32_t k = 0; k < count; k++) {
        SortKeyShape *shape = &keys->shapes[k];
        shape->key = plan[k];
        shape->stored = plan[k].type.id == TYPE_SYMBOL ? type_of(TYPE_TEXT) : plan[k].type;
        shape->word = keys->word_count;
        shape->word_count = words_of(shape->stored);
        shape->ties = type_physical((TypeId)shape->stored.id) == PHYS_STR || shape->stored.id == TYPE_NUMERIC;
        if (shape->ties) {
            shape->tie_column = payload_columns + keys->tie_count++;
        }
        keys->word_count += shape->word_count;
    }
}

void sort_keys_deinit(SortKeys *keys) {
    if (keys->budget != NULL) {
        budget_release(keys->budget, keys->reserved);
    }
    mem_free(keys->words);
    *keys = (SortKeys){0};
}

/* ---- words ---- */
static uint64_t flip_int(int64_t value) {
    return (uint64_t)value ^ (UINT64_C(1) << 63);
}

static uint64_t flip_double(double value) {
    uint64_t bits = 0;
    if (value != value) {
        return UINT64_MAX;
    }
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return (bits >> 63) != 0 ? ~bits : bits | (UINT64_C(1) << 63);
}

static uint64_t load_big_endian(const uint8_t *bytes, size_t len) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; i++) {
        word = word << 8 | (i < len ? bytes[i] : 0);
    }
    return word;
}

static void text_words(const void *value, bool descending, uint64_t rank, uint64_t *out) {
    StrRef ref;
    memcpy(&ref, value, sizeof ref);
    Str text = strref_str(&ref);
    const uint8_t *bytes = (const uint8_t *)text.data;
    uint64_t first = load_big_endian(bytes, MIN_OF(text.len, (size_t)7)) >> 8;
    uint64_t second = text.len > 7 ? load_big_endian(bytes + 7, text.len - 7) : 0;
    if (descending) {
        first ^= UINT64_MAX >> 8;
        second = ~second;
    }
    out[0] = rank << 56 | first;
    out[1] = second;
}

static Int128 wide_int(Type type, const void *value) {
    Int128 wide = 0;
    if (type.id == TYPE_INTERVAL) {
        Interval span;
        memcpy(&span, value, sizeof span);
        return ((Int128)span.months * 30 + span.days) * MICROS_PER_DAY + span.micros;
    }
    memcpy(&wide, value, sizeof wide);
    return wide;
}

static void wide_words(Type type, const void *value, bool descending, uint64_t *out) {
    if (type.id == TYPE_UUID) {
        out[0] = load_big_endian(value, 8);
        out[1] = load_big_endian((const uint8_t *)value + 8, 8);
    } else if (type.id == TYPE_TIMETZ) {
        TimeTz time;
        memcpy(&time, value, sizeof time);
        out[0] = flip_int(time.micros + (int64_t)time.zone_west * 1000000);
        out[1] = flip_int(time.zone_west);
    } else {
        Int128 wide = wide_int(type, value);
        out[0] = flip_int((int64_t)(wide >> 64));
        out[1] = (uint64_t)wide;
    }
    if (descending) {
        out[0] = ~out[0];
        out[1] = ~out[1];
    }
}

/* Texts whose bytes are not in the order of the values: only the comparison of ties orders them. */
static bool is_opaque(TypeId type) {
    return type_is_any_array(type) || type == TYPE_JSONB || type == TYPE_RECORD || type == TYPE_BPCHAR;
}

static uint64_t small_value(const Vector *vector, size_t row) {
    if (type_category((TypeId)vector->type.id) == CAT_OID) {
        return *(const uint32_t *)vector_value(vector, row);
    }
    if (vector->type.id == TYPE_CHAR1) {
        return *(const uint8_t *)vector_value(vector, row);
    }
    switch (type_physical((TypeId)vector->type.id)) {
    case PHYS_BIT:
        return vector_bool(vector, row);
    case PHYS_8:
        return (uint64_t)(*(const int8_t *)vector_value(vector, row) + 128);
    case PHYS_16:
        return (uint64_t)(*(const int16_t *)vector_value(vector, row) + 32768);
    case PHYS_F32:
        return flip_double(*(const float *)vector_value(vector, row)) >> 29; /* 24-bit fractions survive */
    default:
        return (uint64_t)((int64_t)*(const int32_t *)vector_value(vector, row) + INT64_C(2147483648));
    }
}

static void key_words(const SortKeyShape *shape, const Vector *vector, size_t row, uint64_t *out) {
    bool descending = shape->key.descending;
    if (vector_is_null(vector, row)) {
        uint64_t rank = shape->key.nulls_first ? 0 : 2;
        memset(out, 0, shape->word_count * sizeof *out);
        bool shares = shape->word_count == 1 || type_physical((TypeId)shape->stored.id) == PHYS_STR;
        out[0] = shares ? rank << 56 : rank;
        return;
    }
    Physical physical = type_physical((TypeId)shape->stored.id);
    if (is_opaque((TypeId)shape->stored.id)) {
        out[0] = UINT64_C(1) << 56;
        out[1] = 0;
        return;
    }
    if (physical == PHYS_STR) {
        text_words(vector_value(vector, row), descending, 1, out);
        return;
    }
    if (shape->word_count == 1) {
        uint64_t value = small_value(vector, row);
        out[0] = UINT64_C(1) << 56 | (descending ? (UINT64_MAX >> 8) - value : value);
        return;
    }
    out[0] = 1;
    if (shape->word_count == 3) {
        wide_words(shape->stored, vector_value(vector, row), descending, out + 1);
        return;
    }
    uint64_t value = 0;
    if (shape->stored.id == TYPE_NUMERIC) {
        value = flip_double(numeric_to_double(vector_numeric(vector, row)));
    } else if (physical == PHYS_F64) {
        value = flip_double(*(const double *)vector_value(vector, row));
    } else {
        bool is_unsigned = shape->stored.id == TYPE_TID || shape->stored.id == TYPE_XID8;
        int64_t number = *(const int64_t *)vector_value(vector, row);
        value = is_unsigned ? (uint64_t)number : flip_int(number);
    }
    out[1] = descending ? ~value : value;
}

static ErrorCode symbol_texts(Frame *frame, Vector *vector, Vector **out, Error *err) {
    (void)err;
    Vector *texts = arena_new(&frame->scratch, Vector);
    *texts = vector_new(&frame->scratch, type_of(TYPE_TEXT));
    texts->row_count = frame->row_count;
    StrRef *refs = vector_data(texts);
    const uint64_t *live = frame->masks[MASK_LIVE];
    for (uint16_t r = 0; r < frame->row_count; r++) {
        if (!bit_get(live, r)) {
            continue;
        }
        if (vector_is_null(vector, r)) {
            vector_set_null(texts, &frame->scratch, r);
        } else {
            Str text = vector_text(vector, r);
            refs[r] = strref_make(text.len == 0 ? "" : text.data, text.len);
        }
    }
    *out = texts;
    return ERR_OK;
}

ErrorCode sort_keys_compute(const SortKeys *keys, Frame *frame, uint64_t **words_out, Vector *tie_vectors, Error *err) {
    uint64_t *words = arena_alloc_aligned(&frame->scratch, (size_t)frame->row_count * keys->word_count * sizeof *words + 64, 64);
    const uint64_t *live = frame->masks[MASK_LIVE];
    uint32_t tie = 0;
    for (uint32_t k = 0; k < keys->key_count; k++) {
        const SortKeyShape *shape = &keys->shapes[k];
        Vector *vector = NULL;
        TRY(frame_output_dense(frame, k, &vector, err));
        if (shape->key.type.id == TYPE_SYMBOL) {
            if (vector->symbols == NULL) {
                vector->symbols = shape->key.symbols;
            }
            TRY(symbol_texts(frame, vector, &vector, err));
        }
        for (uint16_t r = 0; r < frame->row_count; r++) {
            if (bit_get(live, r)) {
                key_words(shape, vector, r, words + (size_t)r * keys->word_count + shape->word);
            }
        }
        if (shape->ties) {
            tie_vectors[tie++] = *vector;
        }
    }
    *words_out = words;
    return ERR_OK;
}

ErrorCode sort_keys_append(SortKeys *keys, const uint64_t *words, const uint16_t *picked, uint16_t count, Error *err) {
    size_t width = keys->word_count;
    if (keys->row_count + count > keys->capacity) {
        size_t capacity = MAX_OF(MAX_OF((size_t)4096, keys->capacity * 2), keys->row_count + count);
        TRY(budget_reserve(keys->budget, (capacity - keys->capacity) * (width + 2) * sizeof *words, err));
        keys->reserved += (capacity - keys->capacity) * (width + 2) * sizeof *words;
        keys->words = mem_realloc(keys->words, capacity * width * sizeof *words);
        keys->capacity = capacity;
    }
    for (uint16_t i = 0; i < count; i++) {
        memcpy(keys->words + (keys->row_count + i) * width, words + picked[i] * width, width * sizeof *words);
    }
    keys->row_count += count;
    return ERR_OK;
}

/* ---- sorting ---- */
typedef struct Sorter {
    const SortKeys *keys;
    const RowStore *store;
    Run *run;
    Arena arena;
    uint32_t *spare;
    uint32_t *word_key;     /* word -> key */
    uint64_t since_check;
} Sorter;

static const Vector *tie_value(const Sorter *s, const SortKeyShape *shape, uint32_t row) {
    return &s->store->chunks[row / BATCH_ROWS].columns[shape->tie_column];
}

static int compare_tie(const Sorter *s, const SortKeyShape *shape, uint32_t a, uint32_t b) {
    const Vector *x = tie_value(s, shape, a);
    const Vector *y = tie_value(s, shape, b);
    if (vector_is_null(x, a % BATCH_ROWS) || vector_is_null(y, b % BATCH_ROWS)) {
        return 0; /* the words have told them apart */
    }
    int order = value_rules((TypeId)shape->stored.id)->compare(vector_value(x, a % BATCH_ROWS), vector_value(y, b % BATCH_ROWS));
    return shape->key.descending ? -order : order;
}

static int compare_rows(const Sorter *s, uint32_t a, uint32_t b, uint32_t from_key) {
    const uint64_t *x = s->keys->words + (size_t)a * s->keys->word_count;
    const uint64_t *y = s->keys->words + (size_t)b * s->keys->word_count;
    for (uint32_t k = from_key; k < s->keys->key_count; k++) {
        const SortKeyShape *shape = &s->keys->shapes[k];
        for (uint32_t w = shape->word; w < shape->word + shape->word_count; w++) {
            if (x[w] != y[w]) {
                return x[w] < y[w] ? -1 : 1;
            }
        }
        int order = shape->ties ? compare_tie(s, shape, a, b) : 0;
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

static void insertion_sort(const Sorter *s, uint32_t *numbers, uint32_t count, uint32_t from_key) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = numbers[i];
        uint32_t at = i;
        while (at > 0 && compare_rows(s, numbers[at - 1], moved, from_key) > 0) {
            numbers[at] = numbers[at - 1];
            at--;
        }
        numbers[at] = moved;
    }
}

/* Bottom up, stable; for runs whose words do not decide. */
static ErrorCode merge_sort(Sorter *s, uint32_t *numbers, uint32_t count, uint32_t from_key, Error *err) {
    for (uint32_t at = 0; at < count; at += SMALL_RUN) {
        insertion_sort(s, numbers + at, MIN_OF((uint32_t)SMALL_RUN, count - at), from_key);
    }
    for (uint32_t width = SMALL_RUN; width < count; width *= 2) {
        TRY(run_check(s->run, err));
        memcpy(s->spare, numbers, count * sizeof *numbers);
        for (uint32_t at = 0; at < count; at += width * 2) {
            uint32_t i = at;
            uint32_t middle = MIN_OF(at + width, count);
            uint32_t j = middle;
            uint32_t end = MIN_OF(at + width * 2, count);
            for (uint32_t out = at; out < end; out++) {
                bool left = i < middle && (j >= end || compare_rows(s, s->spare[i], s->spare[j], from_key) <= 0);
                numbers[out] = left ? s->spare[i++] : s->spare[j++];
            }
        }
        if (width > count / 2) {
            break;
        }
    }
    return ERR_OK;
}

/* Texts of at most 15 bytes with equal words are equal. */
static bool words_decide(const Sorter *s, const SortKeyShape *shape, const uint32_t *numbers, uint32_t count) {
    if (!shape->ties) {
        return true;
    }
    if (shape->stored.id == TYPE_NUMERIC || is_opaque((TypeId)shape->stored.id)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const Vector *value = tie_value(s, shape, numbers[i]);
        if (!vector_is_null(value, numbers[i] % BATCH_ROWS) &&
            ((const StrRef *)vector_value(value, numbers[i] % BATCH_ROWS))->len > TEXT_PREFIX) {
            return false;
        }
    }
    return true;
}

static ErrorCode sort_word(Sorter *s, uint32_t *numbers, uint32_t count, uint32_t word, Error *err);

static ErrorCode sort_run(Sorter *s, uint32_t *numbers, uint32_t count, uint32_t word, Error *err) {
    uint32_t key = s->word_key[word];
    const SortKeyShape *shape = &s->keys->shapes[key];
    bool last_word = word + 1 == shape->word + shape->word_count;
    if (last_word && !words_decide(s, shape, numbers, count)) {
        return merge_sort(s, numbers, count, key, err);
    }
    return word + 1 < s->keys->word_count ? sort_word(s, numbers, count, word + 1, err) : ERR_OK;
}

static ErrorCode sort_word(Sorter *s, uint32_t *numbers, uint32_t count, uint32_t word, Error *err) {
    if (count <= SMALL_RUN) {
        insertion_sort(s, numbers, count, s->word_key[word]);
        return ERR_OK;
    }
    TRY(run_check(s->run, err));
    ArenaMark mark = arena_mark(&s->arena);
    uint64_t *values = arena_alloc_aligned(&s->arena, (size_t)count * sizeof *values, 64);
    bool sorted = true;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = s->keys->words[(size_t)numbers[i] * s->keys->word_count + word];
        sorted = sorted && (i == 0 || values[i - 1] <= values[i]);
    }
    if (!sorted) {
        groups_sort(values, numbers, count, &s->arena);
    }
    for (uint32_t at = 0; at < count;) {
        uint32_t end = at + 1;
        while (end < count && values[end] == values[at]) {
            end++;
        }
        if (end - at > 1) {
            TRY(sort_run(s, numbers + at, end - at, word, err));
        }
        at = end;
    }
    arena_rewind(&s->arena, mark);
    return ERR_OK;
}

ErrorCode sort_keys_sort(const SortKeys *keys, const RowStore *store, uint32_t *numbers, uint32_t count, Run *run, Error *err) {
    Sorter s = {.keys = keys, .store = store, .run = run};
    if (count < 2 || keys->word_count == 0) {
        return ERR_OK;
    }
    arena_init(&s.arena, SIZE_MAX);
    s.spare = arena_alloc_aligned(&s.arena, (size_t)count * sizeof *s.spare, 64);
    s.word_key = arena_array(&s.arena, uint32_t, keys->word_count);
    for (uint32_t k = 0; k < keys->key_count; k++) {
        for (uint32_t w = 0; w < keys->shapes[k].word_count; w++) {
            s.word_key[keys->shapes[k].word + w] = k;
        }
    }
    ErrorCode code = sort_word(&s, numbers, count, 0, err);
    arena_deinit(&s.arena);
    return code;
}
