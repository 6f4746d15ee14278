/* SPDX-License-Identifier: Apache-2.0
 * test_frames.c - streams cut into messages: any cuts of the input, long messages, CopyData in pieces, lengths that lie. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "hex.h"
#include "proto/pgwire/pgwire.h"

/* Feeds input cut into pieces of `step` bytes; writes "Q10 S0 " … of what came out; returns the last result that was not NEED_MORE. */
static PgResult run(PgFrames *frames, Bytes input, size_t step, Buffer *shown, Error *err) {
    size_t start = 0, seen = 0;
    PgResult result = PGWIRE_NEED_MORE;
    while (start < input.len || seen < input.len) {
        seen = MIN_OF(seen + step, input.len);
        for (;;) {
            PgMessage message;
            size_t used;
            result = pgwire_frames_next(frames, bytes_from(input.data + start, seen - start), &message, &used, err);
            start += used;
            if (result == PGWIRE_BAD) {
                return result;
            }
            if (result == PGWIRE_NEED_MORE) {
                assert_true(seen - start <= PGWIRE_GATHER_BYTES + 5);
                break;
            }
            buffer_printf(shown, "%c%zu%s ", message.type, message.body.len, message.more ? "+" : "");
        }
        if (seen == input.len) {
            break;
        }
    }
    return result;
}

static void assert_run(const PgFrames *as, Bytes input, size_t step, const char *want) {
    PgFrames frames;
    Buffer shown;
    buffer_init(&shown, 1 << 20);
    pgwire_frames_init(&frames, as->message_bytes_max);
    frames.authenticating = as->authenticating;
    frames.copy_pieces = as->copy_pieces;
    assert_int_equal(run(&frames, input, step, &shown, NULL), PGWIRE_NEED_MORE);
    buffer_append_char(&shown, '\0');
    assert_string_equal((const char *)shown.data, want);
    pgwire_frames_deinit(&frames);
    buffer_deinit(&shown);
}

static void any_cuts_give_the_same_messages(void **state) {
    (void)state;
    uint8_t bytes[256];
    size_t len = from_hex("'Q' 0000000d 'select 1'00 'S' 00000004 'd' 00000007 'abc' 'c' 00000004 'H' 00000004 'X' 00000004", bytes);
    for (size_t step = 1; step <= len; step++) {
        assert_run(&(PgFrames){0}, bytes_from(bytes, len), step, "Q9 S0 d3 c0 H0 X0 ");
    }
}

static void long_messages_are_gathered(void **state) {
    (void)state;
    enum { BODY = PGWIRE_GATHER_BYTES + 1000 };
    Buffer input;
    buffer_init(&input, 1 << 20);
    buffer_append(&input, (const uint8_t[]){'Q', 0, (uint8_t)((BODY + 4) >> 16), (uint8_t)((BODY + 4) >> 8), (uint8_t)(BODY + 4)}, 5);
    buffer_append_fill(&input, 'x', BODY - 1);
    buffer_append_char(&input, '\0');
    buffer_append(&input, "S\0\0\0\4", 5);
    static const size_t STEPS[] = {777, 65536, 1 << 20};
    for (size_t i = 0; i < COUNT_OF(STEPS); i++) {
        assert_run(&(PgFrames){0}, buffer_bytes(&input), STEPS[i], "Q263144 S0 ");
    }
    buffer_deinit(&input);
}

static void copy_data_comes_in_pieces(void **state) {
    (void)state;
    uint8_t bytes[256];
    size_t len = from_hex("'d' 0000000c '01234567' 'd' 00000004 'c' 00000004", bytes);
    assert_run(&(PgFrames){.copy_pieces = true}, bytes_from(bytes, len), 7, "d2+ d6 d0 c0 ");
    assert_run(&(PgFrames){.copy_pieces = true}, bytes_from(bytes, len), 13, "d8 d0 c0 ");
    assert_run(&(PgFrames){.copy_pieces = true}, bytes_from(bytes, len), 100, "d8 d0 c0 ");
    assert_run(&(PgFrames){0}, bytes_from(bytes, len), 7, "d8 d0 c0 ");
}

/* A length alone takes no memory. */
static void announced_gigabytes_cost_nothing(void **state) {
    (void)state;
    PgFrames frames;
    PgMessage message;
    size_t used;
    pgwire_frames_init(&frames, 0);
    assert_int_equal(pgwire_frames_next(&frames, bytes_from("Q\x3f\xff\xff\xff", 5), &message, &used, NULL), PGWIRE_NEED_MORE);
    assert_int_equal(used, 5);
    assert_true(frames.gathered.capacity < 4096);
    assert_int_equal(pgwire_frames_next(&frames, bytes_from("select", 6), &message, &used, NULL), PGWIRE_NEED_MORE);
    assert_true(frames.gathered.capacity < 4096);
    pgwire_frames_deinit(&frames);
}

static const struct { const char *hex; bool authenticating; ErrorCode want; } BAD[] = {
    {"'z' 00000004", false, ERR_PROTOCOL},
    {"00 00000004", false, ERR_PROTOCOL},
    {"'Q' 00000003", false, ERR_PROTOCOL},
    {"'Q' 00000000", false, ERR_PROTOCOL},
    {"'Q' ffffffff", false, ERR_PROTOCOL},
    {"'Q' 00000004", false, ERR_PROTOCOL},   /* not even the NUL */
    {"'S' 00000005", false, ERR_PROTOCOL},
    {"'X' 7fffffff", false, ERR_PROTOCOL},
    {"'D' 00010000", false, ERR_PROTOCOL},
    {"'p' 00020000", false, ERR_PROTOCOL},
    {"'Q' 00200000", false, ERR_TOO_LARGE},  /* past the session's own limit */
    {"'Q' 00000009", true, ERR_PROTOCOL},
    {"'G' 'ET ' 2f", false, ERR_PROTOCOL},
};

static void wrong_heads_end_the_stream(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        uint8_t bytes[64];
        PgFrames frames;
        PgMessage message;
        size_t used;
        Error err = {0};
        size_t len = from_hex(BAD[i].hex, bytes);
        pgwire_frames_init(&frames, 1 << 20);
        frames.authenticating = BAD[i].authenticating;
        assert_int_equal(pgwire_frames_next(&frames, bytes_from(bytes, len), &message, &used, &err), PGWIRE_BAD);
        if (err.code != BAD[i].want) {
            fail_msg("row %zu: %s", i, error_name(err.code));
        }
        pgwire_frames_deinit(&frames);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_cuts_give_the_same_messages), cmocka_unit_test(long_messages_are_gathered), cmocka_unit_test(copy_data_comes_in_pieces),
        cmocka_unit_test(announced_gigabytes_cost_nothing), cmocka_unit_test(wrong_heads_end_the_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
