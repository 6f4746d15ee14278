/* SPDX-License-Identifier: Apache-2.0
 * cursor.c - DECLARE, FETCH, MOVE, CLOSE.
 *
 * Why:     a cursor streams from its run; one that scrolls keeps all its rows from the start, one WITH HOLD those that are left when its
 *          transaction commits, both bounded by query_memory. One that says nothing of scrolling keeps the first rows that it gives out, and
 *          all of them once it is asked to go back while it has them.
 * States:  streaming -> ended; or stored. Positions count as PostgreSQL's: 0 before the first row, k on row k.
 * Tests:   test/sql/session.slt, test/pg */
#include "session/session_internal.h"

Cursor *session__cursor_find(const Session *session, Str name) {
    Cursor *cursor = session->cursors;
    while (cursor != NULL && !str_equal(cursor->name, name)) {
        cursor = cursor->next;
    }
    return cursor;
}

static void free_cursor(Session *session, Cursor *cursor) {
    Cursor **link = &session->cursors;
    while (*link != cursor) {
        link = &(*link)->next;
    }
    *link = cursor->next;
    session->cursor_count--;
    statement_close(cursor->statement);
    row_store__destroy(cursor->store);
    row_store__destroy(cursor->given);
    arena_deinit(&cursor->memory);
    mem_free(cursor);
}

/* ---- rows into memory ---- */

enum { GIVEN_ROWS_MAX = 1024, GIVEN_BYTES_MAX = 1 << 20 };  /* of a cursor that may have to go back */

static void drop_given(Cursor *cursor) {
    row_store__destroy(cursor->given);
    cursor->given = NULL;
    cursor->keeps = false;
}

static void keep_given(Cursor *cursor, Batch *batch, uint32_t taken) {
    Error ignored = {0};
    if (!cursor->keeps) {
        return;
    }
    if (cursor->given == NULL) {
        cursor->given = row_store__create((uint16_t)cursor->column_count);
    }
    if (cursor->given->row_count + taken > GIVEN_ROWS_MAX || row_store__add(cursor->given, batch, GIVEN_BYTES_MAX, &ignored) != ERR_OK) {
        drop_given(cursor);
    }
}

/* The rows that are left, behind those of `store`. */
static ErrorCode store_rest(Session *session, Cursor *cursor, RowStore *store, Error *err) {
    Batch *batch = cursor->batch;
    ErrorCode code = ERR_OK;
    if (batch != NULL) { /* rows of it were given out already */
        batch_limit(batch, cursor->skip, BATCH_ROWS, &cursor->memory);
        code = row_store__add(store, batch, session->memory_limit, err);
    }
    do {
        code = code == ERR_OK ? statement_step(cursor->statement, &batch, err) : code;
        if (code == ERR_OK && batch != NULL) {
            code = row_store__add(store, batch, session->memory_limit, err);
        }
    } while (code == ERR_OK && batch != NULL);
    cursor->batch = NULL;
    if (code != ERR_OK) {
        row_store__destroy(store);
        return code;
    }
    statement_close(cursor->statement);
    cursor->statement = NULL;
    cursor->store = store;
    cursor->position = 0;
    return ERR_OK;
}

ErrorCode session__cursors_hold(Session *session, Error *err) {
    for (Cursor *cursor = session->cursors; cursor != NULL; cursor = cursor->next) {
        if (cursor->hold && cursor->store == NULL) {
            drop_given(cursor);
            TRY(store_rest(session, cursor, row_store__create((uint16_t)cursor->column_count), err));
        }
    }
    return ERR_OK;
}

/* A stream is asked to go back: it can if it has given out few rows. */
static ErrorCode scroll_stream(Session *session, Cursor *cursor, Error *err) {
    RowStore *given = cursor->given != NULL ? cursor->given : row_store__create((uint16_t)cursor->column_count);
    uint64_t position = cursor->position + (cursor->ended ? 1 : 0);
    cursor->given = NULL;
    cursor->keeps = false;
    TRY(store_rest(session, cursor, given, err));
    cursor->position = position;
    cursor->scroll = true;
    return ERR_OK;
}

