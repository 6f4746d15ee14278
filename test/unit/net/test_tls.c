/* SPDX-License-Identifier: Apache-2.0
 * test_tls.c - TLS over real sockets: upgrade and direct, ALPN, bytes before the handshake, big transfers both ways, new certificates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
#include "net/net.h"

static NetTls *tls;
static Net *net;
static int port;
static atomic_int failures;

/* ---- certificates ---- */

typedef struct Identity {
    Buffer certificate, key;
    uint8_t hash[64];
    unsigned hash_bytes;
} Identity;

static void append_bio(Buffer *out, BIO *bio) {
    char *data;
    long len = BIO_get_mem_data(bio, &data);
    buffer_append(out, data, (size_t)len);
    BIO_free(bio);
}

static void make_identity(Identity *identity, long serial) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0);
    X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
    assert_true(X509_sign(certificate, key, EVP_sha384()) > 0);
    assert_int_equal(X509_digest(certificate, EVP_sha384(), identity->hash, &identity->hash_bytes), 1);
    buffer_init(&identity->certificate, 1 << 16);
    buffer_init(&identity->key, 1 << 16);
    BIO *pem = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(pem, certificate);
    append_bio(&identity->certificate, pem);
    pem = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(pem, key, NULL, NULL, 0, NULL, NULL);
    append_bio(&identity->key, pem);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void drop_identity(Identity *identity) {
    buffer_deinit(&identity->certificate);
    buffer_deinit(&identity->key);
}

static NetTlsOptions options_of(const Identity *identity) {
    return (NetTlsOptions){buffer_str(&identity->certificate), buffer_str(&identity->key), STR("postgresql")};
}

/* ---- the server: '?' asks for TLS, 0x16 begins with it; then lines come back, "N\n" gives N bytes, "hash\n" the certificate's ---- */

typedef struct Talk { bool begun; int64_t left; } Talk;

static void *talk_opened(void *context, NetConnection *c) {
    (void)context;
    (void)c;
    return mem_calloc(1, sizeof(Talk));
}
static void talk_gone(void *state) { (void)state; }
static void talk_closed(void *state) { mem_free(state); }

static NetWait begin(Talk *talk, NetConnection *c) {
    Bytes input = net_input(c);
    if (input.len == 0) {
        return (NetWait){.kind = net_input_ended(c) ? NET_CLOSE : NET_WAIT_INPUT};
    }
    bool direct = input.data[0] == 0x16;
    if (!direct) {
        net_consume(c, 1);
        buffer_append_char(net_output(c), 'S');
    }
    talk->begun = true;
    Error err = {0};
    if (net_start_tls(c, tls, direct, &err) != ERR_OK) {
        assert_string_equal(err.message, "received unencrypted data after SSL request");
        atomic_fetch_add(&failures, 1);
        return (NetWait){.kind = NET_CLOSE};
    }
    return (NetWait){.kind = NET_WAIT_INPUT};
}

static bool produce(Talk *talk, NetConnection *c) {
    while (talk->left > 0) {
        size_t piece = (size_t)MIN_OF(talk->left, (int64_t)65536);
        buffer_append_fill(net_output(c), 'x', piece);
        talk->left -= (int64_t)piece;
        if (net_flush(c) > NET_OUTPUT_BYTES) {
            return false;
        }
    }
    return true;
}

static NetWait talk_run(void *state, NetConnection *c) {
    Talk *talk = state;
    if (net_gone(c) || net_stopping(c) || net_timed_out(c)) {
        return (NetWait){.kind = NET_CLOSE};
    }
    if (!talk->begun) {
        return begin(talk, c);
    }
    for (;;) {
        if (!produce(talk, c)) {
            return (NetWait){.kind = NET_WAIT_OUTPUT};
        }
        Bytes input = net_input(c);
        Str text = {(const char *)input.data, input.len};
        ptrdiff_t newline = text.len == 0 ? -1 : str_find_char(text, '\n', 0);
        if (newline < 0) {
            if (net_input_ended(c) && net_tls_failure(c).len > 0) {
                atomic_fetch_add(&failures, 1);
            }
            if (text.len >= 700000) { /* far longer than a line: counted, so that big inputs are tried too */
                buffer_printf(net_output(c), "%zu\n", text.len);
                net_consume(c, text.len);
            }
            net_shrink(c); /* as handlers do between requests */
            return (NetWait){.kind = net_input_ended(c) ? NET_CLOSE : NET_WAIT_INPUT};
        }
        assert_true(net_tls_ready(c));
        Str line = str_slice(text, 0, (size_t)newline + 1);
        if (str_equal(line, STR("hash\n"))) {
            Bytes hash = net_tls_certificate_hash(c);
            buffer_append(net_output(c), hash.data, hash.len);
        } else if (line.data[0] >= '0' && line.data[0] <= '9') {
            sscanf(line.data, "%ld", &talk->left);
        } else {
            buffer_append_str(net_output(c), line);
        }
        net_consume(c, line.len);
    }
}
static const NetHandler TALK = {talk_opened, talk_run, talk_gone, talk_closed};

