/* SPDX-License-Identifier: Apache-2.0
 * test_startup.c - the packets before the session: requests, versions, parameters, options, and what is wrong with them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "hex.h"
#include "proto/pgwire/pgwire.h"

static Arena arena;

static int begin(void **state) {
    (void)state;
    arena_init(&arena, SIZE_MAX);
    return 0;
}

static int end(void **state) {
    (void)state;
    arena_deinit(&arena);
    return 0;
}

/* A packet with its length in front. */
static Bytes packet(const char *hex) {
    uint8_t *bytes = arena_alloc_aligned(&arena, strlen(hex) + 5, 1);
    size_t len = 4 + from_hex(hex, bytes + 4);
    uint32_t length = __builtin_bswap32((uint32_t)len);
    memcpy(bytes, &length, 4);
    return bytes_from(bytes, len);
}

static PgResult read_packet(Bytes bytes, PgStartup *startup, Error *err) {
    size_t used = 0;
    PgResult result = pgwire_startup_read(startup, bytes, &arena, &used, err);
    assert_true(result != PGWIRE_DONE || startup->kind == PG_START_TLS || used == bytes.len);
    return result;
}

static void assert_str(Str got, const char *want) {
    assert_string_equal(arena_c_text(&arena, got), want);
}

static void requests(void **state) {
    (void)state;
    PgStartup startup;
    assert_int_equal(read_packet(packet("04d2162f"), &startup, NULL), PGWIRE_DONE);
    assert_int_equal(startup.kind, PG_START_SSL);
    assert_int_equal(read_packet(packet("04d21630"), &startup, NULL), PGWIRE_DONE);
    assert_int_equal(startup.kind, PG_START_GSS);
    assert_int_equal(read_packet(packet("04d2162e 00000007 01020304"), &startup, NULL), PGWIRE_DONE);
    assert_int_equal(startup.kind, PG_START_CANCEL);
    assert_int_equal(startup.cancel_pid, 7);
    assert_int_equal(startup.cancel_key.len, 4);
    assert_int_equal(read_packet(bytes_from("\x16\x03\x01", 3), &startup, NULL), PGWIRE_DONE);
    assert_int_equal(startup.kind, PG_START_TLS);
    Bytes whole = packet("00030000 'user'00 'a'00 00");
    for (size_t len = 0; len < whole.len; len++) {
        assert_int_equal(read_packet(bytes_from(whole.data, len), &startup, NULL), PGWIRE_NEED_MORE);
    }
}

static void a_session_with_settings(void **state) {
    (void)state;
    PgStartup startup;
    assert_int_equal(read_packet(packet("00030000 'user'00 'ann'00 'application_name'00 'psql'00 'options'00 '-c geqo=off --work-mem=4MB -cx=a\\ b\\\\c'00"
                                        "'replication'00 'false'00 00"), &startup, NULL), PGWIRE_DONE);
    assert_int_equal(startup.kind, PG_START_SESSION);
    assert_str(startup.user, "ann");
    assert_str(startup.database, "ann");
    assert_int_equal(startup.version_used, PGWIRE_VERSION_3_0);
    assert_false(startup.negotiate);
    static const char *const WANT[] = {"geqo=off", "work_mem=4MB", "x=a b\\c", "application_name=psql"};
    assert_int_equal(startup.parameter_count, COUNT_OF(WANT));
    for (size_t i = 0; i < COUNT_OF(WANT); i++) {
        assert_str(arena_format(&arena, "%.*s=%.*s", STR_ARG(startup.parameters[i].name), STR_ARG(startup.parameters[i].value)), WANT[i]);
    }
}

