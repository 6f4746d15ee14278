/* SPDX-License-Identifier: Apache-2.0
 * notice.c - notices and warnings of statements, kept until the door takes them. Below client_min_messages they are not made. */
#include <stdarg.h>
#include "session/session_internal.h"

void session_notice(Session *session, SessionNoticeLevel level, const char *sqlstate, const char *format, ...) {
    enum { NOTICE_TEXT_BYTES = 1024 };
    char text[NOTICE_TEXT_BYTES];
    if (level < session->notice_level || session->notice_count >= NOTICES_MAX) {
        return;
    }
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    NoticeRow *row = arena_new(&session->notice_memory, NoticeRow);
    size_t bytes = len < 0 ? 0 : MIN_OF((size_t)len, sizeof text - 1);
    row->notice = (SessionNotice){.level = level, .sqlstate = sqlstate, .message = arena_str(&session->notice_memory, (Str){text, bytes})};
    if (session->notice_last != NULL) {
        session->notice_last->next = row;
    } else {
        session->notices = row;
    }
    session->notice_last = row;
    session->notice_count++;
}

bool session_notice_take(Session *session, SessionNotice *notice_out) {
    NoticeRow *row = session->notices;
    if (row == NULL) {
        if (session->notice_count > 0) {
            arena_reset(&session->notice_memory);
            session->notice_count = 0;
        }
        return false;
    }
    session->notices = row->next;
    if (row->next == NULL) {
        session->notice_last = NULL;
    }
    *notice_out = row->notice;
    return true;
}

bool session_notice_pending(const Session *session) { return session->notices != NULL; }
