/* SPDX-License-Identifier: Apache-2.0
 * api.c - the C API: a thin layer over sessions that turns errors and types into plain C.
 *
 * Why:   basalt.h must not show internal types, so that programs compiled against it go on working.
 * Tests: test/unit/api/test_api.c, examples/ */
#include "api/api_internal.h"
#include "api/version.h"

const char *basalt_version(void) {
    return BASALT_API_VERSION;
}

static int exit_code_of(ErrorCode code) {
    switch (code) {
    case ERR_FOLDER_IN_USE:
        return 3;
    case ERR_NEWER_FORMAT:
        return 4;
    case ERR_DAMAGED:
        return 5;
    case ERR_IO:
    case ERR_DISK_FULL:
    case ERR_SYNC_FAILED:
        return 6;
    default:
        return 1;
    }
}

static void error_fill(BasaltError *error, const Error *err) {
    if (error == NULL) {
        return;
    }
    *error = (BasaltError){.position = err->position, .exit_code = exit_code_of(err->code)};
    memcpy(error->sqlstate, error_sqlstate(err->code), 5);
    size_t len = strnlen(err->message, sizeof error->message - 1);
    memcpy(error->message, err->message, len);
}

BasaltResult api__fail(BasaltConnection *connection, const Error *err) {
    error_fill(&connection->error, err);
    return BASALT_FAILED;
}

/* Reads an option struct of any size: fields behind the caller's size are zero. */
static void options_read(void *to, size_t to_size, const void *from) {
    memset(to, 0, to_size);
    if (from != NULL) {
        size_t given = *(const size_t *)from;
        memcpy(to, from, given < to_size ? given : to_size);
    }
}

/* ---- folder ---- */

BasaltResult basalt_open(const char *folder, const BasaltOptions *options, BasaltDatabase **database_out, BasaltError *error_out) {
    BasaltOptions o;
    Error err = {.position = ERROR_NO_POSITION};
    static const uint8_t DURABILITY[] = {DURABILITY_COMMIT, DURABILITY_INTERVAL, DURABILITY_OFF};
    options_read(&o, sizeof o, options);
    BasaltDatabase *database = mem_calloc(1, sizeof *database);
    ErrorCode code = os_linux_open(folder, !o.must_exist && !o.read_only, &database->os, &err);
    if (code == ERR_OK) {
        EngineOptions engine_options = {
            .ingest_memory_bytes = o.ingest_memory_bytes,
            .cache_bytes = o.cache_bytes,
            .durability = o.durability >= 0 && (size_t)o.durability < COUNT_OF(DURABILITY) ? DURABILITY[o.durability] : DURABILITY_COMMIT,
            .durability_ms = (uint32_t)o.durability_ms,
            .embedded = true,
            .read_only = o.read_only,
        };
        code = engine_open(database->os, &engine_options, &database->engine, &err);
        if (code != ERR_OK) {
            os_linux_close(&database->os);
        }
    }
    if (code != ERR_OK) {
        error_fill(error_out, &err);
        mem_free(database);
        return BASALT_FAILED;
    }
    *database_out = database;
    return BASALT_OK;
}

void basalt_close(BasaltDatabase *database) {
    if (database == NULL) {
        return;
    }
    engine_close(database->engine);
    os_linux_close(&database->os);
    mem_free(database);
}

/* ---- connections ---- */

BasaltResult basalt_connect(BasaltDatabase *database, const BasaltConnectionOptions *options, BasaltConnection **connection_out,
                            BasaltError *error_out) {
    BasaltConnectionOptions o;
    Error err = {.position = ERROR_NO_POSITION};
    DialectId dialect = DIALECT_POSTGRES;
    options_read(&o, sizeof o, options);
    if (o.dialect != NULL && strcmp(o.dialect, "questdb") == 0) {
        dialect = DIALECT_QUESTDB;
    } else if (o.dialect != NULL && strcmp(o.dialect, "postgres") != 0) {
        (void)error_set(&err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "there is no dialect \"%s\"", o.dialect);
        error_fill(error_out, &err);
        return BASALT_FAILED;
    }
    SessionOptions session_options = {
        .dialect = dialect,
        .user_name = STR("postgres"),
        .application_name = str_from_c(o.application_name != NULL ? o.application_name : ""),
        .door = STR("api"),
        .memory_bytes = o.memory_bytes,
        .timeout_ms = o.timeout_ms,
        .workers = o.workers,
        .read_only = o.read_only,
    };
    BasaltConnection *connection = mem_calloc(1, sizeof *connection);
    connection->database = database;
    if (session_open(database->engine, &session_options, &connection->session, &err) != ERR_OK) {
        error_fill(error_out, &err);
        mem_free(connection);
        return BASALT_FAILED;
    }
    *connection_out = connection;
    return BASALT_OK;
}

