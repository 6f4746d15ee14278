/* SPDX-License-Identifier: Apache-2.0
 * frame.c - the running side of a program: registers bound to a batch, steps run in order.
 *
 * Why:        input registers point at the batch's own vectors, so that a column decoded for one step is decoded for all readers
 *             of the batch. Temporaries keep their buffers from batch to batch, because a fresh page is dearer than the work.
 * Invariants: scratch is reset at the start of a run, hence outputs live until the next run of the same frame.
 * Threads:    a frame belongs to one worker. */
#include "sql/exec/exec_internal.h"

enum { FRAME_ALIGNMENT = 16, MASK_ALIGNMENT = 64 };
#define FRAME_ARENA_BYTES_MAX ((size_t)64 << 30) /* the run's budget is the real limit */

static void bind_constant(Frame *frame, RegisterNumber reg, const Value *value, const SymbolTable *symbols) {
    frame->own[reg] = program_value_vector(value, &frame->bool_words[reg], 1);
    frame->own[reg].symbols = symbols;
    frame->slots[reg] = &frame->own[reg];
}

static ErrorCode bind_register(Frame *frame, RegisterNumber number, Error *err) {
    const Program *program = frame->program;
    const Register *reg = &program->registers[number];
    Run *run = frame->run;
    switch ((RegisterKind)reg->kind) {
    case REGISTER_INPUT:
    case REGISTER_TEMP:
        return ERR_OK;
    case REGISTER_CONSTANT:
        bind_constant(frame, number, &reg->value, reg->symbols);
        return ERR_OK;
    case REGISTER_PARAM:
        if (reg->number >= run->context.param_count) {
            return error_set(err, ERR_UNDEFINED_PARAMETER, ERROR_NO_POSITION, "parameter $%u has no value", reg->number + 1);
        }
        frame->own[number].type = reg->type;
        bind_constant(frame, number, &run->context.params[reg->number], reg->symbols);
        frame->own[number].type = reg->type;
        return ERR_OK;
    case REGISTER_OUTER:
        frame->own[number].type = reg->type;
        bind_constant(frame, number, &run->outer[reg->number], reg->symbols);
        frame->own[number].type = reg->type;
        return ERR_OK;
    case REGISTER_SUBQUERY: {
        const SubqueryState *state = &run->subqueries[program->subqueries[reg->number].id];
        assert(state->done);
        bind_constant(frame, number, &state->value, reg->symbols);
        return ERR_OK;
    }
    }
    return error_set(err, ERR_INTERNAL, ERROR_NO_POSITION, "register kind %u", reg->kind);
}

/* The next piece of a frame's memory; with at NULL only their sizes are added up. */
static void *piece(uint8_t *memory, size_t *used, size_t count, size_t size) {
    void *at = memory == NULL ? NULL : memory + *used;
    *used += (count * size + FRAME_ALIGNMENT - 1) / FRAME_ALIGNMENT * FRAME_ALIGNMENT;
    return at;
}

static size_t place_arrays(const Program *program, Frame *frame, uint8_t *memory) {
    size_t used = 0, registers = program->register_count + 1;
    frame->masks = piece(memory, &used, program->mask_count, sizeof *frame->masks);
    frame->own = piece(memory, &used, registers, sizeof *frame->own);
    frame->slots = piece(memory, &used, registers, sizeof *frame->slots);
    frame->buffers = piece(memory, &used, registers, sizeof *frame->buffers);
    frame->bool_words = piece(memory, &used, registers, sizeof *frame->bool_words);
    frame->mask_empty = piece(memory, &used, program->mask_count, sizeof *frame->mask_empty);
    frame->states = piece(memory, &used, program->step_count + 1, sizeof *frame->states);
    return used;
}

/* A frame and its arrays are one piece of memory: a short statement opens several frames and uses each once. */
static Frame *frame_create(const Program *program) {
    Frame sizes;
    size_t bytes = place_arrays(program, &sizes, NULL), head = sizeof(Frame) + MASK_ALIGNMENT;
    Frame *frame = mem_calloc(1, head + bytes);
    uint8_t *behind = (uint8_t *)(frame + 1);
    place_arrays(program, frame, behind + (-(uintptr_t)behind & (MASK_ALIGNMENT - 1)));
    return frame;
}

