/* SPDX-License-Identifier: Apache-2.0
 * user_type.h - types that users made: finding them along a search path, labels of enums and their positions.
 *
 * Why:  a stored value of an enum holds the position of its label, so positions never change once given, and a label that is added in between
 *       takes one between its neighbours'. They start out far apart; ENUM_POSITION_GAP halves with each label added at the very same place.
 * Tests: test/unit/catalog/test_user_type.c, test/sql/enum.slt */
#pragma once
#include "catalog/bodies.h"
#include "column/value_text.h"

enum { ENUM_LABELS_MAX = 60000, ENUM_LABEL_BYTES_MAX = 63 };
#define ENUM_POSITION_GAP (UINT64_C(1) << 26)                          /* between labels while there is room */
#define ENUM_POSITION_END (UINT64_C(1) << ENUM_POSITION_BITS)

/* With an empty schema name along the path (NULL: public). The name as it is, or (fold) without regard to case where only one fits. */
const CatalogObject *catalog_type_find(CatalogView *view, const Str *path, uint32_t path_count, Str schema_name, Str name, bool fold);
/* Labels of enums over a catalog alone, for messages of the layers below the session. */
typedef struct CatalogLabels { OidNames names; CatalogView *view; } CatalogLabels;
void catalog_labels_init(CatalogLabels *labels, CatalogView *view);
/* The body, if the object is a type of that kind. */
bool catalog_type_body(CatalogView *view, uint32_t object_id, TypeKind kind, Arena *arena, TypeBody *body_out);

/* A domain and those that it is over, it first: *id goes to the next. false: no more, or no domain. */
bool catalog_domain_next(CatalogView *view, uint32_t *id, Arena *arena, TypeBody *body_out, const CatalogObject **object_out);

int enum_label_number(const TypeBody *body, Str label);                /* place in the order; -1: none */
int enum_position_number(const TypeBody *body, uint64_t position);
void enum_positions_spread(uint64_t *positions, uint16_t count);       /* of a new type */
/* A position for a label that comes to stand at place `at`. false: there is none left between its neighbours. */
bool enum_position_add(const TypeBody *body, uint16_t at, uint64_t *position_out);
