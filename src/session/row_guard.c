/* SPDX-License-Identifier: Apache-2.0
 * row_guard.c - CHECK constraints and index expressions over rows that are about to be stored, whichever door they came through.
 *
 * How:     the table's expressions are bound and planned once a transaction and version of the table, as a SELECT over it; its rows come
 *          from the blocks at hand (block_source.c).
 * Errors:  23514 with the row in its detail, as PostgreSQL says it.
 * Threads: a guard belongs to its transaction. Tests: test/sql/keys.slt */
#include "catalog/user_type.h"
#include "column/value_text.h"
#include "session/session_internal.h"

enum { GUARD_ARENA_BYTES = 64 << 20, GUARD_EXPRESSIONS_MAX = 10000 };

/* ---- the guard ---- */

typedef struct Guarded {         /* one table's expressions, compiled */
    uint32_t table_id;
    uint64_t version;
    TableExpression *expressions;
    const DomainFailure **domains;  /* one an expression, NULL: the table's own */
    uint32_t expression_count, capacity;
    uint32_t domain_count;       /* of them checks of domains, first */
    uint32_t check_count;        /* and all checks */
    TableDef table;              /* without its symbols' order, time and statistics: a plain list of columns */
    Plan *plan;
    Arena arena, plan_arena;
    struct Guarded *next;
} Guarded;

typedef struct Guard {
    RowGuard base;
    Txn *txn;
    Engine *engine;
    BlockSource source;
    Guarded *tables;
    FunctionEnvironment environment;
    SystemView system;           /* names of types and labels in the expressions */
    Arena names;
    Mutex lock;
    ColumnBuilder *computed;     /* of the last call */
    uint16_t computed_count;
    Random random;
} Guard;

static int64_t read_clock(void *clock) { return ((Clock *)clock)->wall_micros(clock); }

static ErrorCode add_expression(Guarded *guarded, TableExpression expression, const DomainFailure *domain, Error *err) {
    if (guarded->expression_count == GUARD_EXPRESSIONS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "a table has at most %d checks and index expressions", GUARD_EXPRESSIONS_MAX);
    }
    if (guarded->expression_count == guarded->capacity) {
        guarded->capacity = guarded->capacity == 0 ? 16 : guarded->capacity * 2;
        TableExpression *wider = arena_array(&guarded->arena, TableExpression, guarded->capacity);
        const DomainFailure **domains = arena_array(&guarded->arena, const DomainFailure *, guarded->capacity);
        if (guarded->expression_count > 0) {
            memcpy(wider, guarded->expressions, sizeof *wider * guarded->expression_count);
            memcpy(domains, guarded->domains, sizeof *domains * guarded->expression_count);
        }
        guarded->expressions = wider;
        guarded->domains = domains;
    }
    guarded->domains[guarded->expression_count] = domain;
    guarded->expressions[guarded->expression_count++] = expression;
    return ERR_OK;
}

/* What the domains of a column ask of it. */
static ErrorCode add_domains(Guard *guard, Guarded *guarded, const ColumnDef *column, uint16_t number, Error *err) {
    CatalogView *catalog = txn_catalog(guard->txn);
    uint32_t id = column->domain_id;
    const CatalogObject *object = NULL;
    const CatalogObject *domain = id == 0 ? NULL : catalog->object_by_id(catalog, id); /* errors name this one */
    const CatalogObject *schema = domain == NULL ? NULL : catalog->object_by_id(catalog, domain->schema_id);
    TypeBody body;
    while (catalog_domain_next(catalog, &id, &guarded->arena, &body, &object)) {
        for (uint32_t i = 0; i < body.check_count + (uint32_t)body.not_null; i++) {
            bool check = i < body.check_count;
            DomainFailure *failure = arena_new(&guarded->arena, DomainFailure);
            *failure = (DomainFailure){schema == NULL ? (Str){0} : schema->name, domain->name, check ? body.checks[i].name : (Str){0}};
            TableExpression expression = {check ? body.checks[i].text : STR("VALUE IS NOT NULL"), body.dialect, type_of(TYPE_BOOL), (int16_t)(number + 1)};
            TRY(add_expression(guarded, expression, failure, err));
        }
    }
    return ERR_OK;
}

/* Checks of the domains, then of the table, then the values of index expressions. */
static ErrorCode gather_expressions(Guard *guard, Guarded *guarded, const TableDef *table, Error *err) {
    for (uint16_t i = 0; i < table->column_count; i++) {
        TRY(add_domains(guard, guarded, &table->columns[i], i, err));
    }
    guarded->domain_count = guarded->expression_count;
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        const ConstraintDef *constraint = &table->constraints[i];
        if (constraint->kind == CONSTRAINT_CHECK) {
            TRY(add_expression(guarded, (TableExpression){.text = constraint->text, .dialect = constraint->dialect, .type = type_of(TYPE_BOOL)}, NULL, err));
        }
    }
    guarded->check_count = guarded->expression_count;
    for (uint16_t i = 0; i < table->computed_count; i++) {
        const ColumnDef *column = &table->columns[table->column_count + i];
        TRY(add_expression(guarded, (TableExpression){.text = column->default_text, .dialect = column->default_dialect, .type = column->type}, NULL, err));
    }
    return ERR_OK;
}

