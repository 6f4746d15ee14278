/* SPDX-License-Identifier: Apache-2.0
 * store.h - catalog objects with their versions, for the layers that change them; readers use catalog.h.
 *
 * DDL makes a whole new version of an object with the transaction's stamp. Version chains go from the newest
 * back. The same stamps and the same visibility as for rows; a transaction sees its own DDL at once.
 * Threads: Catalog locks itself. An object never changes but for its stamps, which are read under the lock only.
 * Format:  docs/format/catalog.md */
#pragma once
#include "base/hash.h"
#include "catalog/catalog.h"
#include "catalog/dictionary.h"
#include "txn/txn.h"

enum { CATALOG_FORMAT = 2 };

typedef struct ObjectVersion ObjectVersion;
struct ObjectVersion {
    CatalogObject def;         /* what readers see */
    bool dropped;              /* a version that says: gone */
    Stamp begin;               /* visible until the next newer version is */
    ObjectVersion *older;
    uint32_t next_column_id;   /* tables */
    TableDef table;
    Arena arena;               /* all of the above lies in it */
};

typedef struct Catalog Catalog;
Catalog *catalog_create(Sched *sched);
void catalog_destroy(Catalog *catalog);
uint32_t catalog_new_id(Catalog *catalog);
uint32_t catalog_next_id(Catalog *catalog);                 /* the one that comes next, for checkpoints */
void catalog_reserve_ids(Catalog *catalog, uint32_t next_id); /* ids below it are taken */

/* ---- building versions ---- */
ObjectVersion *object_new(ObjectKind kind, uint32_t id);          /* empty; free with object_free unless put */
void object_free(ObjectVersion *object);
ObjectVersion *object_copy(const ObjectVersion *from);            /* to be changed and put as the next version */
void object_encode(const ObjectVersion *object, Buffer *out);
NODISCARD ErrorCode object_decode(Bytes bytes, ObjectVersion **object_out, Error *err);
/* Column definitions into the object's arena; ids are kept. The table has no computed columns afterwards. */
void object_set_columns(ObjectVersion *object, const ColumnDef *columns, uint16_t column_count);
void object_set_all_columns(ObjectVersion *object, const ColumnDef *columns, uint16_t column_count, uint16_t computed_count); /* visible, then computed */
void object_set_indexes(ObjectVersion *object, const IndexDef *indexes, uint16_t index_count);             /* copied */
void object_set_constraints(ObjectVersion *object, const ConstraintDef *constraints, uint16_t constraint_count); /* copied */
void object__encode_parts(const TableDef *table, Buffer *out);                     /* indexes, constraints, computed columns; nothing if there are none */
void object__decode_parts(Reader *reader, ObjectVersion *object);
void object__column_encode(const ColumnDef *column, Buffer *out);
void object__column_decode(Reader *reader, Arena *arena, ColumnDef *column);
/* Everything but kind and id; copied into the version's arena. */
void object_set(ObjectVersion *object, const CatalogObject *def);

/* ---- versions ---- */
typedef enum CatalogConflict { CATALOG_FREE, CATALOG_BUSY /* another transaction is changing it */, CATALOG_NEWER /* changed since the snapshot */ } CatalogConflict;
/* May this transaction put a new version of the object? */
CatalogConflict catalog_check(Catalog *catalog, uint32_t id, const Snapshot *snapshot);
/* Does a view need the object that the snapshot does not see, because it is being made (BUSY) or was made since (NEWER)? */
CatalogConflict catalog_check_needed(Catalog *catalog, uint32_t id, const Snapshot *snapshot);
/* Is the name taken, judged by the newest versions whoever made them? CATALOG_NEWER = taken. */
CatalogConflict catalog_check_name(Catalog *catalog, ObjectKind kind, uint32_t scope_id, Str name, const Snapshot *snapshot);
/* Takes the object; symbols of its columns are filled in. object->begin is the stamp. */
void catalog_put(Catalog *catalog, ObjectVersion *object);
void catalog_undo(Catalog *catalog, ObjectVersion *object);       /* must be the newest version; freed */
void catalog_settle(Catalog *catalog, ObjectVersion *object, uint64_t lsn);
/* Frees versions that no transaction begun at or after the horizon can see. Dropped tables' dictionaries stay. */
void catalog_collect(Catalog *catalog, uint64_t horizon);

/* ---- looking ---- */
const ObjectVersion *catalog_by_id(Catalog *catalog, uint32_t id, const Snapshot *snapshot); /* NULL: not visible */
const ObjectVersion *catalog_newest(Catalog *catalog, uint32_t id);                          /* whoever made it */
/* Are the indexes and constraints of the newest version those of this one? */
bool catalog_has_parts_of(Catalog *catalog, const TableDef *table);
/* Exact first, then the only case-insensitive match; *many_out: several of those. OBJECT_NONE = any of table, view, sequence. */
const ObjectVersion *catalog_find(Catalog *catalog, ObjectKind kind, uint32_t scope_id, Str name, const Snapshot *snapshot, bool *many_out);
/* All visible objects of a kind by id; start with *cursor = 0. */
bool catalog_next(Catalog *catalog, ObjectKind kind, const Snapshot *snapshot, size_t *cursor, const ObjectVersion **object_out);
uint64_t catalog_changed_lsn(Catalog *catalog);                   /* LSN of the newest settled change */
uint64_t catalog_new_version(Catalog *catalog);
uint64_t catalog_object_count(Catalog *catalog, ObjectKind kind);

Dictionary *catalog_dictionary(Catalog *catalog, uint32_t table_id, uint32_t column_id); /* made if missing */
/* Walks all dictionaries; start with *cursor = 0. */
bool catalog_next_dictionary(Catalog *catalog, size_t *cursor, uint32_t *table_id_out, uint32_t *column_id_out, Dictionary **dictionary_out);