void session__cursors_end(Session *session, bool committed) {
    Cursor *cursor = session->cursors;
    while (cursor != NULL) {
        Cursor *next = cursor->next;
        cursor->held = cursor->held || (committed && cursor->hold);
        if (!cursor->held) {
            free_cursor(session, cursor);
        }
        cursor = next;
    }
}

void session__cursors_rollback_to(Session *session, uint32_t savepoint_count) {
    Cursor *cursor = session->cursors;
    while (cursor != NULL) {
        Cursor *next = cursor->next;
        if (!cursor->held && cursor->savepoint_count >= savepoint_count) {
            free_cursor(session, cursor);
        }
        cursor = next;
    }
}

void session__cursors_release(Session *session, uint32_t savepoint_count) {
    for (Cursor *cursor = session->cursors; cursor != NULL; cursor = cursor->next) {
        cursor->savepoint_count = MIN_OF(cursor->savepoint_count, savepoint_count);
    }
    for (Statement *statement = session->running_first; statement != NULL; statement = statement->running_next) {
        statement->savepoint_count = MIN_OF(statement->savepoint_count, savepoint_count);
    }
}

void session__cursors_close(Session *session) {
    while (session->cursors != NULL) {
        free_cursor(session, session->cursors);
    }
}

/* ---- DECLARE ---- */

/* Rows that are to be locked can be read forward once, in their transaction. */
static ErrorCode check_query(const AstCursor *ast, Error *err) {
    const AstSelect *select = ast->query->as.select;
    if (select->into != NULL) {
        return error_set(err, ERR_SYNTAX, select->span.at, "SELECT ... INTO is not allowed here");
    }
    if (select->locking_count == 0 || (!ast->hold && !ast->scroll)) {
        return ERR_OK;
    }
    error_ignore(error_set(err, ERR_NOT_SUPPORTED, ERROR_NO_POSITION, ast->hold ? "DECLARE CURSOR WITH HOLD ... FOR UPDATE is not supported"
                                                                                : "DECLARE SCROLL CURSOR ... FOR UPDATE is not supported"));
    return error_add(err, 'D', ast->hold ? "Holdable cursors must be READ ONLY." : "Scrollable cursors must be READ ONLY.");
}

static ErrorCode check_declare(Session *session, const AstCursor *ast, Error *err) {
    if (!session->in_block && !ast->hold) {
        return error_set(err, ERR_NO_TRANSACTION, ERROR_NO_POSITION, "DECLARE CURSOR can only be used in transaction blocks");
    }
    if (session__cursor_find(session, ast->name.text) != NULL) {
        return error_set(err, ERR_DUPLICATE_CURSOR, ERROR_NO_POSITION, "cursor \"%.*s\" already exists", STR_ARG(ast->name.text));
    }
    TRY(check_query(ast, err));
    if (ast->scroll && ast->no_scroll) {
        return error_set(err, ERR_INVALID_CURSOR_DEFINITION, ERROR_NO_POSITION, "cannot specify both SCROLL and NO SCROLL");
    }
    if (session->cursor_count >= CURSORS_MAX) {
        return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "a session can have at most %d cursors", CURSORS_MAX);
    }
    return ERR_OK;
}

static ErrorCode open_query(Statement *statement, const AstCursor *ast, Statement **query_out, Error *err) {
    size_t used = 0;
    const BoundStatement *bound = statement->bound;
    TRY(statement_prepare(statement->session, ast->text, bound->param_types, bound->param_count, query_out, &used, err));
    for (uint32_t i = 0; i < bound->param_count; i++) {
        TRY(statement_bind(*query_out, i, &statement->params[i], err));
    }
    return ERR_OK;
}

