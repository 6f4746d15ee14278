/* SPDX-License-Identifier: Apache-2.0
 * random.c - random() and QuestDB's rnd_ generators. Chance comes from the statement's environment, so that a seed repeats a run. */
#include "sql/func/func_internal.h"

static Random *chance(const KernelCall *call) {
    assert(call->environment != NULL);
    assert(call->environment->random != NULL);
    return call->environment->random;
}

ErrorCode func__random(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        ((double *)vector_data(out))[row] = random_unit(chance(call));
    }
    return ERR_OK;
}

/* The session's chance begins anew from what the seed says; the numbers are not PostgreSQL's. */
ErrorCode func__setseed(const KernelCall *call, Vector *out, Error *err) {
    ArgView a = func__arg(call, 0);
    FOR_ROWS(call, row) {
        double seed = AT(double, a, row);
        if (!(seed >= -1 && seed <= 1)) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "setseed parameter %g is out of allowed range [-1,1]", seed);
        }
        uint64_t bits;
        memcpy(&bits, &seed, sizeof bits);
        random_init(chance(call), bits);
        ((StrRef *)vector_data(out))[row] = strref_make("", 0);
    }
    return ERR_OK;
}

ErrorCode func__rnd_boolean(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        func__put_bool(out, row, random_chance(chance(call), 1, 2));
    }
    return ERR_OK;
}

#define RND_PLAIN(name, T)                                                                                             \
    ErrorCode func__rnd_##name(const KernelCall *call, Vector *out, Error *err) {                                      \
        (void)err;                                                                                                     \
        FOR_ROWS(call, row) {                                                                                          \
            ((T *)vector_data(out))[row] = (T)random_next(chance(call));                                               \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
RND_PLAIN(byte, int8_t)
RND_PLAIN(short, int16_t)
RND_PLAIN(int, int32_t)
RND_PLAIN(long, int64_t)

static ErrorCode bad_range(Error *err) {
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "invalid range: the lower bound is above the upper");
}

/* nulls = n: one row in n + 1 is NULL. */
static bool is_null_draw(const KernelCall *call, size_t argument, size_t row) {
    if (call->arg_count <= argument) {
        return false;
    }
    int32_t rate = AT(int32_t, func__arg(call, argument), row);
    return rate > 0 && random_chance(chance(call), 1, (uint32_t)rate + 1);
}

/* (low, high[, null rate]), both bounds may come up */
#define RND_BETWEEN(name, T)                                                                                           \
    ErrorCode func__rnd_##name##_between(const KernelCall *call, Vector *out, Error *err) {                            \
        ArgView low = func__arg(call, 0), high = func__arg(call, 1);                                                   \
        FOR_ROWS(call, row) {                                                                                          \
            if (AT(T, low, row) > AT(T, high, row)) {                                                                  \
                return bad_range(err);                                                                                 \
            }                                                                                                          \
            ((T *)vector_data(out))[row] = (T)random_between(chance(call), AT(T, low, row), AT(T, high, row));         \
            if (is_null_draw(call, 2, row)) {                                                                          \
                vector_set_null(out, call->arena, row);                                                                \
            }                                                                                                          \
        }                                                                                                              \
        return ERR_OK;                                                                                                 \
    }
RND_BETWEEN(int, int32_t)
RND_BETWEEN(long, int64_t)

/* rnd_double([null rate]), rnd_float([null rate]) */
ErrorCode func__rnd_double(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        ((double *)vector_data(out))[row] = random_unit(chance(call));
        if (is_null_draw(call, 0, row)) {
            vector_set_null(out, call->arena, row);
        }
    }
    return ERR_OK;
}
ErrorCode func__rnd_float(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        ((float *)vector_data(out))[row] = (float)random_unit(chance(call)) * 0.99999994f;
        if (is_null_draw(call, 0, row)) {
            vector_set_null(out, call->arena, row);
        }
    }
    return ERR_OK;
}

/* One of the texts given: rnd_symbol('a', 'b', 'c'), rnd_varchar('a', 'b'). */
ErrorCode func__rnd_choice(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        size_t pick = random_below(chance(call), call->arg_count);
        func__put_copy(call, out, row, func__text(func__arg(call, pick), row));
    }
    return ERR_OK;
}

static Str random_text(const KernelCall *call, int64_t low, int64_t high) {
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    size_t len = (size_t)random_between(chance(call), low, high);
    char *text = arena_alloc_aligned(call->arena, len == 0 ? 1 : len, 1);
    for (size_t i = 0; i < len; i++) {
        text[i] = LETTERS[random_below(chance(call), sizeof LETTERS - 1)];
    }
    return str_from(text, len);
}

/* rnd_str(low, high, null rate), rnd_varchar(low, high, null rate): lengths */
ErrorCode func__rnd_text(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        int32_t low = AT(int32_t, func__arg(call, 0), row), high = AT(int32_t, func__arg(call, 1), row);
        if (low < 0 || low > high) {
            return bad_range(err);
        }
        TRY(func__check_text_bytes((uint64_t)high, err));
        func__put_text(out, row, random_text(call, low, high));
        if (is_null_draw(call, 2, row)) {
            vector_set_null(out, call->arena, row);
        }
    }
    return ERR_OK;
}

