/* SPDX-License-Identifier: Apache-2.0
 * type_uses.c - where a text names types that users made and columns of tables, and spells labels, and the text with other names at those places.
 *
 * Why:   defaults, checks, index expressions and views are kept as text. When a type, a label or a column gets another name, only what binding
 *        knows to be that one may change; the rest stays as it was written.
 * Tests: test/sql/enum.slt, test/sql/keys.slt */
#include "sql/bind/bind_internal.h"
#include "sql/parse/lexer.h"
#include "sql/parse/parse.h"

/* ---- noting ---- */

static void add_use(Binder *b, TypeUse use) {
    TypeUses *uses = b->uses;
    for (uint32_t i = 0; i < uses->count; i++) {
        if (uses->items[i].at == use.at) {
            return; /* bound twice */
        }
    }
    if (uses->count == uses->capacity) {
        uses->capacity = uses->capacity == 0 ? 8 : uses->capacity * 2;
        TypeUse *wider = arena_array(b->arena, TypeUse, uses->capacity);
        if (uses->count > 0) {
            memcpy(wider, uses->items, sizeof *wider * uses->count);
        }
        uses->items = wider;
    }
    uses->items[uses->count++] = use;
}

void note_type(Binder *b, const AstType *ast, uint32_t object_id, bool is_array_name) {
    if (b->uses != NULL) {
        add_use(b, (TypeUse){.object_id = object_id, .at = ast->name.span.at, .len = ast->name.span.len, .is_array_name = is_array_name,
                             .qualified = ast->name.count > 1});
    }
}

void note_label(Binder *b, Type type, int64_t position) {
    if (b->uses != NULL && type.id == TYPE_ENUM && position >= 0) {
        add_use(b, (TypeUse){.object_id = (uint32_t)type.length, .at = (uint32_t)position, .is_label = true});
    }
}

void note_column(Binder *b, const AstName *name, uint32_t table_id, uint32_t column_id) {
    if (b->uses != NULL) {
        add_use(b, (TypeUse){.object_id = table_id, .column_id = column_id, .at = name->span.at, .len = name->span.len});
    }
}

/* ---- spelling ---- */

static int compare_uses(const void *a, const void *b) {
    uint32_t x = ((const TypeUse *)a)->at, y = ((const TypeUse *)b)->at;
    return (x > y) - (x < y);
}

/* The literal at that place, if it spells the label; its bytes in *len_out. */
static bool is_literal(Str text, uint32_t at, Dialect dialect, Str label, Arena *arena, uint32_t *len_out) {
    Lexer lexer;
    Token token = {0}, next = {0};
    Error err;
    lexer_init(&lexer, text, at, dialect, arena, &err);
    lexer_next(&lexer, &token);
    lexer_next(&lexer, &next);
    size_t end = next.kind == TOKEN_END ? text.len : next.at;
    while (end > at && (text.data[end - 1] == ' ' || text.data[end - 1] == '\n' || text.data[end - 1] == '\t')) {
        end--;
    }
    *len_out = (uint32_t)(end - at);
    return token.kind == TOKEN_STRING && str_equal(token.text, label);
}

static void put_use_name(Buffer *out, const TypeRespelling *respelling, const TypeUse *use, Dialect dialect, Arena *arena) {
    if (use->column_id != 0) {
        sql_deparse_name(respelling->name, dialect, out);
        return;
    }
    sql_deparse_name(respelling->schema_name, dialect, out);
    buffer_append_char(out, '.');
    sql_deparse_name(use->is_array_name ? arena_format(arena, "_%.*s", STR_ARG(respelling->name)) : respelling->name, dialect, out);
}

Str bind_respell_types(Str text, Dialect dialect, const TypeUses *uses, const TypeRespelling *respelling, Arena *arena) {
    Buffer out;
    size_t done = 0;
    buffer_init(&out, SQL_TEXT_BYTES_MAX);
    if (uses->count > 1) {
        qsort(uses->items, uses->count, sizeof *uses->items, compare_uses);
    }
    for (uint32_t i = 0; i < uses->count; i++) {
        const TypeUse *use = &uses->items[i];
        uint32_t len = use->len;
        bool label = use->is_label && respelling->old_label.len > 0 && is_literal(text, use->at, dialect, respelling->old_label, arena, &len);
        bool name = !use->is_label && respelling->name.len > 0;
        if (use->object_id != respelling->object_id || use->column_id != respelling->column_id || use->at + len > text.len || use->at < done || (!label && !name)) {
            continue;
        }
        buffer_append_str(&out, str_slice(text, done, use->at));
        if (label) {
            sql_deparse_string(respelling->new_label, &out);
        } else {
            put_use_name(&out, respelling, use, dialect, arena);
        }
        done = use->at + len;
    }
    buffer_append_str(&out, str_slice(text, done, text.len));
    Str copy = arena_str(arena, buffer_str(&out));
    buffer_deinit(&out);
    return copy;
}

/* ---- storing ---- */

Str user_types_qualified(Binder *b, Str text, const TypeUses *uses) {
    CatalogView *catalog = b->context->catalog;
    ptrdiff_t offset = text.data - b->context->text.data;
    bool inside = uses->count > 0 && offset >= 0 && (size_t)offset + text.len <= b->context->text.len;
    if (uses->count > 1) {
        qsort(uses->items, uses->count, sizeof *uses->items, compare_uses);
    }
    for (uint32_t i = uses->count; inside && i-- > 0;) { /* from the end, so that places hold */
        TypeUse use = uses->items[i];
        const CatalogObject *object = catalog->object_by_id(catalog, use.object_id);
        const CatalogObject *schema = object == NULL ? NULL : catalog->object_by_id(catalog, object->schema_id);
        if (schema == NULL || schema->id == SCHEMA_PUBLIC_ID || use.is_label || use.qualified || use.column_id != 0 || use.at < (size_t)offset) {
            continue;
        }
        use.at -= (uint32_t)offset;
        TypeUses one = {.items = &use, .count = 1};
        TypeRespelling respelling = {.object_id = object->id, .schema_name = schema->name, .name = object->name};
        text = bind_respell_types(text, b->dialect, &one, &respelling, b->arena);
    }
    return text;
}