ErrorCode frame_open(Run *run, const Program *program, Frame **frame_out, Error *err) {
    assert(program != NULL);
    Frame *frame = frame_create(program);
    frame->program = program;
    frame->run = run;
    arena_init(&frame->keep, FRAME_ARENA_BYTES_MAX);
    arena_init(&frame->scratch, FRAME_ARENA_BYTES_MAX);
    for (RegisterNumber r = 0; r < program->register_count; r++) {
        ErrorCode code = bind_register(frame, r, err);
        if (code != ERR_OK) {
            frame_close(frame);
            return code;
        }
    }
    *frame_out = frame;
    return ERR_OK;
}

void frame_close(Frame *frame) {
    if (frame == NULL) {
        return;
    }
    for (uint32_t i = 0; i < frame->program->step_count; i++) {
        frame_close(frame->states[i].sub);
        mem_free(frame->states[i].memo);
        mem_free(frame->states[i].places);
        mem_free(frame->states[i].stamps);
        mem_free(frame->states[i].set_slots);
    }
    budget_release(&frame->run->budget, frame->budget_seen_keep + frame->budget_seen_scratch);
    arena_deinit(&frame->keep);
    arena_deinit(&frame->scratch);
    mem_free(frame);
}

uint64_t *frame_words(Frame *frame) {
    uint64_t *words = arena_alloc_aligned(&frame->scratch, BATCH_WORDS * sizeof *words, 64);
    memset(words, 0, BATCH_WORDS * sizeof *words);
    return words;
}

/* Values that hold pointers must not be left over from an earlier batch: kernels run over dead rows too. */
static bool holds_pointers(Type type) {
    return type_physical((TypeId)type.id) == PHYS_STR || type.id == TYPE_NUMERIC;
}

Vector *frame_temp(Frame *frame, const Step *step, bool constant) {
    Vector *own = &frame->own[step->out];
    const Register *reg = &frame->program->registers[step->out];
    if (frame->buffers[step->out] == NULL) {
        Vector fresh = vector_new(&frame->keep, reg->type);
        frame->buffers[step->out] = vector_data(&fresh);
    } else if (holds_pointers(reg->type)) {
        memset(frame->buffers[step->out], 0, 16 * (size_t)(constant ? 1 : frame->row_count));
    }
    *own = (Vector){
        .type = reg->type,
        .form = VECTOR_FLAT,
        .row_count = constant ? 1 : frame->row_count,
        .data = frame->buffers[step->out],
        .symbols = reg->symbols,
    };
    frame->slots[step->out] = own;
    return own;
}

void frame_null(Frame *frame, const Step *step) {
    const Register *reg = &frame->program->registers[step->out];
    frame->own[step->out] = vector_null(reg->type, frame->row_count);
    frame->own[step->out].symbols = reg->symbols;
    frame->slots[step->out] = &frame->own[step->out];
}

BoolOut frame_bool(Frame *frame, const Step *step) {
    if (frame->buffers[step->out] == NULL) {
        frame->buffers[step->out] = arena_alloc_aligned(&frame->keep, 2 * BATCH_WORDS * sizeof(uint64_t), 64);
        memset(frame->buffers[step->out], 0, 2 * BATCH_WORDS * sizeof(uint64_t));
    }
    Vector *own = frame_temp(frame, step, false);
    uint64_t *words = vector_data(own);
    own->valid = words + BATCH_WORDS;
    return (BoolOut){words, words + BATCH_WORDS};
}

ErrorCode frame_bool_in(Frame *frame, RegisterNumber reg, BoolIn *in_out, Error *err) {
    Vector *vector = frame->slots[reg];
    assert(type_physical((TypeId)vector->type.id) == PHYS_BIT);
    TRY(vector_dense(vector, &frame->scratch, err));
    in_out->value = vector->data;
    in_out->valid = vector->valid;
    if (vector->form == VECTOR_CONSTANT) {
        uint64_t *words = frame_words(frame);
        bool null = vector->valid != NULL && !bit_get(vector->valid, 0);
        memset(words, !null && bit_get(vector->data, 0) ? 0xff : 0, BATCH_WORDS * sizeof *words);
        in_out->value = words;
        in_out->valid = null ? frame_words(frame) : NULL;
    }
    return ERR_OK;
}

