/* SPDX-License-Identifier: Apache-2.0
 * test_scram.c - the exchange of RFC 7677, verifiers as PostgreSQL writes them, downgrades, and messages that are wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "proto/scram/scram.h"

/* RFC 7677, section 3: user "user", password "pencil". */
#define RFC_CLIENT_FIRST "n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
#define RFC_NONCE "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
#define RFC_SERVER_FIRST "r=" RFC_NONCE ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
#define RFC_WITHOUT_PROOF "c=biws,r=" RFC_NONCE
#define RFC_PROOF "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
#define RFC_SERVER_FINAL "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="

static const uint8_t RFC_SALT[] = {0x5b, 0x6d, 0x99, 0x68, 0x9d, 0x12, 0x35, 0x8e, 0xec, 0xa0, 0x4b, 0x14, 0x12, 0x36, 0xfa, 0x81};

static ScramVerifier pencil(void) {
    ScramVerifier verifier;
    scram_verifier_make(STR("pencil"), bytes_from(RFC_SALT, sizeof RFC_SALT), 4096, &verifier);
    return verifier;
}

static Bytes bytes_of(const char *text) {
    return bytes_from(text, strlen(text));
}

static void assert_buffer(const Buffer *buffer, const char *want) {
    if (!str_equal(buffer_str(buffer), str_from_c(want))) {
        fail_msg("got \"%.*s\", want \"%s\"", STR_ARG(buffer_str(buffer)), want);
    }
}

static ScramServer start(bool known, bool tls, Bytes hash) {
    ScramServerOptions options = {.verifier = pencil(), .known = known, .tls = tls, .certificate_hash = hash};
    ScramServer server;
    memset(options.nonce, 7, sizeof options.nonce);
    scram_server_init(&server, &options);
    return server;
}

