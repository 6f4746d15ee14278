/* SPDX-License-Identifier: Apache-2.0
 * parse_create.c - CREATE TABLE in both spellings, CTAS in both, and what QuestDB writes behind the columns.
 *
 * Tests: test/unit/sql/parse/test_deparse.c */
#include "sql/parse/parse_internal.h"

/* ---------------------------------------------------------------- options: (a = b, c) and a = b, c = d */

ErrorCode parse__option_value(Parser *p, AstExpr **value_out) {
    if (p->token.kind == TOKEN_SUFFIXED) {
        return parse__span_literal(p, value_out, "a value");
    }
    if (parse__at_operator(p, "*")) { /* COPY (FORCE_QUOTE *) */
        Span star = parse__span(p);
        parse__advance(p);
        return parse__new_text(p, AST_STRING, star, STR("*"), value_out);
    }
    bool word = parse__at_label(p) && !parse__peek_mark(p, "(") && !parse__at_keyword(p, KW_NULL) && !parse__at_keyword(p, KW_TRUE) &&
                !parse__at_keyword(p, KW_FALSE);
    if (!word) {
        return parse__expr_above(p, 7, value_out);
    }
    Span span = parse__span(p);
    Str text = p->token.text;
    parse__advance(p);
    return parse__new_text(p, AST_STRING, span, text, value_out);
}

static ErrorCode parse_option(Parser *p, AstOption *option) {
    AstName first = {0};
    TRY(parse__label(p, &first, "an option"));
    option->name = first;
    if (parse__at_mark(p, ".")) {
        parse__advance(p);
        TRY(parse__label(p, &first, "an option"));
        option->name.text = arena_format(p->arena, "%.*s.%.*s", STR_ARG(option->name.text), STR_ARG(first.text));
    }
    if (parse__at_operator(p, "=")) {
        parse__advance(p);
        return parse__option_value(p, &option->value);
    }
    if (!parse__at_mark(p, ",") && !parse__at_mark(p, ")") && !parse__at_mark(p, ";") && p->token.kind != TOKEN_END) {
        return parse__option_value(p, &option->value); /* EXPLAIN (FORMAT json), COPY (HEADER true) */
    }
    return ERR_OK;
}

ErrorCode parse__bare_options(Parser *p, AstOption **options_out, uint32_t *count_out) {
    size_t mark = list_begin(p);
    do {
        AstOption option = {0};
        TRY(parse_option(p, &option));
        list_push(p, &option, sizeof option);
    } while (parse__accept_mark(p, ","));
    *options_out = list_end(p, mark, AstOption, count_out);
    return ERR_OK;
}

ErrorCode parse__options(Parser *p, AstOption **options_out, uint32_t *count_out) {
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    TRY(parse__bare_options(p, options_out, count_out));
    return parse__expect_close(p, open);
}

/* ---------------------------------------------------------------- what stands between the parentheses */

static ErrorCode parse_like_table(Parser *p, AstCreateTable *table) {
    AstNames names = {0};
    parse__advance(p);
    TRY(parse__table_name(p, &names));
    while (parse__accept_keyword(p, KW_INCLUDING) || parse__accept_keyword(p, KW_EXCLUDING)) {
        if (!parse__at_label(p)) {
            return parse__expected(p, "what to include");
        }
        parse__advance(p);
    }
    AstNames *list = arena_array(p->arena, AstNames, table->like_count + 1);
    if (table->like_count > 0) {
        memcpy(list, table->like, table->like_count * sizeof *list);
    }
    list[table->like_count++] = names;
    table->like = list;
    return ERR_OK;
}

static bool at_table_constraint(Parser *p) {
    switch (p->token.kind == TOKEN_WORD ? (Keyword)p->token.keyword : NO_KEYWORD) {
    case KW_CONSTRAINT:
    case KW_PRIMARY:
    case KW_UNIQUE:
    case KW_CHECK:
    case KW_FOREIGN: return true;
    case KW_EXCLUDE: return parse__peek_keyword(p, KW_USING) || parse__peek_mark(p, "(");
    default: return false;
    }
}

