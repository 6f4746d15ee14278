/* SPDX-License-Identifier: Apache-2.0
 * model.c - the plain model and the comparison with what a crash left. */
#include "model.h"
#include "base/hash.h"

void model_init(Model *model) {
    *model = (Model){0};
}

void model_deinit(Model *model) {
    mem_free(model->items);
    *model = (Model){0};
}

uint64_t ident_hash(uint64_t ident) {
    return hash_u64(ident * UINT64_C(0x9e3779b97f4a7c15) + 1);
}

size_t model_begin(Model *model) {
    if (model->count == model->capacity) {
        model->capacity = model->capacity == 0 ? 64 : model->capacity * 2;
        model->items = mem_realloc(model->items, model->capacity * sizeof *model->items);
    }
    size_t index = model->count++;
    model->items[index] = (History){.number = index + 1};
    return index;
}

void model_effect(Model *model, size_t index, uint8_t slot, EffectKind kind, int64_t count, uint64_t sum) {
    History *history = &model->items[index];
    assert(history->effect_count < MODEL_EFFECTS_MAX);
    history->effects[history->effect_count++] = (Effect){slot, (uint8_t)kind, count, sum};
}

void model_forget_effects(Model *model, size_t index, uint32_t keep) {
    assert(keep <= model->items[index].effect_count);
    model->items[index].effect_count = keep;
}

void model_apply(ModelState *state, const History *history) {
    for (uint32_t i = 0; i < history->effect_count; i++) {
        const Effect *effect = &history->effects[i];
        SlotState *slot = &state->slots[effect->slot];
        switch ((EffectKind)effect->kind) {
        case EFFECT_ROWS:
            slot->count += effect->count;
            slot->sum += effect->sum;
            break;
        case EFFECT_CREATE:
            *slot = (SlotState){.exists = true};
            break;
        case EFFECT_DROP:
            *slot = (SlotState){0};
            break;
        case EFFECT_TRUNCATE:
            slot->count = 0;
            slot->sum = 0;
            break;
        case EFFECT_COLUMN:
            slot->column = effect->sum;
            break;
        }
    }
}

void model_finish(Model *model, size_t index, Outcome outcome, uint64_t lsn, bool durable) {
    History *history = &model->items[index];
    assert(history->outcome == OUTCOME_OPEN);
    history->outcome = outcome;
    history->lsn = lsn;
    history->durable = durable;
    if (outcome == OUTCOME_ACKED) {
        model_apply(&model->acked, history);
    }
}

static bool is_present(const Found *found, const History *history) {
    return history->number < found->present_count && found->present[history->number];
}

static ErrorCode wrong(Error *err, const History *history, const char *what) {
    return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "transaction %llu (lsn %llu): %s", (unsigned long long)history->number,
                     (unsigned long long)history->lsn, what);
}

/* Which transactions may, must or must not be there. */
static ErrorCode check_presence(const Model *model, const Found *found, bool *all_acked_out, Error *err) {
    uint64_t last_lsn = 0;
    *all_acked_out = true;
    for (size_t i = 0; i < model->count; i++) {
        const History *history = &model->items[i];
        if (is_present(found, history)) {
            last_lsn = MAX_OF(last_lsn, history->lsn);
        }
    }
    for (size_t i = 0; i < model->count; i++) {
        const History *history = &model->items[i];
        bool present = is_present(found, history);
        if (history->outcome == OUTCOME_FAILED && present) {
            return wrong(err, history, "was refused and is there");
        }
        if (history->outcome != OUTCOME_ACKED || present) {
            continue;
        }
        *all_acked_out = false;
        if (history->durable) {
            return wrong(err, history, "was acknowledged as durable and is lost");
        }
        if (history->lsn < last_lsn) {
            return wrong(err, history, "is missing though a later one is there");
        }
    }
    for (size_t number = model->count + 1; number < found->present_count; number++) {
        if (found->present[number]) {
            return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "transaction %zu never existed", number);
        }
    }
    return ERR_OK;
}

/* Acknowledged ones come first, because a client has one transaction at a time and clients share no table with DDL. */
static void expected_state(const Model *model, const Found *found, bool all_acked, ModelState *state) {
    *state = all_acked ? model->acked : (ModelState){0};
    for (int pass = all_acked ? 1 : 0; pass < 2; pass++) {
        for (size_t i = 0; i < model->count; i++) {
            const History *history = &model->items[i];
            if ((history->outcome == OUTCOME_ACKED) == (pass == 0) && is_present(found, history)) {
                model_apply(state, history);
            }
        }
    }
}

ErrorCode model_compare(const Model *model, const Found *found, Error *err) {
    bool all_acked;
    TRY(check_presence(model, found, &all_acked, err));
    ModelState want;
    expected_state(model, found, all_acked, &want);
    for (int i = 0; i < MODEL_SLOTS; i++) {
        const SlotState *a = &want.slots[i];
        const SlotState *b = &found->state.slots[i];
        if (a->exists != b->exists || a->column != b->column) {
            return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "table %d: exists %d, not %d; extra column %llu, not %llu", i, b->exists,
                             a->exists, (unsigned long long)b->column, (unsigned long long)a->column);
        }
        if (a->count != b->count || a->sum != b->sum) {
            return error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "table %d: %lld rows, not %lld%s", i, (long long)b->count, (long long)a->count,
                             a->count == b->count ? " (as many, but others)" : "");
        }
    }
    return ERR_OK;
}
