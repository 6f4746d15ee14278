/* SPDX-License-Identifier: Apache-2.0
 * store.c - the versions of all catalog objects, found by id and by name.
 *
 * Layout:     id -> place in `slots`; a slot holds the newest version, older ones hang behind it. Names are found through buckets of
 *             (hash of the lower-case name, slot); a slot is in the bucket of every name it ever had, the version decides.
 * Invariants: at most one unsettled version a slot, and it is the newest but for further ones of the same transaction.
 * Threads:    one mutex, never held across I/O. Returned objects live as catalog_collect's horizon says.
 * Tests:      test/unit/catalog/test_store.c */
#include "catalog/store.h"
#include "catalog/bodies.h"
#include <stdatomic.h>

typedef struct NameEntry { uint64_t hash; uint32_t slot, next; } NameEntry; /* next: place + 1 */
typedef struct DictionaryEntry { uint32_t table_id, column_id; Dictionary *dictionary; } DictionaryEntry;

struct Catalog {
    Sched *sched;
    Mutex lock;                  /* guards everything below */
    IntMap by_id;
    ObjectVersion **slots;       /* by rising id */
    size_t slot_count, slot_capacity;
    IntMap buckets;              /* hash -> place in names + 1 */
    NameEntry *names;
    size_t name_count, name_capacity;
    IntMap dictionary_by_key;
    DictionaryEntry *dictionaries;
    size_t dictionary_count, dictionary_capacity;
    uint32_t next_id;
    uint64_t next_version;
    _Atomic uint64_t changed_lsn; /* read without the lock: every statement asks for it */
};

static void lock(Catalog *catalog) { catalog->sched->mutex_lock(catalog->sched, &catalog->lock); }
static void unlock(Catalog *catalog) { catalog->sched->mutex_unlock(catalog->sched, &catalog->lock); }

/* The superuser that every folder begins with. */
static void first_role(ObjectVersion *role) {
    Buffer body;
    buffer_init(&body, 4096);
    RoleBody all = {true, true, true, true, true, true, true, .connection_limit = -1};
    role_body_encode(&all, &body);
    object_set(role, &(CatalogObject){.name = STR("postgres"), .body = buffer_bytes(&body)});
    buffer_deinit(&body);
}

Catalog *catalog_create(Sched *sched) {
    Catalog *catalog = mem_calloc(1, sizeof *catalog);
    catalog->sched = sched;
    catalog->next_id = OBJECT_FIRST_FREE_ID;
    catalog->next_version = 1;
    sched->mutex_init(sched, &catalog->lock);
    intmap_init(&catalog->by_id);
    intmap_init(&catalog->buckets);
    intmap_init(&catalog->dictionary_by_key);
    ObjectVersion *schema = object_new(OBJECT_SCHEMA, SCHEMA_PUBLIC_ID);
    schema->def.name = STR("public");
    catalog_put(catalog, schema);
    ObjectVersion *role = object_new(OBJECT_ROLE, ROLE_POSTGRES_ID);
    first_role(role);
    catalog_put(catalog, role);
    return catalog;
}

static void free_chain(ObjectVersion *object) {
    while (object != NULL) {
        ObjectVersion *older = object->older;
        object_free(object);
        object = older;
    }
}

void catalog_destroy(Catalog *catalog) {
    if (catalog == NULL) {
        return;
    }
    for (size_t i = 0; i < catalog->slot_count; i++) {
        free_chain(catalog->slots[i]);
    }
    for (size_t i = 0; i < catalog->dictionary_count; i++) {
        dictionary_destroy(catalog->dictionaries[i].dictionary);
    }
    mem_free(catalog->slots);
    mem_free(catalog->names);
    mem_free(catalog->dictionaries);
    intmap_deinit(&catalog->by_id);
    intmap_deinit(&catalog->buckets);
    intmap_deinit(&catalog->dictionary_by_key);
    catalog->sched->mutex_deinit(catalog->sched, &catalog->lock);
    mem_free(catalog);
}

uint32_t catalog_new_id(Catalog *catalog) {
    lock(catalog);
    uint32_t id = catalog->next_id++;
    unlock(catalog);
    return id;
}

uint32_t catalog_next_id(Catalog *catalog) {
    lock(catalog);
    uint32_t id = catalog->next_id;
    unlock(catalog);
    return id;
}

void catalog_reserve_ids(Catalog *catalog, uint32_t next_id) {
    lock(catalog);
    catalog->next_id = MAX_OF(catalog->next_id, next_id);
    unlock(catalog);
}