static ErrorCode parse_table_elements(Parser *p, AstCreateTable *table) {
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    Buffer constraints;
    buffer_init(&constraints, SQL_TEXT_BYTES_MAX);
    ErrorCode code = ERR_OK;
    size_t mark = list_begin(p);
    if (!parse__at_mark(p, ")")) {
        do {
            bool found = false;
            if (parse__at_keyword(p, KW_LIKE)) {
                TRY_OR(done, parse_like_table(p, table));
            } else if (at_table_constraint(p)) {
                AstConstraint constraint = {0};
                TRY_OR(done, parse__constraint(p, true, &found, &constraint));
                buffer_append(&constraints, &constraint, sizeof constraint);
            } else {
                AstColumn column = {0};
                TRY_OR(done, parse__column(p, &column));
                list_push(p, &column, sizeof column);
            }
        } while (parse__accept_mark(p, ","));
    }
    table->columns = list_end(p, mark, AstColumn, &table->column_count);
    mark = list_begin(p);
    list_push(p, constraints.data, constraints.len);
    table->constraints = list_end(p, mark, AstConstraint, &table->constraint_count);
    code = parse__expect_close(p, open);
done:
    buffer_deinit(&constraints);
    return code;
}

/* Name list before AS: CREATE TABLE t (a, b) AS SELECT ... */
static bool at_bare_column_list(Parser *p) {
    /* a lone name is followed by , or ); a column has a type. Two tokens ahead are needed: look with a copy of the lexer. */
    if (!parse__at_mark(p, "(")) {
        return false;
    }
    Token name = *parse__peek(p);
    Lexer lexer = p->lexer;
    if (name.kind != TOKEN_WORD && name.kind != TOKEN_QUOTED) {
        return false;
    }
    Token behind = {0};
    lexer.err = NULL;
    lexer_next(&lexer, &behind);
    return token_is(&behind, TOKEN_PUNCTUATION, STR(",")) || token_is(&behind, TOKEN_PUNCTUATION, STR(")"));
}

static ErrorCode parse_bare_columns(Parser *p, AstCreateTable *table) {
    AstName *names = NULL;
    TRY(parse__name_list(p, &names, &table->column_count, "a column name"));
    table->columns = arena_array(p->arena, AstColumn, table->column_count);
    for (uint32_t i = 0; i < table->column_count; i++) {
        table->columns[i].name = names[i];
    }
    return ERR_OK;
}

static ErrorCode parse_as(Parser *p, AstCreateTable *table) {
    if (!parse__accept_keyword(p, KW_AS)) {
        return ERR_OK;
    }
    if (parse__at_keyword(p, KW_EXECUTE)) {
        return parse__execute(p, &table->as_statement);
    }
    uint32_t at = p->token.at;
    TRY(parse__definition_query(p, &table->as));
    table->as_text = parse__source(p, at);
    if (parse__at_keyword(p, KW_WITH) && (parse__peek_keyword(p, KW_NO) || parse__peek_keyword(p, KW_DATA))) {
        parse__advance(p);
        table->with_no_data = parse__accept_keyword(p, KW_NO);
        return parse__expect_keyword(p, KW_DATA);
    }
    return ERR_OK;
}

/* ---------------------------------------------------------------- what follows: , CAST(...), INDEX(...), TIMESTAMP(...) ... */

static ErrorCode parse_cast_column(Parser *p, AstCastColumn *cast) {
    parse__advance(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    TRY(parse__name(p, &cast->column, "a column name"));
    TRY(parse__expect_keyword(p, KW_AS));
    TRY(parse__type(p, &cast->type));
    AstColumn tail = {0};
    TRY(parse__symbol_tail(p, &tail));
    cast->symbol_capacity = tail.symbol_capacity;
    cast->cache = tail.cache;
    cast->no_cache = tail.no_cache;
    cast->index = tail.index;
    return parse__expect_close(p, open);
}

static ErrorCode parse_table_index(Parser *p, AstIndexSpec *index) {
    index->span = parse__span(p);
    parse__advance(p);
    Token open = p->token;
    TRY(parse__expect_mark(p, "("));
    TRY(parse__name(p, &index->column, "a column name"));
    TRY(parse__index_spec(p, index));
    return parse__expect_close(p, open);
}

/* , CAST(c AS t) , INDEX(c): the comma may be missing before INDEX. */
static ErrorCode parse_casts_and_indexes(Parser *p, AstCreateTable *table) {
    AstCastColumn casts[64];
    AstIndexSpec indexes[64];
    uint32_t cast_count = 0;
    uint32_t index_count = 0;
    for (;;) {
        bool comma = parse__accept_mark(p, ",");
        if (cast_count == COUNT_OF(casts) || index_count == COUNT_OF(indexes)) {
            return error_set(p->err, ERR_PROGRAM_LIMIT, p->token.at, "more than 63 CAST or INDEX clauses");
        }
        if (parse__at_keyword(p, KW_CAST)) {
            casts[cast_count] = (AstCastColumn){0};
            TRY(parse_cast_column(p, &casts[cast_count++]));
        } else if (parse__at_keyword(p, KW_INDEX)) {
            indexes[index_count] = (AstIndexSpec){0};
            TRY(parse_table_index(p, &indexes[index_count++]));
        } else if (comma) {
            return parse__expected(p, "CAST or INDEX");
        } else {
            break;
        }
    }
    table->casts = arena_array(p->arena, AstCastColumn, cast_count + 1);
    memcpy(table->casts, casts, cast_count * sizeof casts[0]);
    table->cast_count = cast_count;
    table->indexes = arena_array(p->arena, AstIndexSpec, index_count + 1);
    memcpy(table->indexes, indexes, index_count * sizeof indexes[0]);
    table->index_count = index_count;
    return ERR_OK;
}

static Str unit_word(Parser *p) {
    static const Str units[] = {{"none", 4}, {"hour", 4}, {"day", 3}, {"week", 4}, {"month", 5}, {"year", 4}};
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        if (parse__at_word(p, units[i])) {
            return units[i];
        }
    }
    return (Str){0};
}

