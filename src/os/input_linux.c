/* SPDX-License-Identifier: Apache-2.0
 * input_linux.c - files outside the data folder: input of the command line, and time zones.
 * Tests: test/unit/os/test_io.c */
#include "os/os_internal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ZONE_NAME_BYTES_MAX = 64, ZONE_FILE_BYTES_MAX = 1 << 20 };

static const char ZONE_FOLDER[] = "/usr/share/zoneinfo/";

struct InputFile {
    int fd;
    bool owned;
    uint64_t size_bytes;
    char path[];
};

ErrorCode os_input_open(const char *path, InputFile **input_out, Error *err) {
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return os__error(err, errno, "open", path);
    }
    struct stat status;
    if (fstat(fd, &status) != 0 || S_ISDIR(status.st_mode)) {
        int error_number = S_ISDIR(status.st_mode) ? EISDIR : errno;
        if (!standard) {
            close(fd);
        }
        return os__error(err, error_number, "read", path);
    }
    size_t path_bytes = strlen(path) + 1;
    InputFile *input = mem_alloc(sizeof *input + path_bytes);
    *input = (InputFile){.fd = fd, .owned = !standard, .size_bytes = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0};
    memcpy(input->path, path, path_bytes);
    if (S_ISREG(status.st_mode)) {
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    *input_out = input;
    return ERR_OK;
}

ErrorCode os_input_read(InputFile *input, void *data, size_t len, size_t *read_out, Error *err) {
    ssize_t got;
    do {
        got = read(input->fd, data, len);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return os__error(err, errno, "read", input->path);
    }
    *read_out = (size_t)got;
    return ERR_OK;
}

uint64_t os_input_size(const InputFile *input) {
    return input->size_bytes;
}

void os_input_close(InputFile *input) {
    if (input == NULL) {
        return;
    }
    if (input->owned) {
        close(input->fd);
    }
    mem_free(input);
}

/* Letters, digits, and "_+-/" between them: nothing that leaves the zones' folder. */
static bool is_zone_name(Str name) {
    if (name.len == 0 || name.len > ZONE_NAME_BYTES_MAX || name.data[0] == '/' || name.data[name.len - 1] == '/') {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        bool digit = c >= '0' && c <= '9';
        if (!letter && !digit && c != '_' && c != '+' && c != '-' && c != '/') {
            return false;
        }
    }
    return true;
}

static ErrorCode unknown_zone(Str name, Error *err) {
    return error_set(err, ERR_INVALID_PARAMETER, ERROR_NO_POSITION, "time zone \"%.*s\" not recognized",
                     (int)MIN_OF(name.len, (size_t)ZONE_NAME_BYTES_MAX), name.data);
}

static ErrorCode read_zone(InputFile *input, Arena *arena, Bytes *bytes_out, Error *err) {
    size_t size = (size_t)os_input_size(input);
    if (size > ZONE_FILE_BYTES_MAX) {
        return error_set(err, ERR_TOO_LARGE, ERROR_NO_POSITION, "%s has %zu bytes", input->path, size);
    }
    uint8_t *data = arena_alloc_aligned(arena, size, 16);
    size_t len = 0;
    for (size_t got = 1; len < size && got > 0; len += got) {
        TRY(os_input_read(input, data + len, size - len, &got, err));
    }
    *bytes_out = (Bytes){data, len};
    return ERR_OK;
}

static ErrorCode load_file(Str name, Arena *arena, const Zone **zone_out, Error *err) {
    if (!is_zone_name(name)) {
        return unknown_zone(name, err);
    }
    char path[sizeof ZONE_FOLDER + ZONE_NAME_BYTES_MAX];
    memcpy(path, ZONE_FOLDER, sizeof ZONE_FOLDER - 1);
    memcpy(path + sizeof ZONE_FOLDER - 1, name.data, name.len);
    path[sizeof ZONE_FOLDER - 1 + name.len] = '\0';
    InputFile *input;
    if (os_input_open(path, &input, NULL) != ERR_OK) {
        return unknown_zone(name, err);
    }
    Bytes bytes;
    ErrorCode code = read_zone(input, arena, &bytes, err);
    os_input_close(input);
    if (code != ERR_OK) {
        return code;
    }
    return zone_from_tzif(bytes, name, arena, zone_out, err);
}

ErrorCode os_zone_load(Str name, Arena *arena, const Zone **zone_out, Error *err) {
    int32_t offset_seconds;
    if (zone_parse_offset(name, &offset_seconds)) {
        *zone_out = zone_fixed(arena, offset_seconds);
        return ERR_OK;
    }
    return load_file(name, arena, zone_out, err);
}

/* The entry of a folder that is `name` in any case, written over it. */
static bool spell_entry(const char *folder, char *name, size_t len) {
    DIR *entries = opendir(folder);
    bool found = false;
    if (entries == NULL) {
        return false;
    }
    for (const struct dirent *entry = readdir(entries); entry != NULL && !found; entry = readdir(entries)) {
        if (strlen(entry->d_name) == len && str_equal_ignore_case(str_from_c(entry->d_name), (Str){name, len})) {
            memcpy(name, entry->d_name, len);
            found = true;
        }
    }
    closedir(entries);
    return found;
}

/* Spells a name of a zone as the files are: "asia/kolkata" -> "Asia/Kolkata". */
static bool spell_zone(Str name, Arena *arena, Str *name_out) {
    char path[sizeof ZONE_FOLDER + ZONE_NAME_BYTES_MAX];
    size_t head = sizeof ZONE_FOLDER - 1, at = 0;
    if (!is_zone_name(name)) {
        return false;
    }
    memcpy(path, ZONE_FOLDER, head);
    memcpy(path + head, name.data, name.len);
    path[head + name.len] = '\0';
    while (at < name.len) {
        ptrdiff_t slash = str_find_char(name, '/', at);
        size_t end = slash < 0 ? name.len : (size_t)slash;
        char folder[sizeof path];
        memcpy(folder, path, head + at);
        folder[head + at] = '\0';
        if (!spell_entry(folder, path + head + at, end - at)) {
            return false;
        }
        at = end + 1;
    }
    *name_out = arena_str(arena, (Str){path + head, name.len});
    return true;
}

ErrorCode os_zone_find(Str name, Arena *arena, Str *name_out, const Zone **zone_out, Error *err) {
    bool foreign = str_starts_with(name, STR("posix/")) || str_starts_with(name, STR("right/")); /* copies of all zones, which PostgreSQL does not have */
    *name_out = arena_str(arena, name);
    if (!foreign && (load_file(name, arena, zone_out, NULL) == ERR_OK || (spell_zone(name, arena, name_out) && load_file(*name_out, arena, zone_out, NULL) == ERR_OK))) {
        return ERR_OK;
    }
    *zone_out = zone_from_rule(arena, name);
    return *zone_out != NULL ? ERR_OK : unknown_zone(name, err);
}
