/* SPDX-License-Identifier: Apache-2.0
 * gen.c - the table of generators and the loop that runs one.
 *
 * Tests: test/unit/gen/test_gen.c */
#include "gen/gen_internal.h"

static const GenKind *const KINDS[] = {&GEN_FLOORSHEET, &GEN_CPU, &GEN_TAQ, &GEN_TAQ_TRADES};

struct Generator {
    const GenKind *kind;
    void *state;
    uint64_t rows, rows_left;
    const char *header;          /* still due */
    bool trailer_due;
};

static const GenKind *kind_find(Str name) {
    for (size_t i = 0; i < COUNT_OF(KINDS); i++) {
        if (str_equal(name, str_from_c(KINDS[i]->name))) {
            return KINDS[i];
        }
    }
    return NULL;
}

ErrorCode generator_open(const GenOptions *options, Arena *arena, Generator **generator_out, Error *err) {
    assert(generator_out != NULL);
    const GenKind *kind = kind_find(options->kind);
    if (kind == NULL) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION,
                         "unknown kind of data: \"%.*s\" (there are floorsheet, cpu, taq and taq-trades)", STR_ARG(options->kind));
    }
    if (options->hosts > GEN_HOSTS_MAX) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "at most %d hosts", GEN_HOSTS_MAX);
    }
    if (options->table.len > GEN_ROW_BYTES_MAX / 4) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "the table name is too long");
    }
    if (options->format == GEN_PIPE && (kind->pipe_header == NULL || options->rows > kind->pipe_rows_max)) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "%s has no pipe-separated file of %llu rows (taq: one day, %d; taq-trades: %d)",
                         kind->name, (unsigned long long)options->rows, (int)GEN_TAQ.pipe_rows_max, (int)GEN_TAQ_TRADES.pipe_rows_max);
    }
    GenOptions filled = *options;
    if (filled.table.len == 0) {
        filled.table = str_from_c(kind->table);
    }
    if (filled.hosts == 0) {
        filled.hosts = GEN_HOSTS_DEFAULT;
    }
    Generator *generator = arena_new(arena, Generator);
    generator->kind = kind;
    generator->state = kind->open(&filled, arena);
    generator->rows = generator->rows_left = options->rows;
    generator->header = options->format == GEN_CSV ? kind->csv_header : options->format == GEN_PIPE ? kind->pipe_header : NULL;
    generator->trailer_due = options->format == GEN_PIPE;
    *generator_out = generator;
    return ERR_OK;
}

bool generator_next(Generator *generator, Buffer *out) {
    if (generator->rows_left == 0 && generator->header == NULL && !generator->trailer_due) {
        return false;
    }
    char *start = (char *)buffer_reserve(out, GEN_CHUNK_BYTES_MAX);
    assert(start != NULL);
    char *end = start;
    if (generator->header != NULL) {
        end = gen__put_text(end, generator->header, strlen(generator->header));
        *end++ = '\n';
        generator->header = NULL;
    }
    uint32_t count = (uint32_t)MIN_OF(generator->rows_left, (uint64_t)GEN_CHUNK_ROWS);
    end = generator->kind->write_rows(generator->state, count, end);
    generator->rows_left -= count;
    if (generator->rows_left == 0 && generator->trailer_due) {
        end = generator->kind->pipe_trailer(generator->rows, end);
        generator->trailer_due = false;
    }
    out->len += (size_t)(end - start);
    assert((size_t)(end - start) <= GEN_CHUNK_BYTES_MAX);
    return true;
}

ErrorCode gen_run(const GenOptions *options, GenWrite write, void *context, Error *err) {
    Arena arena;
    Buffer buffer;
    Generator *generator = NULL;
    ErrorCode code = ERR_OK;
    arena_init(&arena, SIZE_MAX);
    buffer_init(&buffer, GEN_PIECE_BYTES + GEN_CHUNK_BYTES_MAX);
    TRY_OR(done, generator_open(options, &arena, &generator, err));
    while (generator_next(generator, &buffer)) {
        if (buffer.len >= GEN_PIECE_BYTES) {
            TRY_OR(done, write(context, buffer_bytes(&buffer), err));
            buffer_clear(&buffer);
        }
    }
    if (buffer.len > 0) {
        code = write(context, buffer_bytes(&buffer), err);
    }
done:
    buffer_deinit(&buffer);
    arena_deinit(&arena);
    return code;
}

