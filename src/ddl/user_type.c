/* SPDX-License-Identifier: Apache-2.0
 * user_type.c - CREATE TYPE ... AS ENUM, ADD VALUE, RENAME VALUE.
 *
 * Why:   labels keep their positions for ever, because stored values hold them; a new label takes a position between its neighbours'
 *        (catalog/user_type.h). What else happens to types is in alter.c, drop.c, grant.c and comment.c.
 * Tests: test/sql/enum.slt */
#include "catalog/user_type.h"
#include "ddl/ddl_internal.h"

Bytes ddl__type_bytes(Ddl *ddl, const TypeBody *body) {
    Buffer out;
    buffer_init(&out, 64 << 20);
    type_body_encode(body, &out);
    return ddl__bytes(ddl, &out);
}

ErrorCode ddl__type_replace(Ddl *ddl, const CatalogObject *object, const TypeBody *body, Error *err) {
    CatalogObject def = *object;
    def.body = ddl__type_bytes(ddl, body);
    return txn_object_replace(ddl->txn, &def, err);
}

static ErrorCode check_label(const AstLabel *label, Error *err) {
    if (label->text.len > 0 && label->text.len <= ENUM_LABEL_BYTES_MAX) {
        return ERR_OK;
    }
    error_ignore(error_set(err, ERR_INVALID_NAME, ERROR_NO_POSITION, "invalid enum label \"%.*s\"", STR_ARG(label->text)));
    return error_add(err, 'D', "Labels must have between 1 and %d bytes.", ENUM_LABEL_BYTES_MAX);
}

static ErrorCode label_exists(Str label, Error *err) {
    return error_set(err, ERR_DUPLICATE_OBJECT, ERROR_NO_POSITION, "enum label \"%.*s\" already exists", STR_ARG(label));
}

/* ---- CREATE TYPE ---- */

static ErrorCode take_labels(Ddl *ddl, const AstUserType *ast, TypeBody *body, Error *err) {
    if (ast->label_count > ENUM_LABELS_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "an enum has at most %d labels", ENUM_LABELS_MAX);
    }
    Str *labels = arena_array(ddl->arena, Str, ast->label_count + 1);
    uint64_t *positions = arena_array(ddl->arena, uint64_t, ast->label_count + 1);
    body->labels = labels;
    body->positions = positions;
    for (uint32_t i = 0; i < ast->label_count; i++) {
        TRY(check_label(&ast->labels[i], err));
        if (enum_label_number(body, ast->labels[i].text) >= 0) {
            return label_exists(ast->labels[i].text, err);
        }
        labels[body->label_count++] = ast->labels[i].text;
    }
    enum_positions_spread(positions, body->label_count);
    return ERR_OK;
}

/* Rows of tables and views are types too, and have their names. */
ErrorCode ddl__type_place(Ddl *ddl, const AstNames *names, CatalogObject *def, Error *err) {
    TRY(ddl__place(ddl, names, &def->schema_id, &def->name, err));
    const CatalogObject *type = ddl->catalog->object_find(ddl->catalog, OBJECT_TYPE, def->schema_id, def->name);
    const CatalogObject *relation = ddl->catalog->object_find(ddl->catalog, OBJECT_NONE, def->schema_id, def->name);
    bool row_type = relation != NULL && (relation->kind == OBJECT_TABLE || relation->kind == OBJECT_VIEW) && str_equal(relation->name, def->name);
    bool taken = row_type || (type != NULL && str_equal(type->name, def->name));
    return taken ? error_set(err, ERR_DUPLICATE_OBJECT, ERROR_NO_POSITION, "type \"%.*s\" already exists", STR_ARG(def->name)) : ERR_OK;
}

static ErrorCode create_enum(Ddl *ddl, const AstUserType *ast, Error *err) {
    CatalogObject def = {.kind = OBJECT_TYPE};
    TypeBody body = {.kind = TYPE_KIND_ENUM};
    uint32_t id = 0;
    ddl__tag(ddl, "CREATE TYPE");
    TRY(ddl__type_place(ddl, &ast->name, &def, err));
    TRY(take_labels(ddl, ast, &body, err));
    def.body = ddl__type_bytes(ddl, &body);
    TRY(txn_object_create(ddl->txn, &def, &id, err));
    if (id > ENUM_OBJECT_ID_MAX) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "no object ids are left for types");
    }
    return ddl_created(ddl, id, err);
}

/* ---- ALTER TYPE ---- */