uint64_t catalog_new_version(Catalog *catalog) {
    lock(catalog);
    uint64_t version = catalog->next_version++;
    unlock(catalog);
    return version;
}

/* Tables, views and sequences of a schema share their names. */
static ObjectKind name_class(ObjectKind kind) { return kind == OBJECT_NONE || kind == OBJECT_VIEW || kind == OBJECT_SEQUENCE ? OBJECT_TABLE : kind; }
static uint32_t scope_of(const CatalogObject *def) { return def->schema_id != 0 ? def->schema_id : def->parent_id; }

static uint64_t name_hash(ObjectKind kind, uint32_t scope_id, Str name) {
    uint64_t hash = hash_u64((uint64_t)scope_id << 8 | (uint64_t)name_class(kind));
    for (size_t i = 0; i < name.len; i++) {
        hash = (hash ^ (uint8_t)char_lower(name.data[i])) * UINT64_C(0x100000001b3);
    }
    return hash_u64(hash);
}

static void name_add(Catalog *catalog, const ObjectVersion *object, uint32_t slot) {
    uint64_t hash = name_hash(object->def.kind, scope_of(&object->def), object->def.name);
    uint64_t head = 0;
    (void)intmap_get(&catalog->buckets, hash, &head);
    for (uint64_t at = head; at != 0; at = catalog->names[at - 1].next) {
        if (catalog->names[at - 1].slot == slot) {
            return;
        }
    }
    if (catalog->name_count == catalog->name_capacity) {
        catalog->name_capacity = catalog->name_capacity == 0 ? 16 : catalog->name_capacity * 2;
        catalog->names = mem_realloc(catalog->names, sizeof(NameEntry) * catalog->name_capacity);
    }
    catalog->names[catalog->name_count++] = (NameEntry){hash, slot, (uint32_t)head};
    (void)intmap_put(&catalog->buckets, hash, catalog->name_count);
}

static uint32_t slot_of(Catalog *catalog, uint32_t id) {
    uint64_t slot = 0;
    if (intmap_get(&catalog->by_id, id, &slot)) {
        return (uint32_t)slot;
    }
    if (catalog->slot_count == catalog->slot_capacity) {
        catalog->slot_capacity = catalog->slot_capacity == 0 ? 16 : catalog->slot_capacity * 2;
        catalog->slots = mem_realloc(catalog->slots, sizeof(ObjectVersion *) * catalog->slot_capacity);
    }
    catalog->slots[catalog->slot_count] = NULL;
    (void)intmap_put(&catalog->by_id, id, catalog->slot_count);
    return (uint32_t)catalog->slot_count++;
}

static ObjectVersion *newest_of(Catalog *catalog, uint32_t id) {
    uint64_t slot = 0;
    return intmap_get(&catalog->by_id, id, &slot) ? catalog->slots[slot] : NULL;
}

static ObjectVersion *visible_of(ObjectVersion *object, const Snapshot *snapshot) {
    while (object != NULL && !stamp_visible(object->begin, snapshot)) {
        object = object->older;
    }
    return object == NULL || object->dropped ? NULL : object;
}

static Dictionary *dictionary_locked(Catalog *catalog, uint32_t table_id, uint32_t column_id) {
    uint64_t place = 0;
    uint64_t key = (uint64_t)table_id << 32 | column_id;
    if (intmap_get(&catalog->dictionary_by_key, key, &place)) {
        return catalog->dictionaries[place].dictionary;
    }
    if (catalog->dictionary_count == catalog->dictionary_capacity) {
        catalog->dictionary_capacity = catalog->dictionary_capacity == 0 ? 16 : catalog->dictionary_capacity * 2;
        catalog->dictionaries = mem_realloc(catalog->dictionaries, sizeof(DictionaryEntry) * catalog->dictionary_capacity);
    }
    Dictionary *dictionary = dictionary_create(catalog->sched);
    (void)intmap_put(&catalog->dictionary_by_key, key, catalog->dictionary_count);
    catalog->dictionaries[catalog->dictionary_count++] = (DictionaryEntry){table_id, column_id, dictionary};
    return dictionary;
}

Dictionary *catalog_dictionary(Catalog *catalog, uint32_t table_id, uint32_t column_id) {
    lock(catalog);
    Dictionary *dictionary = dictionary_locked(catalog, table_id, column_id);
    unlock(catalog);
    return dictionary;
}