static void versions_and_options_of_the_protocol(void **state) {
    (void)state;
    static const struct { const char *version; uint32_t used; bool negotiate; const char *answer; } CASES[] = {
        {"00030000", PGWIRE_VERSION_3_0, false, NULL},
        {"00030001", PGWIRE_VERSION_3_0, false, NULL},
        {"00030002", PGWIRE_VERSION_3_2, false, NULL},
        {"00030003", PGWIRE_VERSION_3_2, true, "'v' 0000000c 00030002 00000000"},
        {"0003270f", PGWIRE_VERSION_3_2, true, "'v' 0000000c 00030002 00000000"}, /* what libpq sends to find servers that cannot negotiate */
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        char hex[100];
        PgStartup startup;
        snprintf(hex, sizeof hex, "%s 'user'00 'a'00 'database'00 'b'00 00", CASES[i].version);
        assert_int_equal(read_packet(packet(hex), &startup, NULL), PGWIRE_DONE);
        assert_int_equal(startup.version_used, CASES[i].used);
        assert_int_equal(startup.negotiate, CASES[i].negotiate);
        assert_str(startup.database, "b");
        if (CASES[i].answer != NULL) {
            uint8_t want[64];
            size_t len = from_hex(CASES[i].answer, want);
            Buffer out;
            buffer_init(&out, 1000);
            pgwire_write_negotiate_version(&out, &startup);
            assert_int_equal(out.len, len);
            assert_memory_equal(out.data, want, len);
            buffer_deinit(&out);
        }
    }
    PgStartup startup;
    assert_int_equal(read_packet(packet("00030000 'user'00 'a'00 '_pq_.x'00 '1'00 00"), &startup, NULL), PGWIRE_DONE);
    assert_true(startup.negotiate);
    assert_int_equal(startup.unknown_option_count, 1);
    assert_str(startup.unknown_options[0], "_pq_.x");
    assert_int_equal(startup.parameter_count, 0);
}

static const struct { const char *hex; ErrorCode want; } BAD[] = {
    {"00020000 'user'00 'a'00 00", ERR_NOT_SUPPORTED},
    {"00040000 'user'00 'a'00 00", ERR_NOT_SUPPORTED},
    {"47455420", ERR_NOT_SUPPORTED},
    {"00030000 00", ERR_INVALID_AUTHORIZATION},
    {"00030000 'user'00 00 00", ERR_INVALID_AUTHORIZATION},
    {"00030000 'user'00 'a'00", ERR_PROTOCOL},          /* no terminator */
    {"00030000 'user'00 'a'", ERR_PROTOCOL},
    {"00030000 'user'00", ERR_PROTOCOL},
    {"00030000", ERR_PROTOCOL},
    {"00030000 'user'00 'a'00 00 00", ERR_PROTOCOL},    /* bytes behind it */
    {"00030000 'user'00 ff00 00", ERR_INVALID_ENCODING},
    {"00030000 'user'00 'a'00 'replication'00 'database'00 00", ERR_NOT_SUPPORTED},
    {"00030000 'user'00 'a'00 'replication'00 'on'00 00", ERR_NOT_SUPPORTED},
    {"00030000 'user'00 'a'00 'options'00 '-c'00 00", ERR_SYNTAX},
    {"00030000 'user'00 'a'00 'options'00 '-c geqo'00 00", ERR_SYNTAX},
    {"00030000 'user'00 'a'00 'options'00 '-c =x'00 00", ERR_SYNTAX},
    {"00030000 'user'00 'a'00 'options'00 '--'00 00", ERR_SYNTAX},
    {"00030000 'user'00 'a'00 'options'00 '-B 10'00 00", ERR_SYNTAX},
    {"04d2162f 00", ERR_PROTOCOL},                      /* SSLRequest with more */
    {"04d2162e 00000007 010203", ERR_PROTOCOL},         /* a key of 3 bytes */
    {"04d2162e", ERR_PROTOCOL},
};

static void wrong_packets_are_refused(void **state) {
    (void)state;
    PgStartup startup;
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        Error err = {0};
        if (read_packet(packet(BAD[i].hex), &startup, &err) != PGWIRE_BAD || err.code != BAD[i].want) {
            fail_msg("row %zu (%s): %s", i, BAD[i].hex, error_name(err.code));
        }
    }
    static const uint8_t LENGTHS[][4] = {{0, 0, 0, 0}, {0, 0, 0, 7}, {0, 0, 0x27, 0x11}, {0x7f, 0xff, 0xff, 0xff}, {'G', 'E', 'T', ' '}};
    for (size_t i = 0; i < COUNT_OF(LENGTHS); i++) {
        Error err = {0};
        assert_int_equal(read_packet(bytes_from(LENGTHS[i], 4), &startup, &err), PGWIRE_BAD);
        assert_int_equal(err.code, ERR_PROTOCOL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(requests, begin, end),
        cmocka_unit_test_setup_teardown(a_session_with_settings, begin, end),
        cmocka_unit_test_setup_teardown(versions_and_options_of_the_protocol, begin, end),
        cmocka_unit_test_setup_teardown(wrong_packets_are_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