static void fill_cursor(Cursor *cursor, const Statement *statement, const AstCursor *ast) {
    const RelColumn *columns = statement_columns(cursor->statement);
    cursor->column_count = statement_column_count(cursor->statement);
    cursor->columns = arena_array(&cursor->memory, RelColumn, cursor->column_count);
    for (uint32_t i = 0; i < cursor->column_count; i++) {
        cursor->columns[i] = columns[i];
        cursor->columns[i].name = arena_str(&cursor->memory, columns[i].name);
    }
    cursor->name = arena_str(&cursor->memory, ast->name.text);
    cursor->text = arena_str(&cursor->memory, str_trim(statement->text));
    cursor->hold = ast->hold;
    cursor->scroll = ast->scroll || (ast->hold && !ast->no_scroll); /* its rows are kept anyway */
    cursor->binary = ast->binary;
    cursor->keeps = !ast->no_scroll && !ast->hold && ast->query->as.select->locking_count == 0;
}

ErrorCode session__declare(Statement *statement, Error *err) {
    Session *session = statement->session;
    const AstCursor *ast = statement->compiled->tree->as.cursor;
    Statement *query = NULL;
    statement__tag(statement, "DECLARE CURSOR");
    TRY(check_declare(session, ast, err));
    ErrorCode code = open_query(statement, ast, &query, err);
    if (code != ERR_OK) {
        statement_close(query);
        return code;
    }
    Cursor *cursor = mem_calloc(1, sizeof *cursor);
    arena_init(&cursor->memory, 1 << 24);
    cursor->statement = query;
    cursor->created_micros = session__wall_micros(session);
    cursor->savepoint_count = session->savepoint_count;
    fill_cursor(cursor, statement, ast);
    cursor->next = session->cursors;
    session->cursors = cursor;
    session->cursor_count++;
    bool now = ast->scroll || !session->in_block;
    code = now ? store_rest(session, cursor, row_store__create((uint16_t)cursor->column_count), err) : statement__start(query, err);
    cursor->held = !session->in_block;
    if (code != ERR_OK) {
        free_cursor(session, cursor);
    }
    return code;
}

/* ---- FETCH, MOVE: where to ---- */

static ErrorCode forward_only(Error *err) {
    (void)error_set(err, ERR_PREREQUISITE_STATE, ERROR_NO_POSITION, "cursor can only scan forward");
    return error_add(err, 'H', "Declare it with SCROLL option to enable backward scan.");
}

static void plan_forward(Statement *statement, Cursor *cursor, uint64_t count) {
    uint64_t rows = cursor->store->row_count, from = MIN_OF(cursor->position, rows), there = rows - from;
    statement->fetch_at = from;
    statement->fetch_left = MIN_OF(count, there);
    statement->fetch_step = 1;
    cursor->position = there < count ? rows + 1 : cursor->position + count;
}

static void plan_backward(Statement *statement, Cursor *cursor, uint64_t count) {
    uint64_t there = cursor->position > 0 ? cursor->position - 1 : 0;
    statement->fetch_at = there == 0 ? 0 : there - 1;
    statement->fetch_left = MIN_OF(count, there);
    statement->fetch_step = -1;
    cursor->position = there < count ? 0 : cursor->position - count;
}

/* One row, numbered from 1; outside of the rows there are: none, and the cursor stands before or behind them. */
static void plan_row(Statement *statement, Cursor *cursor, int64_t number) {
    uint64_t rows = cursor->store->row_count;
    bool inside = number >= 1 && (uint64_t)number <= rows;
    statement->fetch_at = inside ? (uint64_t)number - 1 : 0;
    statement->fetch_left = inside;
    statement->fetch_step = 1;
    cursor->position = number < 1 ? 0 : inside ? (uint64_t)number : rows + 1;
}

static void plan_stored(Statement *statement, Cursor *cursor, const AstCursor *ast) {
    int64_t count = ast->count, rows = (int64_t)cursor->store->row_count;
    bool backward = ast->direction == AST_FETCH_BACKWARD;
    if (ast->direction == AST_FETCH_ABSOLUTE) {
        plan_row(statement, cursor, count < 0 ? rows + 1 + count : count);
    } else if (ast->direction == AST_FETCH_RELATIVE || count == 0) {
        plan_row(statement, cursor, (int64_t)cursor->position + (ast->direction == AST_FETCH_RELATIVE ? count : 0));
    } else if (backward == (count < 0)) {
        plan_forward(statement, cursor, (uint64_t)(count < 0 ? -count : count));
    } else {
        plan_backward(statement, cursor, (uint64_t)(count < 0 ? -count : count));
    }
}

