/* SPDX-License-Identifier: Apache-2.0
 * sequence.c - where sequences stand: counters in memory, with reservations in the log.
 *
 * Why:        a value that was given is never given again, also after a rollback or a crash, and yet not each value costs a record. A
 *             record reserves RESERVED_VALUES ahead; after a crash the sequence goes on behind the reservation.
 * Order:      nobody waits for a reservation's record: the commit that uses a value stands behind it in the log. A transaction that writes
 *             nothing waits at its end (txn_commit).
 * States:     one per state id of a sequence's body. RESTART makes a new body with a new state id, so a rollback finds the old state.
 * Checkpoint: holds the reserved place, not the one reached; a clean close gives the rest of the reservation back first.
 * Threads:    one mutex, held while a record is appended, so that a checkpoint knows at least what its log below holds.
 * Tests:      test/unit/engine/test_sequence.c, test/sim/workload.c */
#include "catalog/bodies.h"
#include "engine/engine_internal.h"

enum { RESERVED_VALUES = 32 };

typedef struct SequenceState {
    uint32_t state_id, sequence_id;
    int64_t last;                 /* the value given last, or (not called) the one that comes next */
    bool called;
    uint32_t left;                /* values that may be given without a record */
    int64_t logged;               /* where a start would find it */
    bool logged_called, in_log;
    Lsn lsn;                      /* of the newest record; 0 = before this start */
} SequenceState;

struct Sequences {
    Mutex lock;                   /* guards all below */
    IntMap by_id;                 /* state id -> place in states + 1 */
    SequenceState *states;
    size_t count, capacity;
};

Sequences *engine__sequences_create(Sched *sched) {
    Sequences *sequences = mem_calloc(1, sizeof *sequences);
    sched->mutex_init(sched, &sequences->lock);
    intmap_init(&sequences->by_id);
    return sequences;
}

void engine__sequences_destroy(Sequences *sequences, Sched *sched) {
    intmap_deinit(&sequences->by_id);
    sched->mutex_deinit(sched, &sequences->lock);
    mem_free(sequences->states);
    mem_free(sequences);
}

static SequenceState *state_of(Sequences *sequences, uint32_t state_id, uint32_t sequence_id, bool *made_out) {
    uint64_t place = 0;
    *made_out = !intmap_get(&sequences->by_id, state_id, &place);
    if (!*made_out) {
        return &sequences->states[place];
    }
    if (sequences->count == sequences->capacity) {
        sequences->capacity = sequences->capacity == 0 ? 16 : sequences->capacity * 2;
        sequences->states = mem_realloc(sequences->states, sizeof(SequenceState) * sequences->capacity);
    }
    (void)intmap_put(&sequences->by_id, state_id, sequences->count);
    SequenceState *state = &sequences->states[sequences->count++];
    *state = (SequenceState){.state_id = state_id, .sequence_id = sequence_id};
    return state;
}

/* ---- log and checkpoint ---- */

static void encode_state(const SequenceState *state, int64_t last, bool called, Buffer *out) {
    size_t at = op_begin(out, OP_SEQUENCE, state->state_id);
    buffer_put_u32le(out, state->sequence_id);
    buffer_put_u64le(out, (uint64_t)last);
    buffer_put_u8(out, called);
    op_finish(out, at);
}

ErrorCode engine__redo_sequence(Engine *engine, uint32_t state_id, Bytes payload, Error *err) {
    Reader reader = reader_from(payload);
    uint32_t sequence_id = reader_u32le(&reader);
    int64_t last = (int64_t)reader_u64le(&reader);
    bool called = reader_u8(&reader) != 0;
    if (reader.failed) {
        return error_set(err, ERR_DAMAGED, (int64_t)reader.at, "the place of a sequence cannot be read");
    }
    bool made = false;
    SequenceState *state = state_of(engine->sequences, state_id, sequence_id, &made);
    state->last = state->logged = last;
    state->called = state->logged_called = called;
    state->in_log = true;
    state->left = 0;
    return ERR_OK;
}

/* Is the state still that of a sequence, or can it come back by a rollback? */
static bool is_wanted(Engine *engine, const SequenceState *state, const Snapshot *snapshot) {
    if (!state->in_log) {
        return false;
    }
    if (catalog_check(engine->catalog, state->sequence_id, snapshot) != CATALOG_FREE) {
        return true;
    }
    SequenceBody body;
    const ObjectVersion *object = catalog_by_id(engine->catalog, state->sequence_id, snapshot);
    return object != NULL && sequence_body_decode(object->def.body, &body, NULL) == ERR_OK && body.state_id == state->state_id;
}

void engine__sequences_encode(Engine *engine, const Snapshot *snapshot, Buffer *out) {
    Sequences *sequences = engine->sequences;
    engine__lock(engine, &sequences->lock);
    for (size_t i = 0; i < sequences->count; i++) {
        const SequenceState *state = &sequences->states[i];
        if (is_wanted(engine, state, snapshot)) {
            encode_state(state, state->logged, state->logged_called, out);
        }
    }
    engine__unlock(engine, &sequences->lock);
}

void engine__sequences_settle(Engine *engine) {
    Sequences *sequences = engine->sequences;
    for (size_t i = 0; i < sequences->count; i++) {
        SequenceState *state = &sequences->states[i];
        state->logged = state->last;
        state->logged_called = state->called;
    }
}

static ErrorCode log_state(Engine *engine, SequenceState *state, int64_t last, bool called, Error *err) {
    Buffer body;
    buffer_init(&body, 4096);
    encode_state(state, last, called, &body);
    IoVec part = {body.data, body.len};
    WalAppend append = {.parts = &part, .part_count = 1, .kind = RECORD_COMMIT, .durability = WAL_OFF};
    ErrorCode code = wal_append(engine->wal, &append, &state->lsn, NULL, err);
    buffer_deinit(&body);
    if (code == ERR_OK) {
        state->logged = last;
        state->logged_called = called;
        state->in_log = true;
    }
    return code;
}