void basalt_disconnect(BasaltConnection *connection) {
    if (connection == NULL) {
        return;
    }
    session_close(connection->session);
    mem_free(connection);
}

void basalt_cancel(BasaltConnection *connection) {
    session_cancel(connection->session);
}

const BasaltError *basalt_error(const BasaltConnection *connection) {
    return &connection->error;
}

bool basalt_in_transaction(const BasaltConnection *connection) {
    return session_in_transaction(connection->session);
}

/* ---- statements ---- */

static void describe_columns(BasaltStatement *s) {
    uint32_t count = statement_column_count(s->statement);
    const RelColumn *columns = statement_columns(s->statement);
    s->column_count = count;
    s->column_names = arena_array(&s->names, const char *, count);
    s->type_names = arena_array(&s->names, const char *, count);
    s->types = arena_array(&s->names, BasaltType, count);
    s->texts = arena_array(&s->names, Buffer, count);
    for (uint32_t i = 0; i < count; i++) {
        char name[64];
        size_t len = type_format_sql(name, sizeof name, columns[i].type);
        s->column_names[i] = arena_c_text(&s->names, columns[i].name);
        s->type_names[i] = arena_c_text(&s->names, str_from(name, len));
        s->types[i] = api__type((TypeId)columns[i].type.id);
        buffer_init(&s->texts[i], API_RESULT_BYTES_MAX);
    }
}

BasaltResult basalt_prepare(BasaltConnection *connection, const char *sql, size_t sql_len, BasaltStatement **statement_out, size_t *used_out) {
    Error err = {.position = ERROR_NO_POSITION};
    size_t used = 0;
    Str text = {sql, sql_len == BASALT_TO_NUL ? strlen(sql) : sql_len};
    Statement *statement = NULL;
    connection->error = (BasaltError){.position = -1};
    if (statement_prepare(connection->session, text, NULL, 0, &statement, &used, &err) != ERR_OK) {
        return api__fail(connection, &err);
    }
    BasaltStatement *s = mem_calloc(1, sizeof *s);
    s->connection = connection;
    s->statement = statement;
    s->row = -1;
    arena_init(&s->names, SIZE_MAX);
    arena_init(&s->batch_arena, SIZE_MAX);
    describe_columns(s);
    if (used_out != NULL) {
        *used_out = used;
    }
    *statement_out = s;
    return BASALT_OK;
}

void basalt_finalize(BasaltStatement *s) {
    if (s == NULL) {
        return;
    }
    for (uint32_t i = 0; i < s->column_count; i++) {
        buffer_deinit(&s->texts[i]);
    }
    statement_close(s->statement);
    arena_deinit(&s->batch_arena);
    arena_deinit(&s->names);
    mem_free(s->tag);
    mem_free(s);
}

BasaltResult basalt_reset(BasaltStatement *s) {
    Error err = {.position = ERROR_NO_POSITION};
    s->batch = NULL;
    s->row = -1;
    s->done = false;
    return statement_reset(s->statement, &err) == ERR_OK ? BASALT_OK : api__fail(s->connection, &err);
}

/* Next batch of the session that has a live row; s->batch = NULL at the end. */
static BasaltResult advance(BasaltStatement *s) {
    Error err = {.position = ERROR_NO_POSITION};
    if (s->done) {
        return BASALT_DONE;
    }
    do {
        if (statement_step(s->statement, &s->batch, &err) != ERR_OK) {
            s->batch = NULL;
            s->done = true;
            return api__fail(s->connection, &err);
        }
    } while (s->batch != NULL && s->batch->live_count == 0);
    s->done = s->batch == NULL;
    return s->done ? BASALT_DONE : BASALT_ROW;
}

BasaltResult basalt_step(BasaltStatement *s, const BasaltBatch **batch_out) {
    Error err = {.position = ERROR_NO_POSITION};
    if (batch_out != NULL) {
        *batch_out = NULL;
    }
    BasaltResult result = advance(s);
    if (result != BASALT_ROW || batch_out == NULL) {
        return result;
    }
    if (api__batch_export(s, &err) != ERR_OK) {
        return api__fail(s->connection, &err);
    }
    *batch_out = &s->public_batch;
    return BASALT_ROW;
}

BasaltResult basalt_execute(BasaltConnection *connection, const char *sql, size_t sql_len) {
    size_t left = sql_len == BASALT_TO_NUL ? strlen(sql) : sql_len;
    while (left > 0) {
        BasaltStatement *s = NULL;
        size_t used = 0;
        if (basalt_prepare(connection, sql, left, &s, &used) != BASALT_OK) {
            return BASALT_FAILED;
        }
        BasaltResult result;
        do {
            result = advance(s);
        } while (result == BASALT_ROW);
        basalt_finalize(s);
        if (result == BASALT_FAILED) {
            return BASALT_FAILED;
        }
        assert(used > 0);
        sql += used;
        left -= used;
    }
    return BASALT_OK;
}