/* Words of "row is not NULL"; NULL = no nulls. Any type and form. */
static ErrorCode validity_words(Frame *frame, RegisterNumber reg, const uint64_t **valid_out, Error *err) {
    Vector *vector = frame->slots[reg];
    TRY(vector_dense(vector, &frame->scratch, err));
    *valid_out = vector->valid;
    if (vector->form == VECTOR_CONSTANT && vector->valid != NULL) {
        *valid_out = bit_get(vector->valid, 0) ? NULL : frame_words(frame);
    }
    return ERR_OK;
}

static ErrorCode step_mask(Frame *frame, const Step *step, Error *err) {
    uint64_t *out = frame->masks[step->out];
    const uint64_t *guard = frame->masks[step->guard];
    BoolIn in = {NULL, NULL};
    if (step->kind == STEP_MASK_NULL || step->kind == STEP_MASK_NOT_NULL) {
        TRY(validity_words(frame, step->args[0], &in.valid, err));
    } else {
        TRY(frame_bool_in(frame, step->args[0], &in, err));
    }
    size_t words = words_for(frame->row_count);
    memset(out, 0, BATCH_WORDS * sizeof *out);
    for (size_t w = 0; w < words; w++) {
        uint64_t valid = in.valid == NULL ? ~UINT64_C(0) : in.valid[w];
        uint64_t value = in.value == NULL ? 0 : in.value[w];
        switch ((StepKind)step->kind) {
        case STEP_MASK_TRUE:
            out[w] = guard[w] & value & valid;
            break;
        case STEP_MASK_NOT_TRUE:
            out[w] = guard[w] & ~(value & valid);
            break;
        case STEP_MASK_NOT_FALSE:
            out[w] = guard[w] & (value | ~valid);
            break;
        case STEP_MASK_NULL:
            out[w] = guard[w] & ~valid;
            break;
        default:
            out[w] = guard[w] & valid;
            break;
        }
    }
    frame->mask_empty[step->out] = words_empty(out);
    return ERR_OK;
}

static ErrorCode step_retype(Frame *frame, const Step *step, Error *err) {
    Vector *vector = frame->slots[step->args[0]];
    TRY(vector_dense(vector, &frame->scratch, err));
    frame->own[step->out] = *vector;
    frame->own[step->out].type = frame->program->registers[step->out].type;
    frame->own[step->out].row_count = frame->row_count;
    frame->slots[step->out] = &frame->own[step->out];
    return ERR_OK;
}

static ErrorCode run_step(Frame *frame, uint32_t number, Error *err) {
    const Step *step = &frame->program->steps[number];
    StepState *state = &frame->states[number];
    switch ((StepKind)step->kind) {
    case STEP_CALL:
        return step_call(frame, step, state, err);
    case STEP_AND:
    case STEP_OR:
    case STEP_NOT:
    case STEP_IS_NULL:
        return step_logic(frame, step, err);
    case STEP_RETYPE:
        return step_retype(frame, step, err);
    case STEP_BLEND:
        return step_blend(frame, step, err);
    case STEP_IN_LIST:
        return step_in_list(frame, step, state, err);
    case STEP_TIME_IN:
        return step_time_in(frame, step, err);
    case STEP_IN_REL:
        return step_in_rel(frame, step, err);
    case STEP_SUBQUERY_CHECK:
        return subquery_check(&frame->run->subqueries[frame->program->subqueries[step->as.subquery].id], err);
    case STEP_APPLY:
        return step_apply(frame, step, err);
    case STEP_SYMBOL_EQUAL:
        return step_symbol_equal(frame, step, err);
    case STEP_SYMBOL_MAP:
        return step_symbol_map(frame, step, state, err);
    default:
        return step_mask(frame, step, err);
    }
}

