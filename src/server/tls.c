/* SPDX-License-Identifier: Apache-2.0
 * tls.c - the server's certificate: files named by settings, read at the start and again when that is asked for. */
#include "server/server_internal.h"

static ErrorCode read_files(const ServerSettings *settings, Buffer *certificate, Buffer *key, Error *err) {
    if (settings->read_file == NULL) {
        return error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, "this program cannot read certificates");
    }
    TRY(settings->read_file(settings->tls_cert.text.data, certificate, err));
    return settings->read_file(settings->tls_key.text.data, key, err);
}

/* A new certificate for connections to come; tls_io is made or changed. */
static ErrorCode load(const ServerSettings *settings, NetTls **tls_io, Error *err) {
    Buffer certificate, key;
    buffer_init(&certificate, NET_TLS_PEM_BYTES_MAX);
    buffer_init(&key, NET_TLS_PEM_BYTES_MAX);
    ErrorCode code = read_files(settings, &certificate, &key, err);
    if (code == ERR_OK) {
        NetTlsOptions options = {buffer_str(&certificate), buffer_str(&key), STR("postgresql")};
        code = *tls_io == NULL ? net_tls_open(&options, tls_io, err) : net_tls_reload(*tls_io, &options, err);
    }
    memset(key.data == NULL ? (uint8_t[1]){0} : key.data, 0, key.len);
    buffer_deinit(&certificate);
    buffer_deinit(&key);
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
    return load(settings, &server->tls, err);
}

bool server_has_tls(const Server *server) {
    return server->tls != NULL;
}

ErrorCode server_tls_reload(Server *server, Error *err) {
    assert(server->tls != NULL);
    return load(&server->settings, &server->tls, err);
}