/* The vector's server nonce is no base64, so its state is put in place of what this server would have sent. */
static void exchange_of_the_rfc(void **state) {
    (void)state;
    Buffer reply;
    buffer_init(&reply, 1 << 16);
    ScramServer server = start(true, false, (Bytes){0});
    assert_int_equal(scram_server_first(&server, SCRAM_MECHANISM, bytes_of(RFC_CLIENT_FIRST), &reply, NULL), ERR_OK);
    assert_buffer(&reply, "r=rOprNGfwEbeRWgbNEkqOBwcHBwcHBwcHBwcHBwcHBwcH,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
    buffer_clear(&server.server_first);
    buffer_append_str(&server.server_first, STR(RFC_SERVER_FIRST));
    buffer_clear(&server.combined_nonce);
    buffer_append_str(&server.combined_nonce, STR(RFC_NONCE));
    buffer_clear(&reply);
    assert_int_equal(scram_server_final(&server, bytes_of(RFC_WITHOUT_PROOF ",p=" RFC_PROOF), &reply, NULL), ERR_OK);
    assert_buffer(&reply, RFC_SERVER_FINAL);
    scram_server_deinit(&server);
    buffer_deinit(&reply);
}

/* The same right proof of a user that does not exist fails, with the code of a wrong password. */
static void mock_users_and_wrong_proofs_fail_alike(void **state) {
    (void)state;
    static const struct { bool known; const char *proof; ErrorCode want; } CASES[] = {
        {true, RFC_PROOF, ERR_OK},
        {false, RFC_PROOF, ERR_INVALID_PASSWORD},
        {true, "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVR=", ERR_PROTOCOL}, /* bits behind the last byte */
        {true, "cHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", ERR_INVALID_PASSWORD},
        {true, "dHzbZapW", ERR_PROTOCOL},
        {true, "", ERR_PROTOCOL},
        {true, "====", ERR_PROTOCOL},
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        Buffer reply, message;
        buffer_init(&reply, 1 << 16);
        buffer_init(&message, 1 << 16);
        ScramServer server = start(CASES[i].known, false, (Bytes){0});
        assert_int_equal(scram_server_first(&server, SCRAM_MECHANISM, bytes_of(RFC_CLIENT_FIRST), &reply, NULL), ERR_OK);
        buffer_clear(&server.server_first);
        buffer_append_str(&server.server_first, STR(RFC_SERVER_FIRST));
        buffer_clear(&server.combined_nonce);
        buffer_append_str(&server.combined_nonce, STR(RFC_NONCE));
        buffer_printf(&message, "%s,p=%s", RFC_WITHOUT_PROOF, CASES[i].proof);
        assert_int_equal(scram_server_final(&server, buffer_bytes(&message), &reply, NULL), CASES[i].want);
        scram_server_deinit(&server);
        buffer_deinit(&reply);
        buffer_deinit(&message);
    }
}

static void first_messages(void **state) {
    (void)state;
    static const uint8_t HASH[32] = {1, 2, 3};
    static const struct { bool tls, plus; const char *message; ErrorCode want; } CASES[] = {
        {false, false, "n,,n=,r=abc", ERR_OK},
        {false, false, "y,,n=,r=abc", ERR_OK},
        {true, false, "n,,n=,r=abc", ERR_OK},                       /* a client without channel binding */
        {true, false, "y,,n=,r=abc", ERR_INVALID_AUTHORIZATION},    /* downgrade */
        {true, true, "p=tls-server-end-point,,n=,r=abc", ERR_OK},
        {true, true, "n,,n=,r=abc", ERR_PROTOCOL},
        {true, true, "y,,n=,r=abc", ERR_PROTOCOL},
        {true, true, "p=tls-unique,,n=,r=abc", ERR_PROTOCOL},
        {true, false, "p=tls-server-end-point,,n=,r=abc", ERR_PROTOCOL},
        {false, true, "p=tls-server-end-point,,n=,r=abc", ERR_PROTOCOL}, /* not offered */
        {false, false, "n,a=admin,n=,r=abc", ERR_NOT_SUPPORTED},
        {false, false, "n,,m=x,n=,r=abc", ERR_NOT_SUPPORTED},
        {false, false, "n,,n=,r=abc,x=extension", ERR_OK},
        {false, false, "n,,r=abc", ERR_PROTOCOL},
        {false, false, "n,,n=", ERR_PROTOCOL},
        {false, false, "n,,n=,r=", ERR_PROTOCOL},
        {false, false, "n,,n=,r=a\x7f", ERR_PROTOCOL},
        {false, false, "n,", ERR_PROTOCOL},
        {false, false, "n", ERR_PROTOCOL},
        {false, false, "p", ERR_PROTOCOL},
        {false, false, "", ERR_PROTOCOL},
        {false, false, "q,,n=,r=abc", ERR_PROTOCOL},
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        Buffer reply;
        buffer_init(&reply, 1 << 16);
        ScramServer server = start(true, CASES[i].tls, CASES[i].tls ? bytes_from(HASH, sizeof HASH) : (Bytes){0});
        ErrorCode code = scram_server_first(&server, CASES[i].plus ? SCRAM_MECHANISM_PLUS : SCRAM_MECHANISM, bytes_of(CASES[i].message), &reply, NULL);
        if (code != CASES[i].want) {
            fail_msg("row %zu (%s): %s", i, CASES[i].message, error_name(code));
        }
        scram_server_deinit(&server);
        buffer_deinit(&reply);
    }
}

/* What is bound must be this server's certificate and the header of the first message. */
static void final_messages(void **state) {
    (void)state;
    static const uint8_t HASH[32] = {1, 2, 3};
    static const struct { bool plus; const char *message; ErrorCode want; } CASES[] = {
        {false, "c=biws,r=NONCE,p=" RFC_PROOF, ERR_INVALID_PASSWORD}, /* all right but for the proof */
        {false, "c=eSws,r=NONCE,p=" RFC_PROOF, ERR_PROTOCOL},
        {false, "c=biws,r=abc,p=" RFC_PROOF, ERR_PROTOCOL},
        {false, "c=biws,r=NONCE", ERR_PROTOCOL},
        {false, "c=biws,r=NONCE,p=" RFC_PROOF ",x=y", ERR_PROTOCOL},
        {false, "c=biws,r=NONCE,x=y,p=" RFC_PROOF, ERR_INVALID_PASSWORD},
        {false, "c=,r=NONCE,p=" RFC_PROOF, ERR_PROTOCOL},
        {false, "r=NONCE,p=" RFC_PROOF, ERR_PROTOCOL},
        {false, "p=" RFC_PROOF, ERR_PROTOCOL},
        {true, "c=cD10bHMtc2VydmVyLWVuZC1wb2ludCwsAQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=,r=NONCE,p=" RFC_PROOF, ERR_INVALID_PASSWORD},
        {true, "c=cD10bHMtc2VydmVyLWVuZC1wb2ludCwsAQIEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=,r=NONCE,p=" RFC_PROOF, ERR_INVALID_AUTHORIZATION},
        {true, "c=biws,r=NONCE,p=" RFC_PROOF, ERR_INVALID_AUTHORIZATION},
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        Buffer reply, message;
        buffer_init(&reply, 1 << 16);
        buffer_init(&message, 1 << 16);
        ScramServer server = start(true, CASES[i].plus, CASES[i].plus ? bytes_from(HASH, sizeof HASH) : (Bytes){0});
        const char *first = CASES[i].plus ? "p=tls-server-end-point,,n=,r=abc" : "n,,n=,r=abc";
        assert_int_equal(scram_server_first(&server, CASES[i].plus ? SCRAM_MECHANISM_PLUS : SCRAM_MECHANISM, bytes_of(first), &reply, NULL), ERR_OK);
        Str text = str_from_c(CASES[i].message);
        ptrdiff_t place = str_find(text, STR("NONCE"), 0);
        if (place >= 0) {
            buffer_append(&message, text.data, (size_t)place);
            buffer_append_str(&message, buffer_str(&server.combined_nonce));
            text = str_slice(text, (size_t)place + 5, text.len);
        }
        buffer_append_str(&message, text);
        ErrorCode code = scram_server_final(&server, buffer_bytes(&message), &reply, NULL);
        if (code != CASES[i].want) {
            fail_msg("row %zu (%s): %s", i, CASES[i].message, error_name(code));
        }
        scram_server_deinit(&server);
        buffer_deinit(&reply);
        buffer_deinit(&message);
    }
}

/* The text is what PostgreSQL makes of password "pencil" with this salt. */
static void verifiers_as_text(void **state) {
    (void)state;
    static const char TEXT[] = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:"
                               "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";
    char text[SCRAM_VERIFIER_TEXT_MAX];
    ScramVerifier verifier = pencil(), parsed;
    size_t len = scram_verifier_format(&verifier, text);
    assert_true(str_equal(str_from(text, len), STR(TEXT)));
    assert_true(scram_verifier_parse(STR(TEXT), &parsed));
    assert_memory_equal(&parsed, &verifier, sizeof verifier);
    assert_true(scram_verifier_check(&parsed, STR("pencil")));
    assert_false(scram_verifier_check(&parsed, STR("pencils")));
    assert_false(scram_verifier_check(&parsed, STR("")));
    static const char *const NOT[] = {"", "pencil", "md5abc", "SCRAM-SHA-256$", "SCRAM-SHA-256$0:W22ZaJ0SNY7soEsUEjb6gQ==$a:b",
                                      "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPL",
                                      "SCRAM-SHA-256$4096:$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="};
    for (size_t i = 0; i < COUNT_OF(NOT); i++) {
        assert_false(scram_verifier_parse(str_from_c(NOT[i]), &parsed));
    }
}

/* SASLprep (RFC 4013): what looks alike is alike; what it refuses is taken as it is. */
static void passwords_are_prepared(void **state) {
    (void)state;
    static const struct { const char *stored, *given; bool equal; } CASES[] = {
        {"I\xc2\xadX", "IX", true},          /* soft hyphen goes */
        {"\xc2\xaa", "a", true},             /* feminine ordinal */
        {"\xe2\x85\xa8", "IX", true},        /* roman nine */
        {"a\xc2\xa0z", "a z", true},         /* no-break space */
        {"USER", "user", false},
        {"\x07", "\x07", true},              /* prohibited: raw */
        {"\xff\xfe", "\xff\xfe", true},      /* not UTF-8: raw */
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        ScramVerifier verifier;
        scram_verifier_make(str_from_c(CASES[i].stored), bytes_from(RFC_SALT, sizeof RFC_SALT), 1, &verifier);
        if (scram_verifier_check(&verifier, str_from_c(CASES[i].given)) != CASES[i].equal) {
            fail_msg("row %zu", i);
        }
    }
}

static void mock_verifiers_stay_the_same(void **state) {
    (void)state;
    static const uint8_t SECRET[SCRAM_KEY_BYTES] = {9}, OTHER[SCRAM_KEY_BYTES] = {8};
    ScramVerifier a, b;
    scram_verifier_mock(STR("nobody"), SECRET, 4096, &a);
    scram_verifier_mock(STR("nobody"), SECRET, 4096, &b);
    assert_memory_equal(&a, &b, sizeof a);
    scram_verifier_mock(STR("nobody2"), SECRET, 4096, &b);
    assert_memory_not_equal(a.salt, b.salt, SCRAM_SALT_BYTES);
    scram_verifier_mock(STR("nobody"), OTHER, 4096, &b);
    assert_memory_not_equal(a.salt, b.salt, SCRAM_SALT_BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchange_of_the_rfc), cmocka_unit_test(mock_users_and_wrong_proofs_fail_alike), cmocka_unit_test(first_messages),
        cmocka_unit_test(final_messages), cmocka_unit_test(verifiers_as_text), cmocka_unit_test(passwords_are_prepared),
        cmocka_unit_test(mock_verifiers_stay_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