static bool goes_back(const Cursor *cursor, const AstCursor *ast) {
    bool relative = ast->direction == AST_FETCH_RELATIVE, absolute = ast->direction == AST_FETCH_ABSOLUTE;
    return absolute   ? ast->count <= (int64_t)cursor->position
           : relative ? ast->count <= 0
                      : ast->count == 0 || (ast->direction == AST_FETCH_BACKWARD) == (ast->count > 0);
}

static ErrorCode plan_stream(Statement *statement, Cursor *cursor, const AstCursor *ast, Error *err) {
    int64_t count = ast->count;
    statement->fetch_step = 1;
    statement->fetch_skip = 0;
    if (ast->direction == AST_FETCH_FORWARD && count > 0) {
        statement->fetch_left = (uint64_t)count;
        return ERR_OK;
    }
    int64_t target = ast->direction == AST_FETCH_ABSOLUTE ? count : ast->direction == AST_FETCH_RELATIVE ? (int64_t)cursor->position + count : 0;
    if (target <= (int64_t)cursor->position) {
        return forward_only(err);
    }
    statement->fetch_skip = (uint64_t)target - cursor->position - 1;
    statement->fetch_left = 1;
    return ERR_OK;
}

/* ---- rows ---- */

/* Next rows of the stream, at most `most`, into *batch_out; NULL at the end. */
static ErrorCode next_of_stream(Statement *statement, Cursor *cursor, uint64_t most, Batch **batch_out, uint32_t *taken_out, Error *err) {
    *taken_out = 0;
    while (cursor->batch == NULL) {
        Batch *batch = NULL;
        TRY(statement_step(cursor->statement, &batch, err));
        if (batch == NULL) {
            *batch_out = NULL;
            cursor->ended = true;
            return ERR_OK;
        }
        batch->live_count = batch->live == NULL ? batch->row_count : batch->live_count;
        cursor->batch = batch->live_count > 0 ? batch : NULL;
        cursor->skip = 0;
    }
    uint32_t there = cursor->batch->live_count - cursor->skip, take = (uint32_t)MIN_OF(most, (uint64_t)there);
    arena_reset(&statement->batch_arena);
    statement->batch = *cursor->batch;
    batch_limit(&statement->batch, cursor->skip, take, &statement->batch_arena);
    keep_given(cursor, &statement->batch, take);
    cursor->skip += take;
    cursor->position += take;
    if (take == there) {
        cursor->batch = NULL; /* valid until the next step */
    }
    *taken_out = take;
    *batch_out = &statement->batch;
    return ERR_OK;
}

static ErrorCode skip_stream(Statement *statement, Cursor *cursor, Error *err) {
    Batch *batch = NULL;
    uint32_t taken = 0;
    while (statement->fetch_skip > 0) {
        TRY(next_of_stream(statement, cursor, statement->fetch_skip, &batch, &taken, err));
        if (batch == NULL) {
            statement->fetch_left = 0;
            return ERR_OK;
        }
        statement->fetch_skip -= taken;
    }
    return ERR_OK;
}

static ErrorCode next_rows(Statement *statement, Cursor *cursor, Batch **batch_out, uint32_t *taken_out, Error *err) {
    if (cursor->store == NULL) {
        TRY(skip_stream(statement, cursor, err));
        return statement->fetch_left == 0 ? ERR_OK : next_of_stream(statement, cursor, statement->fetch_left, batch_out, taken_out, err);
    }
    arena_reset(&statement->batch_arena);
    uint64_t most = statement->fetch_step < 0 ? 1 : statement->fetch_left;
    *batch_out = row_store__window(cursor->store, statement->fetch_at, most, &statement->batch_arena, taken_out);
    statement->fetch_at += statement->fetch_step < 0 ? (uint64_t)-1 : *taken_out;
    return ERR_OK;
}

