/* SPDX-License-Identifier: Apache-2.0
 * test_settings.c - values with units, names, basalt.conf, the engine's share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "server/server.h"

static void defaults_and_values(void **state) {
    (void)state;
    ServerSettings settings;
    server_settings_init(&settings);
    assert_true(str_equal(settings.http.text, STR("127.0.0.1:9000")));
    assert_int_equal(settings.query_memory.number, 256 << 20);
    assert_int_equal(settings.checkpoint_interval.number, 300000);
    assert_int_equal(settings.http_gzip.number, 1);
    static const struct { Str name, value; bool good; } ROWS[] = {
        {STR("http"), STR("127.0.0.1:0"), true},        {STR("query-memory"), STR("1 GB"), true},     {STR("query_memory"), STR("64m"), true},
        {STR("query.timeout"), STR("1500ms"), true},    {STR("query-timeout"), STR("2min"), true},    {STR("http-gzip"), STR("OFF"), true},
        {STR("http-workers"), STR("4"), true},          {STR("http-workers"), STR("4x"), false},      {STR("http-workers"), STR("0"), false},
        {STR("http_connections"), STR("0"), false},      {STR("durability-interval"), STR("0ms"), false},      {STR("query-memory"), STR("lots"), false},
        {STR("http-gzip"), STR("maybe"), false},        {STR("query-timeout"), STR("-1"), false},     {STR("nosuch"), STR("1"), false},
        {STR("query-memory"), STR("99999999999999999999"), false}, {STR("query-memory"), STR("9999999999TB"), false},
    };
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        Error err = {0};
        if ((server_setting_set(&settings, ROWS[i].name, ROWS[i].value, &err) == ERR_OK) != ROWS[i].good) {
            fail_msg("%.*s = %.*s: %s", STR_ARG(ROWS[i].name), STR_ARG(ROWS[i].value), err.message);
        }
    }
    assert_int_equal(settings.query_memory.number, 64 << 20);
    assert_int_equal(settings.query_timeout.number, 120000);
    assert_int_equal(settings.http_gzip.number, 0);
    server_settings_deinit(&settings);
}

static void reads_basalt_conf(void **state) {
    (void)state;
    ServerSettings settings;
    Error err = {0};
    server_settings_init(&settings);
    assert_int_equal(server_settings_read(&settings, STR("# comment\n\nhttp = 127.0.0.1:21699\r\n  durability=off\n"), &err), ERR_OK);
    assert_true(str_equal(settings.http.text, STR("127.0.0.1:21699")));
    EngineOptions options;
    assert_int_equal(server_engine_options(&settings, &options, &err), ERR_OK);
    assert_int_equal(options.durability, DURABILITY_OFF);
    assert_int_equal(options.cache_bytes, 32 << 20);
    assert_int_equal(server_settings_read(&settings, STR("http = x\nnonsense\n"), &err), ERR_SYNTAX);
    assert_non_null(strstr(err.message, "line 2"));
    assert_int_equal(server_settings_read(&settings, STR("cache = much\n"), &err), ERR_INVALID_PARAMETER);
    assert_int_equal(server_setting_set(&settings, STR("durability"), STR("sometimes"), &err), ERR_OK);
    assert_int_equal(server_engine_options(&settings, &options, &err), ERR_INVALID_PARAMETER);
    server_settings_deinit(&settings);
}

static void every_row_has_an_environment_name(void **state) {
    (void)state;
    for (size_t i = 0; i < SERVER_SETTING_COUNT; i++) {
        char name[SETTING_ENVIRONMENT_MAX];
        server_setting_environment(&SERVER_SETTING_ROWS[i], name);
        assert_int_equal(strncmp(name, "BASALT_", 7), 0);
        assert_int_equal(strlen(name), strlen(SERVER_SETTING_ROWS[i].name) + 7);
        assert_null(strchr(name, '-'));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults_and_values), cmocka_unit_test(reads_basalt_conf),
                                       cmocka_unit_test(every_row_has_an_environment_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