/* PARTITION BY DAY, or PostgreSQL's PARTITION BY RANGE (...) */
static ErrorCode parse_partition(Parser *p, AstCreateTable *table) {
    parse__advance(p);
    TRY(parse__expect_keyword(p, KW_BY));
    table->partition_span = parse__span(p);
    if (p->token.kind == TOKEN_WORD && parse__peek_mark(p, "(")) {
        table->postgres_partition_kind = parse__lower(p, p->token.text);
        parse__advance(p);
        parse__advance(p);
        AstExpr **keys = NULL;
        uint32_t count = 0;
        TRY(parse__expr_list(p, &keys, &count));
        table->postgres_partition = keys[0];
        return parse__expect_mark(p, ")");
    }
    table->partition_by = unit_word(p);
    if (table->partition_by.len == 0) {
        return parse__expected(p, "NONE, HOUR, DAY, WEEK, MONTH or YEAR");
    }
    parse__advance(p);
    return ERR_OK;
}

/* TTL 3 DAYS, TTL 3d */
ErrorCode parse__ttl(Parser *p, AstTtl **ttl_out) {
    AstTtl *ttl = arena_new(p->arena, AstTtl);
    ttl->span = parse__span(p);
    parse__advance(p);
    bool suffixed = p->token.kind == TOKEN_SUFFIXED;
    if (suffixed) {
        Str text = p->token.text;
        ttl->unit = str_slice(text, text.len - 1, text.len);
    }
    TRY(parse__span_literal(p, &ttl->count, "a number"));
    bool zero = !suffixed && str_equal(ttl->count->as.text, STR("0"));
    if (!suffixed && !(zero && p->token.kind != TOKEN_WORD)) { /* TTL 0: none */
        Str unit = p->token.kind == TOKEN_WORD ? parse__lower(p, p->token.text) : (Str){0};
        if (unit.len > 1 && unit.data[unit.len - 1] == 's') {
            unit.len--;
        }
        static const Str units[] = {{"hour", 4}, {"day", 3}, {"week", 4}, {"month", 5}, {"year", 4}};
        for (size_t i = 0; i < COUNT_OF(units) && ttl->unit.len == 0; i++) {
            ttl->unit = str_equal(unit, units[i]) ? units[i] : ttl->unit;
        }
        if (ttl->unit.len == 0) {
            return parse__expected(p, "HOURS, DAYS, WEEKS, MONTHS or YEARS");
        }
        parse__advance(p);
    }
    *ttl_out = ttl;
    return ERR_OK;
}

static ErrorCode parse_dedup(Parser *p, AstCreateTable *table) {
    table->dedup_span = parse__span(p);
    table->dedup = true;
    parse__advance(p);
    TRY(parse__expect_keyword(p, KW_UPSERT));
    TRY(parse__expect_keyword(p, KW_KEYS));
    return parse__name_list(p, &table->dedup_keys, &table->dedup_count, "a column name");
}

static ErrorCode parse_one_name(Parser *p, AstName **name_out) {
    AstName name = {0};
    if (p->token.kind == TOKEN_STRING) {
        name = (AstName){.text = p->token.text, .span = parse__span(p), .from_string = true};
        parse__advance(p);
    } else {
        TRY(parse__name(p, &name, "a name"));
    }
    *name_out = parse__new_name(p, name);
    return ERR_OK;
}

static ErrorCode parse_designated(Parser *p, AstCreateTable *table) {
    AstName *names = NULL;
    uint32_t count = 0;
    parse__advance(p);
    Token at = p->token;
    TRY(parse__name_list(p, &names, &count, "a column name"));
    if (count != 1 || table->timestamp != NULL) {
        return error_set(p->err, ERR_SYNTAX, at.at, "a table has one designated timestamp");
    }
    table->timestamp = names;
    return ERR_OK;
}