static ErrorCode compile(Guard *guard, const TableDef *table, Guarded *guarded, Error *err) {
    TRY(gather_expressions(guard, guarded, table, err));
    guarded->table = *table;
    guarded->table.designated = -1; /* rows come as they lie */
    BindContext context = {.catalog = txn_catalog(guard->txn), .environment = &guard->environment};
    BoundStatement *bound = NULL;
    TRY(bind_table_expressions(&context, &guarded->table, guarded->expressions, guarded->expression_count, &guarded->arena, &bound, err));
    PlanOptions options = {.environment = &guard->environment};
    return plan_create(bound, &options, &guarded->plan_arena, &guarded->plan, err);
}

static void guarded_free(Guarded *guarded) {
    arena_deinit(&guarded->arena);
    arena_deinit(&guarded->plan_arena);
    mem_free(guarded);
}

static ErrorCode guarded_of(Guard *guard, const TableDef *table, Guarded **guarded_out, Error *err) {
    for (Guarded *known = guard->tables; known != NULL; known = known->next) {
        if (known->table_id == table->id && known->version == table->version) {
            *guarded_out = known;
            return ERR_OK;
        }
    }
    Guarded *guarded = mem_calloc(1, sizeof *guarded);
    guarded->table_id = table->id;
    guarded->version = table->version;
    arena_init(&guarded->arena, GUARD_ARENA_BYTES);
    arena_init(&guarded->plan_arena, GUARD_ARENA_BYTES);
    ErrorCode code = compile(guard, table, guarded, err);
    if (code != ERR_OK) {
        guarded_free(guarded);
        return code;
    }
    guarded->next = guard->tables;
    guard->tables = guarded;
    *guarded_out = guarded;
    return ERR_OK;
}

/* ---- saying which row ---- */

static void put_cell(Buffer *out, const ColumnDef *column, const ColumnBlock *block, uint32_t row, const TextStyle *style) {
    if (block->valid != NULL && !bit_get(block->valid, row)) {
        buffer_append_str(out, STR("null"));
    } else if (column->type.id == TYPE_SYMBOL) {
        buffer_append_str(out, column->symbols->text(column->symbols, ((const int32_t *)block->data)[row]));
    } else if (type_physical((TypeId)column->type.id) == PHYS_BIT) {
        uint8_t bit = bit_get(block->data, row);
        value_format(column->type, &bit, style, out);
    } else {
        value_format(column->type, (const uint8_t *)block->data + physical_bytes(type_physical((TypeId)column->type.id)) * row, style, out);
    }
}

static void add_row(const Guard *guard, const TableDef *table, const ColumnBlock *columns, uint32_t row, Error *err) {
    TextStyle style = {.names = guard->environment.names};
    Buffer text;
    buffer_init(&text, 1 << 20);
    for (uint16_t i = 0; i < table->column_count && text.len < ERROR_FIELD_BYTES; i++) {
        buffer_append_str(&text, i > 0 ? STR(", ") : (Str){0});
        put_cell(&text, &table->columns[i], &columns[i], row, &style);
    }
    error_ignore(error_add(err, 'D', "Failing row contains (%.*s).", (int)MIN_OF(text.len, (size_t)500), (const char *)text.data));
    buffer_deinit(&text);
}

static ErrorCode null_row(RowGuard *base, const TableDef *table, const ColumnBlock *columns, Error *err) {
    for (uint32_t row = 0; row < columns[0].row_count; row++) {
        for (uint16_t i = 0; i < table->column_count; i++) {
            if (!table->columns[i].not_null || columns[i].valid == NULL || bit_get(columns[i].valid, row)) {
                continue;
            }
            error_ignore(error_set(err, ERR_NOT_NULL_VIOLATION, ERROR_NO_POSITION, "null value in column \"%.*s\" of relation \"%.*s\" violates not-null constraint",
                                   STR_ARG(table->columns[i].name), STR_ARG(table->name)));
            add_row((Guard *)base, table, columns, row, err);
            error_ignore(error_add(err, 's', "%.*s", STR_ARG(table->schema_name)));
            error_ignore(error_add(err, 't', "%.*s", STR_ARG(table->name)));
            error_ignore(error_add(err, 'c', "%.*s", STR_ARG(table->columns[i].name)));
            return ERR_NOT_NULL_VIOLATION;
        }
    }
    return ERR_NOT_NULL_VIOLATION; /* as it was said */
}

static ErrorCode violated(const Guard *guard, const TableDef *table, uint32_t check, const ColumnBlock *columns, uint32_t row, Error *err) {
    const ConstraintDef *constraint = NULL;
    for (uint16_t i = 0; i < table->constraint_count; i++) {
        if (table->constraints[i].kind == CONSTRAINT_CHECK && check-- == 0) {
            constraint = &table->constraints[i];
            break;
        }
    }
    assert(constraint != NULL);
    ErrorCode code = error_set(err, ERR_CHECK_VIOLATION, ERROR_NO_POSITION, "new row for relation \"%.*s\" violates check constraint \"%.*s\"", STR_ARG(table->name),
                               STR_ARG(constraint->name));
    add_row(guard, table, columns, row, err);
    error_ignore(error_add(err, 's', "%.*s", STR_ARG(table->schema_name)));
    error_ignore(error_add(err, 't', "%.*s", STR_ARG(table->name)));
    error_ignore(error_add(err, 'n', "%.*s", STR_ARG(constraint->name)));
    return code;
}