/* ---- parameters ---- */

uint32_t basalt_parameter_count(const BasaltStatement *s) {
    return statement_param_count(s->statement);
}

static BasaltResult bind_value(BasaltStatement *s, uint32_t index, Value value) {
    Error err = {.position = ERROR_NO_POSITION};
    return statement_bind(s->statement, index, &value, &err) == ERR_OK ? BASALT_OK : api__fail(s->connection, &err);
}

/* Through the text form, which every type reads: the parameter's type is the binder's choice. */
static BasaltResult bind_as_text(BasaltStatement *s, uint32_t index, Str text) {
    Error err = {.position = ERROR_NO_POSITION};
    return statement_bind_text(s->statement, index, text, &err) == ERR_OK ? BASALT_OK : api__fail(s->connection, &err);
}

static BasaltResult check_index(BasaltStatement *s, uint32_t index) {
    Error err = {.position = ERROR_NO_POSITION};
    if (index < statement_param_count(s->statement)) {
        return BASALT_OK;
    }
    (void)error_set(&err, ERR_UNDEFINED_PARAMETER, ERROR_NO_POSITION, "there is no parameter $%u", index + 1);
    return api__fail(s->connection, &err);
}

BasaltResult basalt_bind_null(BasaltStatement *s, uint32_t index) {
    if (check_index(s, index) != BASALT_OK) {
        return BASALT_FAILED;
    }
    return bind_value(s, index, (Value){.type = statement_param_type(s->statement, index), .is_null = true});
}

BasaltResult basalt_bind_text(BasaltStatement *s, uint32_t index, const char *text, size_t len) {
    if (check_index(s, index) != BASALT_OK) {
        return BASALT_FAILED;
    }
    return bind_as_text(s, index, (Str){text, len == BASALT_TO_NUL ? strlen(text) : len});
}

BasaltResult basalt_bind_bool(BasaltStatement *s, uint32_t index, bool value) {
    return basalt_bind_text(s, index, value ? "true" : "false", BASALT_TO_NUL);
}

BasaltResult basalt_bind_int64(BasaltStatement *s, uint32_t index, int64_t value) {
    char text[INT64_TEXT_MAX];
    if (check_index(s, index) != BASALT_OK) {
        return BASALT_FAILED;
    }
    Type type = statement_param_type(s->statement, index);
    if (type.id == TYPE_INT8) {
        return bind_value(s, index, (Value){.type = type, .as.i64 = value});
    }
    return bind_as_text(s, index, str_from(text, format_int64(text, value)));
}

BasaltResult basalt_bind_double(BasaltStatement *s, uint32_t index, double value) {
    char text[DOUBLE_TEXT_MAX];
    if (check_index(s, index) != BASALT_OK) {
        return BASALT_FAILED;
    }
    Type type = statement_param_type(s->statement, index);
    if (type.id == TYPE_FLOAT8) {
        return bind_value(s, index, (Value){.type = type, .as.f64 = value});
    }
    return bind_as_text(s, index, str_from(text, format_double(text, value, DOUBLE_POSTGRES)));
}

BasaltResult basalt_bind_timestamp(BasaltStatement *s, uint32_t index, int64_t micros_utc) {
    char text[TIMESTAMP_TEXT_MAX];
    if (check_index(s, index) != BASALT_OK) {
        return BASALT_FAILED;
    }
    Type type = statement_param_type(s->statement, index);
    if (type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMPTZ) {
        return bind_value(s, index, (Value){.type = type, .as.i64 = micros_utc});
    }
    return bind_as_text(s, index, str_from(text, timestamp_format_iso(text, micros_utc, 6)));
}

/* ---- columns ---- */

uint32_t basalt_column_count(const BasaltStatement *s) {
    return s->column_count;
}

const char *basalt_column_name(const BasaltStatement *s, uint32_t column) {
    assert(column < s->column_count);
    return s->column_names[column];
}

BasaltType basalt_column_type(const BasaltStatement *s, uint32_t column) {
    assert(column < s->column_count);
    return s->types[column];
}

const char *basalt_column_type_name(const BasaltStatement *s, uint32_t column) {
    assert(column < s->column_count);
    return s->type_names[column];
}

uint64_t basalt_affected_rows(const BasaltStatement *s) {
    return statement_affected_rows(s->statement);
}

const char *basalt_tag(const BasaltStatement *s) {
    BasaltStatement *mutable = (BasaltStatement *)(uintptr_t)s; /* the text is made on demand */
    Str tag = statement_tag(s->statement);
    mutable->tag = mem_realloc(mutable->tag, tag.len + 1);
    memcpy(mutable->tag, tag.data, tag.len);
    mutable->tag[tag.len] = '\0';
    return mutable->tag;
}
