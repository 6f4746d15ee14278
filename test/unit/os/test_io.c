/* SPDX-License-Identifier: Apache-2.0
 * test_io.c - the Linux Io in a folder of its own below /tmp, input files, zones, clock and chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "os/os.h"

typedef struct Fixture {
    char root[64];
    Os os;
    Arena arena;
} Fixture;

static int set_up(void **state) {
    Fixture *f = mem_calloc(1, sizeof *f);
    strcpy(f->root, "/tmp/basalt-test-XXXXXX");
    if (mkdtemp(f->root) == NULL || os_linux_open(f->root, true, &f->os, NULL) != ERR_OK) {
        return -1;
    }
    arena_init(&f->arena, SIZE_MAX);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    Fixture *f = *state;
    os_linux_close(&f->os);
    os_linux_close(&f->os);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->root);
    int result = system(command);
    arena_deinit(&f->arena);
    mem_free(f);
    return result;
}

static File *open_file(Fixture *f, const char *path, IoOpenMode mode) {
    File *file = NULL;
    Error err;
    if (io_open(f->os.io, path, mode, &file, &err) != ERR_OK) {
        fail_msg("%s", err.message);
    }
    return file;
}

static void files_are_created_written_and_read(void **state) {
    Fixture *f = *state;
    Io *io = f->os.io;
    Error err;
    File *file = NULL;
    assert_int_equal(io_open(io, "a", IO_READ, &file, &err), ERR_FILE_MISSING);
    assert_non_null(strstr(err.message, "cannot open a"));
    assert_int_equal(io_open(io, "a", IO_READ_WRITE, &file, &err), ERR_FILE_MISSING);
    file = open_file(f, "a", IO_CREATE);
    File *second = NULL;
    assert_int_equal(io_open(io, "a", IO_CREATE, &second, &err), ERR_FILE_EXISTS);
    IoVec vecs[] = {{"hello ", 6}, {"", 0}, {"world", 5}};
    assert_int_equal(io_pwritev(io, file, vecs, 3, 2, &err), ERR_OK);
    uint64_t size;
    assert_int_equal(io_size(io, file, &size, &err), ERR_OK);
    assert_int_equal(size, 13);
    char room[20];
    size_t read;
    assert_int_equal(io_pread(io, file, room, sizeof room, 0, &read, &err), ERR_OK);
    assert_int_equal(read, 13);
    assert_memory_equal(room, "\0\0hello world", 13);
    assert_int_equal(io_pread(io, file, room, sizeof room, 100, &read, &err), ERR_OK);
    assert_int_equal(read, 0);
    assert_int_equal(io_truncate(io, file, 5, &err), ERR_OK);
    assert_int_equal(io_allocate(io, file, 100, &err), ERR_OK);
    assert_int_equal(io_size(io, file, &size, &err), ERR_OK);
    assert_int_equal(size, 100);
    assert_int_equal(io_pread(io, file, room, 8, 0, &read, &err), ERR_OK);
    assert_memory_equal(room, "\0\0hel\0\0\0", 8);
    assert_int_equal(io_push(io, file, 0, 100, &err), ERR_OK);
    assert_int_equal(io_sync(io, file, &err), ERR_OK);
    io_close(io, file);
    io_close(io, NULL);
    file = open_file(f, "a", IO_READ);
    assert_int_equal(io_pwritev(io, file, vecs, 1, 0, &err), ERR_IO);
    io_close(io, file);
}

static void many_vectors_are_written(void **state) {
    Fixture *f = *state;
    enum { COUNT = 2500 };
    static IoVec vecs[COUNT];
    static char bytes[COUNT * 3];
    for (size_t i = 0; i < COUNT; i++) {
        memset(bytes + i * 3, 'a' + (int)(i % 26), 3);
        vecs[i] = (IoVec){bytes + i * 3, i % 7 == 0 ? 0 : 3};
    }
    File *file = open_file(f, "v", IO_CREATE_OR_OPEN);
    assert_int_equal(io_pwritev(f->os.io, file, vecs, COUNT, 0, NULL), ERR_OK);
    io_close(f->os.io, file);
    Bytes whole;
    assert_int_equal(io_read_whole(f->os.io, "v", &f->arena, &whole, NULL), ERR_OK);
    size_t at = 0;
    for (size_t i = 0; i < COUNT; i++) {
        assert_memory_equal(whole.data + at, vecs[i].data, vecs[i].len);
        at += vecs[i].len;
    }
    assert_int_equal(at, whole.len);
}

typedef struct Names {
    char text[200];
} Names;

static void note_name(void *context, Str name, bool is_folder) {
    Names *names = context;
    size_t len = strlen(names->text);
    snprintf(names->text + len, sizeof names->text - len, "%.*s%s ", STR_ARG(name), is_folder ? "/" : "");
}

static void names_come_and_go(void **state) {
    Fixture *f = *state;
    Io *io = f->os.io;
    Error err;
    assert_int_equal(io_make_folder(io, "wal", &err), ERR_OK);
    assert_int_equal(io_make_folder(io, "wal", &err), ERR_OK);
    io_close(io, open_file(f, "wal/1", IO_CREATE));
    assert_int_equal(io_make_folder(io, "wal/1", &err), ERR_FILE_EXISTS);
    assert_int_equal(io_link(io, "wal/1", "wal/2", &err), ERR_OK);
    assert_int_equal(io_link(io, "wal/1", "wal/2", &err), ERR_FILE_EXISTS);
    assert_int_equal(io_rename(io, "wal/1", "wal/3", &err), ERR_OK);
    assert_int_equal(io_rename(io, "wal/1", "wal/3", &err), ERR_FILE_MISSING);
    assert_true(io_exists(io, "wal/3"));
    assert_false(io_exists(io, "wal/1"));
    assert_int_equal(io_sync_folder(io, "wal", &err), ERR_OK);
    assert_int_equal(io_sync_folder(io, ".", &err), ERR_OK);
    assert_int_equal(io_sync_folder(io, "none", &err), ERR_FILE_MISSING);
    Names names = {""};
    assert_int_equal(io_list(io, "wal", note_name, &names, &err), ERR_OK);
    assert_int_equal(strlen(names.text), 4);
    assert_int_equal(io_remove_folder(io, "wal", &err), ERR_IO);
    assert_int_equal(io_unlink(io, "wal/2", &err), ERR_OK);
    assert_int_equal(io_unlink(io, "wal/3", &err), ERR_OK);
    assert_int_equal(io_unlink(io, "wal/3", &err), ERR_FILE_MISSING);
    names.text[0] = 0;
    assert_int_equal(io_list(io, ".", note_name, &names, &err), ERR_OK);
    assert_string_equal(names.text, "wal/ ");
    assert_int_equal(io_remove_folder(io, "wal", &err), ERR_OK);
    uint64_t bytes;
    assert_int_equal(io_free_space(io, &bytes, &err), ERR_OK);
    assert_true(bytes > 0);
}

static void whole_files_are_replaced(void **state) {
    Fixture *f = *state;
    Io *io = f->os.io;
    assert_int_equal(io_make_folder(io, "d", NULL), ERR_OK);
    assert_int_equal(io_write_whole(io, "d/x", (Bytes){(const uint8_t *)"a longer text", 13}, NULL), ERR_OK);
    assert_int_equal(io_write_whole(io, "d/x", (Bytes){(const uint8_t *)"b", 1}, NULL), ERR_OK);
    assert_int_equal(io_write_whole(io, "y", (Bytes){NULL, 0}, NULL), ERR_OK);
    Bytes bytes;
    assert_int_equal(io_read_whole(io, "d/x", &f->arena, &bytes, NULL), ERR_OK);
    assert_int_equal(bytes.len, 1);
    assert_int_equal(bytes.data[0], 'b');
    assert_int_equal(io_read_whole(io, "y", &f->arena, &bytes, NULL), ERR_OK);
    assert_int_equal(bytes.len, 0);
    assert_false(io_exists(io, "d/x.tmp"));
    assert_int_equal(io_write_whole(io, "none/x", bytes, NULL), ERR_FILE_MISSING);
}

static void a_second_owner_learns_who_holds_the_folder(void **state) {
    Fixture *f = *state;
    Str holder = STR("");
    assert_int_equal(io_lock(f->os.io, "LOCK", STR("pid 12 url http://x"), &holder, &f->arena, NULL), ERR_OK);
    Os other;
    assert_int_equal(os_linux_open(f->root, false, &other, NULL), ERR_OK);
    Error err;
    assert_int_equal(io_lock(other.io, "LOCK", STR("pid 13"), &holder, &f->arena, &err), ERR_FOLDER_IN_USE);
    assert_true(str_equal(holder, STR("pid 12 url http://x")));
    assert_non_null(strstr(err.message, "pid 12"));
    os_linux_close(&f->os);
    assert_int_equal(io_lock(other.io, "LOCK", STR("13"), &holder, &f->arena, &err), ERR_OK);
    Bytes content;
    assert_int_equal(io_read_whole(other.io, "LOCK", &f->arena, &content, &err), ERR_OK);
    assert_int_equal(content.len, 2);
    os_linux_close(&other);
}

static void missing_and_wrong_roots_are_refused(void **state) {
    Fixture *f = *state;
    char path[128];
    Os os = {0};
    snprintf(path, sizeof path, "%s/none", f->root);
    assert_int_equal(os_linux_open(path, false, &os, NULL), ERR_FILE_MISSING);
    snprintf(path, sizeof path, "%s/none/deeper", f->root);
    assert_int_equal(os_linux_open(path, true, &os, NULL), ERR_FILE_MISSING);
    io_close(f->os.io, open_file(f, "plain", IO_CREATE));
    snprintf(path, sizeof path, "%s/plain", f->root);
    assert_int_equal(os_linux_open(path, true, &os, NULL), ERR_IO);
    snprintf(path, sizeof path, "%s/fresh", f->root);
    assert_int_equal(os_linux_open(path, true, &os, NULL), ERR_OK);
    os_linux_close(&os);
}

static void input_files_are_read(void **state) {
    Fixture *f = *state;
    assert_int_equal(io_write_whole(f->os.io, "in", (Bytes){(const uint8_t *)"0123456789", 10}, NULL), ERR_OK);
    char path[128];
    snprintf(path, sizeof path, "%s/in", f->root);
    InputFile *input;
    assert_int_equal(os_input_open(path, &input, NULL), ERR_OK);
    assert_int_equal(os_input_size(input), 10);
    char room[8];
    size_t read;
    assert_int_equal(os_input_read(input, room, 8, &read, NULL), ERR_OK);
    assert_int_equal(read, 8);
    assert_int_equal(os_input_read(input, room, 8, &read, NULL), ERR_OK);
    assert_int_equal(read, 2);
    assert_int_equal(os_input_read(input, room, 8, &read, NULL), ERR_OK);
    assert_int_equal(read, 0);
    os_input_close(input);
    os_input_close(NULL);
    assert_int_equal(os_input_open(f->root, &input, NULL), ERR_IO);
    snprintf(path, sizeof path, "%s/none", f->root);
    assert_int_equal(os_input_open(path, &input, NULL), ERR_FILE_MISSING);
}

static void zones_load_by_name_or_offset(void **state) {
    Fixture *f = *state;
    const Zone *zone;
    assert_int_equal(os_zone_load(STR("+05:45"), &f->arena, &zone, NULL), ERR_OK);
    assert_int_equal(zone_offset_at_utc(zone, 0), 20700);
    static const char *const BAD[] = {"", "../../etc/passwd", "/etc/passwd", "Asia/Nowhere", "Asia/", "Asia", "a b"};
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        assert_int_equal(os_zone_load(str_from_c(BAD[i]), &f->arena, &zone, NULL), ERR_INVALID_PARAMETER);
    }
    if (access("/usr/share/zoneinfo/Asia/Kathmandu", R_OK) == 0) {
        assert_int_equal(os_zone_load(STR("Asia/Kathmandu"), &f->arena, &zone, NULL), ERR_OK);
        assert_int_equal(zone_offset_at_utc(zone, 1700000000), 20700);
    }
}

static void clock_and_chance_move(void **state) {
    Fixture *f = *state;
    int64_t before = f->os.clock->monotonic_nanos(f->os.clock);
    assert_true(f->os.clock->monotonic_nanos(f->os.clock) >= before);
    assert_true(f->os.clock->wall_micros(f->os.clock) > INT64_C(1700000000000000));
    assert_true(f->os.rand->next(f->os.rand) != f->os.rand->next(f->os.rand));
    assert_true(os_resident_bytes() > 100000);
    int files = os_raise_file_limit();
    assert_true(files >= 256);
    assert_int_equal(os_raise_file_limit(), files);
    assert_int_equal(os_pid(), getpid());
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test_setup_teardown(files_are_created_written_and_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_vectors_are_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_come_and_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whole_files_are_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_second_owner_learns_who_holds_the_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_and_wrong_roots_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(input_files_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(zones_load_by_name_or_offset, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clock_and_chance_move, set_up, tear_down),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
