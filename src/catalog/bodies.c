/* SPDX-License-Identifier: Apache-2.0
 * bodies.c - bodies of catalog objects: to bytes and back. One pair of functions per kind.
 *
 * Layout:  docs/format/catalog.md. Integers little-endian, texts u32 length + bytes.
 * Tests:   test/unit/engine/test_sequence.c, test/unit/catalog/test_user_type.c */
#include "catalog/bodies.h"

static ErrorCode finish(const Reader *reader, const char *what, Error *err) {
    return reader->failed || reader->at != reader->len
               ? error_set(err, ERR_DAMAGED, (int64_t)reader->at, "the body of a %s cannot be read", what)
               : ERR_OK;
}

static void put_flags(Buffer *out, const bool *flags, int count) {
    uint8_t byte = 0;
    for (int i = 0; i < count; i++) {
        byte = (uint8_t)(byte | (flags[i] ? 1 << i : 0));
    }
    buffer_put_u8(out, byte);
}

static void put_type(Buffer *out, Type type) { buffer_append(out, &type, sizeof type); }

static Type take_type(Reader *reader) {
    Type type = {0};
    Bytes bytes = reader_bytes(reader, sizeof type);
    if (bytes.len == sizeof type) {
        memcpy(&type, bytes.data, sizeof type);
    }
    if (type.id >= TYPE_COUNT) {
        reader->failed = true;
        type = (Type){0};
    }
    return type;
}

/* A list cannot have more entries than bytes are left: lying counts cost no memory. */
static uint16_t take_count(Reader *reader) {
    uint16_t count = reader_u16le(reader);
    if (count > reader->len - reader->at) {
        reader->failed = true;
        return 0;
    }
    return count;
}

/* ---- views ---- */

void view_body_encode(const ViewBody *view, Buffer *out) {
    buffer_put_text(out, view->text);
    buffer_put_u8(out, view->dialect);
    buffer_put_u8(out, view->temporary);
    buffer_put_u8(out, view->check_option);
    buffer_put_u16le(out, view->column_count);
    for (uint16_t i = 0; i < view->column_count; i++) {
        buffer_put_text(out, view->columns[i].name);
        put_type(out, view->columns[i].type);
    }
}

ErrorCode view_body_decode(Bytes body, Arena *arena, ViewBody *view_out, Error *err) {
    Reader reader = reader_from(body);
    *view_out = (ViewBody){.text = reader_text(&reader)};
    view_out->dialect = reader_u8(&reader);
    view_out->temporary = reader_u8(&reader) != 0;
    view_out->check_option = reader_u8(&reader);
    view_out->column_count = take_count(&reader);
    ViewColumn *columns = arena_array(arena, ViewColumn, view_out->column_count + 1u);
    for (uint16_t i = 0; i < view_out->column_count; i++) {
        columns[i].name = reader_text(&reader);
        columns[i].type = take_type(&reader);
    }
    view_out->columns = columns;
    return finish(&reader, "view", err);
}

/* ---- sequences ---- */

void sequence_body_encode(const SequenceBody *sequence, Buffer *out) {
    buffer_put_u8(out, sequence->type);
    put_flags(out, (bool[]){sequence->cycle, sequence->restart_called, sequence->internal}, 3);
    buffer_put_u64le(out, (uint64_t)sequence->start);
    buffer_put_u64le(out, (uint64_t)sequence->increment);
    buffer_put_u64le(out, (uint64_t)sequence->minimum);
    buffer_put_u64le(out, (uint64_t)sequence->maximum);
    buffer_put_u64le(out, (uint64_t)sequence->cache);
    buffer_put_u64le(out, (uint64_t)sequence->restart);
    buffer_put_u32le(out, sequence->state_id);
}

ErrorCode sequence_body_decode(Bytes body, SequenceBody *sequence_out, Error *err) {
    Reader reader = reader_from(body);
    *sequence_out = (SequenceBody){.type = reader_u8(&reader)};
    uint8_t flags = reader_u8(&reader);
    sequence_out->cycle = (flags & 1) != 0;
    sequence_out->restart_called = (flags & 2) != 0;
    sequence_out->internal = (flags & 4) != 0;
    sequence_out->start = (int64_t)reader_u64le(&reader);
    sequence_out->increment = (int64_t)reader_u64le(&reader);
    sequence_out->minimum = (int64_t)reader_u64le(&reader);
    sequence_out->maximum = (int64_t)reader_u64le(&reader);
    sequence_out->cache = (int64_t)reader_u64le(&reader);
    sequence_out->restart = (int64_t)reader_u64le(&reader);
    sequence_out->state_id = reader_u32le(&reader);
    return finish(&reader, "sequence", err);
}

/* ---- roles ---- */

void role_body_encode(const RoleBody *role, Buffer *out) {
    const bool flags[] = {role->superuser, role->inherit,     role->create_role, role->create_db,
                          role->login,     role->replication, role->bypass_rls,  role->has_valid_until};
    put_flags(out, flags, 8);
    buffer_put_u32le(out, (uint32_t)role->connection_limit);
    buffer_put_u64le(out, (uint64_t)role->valid_until);
    buffer_put_text(out, role->password);
}

ErrorCode role_body_decode(Bytes body, RoleBody *role_out, Error *err) {
    Reader reader = reader_from(body);
    uint8_t flags = reader_u8(&reader);
    *role_out = (RoleBody){.superuser = (flags & 1) != 0,
                           .inherit = (flags & 2) != 0,
                           .create_role = (flags & 4) != 0,
                           .create_db = (flags & 8) != 0,
                           .login = (flags & 16) != 0,
                           .replication = (flags & 32) != 0,
                           .bypass_rls = (flags & 64) != 0,
                           .has_valid_until = (flags & 128) != 0};
    role_out->connection_limit = (int32_t)reader_u32le(&reader);
    role_out->valid_until = (int64_t)reader_u64le(&reader);
    role_out->password = reader_text(&reader);
    return finish(&reader, "role", err);
}