/* ---- values ---- */

/* The value behind `value`; false: there is none. */
static bool step(const SequenceBody *body, int64_t value, int64_t *next_out) {
    int64_t next = 0;
    bool over = __builtin_add_overflow(value, body->increment, &next);
    if (!over && next <= body->maximum && next >= body->minimum) {
        *next_out = next;
        return true;
    }
    *next_out = body->increment > 0 ? body->minimum : body->maximum;
    return body->cycle;
}

static ErrorCode limit_error(const CatalogObject *sequence, const SequenceBody *body, Error *err) {
    return error_set(err, ERR_SEQUENCE_LIMIT, ERROR_NO_POSITION, "nextval: reached %s value of sequence \"%.*s\" (%lld)",
                     body->increment > 0 ? "maximum" : "minimum", STR_ARG(sequence->name),
                     (long long)(body->increment > 0 ? body->maximum : body->minimum));
}

static ErrorCode find_sequence(Txn *txn, uint32_t id, const CatalogObject **sequence_out, SequenceBody *body_out, Error *err) {
    const CatalogObject *sequence = txn->view.base.object_by_id(&txn->view.base, id);
    if (sequence == NULL || sequence->kind != OBJECT_SEQUENCE) {
        return error_set(err, ERR_UNDEFINED_TABLE, ERROR_NO_POSITION, "sequence with id %u does not exist", id);
    }
    *sequence_out = sequence;
    return sequence_body_decode(sequence->body, body_out, err);
}

static SequenceState *current_state(Engine *engine, const CatalogObject *sequence, const SequenceBody *body) {
    bool made = false;
    SequenceState *state = state_of(engine->sequences, body->state_id, sequence->id, &made);
    if (made) {
        state->last = body->restart;
        state->called = body->restart_called;
    }
    return state;
}

static ErrorCode next_locked(Txn *txn, const CatalogObject *sequence, const SequenceBody *body, int64_t *value_out, Error *err) {
    SequenceState *state = current_state(txn->engine, sequence, body);
    int64_t next = state->last;
    if (state->called && !step(body, state->last, &next)) {
        return limit_error(sequence, body, err);
    }
    if (state->left == 0) {
        int64_t reserved = next;
        int64_t further = 0;
        uint32_t count = 1;
        for (; count < RESERVED_VALUES && step(body, reserved, &further); count++) {
            reserved = further;
        }
        TRY(log_state(txn->engine, state, reserved, true, err));
        state->left = count;
    }
    state->left--;
    state->last = *value_out = next;
    state->called = true;
    txn->sequence_lsn = MAX_OF(txn->sequence_lsn, state->lsn);
    return ERR_OK;
}

ErrorCode txn_sequence_next(Txn *txn, uint32_t sequence_id, int64_t *value_out, Error *err) {
    const CatalogObject *sequence = NULL;
    SequenceBody body;
    if (txn->options.read_only) {
        return error_set(err, ERR_READ_ONLY, ERROR_NO_POSITION, "cannot execute nextval() in a read-only transaction");
    }
    TRY(find_sequence(txn, sequence_id, &sequence, &body, err));
    engine__lock(txn->engine, &txn->engine->sequences->lock);
    ErrorCode code = next_locked(txn, sequence, &body, value_out, err);
    engine__unlock(txn->engine, &txn->engine->sequences->lock);
    return code;
}

static ErrorCode set_locked(Txn *txn, const CatalogObject *sequence, const SequenceBody *body, int64_t value, bool called, Error *err) {
    SequenceState *state = current_state(txn->engine, sequence, body);
    TRY(log_state(txn->engine, state, value, called, err));
    state->last = value;
    state->called = called;
    state->left = 0;
    txn->sequence_lsn = MAX_OF(txn->sequence_lsn, state->lsn);
    return ERR_OK;
}

ErrorCode txn_sequence_set(Txn *txn, uint32_t sequence_id, int64_t value, bool called, Error *err) {
    const CatalogObject *sequence = NULL;
    SequenceBody body;
    if (txn->options.read_only) {
        return error_set(err, ERR_READ_ONLY, ERROR_NO_POSITION, "cannot execute setval() in a read-only transaction");
    }
    TRY(find_sequence(txn, sequence_id, &sequence, &body, err));
    if (value < body.minimum || value > body.maximum) {
        return error_set(err, ERR_OUT_OF_RANGE, ERROR_NO_POSITION, "setval: value %lld is out of bounds for sequence \"%.*s\" (%lld..%lld)",
                         (long long)value, STR_ARG(sequence->name), (long long)body.minimum, (long long)body.maximum);
    }
    engine__lock(txn->engine, &txn->engine->sequences->lock);
    ErrorCode code = set_locked(txn, sequence, &body, value, called, err);
    engine__unlock(txn->engine, &txn->engine->sequences->lock);
    return code;
}

ErrorCode txn_sequence_read(Txn *txn, uint32_t sequence_id, int64_t *last_out, bool *called_out, Error *err) {
    const CatalogObject *sequence = NULL;
    SequenceBody body;
    TRY(find_sequence(txn, sequence_id, &sequence, &body, err));
    engine__lock(txn->engine, &txn->engine->sequences->lock);
    const SequenceState *state = current_state(txn->engine, sequence, &body);
    *last_out = state->last;
    *called_out = state->called;
    engine__unlock(txn->engine, &txn->engine->sequences->lock);
    return ERR_OK;
}