static ErrorCode find_enum(Ddl *ddl, const AstUserType *ast, const CatalogObject **object_out, TypeBody *body_out, Error *err) {
    ddl__tag(ddl, "ALTER TYPE");
    TRY(ddl__find(ddl, OBJECT_TYPE, &ast->name, FIND, object_out, err));
    TRY(ddl__must_own(ddl, *object_out, err));
    TRY(type_body_decode((*object_out)->body, ddl->arena, body_out, err));
    if (body_out->kind == TYPE_KIND_ENUM) {
        return ERR_OK;
    }
    return error_set(err, ERR_WRONG_OBJECT_TYPE, ERROR_NO_POSITION, "\"%.*s\" is not an enum", STR_ARG((*object_out)->name));
}

/* Where the new label comes to stand. */
static ErrorCode place_of(const AstUserType *ast, const TypeBody *body, uint16_t *at_out, Error *err) {
    *at_out = body->label_count;
    if (!ast->before && !ast->after) {
        return ERR_OK;
    }
    int neighbor = enum_label_number(body, ast->neighbor.text);
    if (neighbor < 0) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "\"%.*s\" is not an existing enum label", STR_ARG(ast->neighbor.text));
    }
    *at_out = (uint16_t)(neighbor + ast->after);
    return ERR_OK;
}

static void insert_label(Ddl *ddl, TypeBody *body, uint16_t at, Str label, uint64_t position) {
    uint16_t behind = (uint16_t)(body->label_count - at);
    Str *labels = arena_array(ddl->arena, Str, body->label_count + 1u);
    uint64_t *positions = arena_array(ddl->arena, uint64_t, body->label_count + 1u);
    memcpy(labels, body->labels, sizeof *labels * at);
    memcpy(positions, body->positions, sizeof *positions * at);
    memcpy(labels + at + 1, body->labels + at, sizeof *labels * behind);
    memcpy(positions + at + 1, body->positions + at, sizeof *positions * behind);
    labels[at] = label;
    positions[at] = position;
    body->labels = labels;
    body->positions = positions;
    body->label_count++;
}

static ErrorCode add_value(Ddl *ddl, const AstUserType *ast, Error *err) {
    const CatalogObject *object = NULL;
    TypeBody body;
    uint16_t at = 0;
    uint64_t position = 0;
    TRY(find_enum(ddl, ast, &object, &body, err));
    TRY(check_label(&ast->label, err));
    if (enum_label_number(&body, ast->label.text) >= 0) {
        if (!ast->if_not_exists) {
            return label_exists(ast->label.text, err);
        }
        ddl_notice(ddl, "42710", "enum label \"%.*s\" already exists, skipping", STR_ARG(ast->label.text));
        return ERR_OK;
    }
    TRY(place_of(ast, &body, &at, err));
    if (body.label_count >= ENUM_LABELS_MAX || !enum_position_add(&body, at, &position)) {
        return error_set(err, ERR_PROGRAM_LIMIT, ERROR_NO_POSITION, "there is no room for another label of type \"%.*s\" at this place", STR_ARG(object->name));
    }
    insert_label(ddl, &body, at, ast->label.text, position);
    return ddl__type_replace(ddl, object, &body, err);
}

static ErrorCode rename_value(Ddl *ddl, const AstUserType *ast, Error *err) {
    const CatalogObject *object = NULL;
    TypeBody body;
    TRY(find_enum(ddl, ast, &object, &body, err));
    TRY(check_label(&ast->new_label, err));
    int number = enum_label_number(&body, ast->label.text);
    if (number < 0) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "\"%.*s\" is not an existing enum label", STR_ARG(ast->label.text));
    }
    if (enum_label_number(&body, ast->new_label.text) >= 0) {
        return label_exists(ast->new_label.text, err);
    }
    TypeRespelling respelling = {.object_id = object->id, .old_label = ast->label.text, .new_label = ast->new_label.text};
    TRY(ddl__respell(ddl, object, &respelling, err));
    ((Str *)(uintptr_t)body.labels)[number] = ast->new_label.text; /* decoded for us */
    return ddl__type_replace(ddl, object, &body, err);
}

ErrorCode ddl__user_type(Ddl *ddl, const AstUserType *ast, Error *err) {
    switch (ast->kind) {
    case AST_CREATE_ENUM: return create_enum(ddl, ast, err);
    case AST_ADD_VALUE: return add_value(ddl, ast, err);
    case AST_RENAME_VALUE: return rename_value(ddl, ast, err);
    default: return ddl__domain(ddl, ast, err);
    }
}