static void bind_batch(Frame *frame, Batch *in) {
    const Program *program = frame->program;
    frame->row_count = in == NULL ? 1 : in->row_count;
    uint64_t *live = frame->masks[MASK_LIVE];
    memset(live, 0, BATCH_WORDS * sizeof *live);
    size_t words = words_for(frame->row_count);
    for (size_t w = 0; w < words; w++) {
        live[w] = in == NULL || in->live == NULL ? ~UINT64_C(0) : in->live[w];
    }
    if (words > 0) {
        live[words - 1] &= tail_mask(frame->row_count);
    }
    frame->live_count = in == NULL ? 1 : in->live_count;
    frame->mask_empty[MASK_LIVE] = frame->live_count == 0;
    for (RegisterNumber r = 0; r < program->register_count; r++) {
        if (program->registers[r].kind == REGISTER_INPUT) {
            assert(in != NULL);
            assert(program->registers[r].number < in->column_count);
            frame->slots[r] = &in->columns[program->registers[r].number];
        } else if (program->registers[r].kind != REGISTER_TEMP) {
            frame->own[r].row_count = frame->row_count;
        }
    }
}

ErrorCode frame_run(Frame *frame, Batch *in, Error *err) {
    arena_reset(&frame->scratch);
    bind_batch(frame, in);
    const Program *program = frame->program;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const Step *step = &program->steps[i];
        if (!frame->mask_empty[step->guard]) {
            TRY(run_step(frame, i, err));
        } else if (step->kind >= STEP_MASK_TRUE) {
            memset(frame->masks[step->out], 0, sizeof *frame->masks);
            frame->mask_empty[step->out] = true;
        } else {
            frame_null(frame, step);
        }
    }
    TRY(budget_follow(&frame->run->budget, &frame->keep, &frame->budget_seen_keep, err));
    return budget_follow(&frame->run->budget, &frame->scratch, &frame->budget_seen_scratch, err);
}

ErrorCode frame_output_dense(Frame *frame, uint32_t output, Vector **vector_out, Error *err) {
    *vector_out = frame_output(frame, output);
    return vector_dense(*vector_out, &frame->scratch, err);
}

ErrorCode frame_flat(Frame *frame, RegisterNumber reg, Vector **vector_out, Error *err) {
    Vector *vector = frame->slots[reg];
    if (vector->form == VECTOR_CONSTANT) { /* the register itself must stay constant for the next batch */
        Vector *copy = arena_new(&frame->scratch, Vector);
        *copy = *vector;
        copy->row_count = frame->row_count;
        vector = copy;
    }
    *vector_out = vector;
    return vector_flat(vector, &frame->scratch, err);
}

ErrorCode frame_output_flat(Frame *frame, uint32_t output, Vector **vector_out, Error *err) {
    return frame_flat(frame, frame->program->outputs[output], vector_out, err);
}

Value value_keep(const Value *value, Arena *arena) {
    Value copy = *value;
    if (value->is_null) {
        return copy;
    }
    if (type_physical((TypeId)value->type.id) == PHYS_STR && value->as.str.len > STRREF_INLINE) {
        Str text = arena_str(arena, strref_str(&value->as.str));
        copy.as.str = strref_make(text.data, text.len);
    } else if (value->type.id == TYPE_NUMERIC) {
        copy.as.numeric = numeric_to_slot(numeric_from_slot(&value->as.numeric), arena);
    }
    return copy;
}

/* A parameter or constant is taken from where it is; false: it must be computed. */
static bool constant_outputs(const Run *run, const Program *program, Arena *arena, Value *values_out) {
    for (uint32_t i = 0; i < program->output_count; i++) {
        const Register *reg = &program->registers[program->outputs[i]];
        bool param = reg->kind == REGISTER_PARAM && reg->number < run->context.param_count;
        if (!param && reg->kind != REGISTER_CONSTANT) {
            return false;
        }
        values_out[i] = value_keep(param ? &run->context.params[reg->number] : &reg->value, arena);
        values_out[i].type = param ? reg->type : values_out[i].type;
    }
    return true;
}

ErrorCode program_constants(Run *run, const Program *program, Arena *arena, Value *values_out, Error *err) {
    Frame *frame = NULL;
    ErrorCode code = program_subqueries(run, program, err);
    TRY(code);
    if (program->step_count == 0 && constant_outputs(run, program, arena, values_out)) {
        return ERR_OK;
    }
    TRY_OR(done, frame_open(run, program, &frame, err));
    TRY_OR(done, frame_run(frame, NULL, err));
    for (uint32_t i = 0; i < program->output_count; i++) {
        Value value = program_vector_value(frame_output(frame, i), 0);
        values_out[i] = value_keep(&value, arena);
    }
done:
    frame_close(frame);
    return code;
}
