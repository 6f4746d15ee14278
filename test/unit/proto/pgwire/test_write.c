/* SPDX-License-Identifier: Apache-2.0
 * test_write.c - the exact bytes of every message of the server; and the example of docs/format/pgwire.md, read and written. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "hex.h"
#include "hex_page.h"
#include "proto/pgwire/pgwire.h"

static void ok(Buffer *out) { pgwire_write_authentication_ok(out); }
static void cleartext(Buffer *out) { pgwire_write_authentication_cleartext(out); }
static void sasl(Buffer *out) { pgwire_write_authentication_sasl(out, (const Str[]){STR("A-PLUS"), STR("A")}, 2); }
static void sasl_continue(Buffer *out) { pgwire_write_authentication_sasl_continue(out, bytes_from("r=x", 3)); }
static void sasl_final(Buffer *out) { pgwire_write_authentication_sasl_final(out, bytes_from("v=y", 3)); }
static void status(Buffer *out) { pgwire_write_parameter_status(out, STR("TimeZone"), STR("UTC")); }
static void key(Buffer *out) { pgwire_write_backend_key(out, 258, bytes_from("\1\2\3\4", 4)); }
static void ready(Buffer *out) { pgwire_write_ready(out, PGWIRE_STATUS_FAILED); }
static void complete(Buffer *out) { pgwire_write_command_complete(out, STR("SELECT 1")); }
static void parameters(Buffer *out) { pgwire_write_parameter_description(out, (const uint32_t[]){23, 25}, 2); }
static void copy_in(Buffer *out) { pgwire_write_copy_in(out, false, 2); }
static void copy_out(Buffer *out) { pgwire_write_copy_out(out, true, 1); }
static void copy_data(Buffer *out) { pgwire_write_copy_data(out, bytes_from("1\n", 2)); }
static void notification(Buffer *out) { pgwire_write_notification(out, 5, STR("c"), STR("hi")); }
static void row_description(Buffer *out) {
    PgColumn column = {.name = STR("a"), .table_oid = 16385, .column_number = 1, .type_oid = 1700, .type_bytes = -1, .type_modifier = 786438, .format = 1};
    pgwire_write_row_description(out, &column, 1);
}
static void error(Buffer *out) {
    PgReport report = {.severity = STR("ERROR"), .sqlstate = STR("23505"), .message = STR("dup\0lost"), .detail = STR("d"), .hint = STR("h"), .position = 8,
                       .where = STR("w"), .schema = STR("s"), .table = STR("t"), .column = STR("c"), .type = STR("y"), .constraint = STR("n")};
    pgwire_write_error(out, &report);
}
static void notice(Buffer *out) {
    PgReport report = {.severity = STR("NOTICE"), .sqlstate = STR("00000"), .message = STR("m")};
    pgwire_write_notice(out, &report);
}

static const struct { void (*write)(Buffer *out); const char *hex; } MESSAGES[] = {
    {ok, "'R' 00000008 00000000"},
    {cleartext, "'R' 00000008 00000003"},
    {sasl, "'R' 00000012 0000000a 'A-PLUS'00 'A'00 00"},
    {sasl_continue, "'R' 0000000b 0000000b 'r=x'"},
    {sasl_final, "'R' 0000000b 0000000c 'v=y'"},
    {status, "'S' 00000011 'TimeZone'00 'UTC'00"},
    {key, "'K' 0000000c 00000102 01020304"},
    {ready, "'Z' 00000005 'E'"},
    {complete, "'C' 0000000d 'SELECT 1'00"},
    {pgwire_write_parse_complete, "'1' 00000004"},
    {pgwire_write_bind_complete, "'2' 00000004"},
    {pgwire_write_close_complete, "'3' 00000004"},
    {pgwire_write_no_data, "'n' 00000004"},
    {pgwire_write_empty_query, "'I' 00000004"},
    {pgwire_write_portal_suspended, "'s' 00000004"},
    {pgwire_write_copy_done, "'c' 00000004"},
    {parameters, "'t' 0000000e 0002 00000017 00000019"},
    {row_description, "'T' 0000001a 0001 'a'00 00004001 0001 000006a4 ffff 000c0006 0001"},
    {copy_in, "'G' 0000000b 00 0002 0000 0000"},
    {copy_out, "'H' 00000009 01 0001 0001"},
    {copy_data, "'d' 00000006 '1' 0a"},
    {notification, "'A' 0000000d 00000005 'c'00 'hi'00"},
    {error, "'E' 0000003a 'SERROR'00 'VERROR'00 'C23505'00 'Mdup'00 'Dd'00 'Hh'00 'P8'00 'Ww'00 'ss'00 'tt'00 'cc'00 'dy'00 'nn'00 00"},
    {notice, "'N' 0000001f 'SNOTICE'00 'VNOTICE'00 'C00000'00 'Mm'00 00"},
};

static void every_message(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(MESSAGES); i++) {
        uint8_t want[256];
        size_t len = from_hex(MESSAGES[i].hex, want);
        Buffer out;
        buffer_init(&out, 1 << 16);
        MESSAGES[i].write(&out);
        if (out.len != len || memcmp(out.data, want, len) != 0) {
            fail_msg("row %zu (%s): %zu bytes, want %zu", i, MESSAGES[i].hex, out.len, len);
        }
        buffer_deinit(&out);
    }
}

static void positions_count_characters(void **state) {
    (void)state;
    Str statement = STR("Z\xc3\xbcrich x");
    assert_int_equal(pgwire_character_position(statement, 0), 1);
    assert_int_equal(pgwire_character_position(statement, 3), 3);
    assert_int_equal(pgwire_character_position(statement, (int64_t)statement.len), 9);
    assert_int_equal(pgwire_character_position(statement, 100), 0);
    assert_int_equal(pgwire_character_position(statement, ERROR_NO_POSITION), 0);
    Error err = {0};
    error_ignore(error_set(&err, ERR_SYNTAX, 3, "bad"));
    PgReport report = pgwire_report(STR("ERROR"), &err, statement);
    assert_int_equal(report.position, 3);
    assert_int_equal(report.sqlstate.len, 5);
}

/* A conversation: the client's half is read, the server's half is written. */
static void the_page_is_right(void **state) {
    (void)state;
    uint8_t page[4096];
    size_t len = 0, used = 0, at = 0;
    Arena arena;
    Buffer out;
    arena_init(&arena, SIZE_MAX);
    buffer_init(&out, 1 << 16);
    assert_true(hex_page_load("docs/format/pgwire.md", page, sizeof page, &len));
    PgStartup startup;
    assert_int_equal(pgwire_startup_read(&startup, bytes_from(page, len), &arena, &used, NULL), PGWIRE_DONE);
    assert_true(str_equal(startup.user, STR("ann")));
    assert_true(str_equal(startup.database, STR("basalt")));
    at += used;
    PgFrames frames;
    pgwire_frames_init(&frames, 0);
    static const char WANT[] = "PBDES";
    for (size_t i = 0; i < sizeof WANT - 1; i++) {
        PgMessage message;
        assert_int_equal(pgwire_frames_next(&frames, bytes_from(page + at, len - at), &message, &used, NULL), PGWIRE_DONE);
        assert_int_equal((char)message.type, WANT[i]);
        if (message.type == PG_BIND) {
            PgBind bind;
            assert_int_equal(pgwire_read_bind(message.body, &arena, &bind, NULL), ERR_OK);
            assert_int_equal(bind.parameter_count, 1);
            assert_int_equal(pgwire_get_u32(bind.parameters[0].data), 42);
        }
        at += used;
    }
    pgwire_frames_deinit(&frames);
    pgwire_write_parse_complete(&out);
    pgwire_write_bind_complete(&out);
    PgColumn column = {.name = STR("n"), .type_oid = 23, .type_bytes = 4, .type_modifier = -1};
    pgwire_write_row_description(&out, &column, 1);
    static const uint8_t ROW[] = {'D', 0, 0, 0, 12, 0, 1, 0, 0, 0, 2, '4', '2'};
    buffer_append(&out, ROW, sizeof ROW);
    pgwire_write_command_complete(&out, STR("SELECT 1"));
    pgwire_write_ready(&out, PGWIRE_STATUS_IDLE);
    assert_int_equal(out.len, len - at);
    assert_memory_equal(out.data, page + at, out.len);
    arena_deinit(&arena);
    buffer_deinit(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message),
        cmocka_unit_test(positions_count_characters),
        cmocka_unit_test(the_page_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
