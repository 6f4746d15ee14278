/* SPDX-License-Identifier: Apache-2.0
 * bind_sample.c - SAMPLE BY: buckets of the designated timestamp, keys implied by the select list, FILL, FROM-TO, ALIGN TO. */
#include "sql/bind/bind_internal.h"

/* ---------------------------------------------------------------- step, alignment */

static const char unit_letters[] = "nUTsmhdwMy";

static ErrorCode sample_step(Binder *b, const AstSampleBy *ast, Rel *rel) {
    const char *unit = strchr(unit_letters, ast->unit.data[0]);
    assert(ast->unit.len == 1);
    assert(unit != NULL);
    rel->as.sample.unit = (uint8_t)(unit - unit_letters);
    const AstExpr *step = ast_variable(b, ast->step);
    bool suffixed = step->kind == AST_NUMBER && (step->flags & AST_SUFFIXED) != 0;
    if (!suffixed && step->kind != AST_INTEGER) {
        return not_supported(b, ast->step->span.at, "SAMPLE BY with a step that is no number");
    }
    Str digits = suffixed ? str_slice(step->as.text, 0, step->as.text.len - 1) : step->as.text;
    int64_t number = 0;
    bool overflow = false;
    if (!parse_int64(digits, &number, &overflow) || number < 1) {
        return error_set(b->err, ERR_INVALID_PARAMETER, ast->step->span.at, "SAMPLE BY needs a positive step");
    }
    rel->as.sample.step = number;
    return ERR_OK;
}

static ErrorCode text_of(Binder *b, const AstExpr *ast, const char *what, Str *text_out) {
    const AstExpr *expr = ast_variable(b, ast);
    if (expr->kind != AST_STRING) {
        return not_supported(b, ast->span.at, "%s that is no text constant", what);
    }
    *text_out = expr->as.text;
    return ERR_OK;
}

static ErrorCode sample_zone(Binder *b, const AstExpr *ast, Rel *rel) {
    Str name = {0};
    int32_t offset = 0;
    TRY(text_of(b, ast, "a time zone", &name));
    if (zone_parse_offset(name, &offset)) {
        rel->as.sample.zone = zone_fixed(b->arena, offset);
        return ERR_OK;
    }
    const FunctionEnvironment *environment = b->context->environment;
    Error reason;
    ErrorCode code = ERR_INVALID_PARAMETER;
    if (environment != NULL && environment->zone_load != NULL) {
        code = environment->zone_load(name, b->arena, &rel->as.sample.zone, &reason);
    }
    if (code != ERR_OK) {
        return error_set(b->err, ERR_INVALID_PARAMETER, ast->span.at, "time zone \"%.*s\" is not known", STR_ARG(name));
    }
    return ERR_OK;
}

static ErrorCode sample_offset(Binder *b, const AstExpr *ast, Rel *rel) {
    Str text = {0};
    int32_t seconds = 0;
    TRY(text_of(b, ast, "an offset", &text));
    bool negative = text.len > 0 && text.data[0] == '-';
    bool sign = negative || (text.len > 0 && text.data[0] == '+');
    Str clock = sign ? text : arena_format(b->arena, "+%.*s", STR_ARG(text));
    if (!zone_parse_offset(clock, &seconds)) {
        return error_set(b->err, ERR_INVALID_PARAMETER, ast->span.at, "offset '%.*s' is not of the form ±hh:mm", STR_ARG(text));
    }
    rel->as.sample.offset_micros = (int64_t)seconds * MICROS_PER_SECOND;
    return ERR_OK;
}

static ErrorCode sample_align(Binder *b, const AstSampleBy *ast, Rel *rel) {
    rel->as.sample.first_observation = ast->align == AST_ALIGN_FIRST_OBSERVATION;
    if (ast->time_zone != NULL) {
        TRY(sample_zone(b, ast->time_zone, rel));
    }
    return ast->offset != NULL ? sample_offset(b, ast->offset, rel) : ERR_OK;
}

static ErrorCode sample_bound(Binder *b, const AstExpr *ast, Type type, const Expr **expr_out) {
    if (ast == NULL) {
        return ERR_OK;
    }
    Scope none = {.clause = "SAMPLE BY FROM TO"};
    TRY(bind_expr(b, &none, ast, expr_out));
    return coerce(b, *expr_out, type, CAST_ASSIGNMENT, expr_out);
}

/* ---------------------------------------------------------------- FILL */

static bool word_is(const AstExpr *ast, Str word) {
    return ast->kind == AST_NAME && ast->as.names.count == 1 && !ast->as.names.parts[0].quoted && str_equal_ignore_case(ast->as.names.parts[0].text, word);
}

static ErrorCode fill_of(Binder *b, const AstExpr *ast, Type type, FillSpec *fill) {
    if (word_is(ast, STR("none"))) {
        fill->kind = FILL_NONE;
    } else if (ast->kind == AST_NULL) {
        fill->kind = FILL_NULL;
    } else if (word_is(ast, STR("prev"))) {
        fill->kind = FILL_PREV;
    } else if (word_is(ast, STR("linear"))) {
        fill->kind = FILL_LINEAR;
        if (type_category((TypeId)type.id) != CAT_NUMBER) {
            return error_set(b->err, ERR_DATATYPE_MISMATCH, ast->span.at, "FILL(LINEAR) needs a number, not %.*s", STR_ARG(type_name(b, type)));
        }
    } else if (ast->kind == AST_CALL && str_equal(ast->as.text, STR("prev"))) {
        return not_supported(b, ast->span.at, "FILL(PREV(column))");
    } else {
        Scope none = {.clause = "FILL"};
        fill->kind = FILL_VALUE;
        TRY(bind_expr(b, &none, ast, &fill->value));
        return coerce(b, fill->value, type, CAST_EXPLICIT, &fill->value);
    }
    return ERR_OK;
}

