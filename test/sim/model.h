/* SPDX-License-Identifier: Apache-2.0
 * model.h - what the database must hold: a plain history of transactions and the tables that follow from it.
 *
 * Why:   a row is made from one number, its ident, so that a table's rows are a sum of hashes and any row proves itself when it is read. A transaction
 *        is a list of effects on table slots. What a crash left must be the history's acknowledged transactions, and each other one whole or not
 *        at all: every transaction writes its own number into the journal table, which tells which of them are there.
 * Tests: the planted bugs (plants.sh) */
#pragma once
#include "base/memory.h"

enum {
    MODEL_SLOTS = 10,      /* tables: the journal, a shared one, and two for each client */
    MODEL_JOURNAL = 0,
    MODEL_SHARED = 1,
    MODEL_CLIENTS_MAX = 4,
    MODEL_EFFECTS_MAX = 64 /* of one transaction */
};

typedef enum EffectKind { EFFECT_ROWS, EFFECT_CREATE, EFFECT_DROP, EFFECT_TRUNCATE, EFFECT_COLUMN /* extra column: sum is its number, 0 = none */ } EffectKind;
typedef struct Effect {
    uint8_t slot, kind;
    int64_t count; /* EFFECT_ROWS: rows more (or fewer) */
    uint64_t sum;  /* hashes of the idents more (modulo 2^64) */
} Effect;

typedef enum Outcome { OUTCOME_OPEN, OUTCOME_ACKED, OUTCOME_FAILED, OUTCOME_UNKNOWN } Outcome;
typedef struct History {
    uint64_t number; /* ident of its journal row */
    uint64_t lsn;    /* 0 until acknowledged */
    Outcome outcome;
    bool durable;    /* acknowledged means synced */
    uint32_t effect_count;
    Effect effects[MODEL_EFFECTS_MAX];
} History;

typedef struct SlotState {
    bool exists;
    uint64_t column; /* number of the extra column */
    int64_t count;
    uint64_t sum;
} SlotState;
typedef struct ModelState { SlotState slots[MODEL_SLOTS]; } ModelState;

typedef struct Model {
    History *items;
    size_t count, capacity;
    int64_t sequence_max; /* largest value of the one sequence that a transaction acknowledged as durable was given */
    ModelState acked;  /* after all acknowledged transactions in the order of their acknowledgement within each client */
} Model;

void model_init(Model *model);
void model_deinit(Model *model);
size_t model_begin(Model *model);                 /* index of a new open transaction; its number is index + 1 */
void model_effect(Model *model, size_t index, uint8_t slot, EffectKind kind, int64_t count, uint64_t sum);
void model_forget_effects(Model *model, size_t index, uint32_t keep);
void model_finish(Model *model, size_t index, Outcome outcome, uint64_t lsn, bool durable);
void model_apply(ModelState *state, const History *history);
uint64_t ident_hash(uint64_t ident);

/* What was read back. present[number] tells whether the journal holds it. */
typedef struct Found {
    ModelState state;
    bool *present;
    size_t present_count; /* room: numbers below it */
} Found;
/* ERR_OK, or ERR_DAMAGED with a text that says what does not fit. */
NODISCARD ErrorCode model_compare(const Model *model, const Found *found, Error *err);