bool catalog_next_dictionary(Catalog *catalog, size_t *cursor, uint32_t *table_id_out, uint32_t *column_id_out, Dictionary **dictionary_out) {
    lock(catalog);
    bool found = *cursor < catalog->dictionary_count;
    if (found) {
        const DictionaryEntry *entry = &catalog->dictionaries[(*cursor)++];
        *table_id_out = entry->table_id;
        *column_id_out = entry->column_id;
        *dictionary_out = entry->dictionary;
    }
    unlock(catalog);
    return found;
}

/* Indexes and constraints have their ids out of the same row: what the log brings back has taken them too. */
static void take_ids(Catalog *catalog, const ObjectVersion *object) {
    uint32_t newest = object->def.id;
    for (uint16_t i = 0; i < object->table.index_count; i++) {
        newest = MAX_OF(newest, object->table.indexes[i].id);
    }
    for (uint16_t i = 0; i < object->table.constraint_count; i++) {
        newest = MAX_OF(newest, object->table.constraints[i].id);
    }
    catalog->next_id = MAX_OF(catalog->next_id, newest + 1);
}

void catalog_put(Catalog *catalog, ObjectVersion *object) {
    lock(catalog);
    uint32_t slot = slot_of(catalog, object->def.id);
    object->older = catalog->slots[slot];
    catalog->slots[slot] = object;
    take_ids(catalog, object);
    catalog->next_version = MAX_OF(catalog->next_version, object->table.version + 1);
    for (uint16_t i = 0; i < object->table.column_count; i++) {
        ColumnDef *column = &object->table.columns[i];
        column->symbols = column->type.id == TYPE_SYMBOL ? dictionary_symbols(dictionary_locked(catalog, object->def.id, column->id)) : NULL;
    }
    name_add(catalog, object, slot);
    if (stamp_is_settled(object->begin)) {
        atomic_store(&catalog->changed_lsn, MAX_OF(atomic_load(&catalog->changed_lsn), object->begin));
    }
    unlock(catalog);
}

void catalog_undo(Catalog *catalog, ObjectVersion *object) {
    lock(catalog);
    uint32_t slot = slot_of(catalog, object->def.id);
    assert(catalog->slots[slot] == object);
    catalog->slots[slot] = object->older;
    unlock(catalog);
    object_free(object);
}

void catalog_settle(Catalog *catalog, ObjectVersion *object, uint64_t lsn) {
    lock(catalog);
    object->begin = lsn;
    atomic_store(&catalog->changed_lsn, MAX_OF(atomic_load(&catalog->changed_lsn), lsn));
    unlock(catalog);
}

void catalog_collect(Catalog *catalog, uint64_t horizon) {
    lock(catalog);
    for (size_t i = 0; i < catalog->slot_count; i++) {
        ObjectVersion *object = catalog->slots[i];
        while (object != NULL && object->begin > horizon) {
            object = object->older;
        }
        if (object != NULL) {
            free_chain(object->older);
            object->older = NULL;
        }
    }
    unlock(catalog);
}

static CatalogConflict conflict_of(const ObjectVersion *newest, const Snapshot *snapshot) {
    if (newest == NULL || stamp_visible(newest->begin, snapshot)) {
        return CATALOG_FREE;
    }
    return stamp_is_number(newest->begin) ? CATALOG_BUSY : CATALOG_NEWER;
}

CatalogConflict catalog_check(Catalog *catalog, uint32_t id, const Snapshot *snapshot) {
    lock(catalog);
    CatalogConflict conflict = conflict_of(newest_of(catalog, id), snapshot);
    unlock(catalog);
    return conflict;
}

CatalogConflict catalog_check_needed(Catalog *catalog, uint32_t id, const Snapshot *snapshot) {
    CatalogConflict conflict = CATALOG_FREE;
    lock(catalog);
    for (size_t i = 0; i < catalog->slot_count && conflict == CATALOG_FREE; i++) {
        const ObjectVersion *newest = catalog->slots[i];
        if (newest != NULL && newest->def.kind == OBJECT_VIEW && !newest->dropped && object_needs(&newest->def, id, 0)) {
            conflict = conflict_of(newest, snapshot);
        }
    }
    unlock(catalog);
    return conflict;
}

