/* SPDX-License-Identifier: Apache-2.0
 * pg_report.c - errors, notices, settings that changed, ReadyForQuery. */
#include "base/hash.h"
#include "server/pg_internal.h"

/* Syntax errors say what was expected, unknown names what may be meant: to PostgreSQL's clients that is the hint. */
static void split_hint(const Error *err, PgReport *report) {
    static const Str EXPECTED = {": expected ", 11}, NEAR = {"; did you mean ", 15};
    ptrdiff_t at = err->code == ERR_SYNTAX ? str_find(report->message, EXPECTED, 0) : str_find(report->message, NEAR, 0);
    if (at > 0 && report->hint.len == 0) {
        Str hint = str_slice(report->message, (size_t)at + 2, report->message.len);
        report->hint = str_equal(hint, STR("expected end of statement")) ? (Str){0} : hint;
        report->message = str_slice(report->message, 0, (size_t)at);
    }
}

void pg__write_error(PgConnection *c, const Error *err, Str text) {
    PgReport report = pgwire_report(STR("ERROR"), err, text);
    split_hint(err, &report);
    pgwire_write_error(pg__out(c), &report);
}

static Str severity(SessionNoticeLevel level) {
    static const Str NAMES[] = {{"DEBUG", 5}, {"LOG", 3}, {"INFO", 4}, {"NOTICE", 6}, {"WARNING", 7}, {"WARNING", 7}};
    return NAMES[level];
}

void pg__write_notices(PgConnection *c) {
    SessionNotice notice;
    while (session_notice_take(c->session, &notice)) {
        PgReport report = {.severity = severity(notice.level), .sqlstate = str_from_c(notice.sqlstate), .message = notice.message,
                           .detail = notice.detail, .hint = notice.hint};
        pgwire_write_notice(pg__out(c), &report);
    }
}

void pg__write_changes(PgConnection *c) {
    uint64_t version = session_reported_version(c->session);
    uint32_t cursor = 0;
    Str name, value;
    if (c->reported_version == version) {
        return;
    }
    c->reported_version = version;
    for (uint32_t i = 0; session_reported_next(c->session, &cursor, &name, &value); i++) {
        assert(i < PG_REPORTED_MAX);
        uint64_t hash = hash_bytes(value.data, value.len, 1) | 1; /* 0: never told */
        if (c->reported[i] != hash) {
            c->reported[i] = hash;
            pgwire_write_parameter_status(pg__out(c), name, value);
        }
    }
}

void pg__write_ready(PgConnection *c) {
    pg__write_notices(c);
    pg__write_changes(c);
    char status = session_transaction_failed(c->session) ? PGWIRE_STATUS_FAILED
                  : session_in_transaction(c->session)   ? PGWIRE_STATUS_TRANSACTION
                                                         : PGWIRE_STATUS_IDLE;
    pgwire_write_ready(pg__out(c), status);
    session_note_idle(c->session);
}
