/* SPDX-License-Identifier: Apache-2.0
 * sample_bucket.h - which interval of SAMPLE BY an instant falls into, and where the next one begins. */
#pragma once
#include "sql/bind/bound.h"

/* Instants are in the units of the timestamp's type; buckets are their first instants, in UTC. */
typedef struct Bucketer {
    int64_t per_second;          /* units of the type */
    int64_t step;                /* units, or months where by_months */
    bool by_months;
    const Zone *zone;            /* NULL = UTC */
    int64_t offset;              /* WITH OFFSET, in units */
    int64_t origin;              /* a bucket begins here, in local units less the offset */
    int64_t cached_from, cached_to;  /* the last answer: [from, to) */
} Bucketer;

/* Fails with ERR_INVALID_PARAMETER where the unit is finer than the type, ERR_DATETIME_OVERFLOW where the step does not fit. */
NODISCARD ErrorCode bucketer_init(Bucketer *bucketer, Type type, int64_t step, uint8_t unit, const Zone *zone, int64_t offset_micros, Error *err);
void bucketer_align(Bucketer *bucketer, int64_t instant); /* FROM, FIRST OBSERVATION: buckets begin at this instant (UTC) */
int64_t bucketer_next(const Bucketer *bucketer, int64_t bucket);
int64_t bucketer_find(Bucketer *bucketer, int64_t instant);

static inline int64_t bucketer_start(Bucketer *bucketer, int64_t instant) {
    return instant >= bucketer->cached_from && instant < bucketer->cached_to ? bucketer->cached_from : bucketer_find(bucketer, instant);
}
