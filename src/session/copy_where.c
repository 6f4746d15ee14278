/* SPDX-License-Identifier: Apache-2.0
 * copy_where.c - COPY ... FROM ... WHERE: of each block of rows those that pass.
 *
 * How:   the condition is bound and planned once a COPY, as one boolean a row over the blocks at hand. Columns that the data does not have
 *        come with their defaults, as in PostgreSQL.
 * Tests: test/pg/copying.py */
#include "session/session_internal.h"

struct CopyWhere {
    Statement *statement;
    TableDef table;              /* without its order and statistics: a plain list of columns */
    Plan *plan;
    BlockSource source;
};

ErrorCode copy_where__open(Statement *statement, const TableDef *table, const AstExpr *condition, CopyWhere **where_out, Error *err) {
    CopyWhere *where = arena_new(&statement->arena, CopyWhere);
    BoundStatement *bound = NULL;
    where->statement = statement;
    where->table = *table;
    where->table.designated = -1; /* rows come as they lie */
    session__block_source_init(&where->source);
    BindContext context = {.catalog = &statement->system.base, .environment = &statement->environment, .text = statement->text, .dialect = statement->session->dialect};
    TRY(bind_copy_condition(&context, &where->table, condition, &statement->arena, &bound, err));
    PlanOptions options = {.environment = &statement->environment};
    TRY(plan_create(bound, &options, &statement->arena, &where->plan, err));
    *where_out = where;
    return ERR_OK;
}

static void keep(const CopyWhere *where, const ColumnBlock *blocks, uint32_t at, uint16_t rows, const uint64_t *live, ColumnBuilder *kept) {
    for (uint16_t c = 0; c < where->table.column_count; c++) {
        Vector vector = session__block_vector(&blocks[c], at, rows);
        column_builder_batch(&kept[c], &vector, live, rows);
    }
}

static ErrorCode take_answers(CopyWhere *where, Batch *batch, const ColumnBlock *blocks, uint32_t *at, ColumnBuilder *kept, uint32_t *rows, Error *err) {
    uint64_t live[BATCH_WORDS] = {0};
    assert(batch->live == NULL && *at % BATCH_ROWS == 0);
    TRY(vector_dense(&batch->columns[0], &where->statement->batch_arena, err));
    for (uint16_t row = 0; row < batch->row_count; row++) {
        if (!vector_is_null(&batch->columns[0], row) && vector_bool(&batch->columns[0], row)) {
            bit_set(live, row);
        }
    }
    keep(where, blocks, *at, batch->row_count, live, kept);
    *rows += bits_count(live, batch->row_count);
    *at += batch->row_count;
    return ERR_OK;
}

ErrorCode copy_where__filter(CopyWhere *where, const ColumnBlock *blocks, ColumnBuilder *kept, uint32_t *rows_out, Error *err) {
    RunContext context = {.storage = &where->source.storage, .environment = &where->statement->environment, .workers = 1};
    Run *run = NULL;
    uint32_t at = 0;
    *rows_out = 0;
    where->source.blocks = blocks;
    ErrorCode code = run_open(where->plan, &context, &run, err);
    while (code == ERR_OK) {
        Batch *batch = NULL;
        code = run_next(run, &batch, err);
        if (code != ERR_OK || batch == NULL) {
            break;
        }
        arena_reset(&where->statement->batch_arena);
        code = take_answers(where, batch, blocks, &at, kept, rows_out, err);
    }
    run_close(run);
    return code;
}
