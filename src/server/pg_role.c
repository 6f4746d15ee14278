/* SPDX-License-Identifier: Apache-2.0
 * pg_role.c - who may come in: roles of the catalog as the door needs them, and what must be so before another address than loopback is listened on.
 *
 * Why:        a fresh folder has one superuser without a password. On loopback nobody is asked for one; elsewhere a start is refused until
 *             a role has a password and TLS is there, so that no server is open by mistake. */
#include "catalog/bodies.h"
#include "proto/scram/scram.h"
#include "server/pg_internal.h"

typedef void (*RoleVisit)(void *context, const CatalogObject *object, const RoleBody *body);

/* All roles, as the newest transaction sees them. */
static ErrorCode visit_roles(Engine *engine, RoleVisit visit, void *context, Error *err) {
    Txn *txn = NULL;
    const CatalogObject *object;
    size_t cursor = 0;
    TRY(engine_begin(engine, &(TxnOptions){.read_only = true}, &txn, err));
    CatalogView *view = txn_catalog(txn);
    while (view->object_next(view, OBJECT_ROLE, &cursor, &object)) {
        RoleBody body;
        if (role_body_decode(object->body, &body, NULL) == ERR_OK) {
            visit(context, object, &body);
        }
    }
    txn_rollback(txn);
    return ERR_OK;
}

typedef struct RoleSearch {
    Str name;
    PgRole *role;
} RoleSearch;

static void take_role(void *context, const CatalogObject *object, const RoleBody *body) {
    const RoleSearch *search = context;
    PgRole *role = search->role;
    if (!str_equal(object->name, search->name)) {
        return;
    }
    role->exists = true;
    role->login = body->login;
    role->has_valid_until = body->has_valid_until;
    role->valid_until = body->valid_until;
    role->has_password = body->password.len > 0 && scram_verifier_parse(body->password, &role->verifier);
}

ErrorCode pg__role_find(Engine *engine, Str name, PgRole *role_out, Error *err) {
    *role_out = (PgRole){0};
    RoleSearch search = {name, role_out};
    return visit_roles(engine, take_role, &search, err);
}

/* ---- names, for the hint of an unknown one ---- */

static void add_name(void *context, const CatalogObject *object, const RoleBody *body) {
    enum { NAMES_BYTES_MAX = 200 };
    Buffer *names = context;
    if (body->login && names->len + object->name.len < NAMES_BYTES_MAX) {
        buffer_append_str(names, names->len > 0 ? STR(", ") : STR(""));
        buffer_append_str(names, object->name);
    }
}

void pg__role_names(Engine *engine, Buffer *names) {
    error_ignore(visit_roles(engine, add_name, names, NULL)); /* a hint more or less */
}

/* ---- before listening ---- */

static void note_password(void *context, const CatalogObject *object, const RoleBody *body) {
    (void)object;
    *(bool *)context |= body->login && body->password.len > 0;
}

ErrorCode pg__check_address(const Server *server, Error *err) {
    const ServerSettings *settings = &server->settings;
    const char *address = settings->pg.text.data;
    bool password = false, off = str_equal(settings->pg.text, STR("off"));
    if (!str_equal(settings->pg_auth.text, STR("auto")) && !str_equal(settings->pg_auth.text, STR("trust")) && !str_equal(settings->pg_auth.text, STR("password"))) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "setting pg-auth: '%s' is not auto, trust or password", settings->pg_auth.text.data);
    }
    if (off || net_address_is_loopback(address)) {
        return ERR_OK;
    }
    if (str_equal(settings->pg_auth.text, STR("trust"))) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "--pg %s would let in everybody with pg-auth = trust; leave that setting out", address);
    }
    TRY(visit_roles(server->engine, note_password, &password, err));
    if (!password) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION,
                         "--pg %s needs a user with a password: start with --pg 127.0.0.1:8812 and run psql -h 127.0.0.1 -p 8812 -U postgres basalt -c "
                         "\"ALTER USER postgres PASSWORD '...'\" first",
                         address);
    }
    if (server->tls == NULL) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "--pg %s needs TLS: give a certificate with --tls-cert FILE and its key with --tls-key FILE",
                         address);
    }
    return ERR_OK;
}

bool pg__asks_password(const Server *server) {
    Str how = server->settings.pg_auth.text;
    return str_equal(how, STR("password")) || (str_equal(how, STR("auto")) && !net_address_is_loopback(server->settings.pg.text.data));
}