ErrorCode session__fetch_next(Statement *statement, Batch **batch_out, Error *err) {
    Cursor *cursor = session__cursor_find(statement->session, statement->compiled->tree->as.cursor->name.text);
    bool gone = cursor == NULL || cursor != statement->cursor;
    uint32_t taken = 0;
    *batch_out = NULL;
    if (!gone && statement->fetch_left > 0) {
        TRY(next_rows(statement, cursor, batch_out, &taken, err));
    }
    if (*batch_out != NULL) {
        statement->fetch_left -= taken;
        statement->affected += taken;
        return ERR_OK;
    }
    statement__tag_count(statement, statement->bound->kind == STATEMENT_MOVE ? "MOVE " : "FETCH ", statement->affected);
    return ERR_OK;
}

static ErrorCode move_all(Statement *statement, Error *err) {
    Batch *batch = NULL;
    do {
        TRY(session__fetch_next(statement, &batch, err));
    } while (batch != NULL);
    statement->cursor = NULL;
    return ERR_OK;
}

static ErrorCode move_portal(Statement *statement, const AstCursor *ast, bool *found_out, Error *err) {
    const Session *session = statement->session;
    bool forward = ast->direction == AST_FETCH_FORWARD && ast->count > 0;
    *found_out = false;
    if (!ast->move || !forward || session->move == NULL) {
        return ERR_OK;
    }
    TRY(session->move(session->move_context, ast->name.text, (uint64_t)ast->count, found_out, &statement->affected, err));
    statement__tag_count(statement, "MOVE ", statement->affected);
    return ERR_OK;
}

void session_on_move(Session *session, SessionMove move, void *context) {
    session->move = move;
    session->move_context = context;
}

ErrorCode session__fetch(Statement *statement, Error *err) {
    const AstCursor *ast = statement->compiled->tree->as.cursor;
    Cursor *cursor = session__cursor_find(statement->session, ast->name.text);
    bool portal = false;
    if (cursor == NULL) {
        TRY(move_portal(statement, ast, &portal, err));
    }
    if (portal) {
        return ERR_OK;
    }
    if (cursor == NULL) {
        return error_set(err, ERR_UNDEFINED_CURSOR, ERROR_NO_POSITION, "cursor \"%.*s\" does not exist", STR_ARG(ast->name.text));
    }
    statement->cursor = cursor;
    statement->fetch_left = 0;
    if (cursor->store == NULL && cursor->keeps && goes_back(cursor, ast)) {
        TRY(scroll_stream(statement->session, cursor, err));
    }
    if (cursor->store != NULL && !cursor->scroll && (ast->direction == AST_FETCH_BACKWARD) == (ast->count > 0)) {
        return forward_only(err);
    }
    if (cursor->store != NULL) {
        plan_stored(statement, cursor, ast);
    } else {
        TRY(plan_stream(statement, cursor, ast, err));
    }
    return statement->bound->kind == STATEMENT_MOVE ? move_all(statement, err) : ERR_OK;
}

ErrorCode session__close_cursor(Statement *statement, Error *err) {
    Session *session = statement->session;
    const AstCursor *ast = statement->compiled->tree->as.cursor;
    statement__tag(statement, ast->all ? "CLOSE CURSOR ALL" : "CLOSE CURSOR");
    if (ast->all) {
        session__cursors_close(session);
        return ERR_OK;
    }
    Cursor *cursor = session__cursor_find(session, ast->name.text);
    if (cursor == NULL) {
        return error_set(err, ERR_UNDEFINED_CURSOR, ERROR_NO_POSITION, "cursor \"%.*s\" does not exist", STR_ARG(ast->name.text));
    }
    free_cursor(session, cursor);
    return ERR_OK;
}

const RelColumn *session_cursor_columns(const Session *session, Str name, uint32_t *count_out) {
    const Cursor *cursor = session__cursor_find(session, name);
    *count_out = cursor == NULL ? 0 : cursor->column_count;
    return cursor == NULL ? NULL : cursor->columns;
}

bool session_cursor_close(Session *session, Str name) {
    Cursor *cursor = session__cursor_find(session, name);
    if (cursor != NULL) {
        free_cursor(session, cursor);
    }
    return cursor != NULL;
}