static void items_of_aggregate(const SelectState *s, uint32_t aggregate, uint32_t *item_out) {
    uint32_t nth = 0;
    *item_out = UINT32_MAX;
    for (uint32_t i = 0; i < s->visible_count; i++) {
        if (!reads_aggregate(s, s->items[i].expr)) {
            continue;
        }
        if (reads_column(s->items[i].expr, s->aggregates.ids[aggregate]) && *item_out == UINT32_MAX) {
            *item_out = nth;
        }
        nth++;
    }
}

static uint32_t count_aggregate_items(const SelectState *s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->visible_count; i++) {
        count += reads_aggregate(s, s->items[i].expr);
    }
    return count;
}

/* One FILL for all, or one for each column of the select list that has an aggregate. */
static ErrorCode sample_fills(Binder *b, SelectState *s, const AstSampleBy *ast, Rel *rel) {
    uint32_t count = s->aggregates.count;
    if (!ast->has_fill || count == 0) {
        return ERR_OK;
    }
    uint32_t items = count_aggregate_items(s);
    if (ast->fill_count != 1 && ast->fill_count != items) {
        return error_set(b->err, ERR_SYNTAX, ast->fill_span.at, "FILL has %u values for %u aggregates", ast->fill_count, items);
    }
    FillSpec *fills = arena_array(b->arena, FillSpec, count);
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t nth = 0;
        items_of_aggregate(s, i, &nth);
        const AstExpr *value = ast_variable(b, ast->fill[ast->fill_count == 1 || nth >= ast->fill_count ? 0 : nth]);
        TRY(fill_of(b, value, s->aggregates.items[i].type, &fills[i]));
        any = any || fills[i].kind != FILL_NONE;
    }
    rel->as.sample.fills = any ? fills : NULL;
    return ERR_OK;
}

/* ---------------------------------------------------------------- the query */

static ErrorCode sample_timestamp(Binder *b, SelectState *s, const Expr **expr_out) {
    ColumnId id = s->timestamp;
    for (uint32_t i = 0; i < s->scope.count && id != 0; i++) {
        if (s->scope.columns[i].id == id) {
            *expr_out = expr_column(b, id, s->scope.columns[i].type, s->ast->sample_by->span.at);
            return ERR_OK;
        }
    }
    return error_set(b->err, ERR_INVALID_COLUMN_REFERENCE, s->ast->sample_by->span.at, "SAMPLE BY needs a designated timestamp in FROM");
}

static void sample_columns(Binder *b, SelectState *s, Rel *rel, const Expr *timestamp, ColumnId bucket, const ColumnId *key_ids) {
    RelColumn *columns = rel_columns(rel);
    columns[0] = (RelColumn){.id = bucket, .type = timestamp->type, .name = STR("timestamp"), .table_column = -1};
    for (uint32_t i = 0; i < rel->as.sample.key_count; i++) {
        columns[1 + i] = (RelColumn){.id = key_ids[i], .type = rel->as.sample.keys[i]->type, .name = STR("key"), .table_column = -1};
        columns[1 + i].symbols = b->column_symbols[key_ids[i]];
    }
    (void)aggregate_columns(b, s, columns + 1 + rel->as.sample.key_count);
}

ErrorCode sample_query(Binder *b, SelectState *s) {
    const AstSampleBy *ast = s->ast->sample_by;
    const Expr *timestamp = NULL;
    Rel *rel = NULL;
    TRY(sample_timestamp(b, s, &timestamp));
    if (s->aggregates.count == 0) {
        return error_set(b->err, ERR_GROUPING, ast->span.at, "at least one aggregation function must be present in the select list of SAMPLE BY");
    }
    for (uint32_t i = 0; i < s->visible_count; i++) {
        TRY(coerce_known(b, s->items[i].expr, &s->items[i].expr));
        collect_groups(b, s, s->items[i].expr, timestamp->as.column);
    }
    uint32_t key_count = s->group_count;
    const Expr **keys = s->groups;
    const ColumnId *key_ids = s->group_ids;
    TRY(rel_new(b, REL_SAMPLE, 1 + key_count + s->aggregates.count, ast->span.at, &rel));
    TRY(sample_step(b, ast, rel));
    TRY(sample_align(b, ast, rel));
    TRY(sample_bound(b, ast->from, timestamp->type, &rel->as.sample.from));
    TRY(sample_bound(b, ast->to, timestamp->type, &rel->as.sample.to));
    if (rel->as.sample.first_observation && (ast->from != NULL || ast->to != NULL)) {
        return error_set(b->err, ERR_SYNTAX, ast->span.at, "FROM-TO intervals are not supported with ALIGN TO FIRST OBSERVATION");
    }
    TRY(sample_fills(b, s, ast, rel));
    add_group(b, s, timestamp); /* what reads the timestamp above reads the bucket */
    ColumnId bucket = s->group_ids[s->group_count - 1];
    s->grouped = true;
    TRY(regroup_all(b, s));
    rel->inputs[0] = s->rel;
    rel->as.sample.timestamp = timestamp;
    rel->as.sample.keys = keys;
    rel->as.sample.key_count = (uint16_t)key_count;
    rel->as.sample.aggregates = s->aggregates.items;
    rel->as.sample.aggregate_count = (uint16_t)s->aggregates.count;
    sample_columns(b, s, rel, timestamp, bucket, key_ids);
    rel->order_column = bucket;
    s->rel = rel;
    s->timestamp = bucket;
    return ERR_OK;
}