/* rnd_symbol(count, low, high, null rate): one of `count` texts, each made from its number alone. */
ErrorCode func__rnd_symbol_many(const KernelCall *call, Vector *out, Error *err) {
    FOR_ROWS(call, row) {
        int32_t count = AT(int32_t, func__arg(call, 0), row), low = AT(int32_t, func__arg(call, 1), row), high = AT(int32_t, func__arg(call, 2), row);
        if (count <= 0 || low < 0 || low > high || high > 1000) {
            return bad_range(err);
        }
        uint64_t seed = random_below(chance(call), (uint64_t)count) + 1;
        char text[1000];
        uint64_t state = seed;
        size_t len = (size_t)low + splitmix64(&state) % (uint64_t)(high - low + 1);
        for (size_t i = 0; i < len; i++) {
            text[i] = (char)('A' + splitmix64(&state) % 26);
        }
        func__put_copy(call, out, row, str_from(text, len));
        if (is_null_draw(call, 3, row)) {
            vector_set_null(out, call->arena, row);
        }
    }
    return ERR_OK;
}

ErrorCode func__rnd_char(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        ((uint32_t *)vector_data(out))[row] = 'A' + (uint32_t)random_below(chance(call), 26);
    }
    return ERR_OK;
}

/* Version 4 (RFC 9562): 122 random bits. */
ErrorCode func__rnd_uuid(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        Uuid uuid;
        put_u64le(uuid.bytes, random_next(chance(call)));
        put_u64le(uuid.bytes + 8, random_next(chance(call)));
        uuid.bytes[6] = (uint8_t)((uuid.bytes[6] & 0x0f) | 0x40);
        uuid.bytes[8] = (uint8_t)((uuid.bytes[8] & 0x3f) | 0x80);
        ((Uuid *)vector_data(out))[row] = uuid;
    }
    return ERR_OK;
}

/* RFC 9562: milliseconds of the clock, 12 bits of the fraction below, the rest by chance. In the order of the clock. */
ErrorCode func__uuidv7(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    const FunctionEnvironment *environment = call->environment;
    FOR_ROWS(call, row) {
        int64_t micros = environment->clock_micros == NULL ? environment->now_micros : environment->clock_micros(environment->clock);
        uint64_t millis = (uint64_t)(micros / 1000), part = (uint64_t)(micros % 1000) * 4096 / 1000;
        Uuid uuid;
        for (int i = 0; i < 6; i++) {
            uuid.bytes[i] = (uint8_t)(millis >> (40 - 8 * i));
        }
        uuid.bytes[6] = (uint8_t)(0x70 | (part >> 8));
        uuid.bytes[7] = (uint8_t)part;
        put_u64le(uuid.bytes + 8, random_next(chance(call)));
        uuid.bytes[8] = (uint8_t)((uuid.bytes[8] & 0x3f) | 0x80);
        ((Uuid *)vector_data(out))[row] = uuid;
    }
    return ERR_OK;
}

/* NULL for what is no UUID of RFC 9562. */
ErrorCode func__uuid_version(const KernelCall *call, Vector *out, Error *err) {
    (void)err;
    FOR_ROWS(call, row) {
        Uuid uuid = AT(Uuid, func__arg(call, 0), row);
        if (vector_is_null(call->args[0], row) || (uuid.bytes[8] & 0xc0) != 0x80) {
            vector_set_null(out, call->arena, row);
        } else {
            ((int16_t *)vector_data(out))[row] = uuid.bytes[6] >> 4;
        }
    }
    return ERR_OK;
}

/* random(low, high), both inclusive. */
ErrorCode func__random_between(const KernelCall *call, Vector *out, Error *err) {
    bool wide = out->type.id == TYPE_INT8;
    FOR_ROWS(call, row) {
        int64_t low = wide ? AT(int64_t, func__arg(call, 0), row) : AT(int32_t, func__arg(call, 0), row);
        int64_t high = wide ? AT(int64_t, func__arg(call, 1), row) : AT(int32_t, func__arg(call, 1), row);
        if (low > high) {
            return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "lower bound must be less than or equal to upper bound");
        }
        uint64_t span = (uint64_t)high - (uint64_t)low;
        uint64_t picked = span == UINT64_MAX ? random_next(chance(call)) : random_below(chance(call), span + 1);
        int64_t value = (int64_t)((uint64_t)low + picked);
        if (wide) {
            ((int64_t *)vector_data(out))[row] = value;
        } else {
            ((int32_t *)vector_data(out))[row] = (int32_t)value;
        }
    }
    return ERR_OK;
}

/* timestamp_sequence(start, step): start + step x number of the row in this execution. */
ErrorCode func__timestamp_sequence(const KernelCall *call, Vector *out, Error *err) {
    ArgView start = func__arg(call, 0), step = func__arg(call, 1);
    if (call->counter == NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "timestamp_sequence is not supported here");
    }
    FOR_ROWS(call, row) {
        int64_t offset, value;
        if (__builtin_mul_overflow(AT(int64_t, step, row), (int64_t)*call->counter, &offset) ||
            __builtin_add_overflow(AT(int64_t, start, row), offset, &value)) {
            return error_set(err, ERR_DATETIME_OVERFLOW, ERROR_NO_POSITION, "timestamp out of range");
        }
        ((int64_t *)vector_data(out))[row] = value;
        ++*call->counter;
    }
    return ERR_OK;
}
