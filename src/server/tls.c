/* SPDX-License-Identifier: Apache-2.0
 * tls.c - the server's certificate: files named by settings, read at the start, when that is asked for, and when they hold something else.
 *
 * Why:     a connection that begins TLS has the files looked at, at most once a second: renewed certificates need nobody's hand, and no thread waits
 *          for changes. What cannot be used is told once, and the certificate stays as it was until the files change again.
 * Threads: any; which one looks is decided by tls_looked_ms. Tests: test/pg/secure.py */
#include "base/hash.h"
#include "server/server_internal.h"

enum { LOOK_EVERY_MS = 1000 };

static ErrorCode read_files(const ServerSettings *settings, Buffer *certificate, Buffer *key, Error *err) {
    if (settings->read_file == NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "this program cannot read certificates");
    }
    TRY(settings->read_file(settings->tls_cert.text.data, certificate, err));
    return settings->read_file(settings->tls_key.text.data, key, err);
}

static uint64_t hash_of(const Buffer *certificate, const Buffer *key) {
    return hash_bytes(key->data, key->len, hash_bytes(certificate->data, certificate->len, 1));
}

static void wipe(Buffer *buffer) {
    if (buffer->data != NULL) {
        memset(buffer->data, 0, buffer->len);
    }
    buffer_deinit(buffer);
}

/* A new certificate for connections to come; server->tls is made or changed. only_changed: nothing happens if the files are those of the last time. */
static ErrorCode load(Server *server, bool only_changed, bool *changed_out, Error *err) {
    Buffer certificate, key;
    buffer_init(&certificate, NET_TLS_PEM_BYTES_MAX);
    buffer_init(&key, NET_TLS_PEM_BYTES_MAX);
    ErrorCode code = read_files(&server->settings, &certificate, &key, err);
    uint64_t hash = code == ERR_OK ? hash_of(&certificate, &key) : 0; /* 0: they could not be read */
    *changed_out = atomic_exchange(&server->tls_hash, hash) != hash || !only_changed;
    if (code == ERR_OK && *changed_out) {
        NetTlsOptions options = {buffer_str(&certificate), buffer_str(&key), STR("postgresql")};
        code = server->tls == NULL ? net_tls_open(&options, &server->tls, err) : net_tls_reload(server->tls, &options, err);
    }
    if (*changed_out) {
        atomic_store(&server->tls_stale, code != ERR_OK);
    }
    wipe(&certificate);
    wipe(&key);
    return code;
}

ErrorCode server__tls_open(Server *server, Error *err) {
    const ServerSettings *settings = &server->settings;
    if (settings->tls_cert.text.len == 0 && settings->tls_key.text.len == 0) {
        return ERR_OK;
    }
    if (settings->tls_cert.text.len == 0 || settings->tls_key.text.len == 0) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "TLS needs both settings, tls-cert and tls-key");
    }
    bool changed = false;
    return load(server, false, &changed, err);
}

bool server_has_tls(const Server *server) {
    return server->tls != NULL;
}

ErrorCode server_tls_reload(Server *server, Error *err) {
    assert(server->tls != NULL);
    bool changed = false;
    return load(server, false, &changed, err);
}

static void say(const Server *server, const char *text) {
    if (server->settings.say != NULL) {
        server->settings.say(text);
    }
}

void server__tls_look(Server *server) {
    Error err = {0};
    char text[ERROR_MESSAGE_BYTES + 100];
    int64_t now = net_now_ms(), last = atomic_load(&server->tls_looked_ms);
    bool changed = false;
    if (now - last < LOOK_EVERY_MS || !atomic_compare_exchange_strong(&server->tls_looked_ms, &last, now)) {
        return;
    }
    ErrorCode code = load(server, true, &changed, &err);
    if (!changed) {
        return;
    }
    (void)snprintf(text, sizeof text, code == ERR_OK ? "basalt read its certificate again" : "basalt: the certificate stays as it was: %s", err.message);
    say(server, text);
}
