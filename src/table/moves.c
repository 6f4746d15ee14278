/* SPDX-License-Identifier: Apache-2.0
 * moves.c - where the rows of a retired part have gone, so that ends which arrive late find them.
 *
 * Size:  8 bytes for a row that was rewritten, 4 for a row block that a slice has taken over.
 * Tests: test/unit/engine/test_segments.c, test_history.c, test_merges.c */
#include "table/table_internal.h"

void table__moves_free(PartMoves *moves) {
    if (moves != NULL) {
        mem_free(moves->bases);
        mem_free(moves->slices);
        mem_free(moves->to);
        mem_free(moves);
    }
}

static uint32_t chunk_bases(const Part *part, PartMoves *moves) {
    uint32_t rows = 0;
    moves->bases = mem_calloc(part->chunk_count + 1u, sizeof *moves->bases);
    for (uint32_t i = 0; i < part->chunk_count; i++) {
        moves->bases[i] = rows;
        rows += part->chunks[i]->capacity;
    }
    return rows;
}

static uint32_t block_bases(const RewriteInput *input, PartMoves *moves) {
    const Part *part = input->part;
    const Segment *segment = atomic_load(&part->file->segment);
    uint32_t rows = 0;
    moves->bases = mem_calloc(part->first_block + part->block_count + 1u, sizeof *moves->bases);
    moves->slices = mem_calloc(part->first_block + part->block_count + 1u, sizeof *moves->slices);
    for (uint32_t i = 0; i < part->block_count; i++) {
        moves->bases[part->first_block + i] = rows;
        if (input->groups == NULL || input->groups[i] != 0) {
            rows += segment_block_rows(segment, part->first_block + i);
        }
    }
    return rows;
}

PartMoves *table__moves_create(const RewriteInput *input) {
    PartMoves *moves = mem_calloc(1, sizeof *moves);
    uint32_t rows = input->part->file == NULL ? chunk_bases(input->part, moves) : block_bases(input, moves);
    moves->to = mem_calloc(rows + 1u, sizeof *moves->to);
    return moves;
}

static uint32_t place_of(const Part *part, const PartMoves *moves, uint32_t offset) {
    if (part->file != NULL) {
        return moves->bases[offset >> 16] + (offset & 0xffff);
    }
    uint32_t chunk = table__chunk_at(part, offset);
    return moves->bases[chunk] + offset - part->chunks[chunk]->first_offset;
}

RowRef *table__moves_place(const RewriteInput *input, uint32_t offset) {
    return &input->moves->to[place_of(input->part, input->moves, offset)];
}

RowRef table__moves_find(const Part *part, const PartMoves *moves, uint32_t offset) {
    uint32_t slice = moves->slices != NULL ? moves->slices[offset >> 16] : 0;
    return slice != 0 ? (RowRef){slice, offset} : moves->to[place_of(part, moves, offset)];
}
