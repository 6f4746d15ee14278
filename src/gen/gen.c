/* SPDX-License-Identifier: Apache-2.0
 * gen.c - the table of generators and the loop that runs one.
 *
 * Tests: test/unit/gen/test_gen.c */
#include "gen/gen_internal.h"

static const GenKind *const KINDS[] = {&GEN_FLOORSHEET, &GEN_CPU, &GEN_TAQ};

struct Generator {
    const GenKind *kind;
    void *state;
    uint64_t rows_left;
    bool header_due;
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
                         "unknown kind of data: \"%.*s\" (there are floorsheet, cpu and taq)", STR_ARG(options->kind));
    }
    if (options->hosts > GEN_HOSTS_MAX) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "at most %d hosts", GEN_HOSTS_MAX);
    }
    if (options->table.len > GEN_ROW_BYTES_MAX / 4) {
        return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "the table name is too long");
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
    generator->rows_left = options->rows;
    generator->header_due = options->format == GEN_CSV;
    *generator_out = generator;
    return ERR_OK;
}

bool generator_next(Generator *generator, Buffer *out) {
    if (generator->rows_left == 0 && !generator->header_due) {
        return false;
    }
    char *start = (char *)buffer_reserve(out, GEN_CHUNK_BYTES_MAX);
    assert(start != NULL);
    char *end = start;
    if (generator->header_due) {
        end = gen__put_text(end, generator->kind->csv_header, strlen(generator->kind->csv_header));
        *end++ = '\n';
        generator->header_due = false;
    }
    uint32_t count = (uint32_t)MIN_OF(generator->rows_left, (uint64_t)GEN_CHUNK_ROWS);
    end = generator->kind->write_rows(generator->state, count, end);
    generator->rows_left -= count;
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

