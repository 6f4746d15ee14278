/* SPDX-License-Identifier: Apache-2.0
 * relations.c - the table of system relations, look-ups, and the table definition made from a row's columns. */
#include "base/number.h"
#include "sql/system/produce.h"

static ErrorCode system_rows_empty(SystemView *view, SystemRows *rows, Error *err) {
    (void)view, (void)rows, (void)err;
    return ERR_OK;
}

static const SystemRelation RELATIONS[] = {
#define R(schema, name, oid, kind, producer, columns) {#schema, #name, oid, kind, system_rows_##producer, columns},
#include "sql/system/relations.h"
#undef R
};

size_t system_relation_count(void) { return COUNT_OF(RELATIONS); }

const SystemRelation *system_relation_at(size_t index) {
    assert(index < COUNT_OF(RELATIONS));
    return &RELATIONS[index];
}

static int compare_names(const SystemRelation *relation, Str schema, Str name) {
    int order = str_compare(str_from_c(relation->schema), schema);
    return order != 0 ? order : str_compare(str_from_c(relation->name), name);
}

const SystemRelation *system_relation_find(Str schema, Str name) {
    size_t low = 0, high = COUNT_OF(RELATIONS);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_names(&RELATIONS[middle], schema, name);
        if (order == 0) {
            return &RELATIONS[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

const SystemRelation *system_relation_by_oid(uint32_t oid) {
    for (size_t i = 0; i < COUNT_OF(RELATIONS); i++) {
        if (RELATIONS[i].oid == oid) {
            return &RELATIONS[i];
        }
    }
    return NULL;
}

/* ---- columns ---- */

/* Type names of relations.h that the type table does not have: shown as the type that holds them. */
static const struct { const char *name; TypeId id; } STAND_INS[] = {
    {"anyarray", TYPE_ARRAY}, {"char1", TYPE_CHAR1}, {"inet", TYPE_TEXT}, {"pg_dependencies", TYPE_TEXT}, {"pg_lsn", TYPE_TEXT}, {"pg_mcv_list", TYPE_TEXT},
    {"pg_ndistinct", TYPE_TEXT}, {"pg_statistic[]", TYPE_TEXT}, {"time_stamp", TYPE_TIMESTAMPTZ},
};

static Type column_type(Str name) {
    Type type;
    for (size_t i = 0; i < COUNT_OF(STAND_INS); i++) {
        if (str_equal(name, str_from_c(STAND_INS[i].name))) {
            return type_of(STAND_INS[i].id);
        }
    }
    if (str_equal(name, STR("yes_or_no"))) {
        type = type_of(TYPE_VARCHAR);
        type.length = 3;
        return type;
    }
    if (str_equal(name, STR("char1[]"))) {
        return type_array(type_of(TYPE_CHAR1));
    }
    if (type_from_name(name, false, &type)) {
        return type;
    }
    assert(!"relations.h names an unknown type");
    return type_of(TYPE_TEXT);
}

static uint16_t count_columns(Str spec) {
    uint16_t count = 1;
    for (size_t i = 0; i < spec.len; i++) {
        count = (uint16_t)(count + (spec.data[i] == ','));
    }
    return count;
}

static void read_columns(Arena *arena, Str spec, TableDef *table) {
    table->column_count = count_columns(spec);
    table->columns = arena_array(arena, ColumnDef, table->column_count);
    Str item;
    for (uint16_t c = 0; c < table->column_count && str_split(&spec, ',', &item); c++) {
        Str name;
        item = str_trim(item);
        str_split(&item, ' ', &name);
        table->columns[c] = (ColumnDef){.id = c + 1u, .name = name, .type = column_type(str_trim(item)), .missing_is_null = true};
    }
}

typedef struct SystemTable { struct SystemTable *next; const SystemRelation *relation; TableDef def; } SystemTable;

const TableDef *system_table(SystemView *view, const SystemRelation *relation) {
    for (SystemTable *known = view->tables; known != NULL; known = known->next) {
        if (known->relation == relation) {
            return &known->def;
        }
    }
    SystemTable *made = arena_new(view->arena, SystemTable);
    bool is_catalog = strcmp(relation->schema, "information_schema") != 0;
    made->relation = relation;
    made->def = (TableDef){.id = SYSTEM_TABLE_BIT | relation->oid, .schema_id = SYSTEM_TABLE_BIT | (is_catalog ? OID_SCHEMA_CATALOG : OID_SCHEMA_INFORMATION),
                           .schema_name = str_from_c(relation->schema), .name = str_from_c(relation->name), .designated = -1};
    read_columns(view->arena, str_from_c(relation->columns), &made->def);
    made->next = view->tables;
    view->tables = made;
    return &made->def;
}