/* ---- looking ---- */

static void computed_clear(Guard *guard) {
    for (uint16_t i = 0; i < guard->computed_count; i++) {
        column_builder_deinit(&guard->computed[i]);
    }
    mem_free(guard->computed);
    guard->computed = NULL;
    guard->computed_count = 0;
}

static void computed_begin(Guard *guard, const TableDef *table) {
    computed_clear(guard);
    guard->computed = mem_calloc(table->computed_count + 1u, sizeof *guard->computed);
    guard->computed_count = table->computed_count;
    for (uint16_t i = 0; i < table->computed_count; i++) {
        column_builder_init(&guard->computed[i], table->columns[table->column_count + i].type);
    }
}

static ErrorCode take_batch(Guard *guard, const Guarded *guarded, const TableDef *table, const ColumnBlock *columns, Batch *batch, uint32_t *row, Arena *arena,
                            Error *err) {
    for (uint16_t c = 0; c < batch->column_count; c++) {
        TRY(vector_dense(&batch->columns[c], arena, err));
        batch->columns[c].row_count = batch->row_count;
        if (c >= guarded->check_count) {
            column_builder_batch(&guard->computed[c - guarded->check_count], &batch->columns[c], batch->live, batch->row_count);
            continue;
        }
        for (uint16_t r = 0; r < batch->row_count; r++) {
            if (!vector_is_null(&batch->columns[c], r) && !vector_bool(&batch->columns[c], r)) {
                return guarded->domains[c] != NULL ? domain_failure(guarded->domains[c], err)
                                                   : violated(guard, table, c - guarded->domain_count, columns, *row + r, err);
            }
        }
    }
    *row += batch->row_count;
    return ERR_OK;
}

static ErrorCode look(RowGuard *base, const TableDef *table, const ColumnBlock *columns, ColumnBlock *computed_out, Error *err) {
    Guard *guard = (Guard *)base;
    Guarded *guarded = NULL;
    TRY(guarded_of(guard, table, &guarded, err));
    computed_begin(guard, table);
    guard->source.blocks = columns;
    RunContext context = {.storage = &guard->source.storage, .environment = &guard->environment, .workers = 1};
    Run *run = NULL;
    Arena arena;
    arena_init(&arena, GUARD_ARENA_BYTES);
    uint32_t row = 0;
    ErrorCode code = columns[0].row_count == 0 ? ERR_OK : run_open(guarded->plan, &context, &run, err);
    while (code == ERR_OK && run != NULL) {
        Batch *batch = NULL;
        code = run_next(run, &batch, err);
        if (code != ERR_OK || batch == NULL) {
            break;
        }
        arena_reset(&arena);
        code = take_batch(guard, guarded, table, columns, batch, &row, &arena, err);
    }
    run_close(run);
    arena_deinit(&arena);
    for (uint16_t i = 0; i < table->computed_count; i++) {
        computed_out[i] = column_builder_block(&guard->computed[i]);
    }
    return code;
}

static void destroy(RowGuard *base) {
    Guard *guard = (Guard *)base;
    computed_clear(guard);
    for (Guarded *guarded = guard->tables; guarded != NULL;) {
        Guarded *next = guarded->next;
        guarded_free(guarded);
        guarded = next;
    }
    Sched *sched = engine_os(guard->engine)->sched;
    sched->mutex_deinit(sched, &guard->lock);
    arena_deinit(&guard->names);
    mem_free(guard);
}

static RowGuard *make(Txn *txn) {
    Guard *guard = mem_calloc(1, sizeof *guard);
    Engine *engine = txn_engine(txn);
    Clock *clock = engine_os(engine)->clock;
    guard->base = (RowGuard){look, null_row, destroy};
    guard->txn = txn;
    session__block_source_init(&guard->source);
    random_init(&guard->random, (uint64_t)clock->wall_micros(clock));
    guard->environment = (FunctionEnvironment){.now_micros = clock->wall_micros(clock), .clock_micros = read_clock, .clock = clock, .random = &guard->random,
                                               .zone_load = os_zone_load, .zone_find = os_zone_find, .database_name = STR("basalt"), .schema_name = STR("public")};
    Sched *sched = engine_os(engine)->sched;
    guard->engine = engine;
    sched->mutex_init(sched, &guard->lock);
    arena_init(&guard->names, GUARD_ARENA_BYTES);
    system_view_init(&guard->system, &guard->names, txn_catalog(txn), txn_storage(txn), &guard->environment, sched, &guard->lock);
    guard->environment.names = &guard->system.names;
    return &guard->base;
}

void session_guard_rows(Engine *engine) { engine_set_guard_maker(engine, make); }