/* ---- the client ---- */

static Identity first, second;

static int setup(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    make_identity(&first, 1);
    make_identity(&second, 2);
    NetTlsOptions options = options_of(&first);
    assert_int_equal(net_tls_open(&options, &tls, NULL), ERR_OK);
    assert_int_equal(net_open(&(NetOptions){.connections_max = 20, .workers_max = 2}, &net, NULL), ERR_OK);
    assert_int_equal(net_listen(net, "127.0.0.1:0", &TALK, NULL, STR("full\n"), &port, NULL), ERR_OK);
    assert_int_equal(net_start(net, NULL), ERR_OK);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    net_stop(net, 100);
    net_close(net);
    net_tls_close(tls);
    drop_identity(&first);
    drop_identity(&second);
    return 0;
}

static int dial(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval limit = {.tv_sec = 20};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

typedef struct Client { int fd; SSL_CTX *context; SSL *ssl; bool connected; } Client;

/* protocols: ALPN's list with lengths, NULL = none. newest: the newest version that the client speaks. */
static Client client_open(bool direct, const char *protocols, int newest) {
    Client client = {.fd = dial(), .context = SSL_CTX_new(TLS_client_method())};
    SSL_CTX_set_max_proto_version(client.context, newest);
    SSL_CTX_set_security_level(client.context, 0);
    if (protocols != NULL) {
        SSL_CTX_set_alpn_protos(client.context, (const unsigned char *)protocols, (unsigned)strlen(protocols));
    }
    if (!direct) {
        char answer = 0;
        assert_int_equal(send(client.fd, "?", 1, 0), 1);
        assert_int_equal(recv(client.fd, &answer, 1, 0), 1);
        assert_int_equal(answer, 'S');
    }
    client.ssl = SSL_new(client.context);
    SSL_set_fd(client.ssl, client.fd);
    client.connected = SSL_connect(client.ssl) == 1;
    return client;
}

static void client_close(Client *client) {
    SSL_shutdown(client->ssl);
    SSL_free(client->ssl);
    SSL_CTX_free(client->context);
    close(client->fd);
    ERR_clear_error();
}

static void say(Client *client, const char *text) {
    assert_int_equal(SSL_write(client->ssl, text, (int)strlen(text)), strlen(text));
}

static void hear(Client *client, void *out, size_t want) {
    for (size_t len = 0; len < want;) {
        int count = SSL_read(client->ssl, (char *)out + len, (int)(want - len));
        assert_true(count > 0);
        len += (size_t)count;
    }
}

static void upgrade_and_direct(void **state) {
    (void)state;
    static const struct { bool direct; const char *protocols; int newest; bool fine; } CASES[] = {
        {false, NULL, TLS1_3_VERSION, true},
        {false, NULL, TLS1_2_VERSION, true},
        {false, NULL, TLS1_1_VERSION, false},
        {false, "\x0apostgresql", TLS1_3_VERSION, true},
        {false, "\x02h2\x0apostgresql", TLS1_2_VERSION, true},
        {false, "\x02h2", TLS1_3_VERSION, false},
        {true, "\x0apostgresql", TLS1_3_VERSION, true},
        {true, "\x02h2", TLS1_3_VERSION, false},
    };
    for (size_t i = 0; i < COUNT_OF(CASES); i++) {
        Client client = client_open(CASES[i].direct, CASES[i].protocols, CASES[i].newest);
        if (client.connected != CASES[i].fine) {
            fail_msg("row %zu: connected %d", i, client.connected);
        }
        if (client.connected) {
            char back[6] = "";
            say(&client, "hello\n");
            hear(&client, back, 6);
            assert_memory_equal(back, "hello\n", 6);
        }
        client_close(&client);
    }
}

/* The client may think the handshake done before the server says no. */
static void direct_without_protocol_ends(void **state) {
    (void)state;
    Client client = client_open(true, NULL, TLS1_3_VERSION);
    char back[6];
    assert_true(!client.connected || SSL_read(client.ssl, back, 6) <= 0);
    client_close(&client);
}

static void bytes_before_the_handshake_are_refused(void **state) {
    (void)state;
    int before = atomic_load(&failures);
    int fd = dial();
    assert_int_equal(send(fd, "?select 1", 9, 0), 9);
    char answer[2];
    assert_int_equal(recv(fd, answer, 1, 0), 1);
    assert_int_equal(recv(fd, answer, 1, 0), 0);
    close(fd);
    assert_int_equal(atomic_load(&failures), before + 1);
}

static void garbage_instead_of_a_handshake_ends(void **state) {
    (void)state;
    int fd = dial();
    char answer[256];
    assert_int_equal(send(fd, "?", 1, 0), 1);
    assert_int_equal(recv(fd, answer, 1, 0), 1);
    assert_int_equal(send(fd, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
    while (recv(fd, answer, sizeof answer, 0) > 0) { /* an alert, then the end */
    }
    close(fd);
    fd = dial();
    assert_int_equal(send(fd, "\x16\x03\x01\x00\x05hello", 10, 0), 10);
    while (recv(fd, answer, sizeof answer, 0) > 0) {
    }
    close(fd);
}

static void big_transfers(void **state) {
    (void)state;
    enum { BIG = 20 << 20 };
    char *data = mem_alloc(BIG);
    Client client = client_open(false, NULL, TLS1_3_VERSION);
    char text[32];
    snprintf(text, sizeof text, "%d\n", BIG);
    say(&client, text);
    hear(&client, data, BIG);
    for (size_t i = 0; i < BIG; i++) {
        assert_int_equal(data[i], 'x');
    }
    memset(data, 'y', 700000);
    assert_int_equal(SSL_write(client.ssl, data, 700000), 700000);
    hear(&client, text, 1);
    assert_int_equal(text[0], '7');
    int rest = 0;
    while (text[0] != '\n' && rest++ < 32) {
        hear(&client, text, 1);
    }
    say(&client, "still here\n"); /* behind a shrink */
    hear(&client, text, 11);
    assert_memory_equal(text, "still here\n", 11);
    client_close(&client);
    mem_free(data);
}

static void new_certificates_are_for_new_connections(void **state) {
    (void)state;
    uint8_t hash[64];
    Client old = client_open(false, NULL, TLS1_3_VERSION);
    NetTlsOptions options = options_of(&second);
    assert_int_equal(net_tls_reload(tls, &options, NULL), ERR_OK);
    Client new = client_open(false, NULL, TLS1_3_VERSION);
    say(&old, "hash\n");
    hear(&old, hash, first.hash_bytes);
    assert_memory_equal(hash, first.hash, first.hash_bytes);
    say(&new, "hash\n");
    hear(&new, hash, second.hash_bytes);
    assert_memory_equal(hash, second.hash, second.hash_bytes);
    client_close(&old);
    client_close(&new);
    Error err = {0};
    options.key_pem = buffer_str(&first.key);
    assert_int_equal(net_tls_reload(tls, &options, &err), ERR_INVALID_PARAMETER);
    options.certificate_pem = STR("nonsense");
    assert_int_equal(net_tls_reload(tls, &options, &err), ERR_INVALID_PARAMETER);
    options.certificate_pem = STR("");
    assert_int_equal(net_tls_reload(tls, &options, &err), ERR_INVALID_PARAMETER);
    Client still = client_open(false, NULL, TLS1_3_VERSION);
    assert_true(still.connected);
    client_close(&still);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upgrade_and_direct),
        cmocka_unit_test(direct_without_protocol_ends),
        cmocka_unit_test(bytes_before_the_handshake_are_refused),
        cmocka_unit_test(garbage_instead_of_a_handshake_ends),
        cmocka_unit_test(big_transfers),
        cmocka_unit_test(new_certificates_are_for_new_connections),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