void membership_body_encode(const MembershipBody *membership, Buffer *out) {
    buffer_put_u32le(out, membership->member_id);
    buffer_put_u32le(out, membership->grantor_id);
    put_flags(out, (bool[]){membership->admin, membership->inherit, membership->set}, 3);
}

ErrorCode membership_body_decode(Bytes body, MembershipBody *membership_out, Error *err) {
    Reader reader = reader_from(body);
    membership_out->member_id = reader_u32le(&reader);
    membership_out->grantor_id = reader_u32le(&reader);
    uint8_t flags = reader_u8(&reader);
    membership_out->admin = (flags & 1) != 0;
    membership_out->inherit = (flags & 2) != 0;
    membership_out->set = (flags & 4) != 0;
    return finish(&reader, "membership", err);
}

/* ---- grants ---- */

void grant_body_encode(const GrantBody *grant, Buffer *out) {
    buffer_put_u32le(out, grant->owner_id);
    buffer_put_u8(out, grant->has_acl);
    buffer_put_u16le(out, grant->item_count);
    for (uint16_t i = 0; i < grant->item_count; i++) {
        buffer_put_u32le(out, grant->items[i].grantee_id);
        buffer_put_u32le(out, grant->items[i].grantor_id);
        buffer_put_u32le(out, grant->items[i].privileges);
        buffer_put_u32le(out, grant->items[i].grant_options);
    }
}

ErrorCode grant_body_decode(Bytes body, Arena *arena, GrantBody *grant_out, Error *err) {
    Reader reader = reader_from(body);
    *grant_out = (GrantBody){.owner_id = reader_u32le(&reader)};
    grant_out->has_acl = reader_u8(&reader) != 0;
    grant_out->item_count = take_count(&reader);
    AclItem *items = arena_array(arena, AclItem, grant_out->item_count + 1u);
    for (uint16_t i = 0; i < grant_out->item_count; i++) {
        items[i].grantee_id = reader_u32le(&reader);
        items[i].grantor_id = reader_u32le(&reader);
        items[i].privileges = reader_u32le(&reader);
        items[i].grant_options = reader_u32le(&reader);
    }
    grant_out->items = items;
    return finish(&reader, "grant", err);
}

/* ---- types ---- */

static void put_domain(const TypeBody *type, Buffer *out) {
    buffer_put_u32le(out, type->base_domain);
    buffer_put_u16le(out, type->check_count);
    for (uint16_t i = 0; i < type->check_count; i++) {
        buffer_put_u32le(out, type->checks[i].id);
        buffer_put_text(out, type->checks[i].name);
        buffer_put_text(out, type->checks[i].text);
        buffer_put_u8(out, type->checks[i].validated);
    }
}

static void take_domain(Reader *reader, Arena *arena, TypeBody *type) {
    type->base_domain = reader_u32le(reader);
    type->check_count = take_count(reader);
    DomainCheck *checks = arena_array(arena, DomainCheck, type->check_count + 1u);
    for (uint16_t i = 0; i < type->check_count; i++) {
        checks[i].id = reader_u32le(reader);
        checks[i].name = reader_text(reader);
        checks[i].text = reader_text(reader);
        checks[i].validated = reader_u8(reader) != 0;
    }
    type->checks = checks;
}

void type_body_encode(const TypeBody *type, Buffer *out) {
    buffer_put_u8(out, type->kind);
    buffer_put_u16le(out, type->label_count);
    for (uint16_t i = 0; i < type->label_count; i++) {
        buffer_put_text(out, type->labels[i]);
    }
    put_type(out, type->base);
    buffer_put_u8(out, type->not_null);
    buffer_put_text(out, type->default_text);
    buffer_put_text(out, (Str){0}); /* one check and its name, before domains had several */
    buffer_put_text(out, (Str){0});
    buffer_put_u8(out, type->dialect);
    for (uint16_t i = 0; i < type->label_count; i++) {
        buffer_put_u64le(out, type->positions[i]);
    }
    if (type->kind == TYPE_KIND_DOMAIN) {
        put_domain(type, out);
    }
}

ErrorCode type_body_decode(Bytes body, Arena *arena, TypeBody *type_out, Error *err) {
    Reader reader = reader_from(body);
    *type_out = (TypeBody){.kind = reader_u8(&reader)};
    type_out->label_count = take_count(&reader);
    Str *labels = arena_array(arena, Str, type_out->label_count + 1u);
    for (uint16_t i = 0; i < type_out->label_count; i++) {
        labels[i] = reader_text(&reader);
    }
    type_out->labels = labels;
    type_out->base = take_type(&reader);
    type_out->not_null = reader_u8(&reader) != 0;
    type_out->default_text = reader_text(&reader);
    (void)reader_text(&reader);
    (void)reader_text(&reader);
    type_out->dialect = reader_u8(&reader);
    uint64_t *positions = arena_array(arena, uint64_t, type_out->label_count + 1u);
    for (uint16_t i = 0; i < type_out->label_count; i++) {
        positions[i] = reader_u64le(&reader);
    }
    type_out->positions = positions;
    if (type_out->kind == TYPE_KIND_DOMAIN) {
        take_domain(&reader, arena, type_out);
    }
    return finish(&reader, "type", err);
}