static ErrorCode parse_on_commit(Parser *p, AstCreateTable *table) {
    parse__advance(p);
    TRY(parse__expect_keyword(p, KW_COMMIT));
    if (parse__accept_keyword(p, KW_DROP)) {
        table->on_commit = STR("drop");
        return ERR_OK;
    }
    table->on_commit = parse__at_keyword(p, KW_PRESERVE) ? STR("preserve rows") : STR("delete rows");
    if (!parse__accept_keyword(p, KW_PRESERVE)) {
        TRY(parse__expect_keyword(p, KW_DELETE));
    }
    return parse__expect_keyword(p, KW_ROWS);
}

static ErrorCode parse_table_option(Parser *p, AstCreateTable *table, bool *found_out) {
    *found_out = true;
    switch (p->token.kind == TOKEN_WORD ? (Keyword)p->token.keyword : NO_KEYWORD) {
    case KW_TIMESTAMP: return parse_designated(p, table);
    case KW_PARTITION: return parse_partition(p, table);
    case KW_TTL: return parse__ttl(p, &table->ttl);
    case KW_WAL: parse__advance(p); table->wal = AST_WAL; return ERR_OK;
    case KW_BYPASS:
        parse__advance(p);
        table->wal = AST_BYPASS_WAL;
        return parse__expect_keyword(p, KW_WAL);
    case KW_DEDUP: return parse_dedup(p, table);
    case KW_WITH:
        parse__advance(p);
        return parse__at_mark(p, "(") ? parse__options(p, &table->options, &table->option_count)
                                      : parse__bare_options(p, &table->options, &table->option_count);
    case KW_IN:
        parse__advance(p);
        TRY(parse__expect_keyword(p, KW_VOLUME));
        return parse_one_name(p, &table->volume);
    case KW_OWNED:
        parse__advance(p);
        TRY(parse__expect_keyword(p, KW_BY));
        return parse_one_name(p, &table->owner);
    case KW_STORAGE: return parse__not_supported(p, "STORAGE POLICY");
    case KW_INHERITS: parse__advance(p); return parse__not_supported(p, "INHERITS");
    case KW_USING: parse__advance(p); return parse_one_name(p, &table->access_method);
    case KW_ON: return parse_on_commit(p, table);
    case KW_FORMAT:
        parse__advance(p);
        if (!parse__at_label(p)) {
            return parse__expected(p, "NATIVE or PARQUET");
        }
        table->format = parse__lower(p, p->token.text);
        parse__advance(p);
        return ERR_OK;
    default: break;
    }
    if (parse__accept_word(p, STR("tablespace"))) {
        return parse_one_name(p, &table->tablespace);
    }
    *found_out = false;
    return ERR_OK;
}

ErrorCode parse__create_table(Parser *p, AstCreateTable *table) {
    TRY(parse__if_not_exists(p, &table->if_not_exists));
    TRY(parse__table_name(p, &table->name));
    if (parse__at_keyword(p, KW_PARTITION) && parse__peek_keyword(p, KW_OF)) {
        return parse__not_supported(p, "PARTITION OF");
    }
    if (at_bare_column_list(p)) {
        TRY(parse_bare_columns(p, table));
    } else if (parse__at_mark(p, "(")) {
        TRY(parse_table_elements(p, table));
    } else if (!parse__at_keyword(p, KW_AS) && !parse__at_keyword(p, KW_WITH) && !parse__at_keyword(p, KW_USING)) {
        return parse__expected(p, "( or AS");
    }
    TRY(parse_as(p, table));
    TRY(parse_casts_and_indexes(p, table));
    bool found = true;
    while (found) {
        TRY(parse_table_option(p, table, &found));
        if (found && parse__at_mark(p, ",") && parse__peek_keyword(p, KW_IN)) {
            parse__advance(p); /* WAL, IN VOLUME 'a' */
        }
    }
    if (table->as == NULL && table->as_statement == NULL) {
        TRY(parse_as(p, table)); /* PostgreSQL: options stand before AS */
    }
    bool bare = table->column_count > 0 && table->columns[0].type == NULL;
    if (bare && table->as == NULL && table->as_statement == NULL) {
        Span span = table->columns[0].name.span;
        return error_set(p->err, ERR_SYNTAX, (int64_t)span.at + span.len, "syntax error: expected a type name behind the column's name");
    }
    return ERR_OK;
}