/* Does the newest version, or the settled one below another transaction's change, hold the name? */
static CatalogConflict name_conflict(const ObjectVersion *newest, const Snapshot *snapshot, uint32_t scope_id, Str name) {
    bool busy = newest != NULL && conflict_of(newest, snapshot) == CATALOG_BUSY;
    for (const ObjectVersion *object = newest; object != NULL; object = object->older) {
        bool holds = !object->dropped && scope_of(&object->def) == scope_id && str_equal(object->def.name, name);
        bool unsettled = busy && stamp_is_number(object->begin);
        if (holds) {
            return busy ? CATALOG_BUSY : CATALOG_NEWER;
        }
        if (!unsettled) {
            break;
        }
    }
    return CATALOG_FREE;
}

CatalogConflict catalog_check_name(Catalog *catalog, ObjectKind kind, uint32_t scope_id, Str name, const Snapshot *snapshot) {
    lock(catalog);
    uint64_t at = 0;
    CatalogConflict conflict = CATALOG_FREE;
    (void)intmap_get(&catalog->buckets, name_hash(kind, scope_id, name), &at);
    while (at != 0 && conflict == CATALOG_FREE) {
        const ObjectVersion *newest = catalog->slots[catalog->names[at - 1].slot];
        if (newest != NULL && name_class(newest->def.kind) == name_class(kind)) {
            conflict = name_conflict(newest, snapshot, scope_id, name);
        }
        at = catalog->names[at - 1].next;
    }
    unlock(catalog);
    return conflict;
}

const ObjectVersion *catalog_by_id(Catalog *catalog, uint32_t id, const Snapshot *snapshot) {
    lock(catalog);
    const ObjectVersion *object = visible_of(newest_of(catalog, id), snapshot);
    unlock(catalog);
    return object;
}

const ObjectVersion *catalog_newest(Catalog *catalog, uint32_t id) {
    lock(catalog);
    const ObjectVersion *object = newest_of(catalog, id);
    unlock(catalog);
    return object;
}

bool catalog_has_parts_of(Catalog *catalog, const TableDef *table) {
    lock(catalog);
    const ObjectVersion *object = newest_of(catalog, table->id);
    const TableDef *newest = object != NULL ? &object->table : table;
    bool same = newest->index_count == table->index_count && newest->constraint_count == table->constraint_count;
    for (uint16_t i = 0; i < table->index_count && same; i++) {
        same = newest->indexes[i].id == table->indexes[i].id;
    }
    for (uint16_t i = 0; i < table->constraint_count && same; i++) {
        same = newest->constraints[i].id == table->constraints[i].id;
    }
    unlock(catalog);
    return same;
}

const ObjectVersion *catalog_find(Catalog *catalog, ObjectKind kind, uint32_t scope_id, Str name, const Snapshot *snapshot, bool *many_out) {
    const ObjectVersion *exact = NULL;
    const ObjectVersion *similar = NULL;
    uint32_t similar_count = 0;
    lock(catalog);
    uint64_t at = 0;
    (void)intmap_get(&catalog->buckets, name_hash(kind, scope_id, name), &at);
    for (; at != 0 && exact == NULL; at = catalog->names[at - 1].next) {
        const ObjectVersion *object = visible_of(catalog->slots[catalog->names[at - 1].slot], snapshot);
        if (object == NULL || (kind != OBJECT_NONE && object->def.kind != kind) || scope_of(&object->def) != scope_id || !str_equal_ignore_case(object->def.name, name)) {
            continue;
        }
        if (str_equal(object->def.name, name)) {
            exact = object;
        } else {
            similar = object;
            similar_count++;
        }
    }
    unlock(catalog);
    *many_out = exact == NULL && similar_count > 1;
    return exact != NULL ? exact : similar_count == 1 ? similar : NULL;
}

bool catalog_next(Catalog *catalog, ObjectKind kind, const Snapshot *snapshot, size_t *cursor, const ObjectVersion **object_out) {
    bool found = false;
    lock(catalog);
    while (*cursor < catalog->slot_count && !found) {
        const ObjectVersion *object = visible_of(catalog->slots[(*cursor)++], snapshot);
        if (object != NULL && object->def.kind == kind) {
            *object_out = object;
            found = true;
        }
    }
    unlock(catalog);
    return found;
}

uint64_t catalog_changed_lsn(Catalog *catalog) {
    return atomic_load(&catalog->changed_lsn);
}

uint64_t catalog_object_count(Catalog *catalog, ObjectKind kind) {
    uint64_t count = 0;
    lock(catalog);
    for (size_t i = 0; i < catalog->slot_count; i++) {
        count += catalog->slots[i] != NULL && catalog->slots[i]->def.kind == kind && !catalog->slots[i]->dropped;
    }
    unlock(catalog);
    return count;
}
