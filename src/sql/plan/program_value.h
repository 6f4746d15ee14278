/* SPDX-License-Identifier: Apache-2.0
 * program_value.h - single values as CONSTANT vectors and back; shared with sql/exec. */
#pragma once
#include "sql/bind/bound.h"

/* CONSTANT vector that points into *value (booleans: into *word). Both must outlive it. */
Vector program_value_vector(const Value *value, uint64_t *word, uint16_t row_count);
/* Text and big numerics still point where the vector's do. Not for ENCODED. */
Value program_vector_value(const Vector *vector, size_t row);
