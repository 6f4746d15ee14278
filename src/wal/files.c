/* SPDX-License-Identifier: Apache-2.0
 * files.c - the set of files in the log's folder: names, headers, spares.
 *
 * Why:        a file's name is only a number of its own; its place in the log is the sequence in its header. So a file
 *             is used again by one header write and one sync, without a rename and a folder sync.
 * Threads:    the caller guards the set (Wal.files), or runs alone. */
#include "wal/wal_internal.h"
#include <stdio.h>

enum { NAME_DIGITS = 6, FILES_FIRST = 8 };

void wal__file_path(const WalFileSet *set, const WalFile *file, char path_out[WAL_PATH_BYTES_MAX]) {
    int len = snprintf(path_out, WAL_PATH_BYTES_MAX, "%s/%0*u.wal", set->folder, NAME_DIGITS, file->number);
    assert(len > 0);
    assert(len < WAL_PATH_BYTES_MAX);
    (void)len;
}

void wal__files_init(WalFileSet *set, Io *io, const char *folder) {
    *set = (WalFileSet){.io = io, .folder = folder};
}

void wal__files_deinit(WalFileSet *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        mem_free(set->files[i]);
    }
    mem_free(set->files);
    *set = (WalFileSet){0};
}

static WalFile *add_number(WalFileSet *set, uint32_t number) {
    if (set->count == set->capacity) {
        set->capacity = set->capacity == 0 ? FILES_FIRST : 2 * set->capacity;
        set->files = mem_realloc(set->files, set->capacity * sizeof *set->files);
    }
    WalFile *file = mem_calloc(1, sizeof *file);
    file->number = number;
    set->files[set->count++] = file;
    return file;
}

static bool number_used(const WalFileSet *set, uint32_t number) {
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->files[i]->number == number) {
            return true;
        }
    }
    return false;
}

WalFile *wal__files_add(WalFileSet *set) {
    uint32_t number = 1;
    while (number_used(set, number)) {
        number++;
    }
    return add_number(set, number);
}

void wal__files_remove(WalFileSet *set, WalFile *file) {
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->files[i] == file) {
            set->files[i] = set->files[--set->count];
            mem_free(file);
            return;
        }
    }
    assert(!"the file is in the set");
}

WalFile *wal__files_by_sequence(const WalFileSet *set, uint64_t sequence) {
    for (uint32_t i = 0; i < set->count; i++) {
        const WalFile *file = set->files[i];
        if (file->live && file->has_header && file->header.sequence == sequence) {
            return set->files[i];
        }
    }
    return NULL;
}

WalFile *wal__files_take_spare(WalFileSet *set) {
    WalFile *best = NULL;
    for (uint32_t i = 0; i < set->count; i++) {
        WalFile *file = set->files[i];
        if (!file->live && (best == NULL || file->number < best->number)) {
            best = file;
        }
    }
    if (best != NULL) {
        best->live = true;
        best->has_header = false; /* what its header says is over; nobody may find it by its old sequence */
    }
    return best;
}

uint64_t wal__files_bytes(const WalFileSet *set) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        bytes += set->files[i]->bytes;
    }
    return bytes;
}

/* "000012.wal" -> 12; 0 for any other name. */
static uint32_t number_of_name(Str name) {
    if (name.len != NAME_DIGITS + 4 || !str_equal(str_slice(name, NAME_DIGITS, name.len), STR(".wal"))) {
        return 0;
    }
    uint32_t number = 0;
    for (size_t i = 0; i < NAME_DIGITS; i++) {
        if (name.data[i] < '0' || name.data[i] > '9') {
            return 0;
        }
        number = number * 10 + (uint32_t)(name.data[i] - '0');
    }
    return number;
}

static void visit_name(void *context, Str name, bool is_folder) {
    uint32_t number = number_of_name(name);
    if (!is_folder && number != 0) {
        add_number(context, number);
    }
}

static ErrorCode read_header(const WalFileSet *set, WalFile *file, Error *err) {
    char path[WAL_PATH_BYTES_MAX];
    wal__file_path(set, file, path);
    File *handle = NULL;
    TRY(io_open(set->io, path, IO_READ, &handle, err));
    uint8_t block[WAL_BLOCK_BYTES];
    size_t got = 0;
    ErrorCode code = ERR_OK;
    TRY_OR(done, io_size(set->io, handle, &file->bytes, err));
    TRY_OR(done, io_pread(set->io, handle, block, sizeof block, 0, &got, err));
    if (got == sizeof block) {
        TRY_OR(done, wal__get_file_header(block, path, &file->header, &file->has_header, err));
    }
done:
    io_close(set->io, handle);
    return code;
}

static void sort_by_sequence(WalFileSet *set) {
    for (uint32_t i = 1; i < set->count; i++) {
        WalFile *file = set->files[i];
        uint32_t to = i;
        for (; to > 0 && set->files[to - 1]->header.sequence > file->header.sequence; to--) {
            set->files[to] = set->files[to - 1];
        }
        set->files[to] = file;
    }
}

ErrorCode wal__files_load(WalFileSet *set, Error *err) {
    TRY(io_list(set->io, set->folder, visit_name, set, err));
    if (set->count > WAL_FILES_MAX) {
        return error_set(err, ERR_LIMIT_EXCEEDED, ERROR_NO_POSITION, "%s holds %u files, more than %d", set->folder,
                         set->count, WAL_FILES_MAX);
    }
    for (uint32_t i = 0; i < set->count; i++) {
        TRY(read_header(set, set->files[i], err));
    }
    sort_by_sequence(set);
    return ERR_OK;
}
