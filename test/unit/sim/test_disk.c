/* SPDX-License-Identifier: Apache-2.0
 * test_disk.c - what the simulated disk keeps and loses in each kind of crash, its faults, and its likeness to the Linux Io. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "base/random.h"
#include "sim/sim.h"

typedef struct Fixture {
    SimDisk *disk;
    SimWorld *world;
    Io *io;
    Arena arena;
} Fixture;

static void open_world(Fixture *f) {
    f->world = sim_world_create(f->disk, &(SimOptions){.seed = 1});
    f->io = sim_world_os(f->world).io;
}

static int set_up(void **state) {
    Fixture *f = mem_calloc(1, sizeof *f);
    f->disk = sim_disk_create();
    open_world(f);
    arena_init(&f->arena, SIZE_MAX);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    Fixture *f = *state;
    sim_world_destroy(f->world);
    sim_disk_destroy(f->disk);
    arena_deinit(&f->arena);
    mem_free(f);
    return 0;
}

static void good(ErrorCode code) {
    assert_int_equal(code, ERR_OK);
}

static void write_file(Io *io, const char *path, uint64_t offset, const void *data, size_t len, bool sync) {
    File *file = NULL;
    good(io_open(io, path, IO_CREATE_OR_OPEN, &file, NULL));
    good(io_pwritev(io, file, &(IoVec){data, len}, 1, offset, NULL));
    if (sync) {
        good(io_sync(io, file, NULL));
    }
    io_close(io, file);
}

/* The file's text after a crash, or NULL if it is not there; memory of the fixture's arena. */
static const char *text_after(Fixture *f, SimProfile profile, uint64_t seed, const char *path) {
    SimDisk *after = sim_disk_after_crash(f->disk, profile, seed);
    SimWorld *world = sim_world_create(after, &(SimOptions){.seed = 1});
    Bytes bytes;
    const char *text = NULL;
    if (io_read_whole(sim_world_os(world).io, path, &f->arena, &bytes, NULL) == ERR_OK) {
        text = arena_c_text(&f->arena, (Str){(const char *)bytes.data, bytes.len});
    }
    sim_world_destroy(world);
    sim_disk_destroy(after);
    return text;
}

static void only_synced_bytes_with_synced_names_survive(void **state) {
    Fixture *f = *state;
    write_file(f->io, "a", 0, "old", 3, true);
    assert_null(text_after(f, SIM_NOTHING, 1, "a")); /* the name is not durable */
    assert_string_equal(text_after(f, SIM_KILL, 1, "a"), "old");
    good(io_sync_folder(f->io, ".", NULL));
    assert_string_equal(text_after(f, SIM_NOTHING, 1, "a"), "old");
    write_file(f->io, "a", 0, "new!", 4, false);
    assert_string_equal(text_after(f, SIM_NOTHING, 1, "a"), "old");
    assert_string_equal(text_after(f, SIM_KILL, 1, "a"), "new!");
    assert_true(sim_disk_pending(f->disk) == 1);
    write_file(f->io, "a", 0, "", 0, true);
    assert_true(sim_disk_pending(f->disk) == 0);
    for (int profile = 0; profile < SIM_PROFILE_COUNT; profile++) {
        assert_string_equal(text_after(f, (SimProfile)profile, 9, "a"), "new!");
    }
}

static void ext4_takes_the_name_along_with_the_file(void **state) {
    Fixture *f = *state;
    write_file(f->io, "a", 0, "x", 1, true);
    for (uint64_t seed = 0; seed < 50; seed++) {
        assert_string_equal(text_after(f, SIM_EXT4, seed, "a"), "x");
    }
}

static void renames_are_atomic(void **state) {
    Fixture *f = *state;
    write_file(f->io, "a", 0, "old", 3, true);
    good(io_sync_folder(f->io, ".", NULL));
    write_file(f->io, "b", 0, "new", 3, true);
    good(io_rename(f->io, "b", "a", NULL));
    int old = 0;
    int new = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const char *text = text_after(f, SIM_ADVERSARY, seed, "a");
        assert_non_null(text);
        old += strcmp(text, "old") == 0;
        new += strcmp(text, "new") == 0;
    }
    assert_true(old > 20);
    assert_true(new > 20);
    assert_int_equal(old + new, 200);
    good(io_sync_folder(f->io, ".", NULL));
    assert_string_equal(text_after(f, SIM_NOTHING, 1, "a"), "new");
    assert_null(text_after(f, SIM_NOTHING, 1, "b"));
}

static void adversary_tears_sectors_and_sizes(void **state) {
    Fixture *f = *state;
    char bytes[4 * 512];
    memset(bytes, 'o', sizeof bytes);
    write_file(f->io, "a", 0, bytes, sizeof bytes, true);
    good(io_sync_folder(f->io, ".", NULL));
    memset(bytes, 'n', sizeof bytes);
    write_file(f->io, "a", 512, bytes, sizeof bytes, false);
    bool mixed = false;
    bool shorter = false;
    bool longer = false;
    bool zeros = false;
    for (uint64_t seed = 0; seed < 500; seed++) {
        SimDisk *after = sim_disk_after_crash(f->disk, SIM_ADVERSARY, seed);
        SimWorld *world = sim_world_create(after, &(SimOptions){.seed = 1});
        Bytes b;
        good(io_read_whole(sim_world_os(world).io, "a", &f->arena, &b, NULL));
        assert_in_range(b.len, 2048, 2560);
        for (int i = 0; i < 512; i++) {
            assert_int_equal(b.data[i], 'o'); /* a sector that nobody wrote */
        }
        shorter |= b.len == 2048;
        longer |= b.len == 2560;
        zeros |= b.data[600] == 0;
        mixed |= b.data[512] == 'o' && b.data[1023] == 'n';
        sim_world_destroy(world);
        sim_disk_destroy(after);
    }
    assert_true(mixed);
    assert_true(shorter);
    assert_true(longer);
    assert_true(zeros);
}

static void same_seed_same_image(void **state) {
    Fixture *f = *state;
    Random random;
    random_init(&random, 3);
    for (int i = 0; i < 60; i++) {
        char path[8] = {(char)('a' + random_below(&random, 5)), 0};
        uint64_t word = random_next(&random);
        write_file(f->io, path, random_below(&random, 20000), &word, 8, random_chance(&random, 1, 4));
    }
    uint64_t different = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        SimDisk *one = sim_disk_after_crash(f->disk, SIM_ADVERSARY, seed);
        SimDisk *two = sim_disk_after_crash(f->disk, SIM_ADVERSARY, seed);
        SimDisk *other = sim_disk_after_crash(f->disk, SIM_ADVERSARY, seed + 1000);
        assert_true(sim_disk_hash(one) == sim_disk_hash(two));
        different += sim_disk_hash(one) != sim_disk_hash(other);
        sim_disk_destroy(one);
        sim_disk_destroy(two);
        sim_disk_destroy(other);
    }
    assert_true(different > 25);
}

static void folders_go_with_their_names(void **state) {
    Fixture *f = *state;
    good(io_make_folder(f->io, "d", NULL));
    good(io_make_folder(f->io, "d", NULL));
    write_file(f->io, "d/x", 0, "x", 1, true);
    good(io_sync_folder(f->io, "d", NULL));
    assert_null(text_after(f, SIM_NOTHING, 1, "d/x")); /* d itself is not durable */
    good(io_sync_folder(f->io, ".", NULL));
    assert_string_equal(text_after(f, SIM_NOTHING, 1, "d/x"), "x");
    assert_int_equal(io_remove_folder(f->io, "d", NULL), ERR_IO);
    good(io_unlink(f->io, "d/x", NULL));
    assert_string_equal(text_after(f, SIM_NOTHING, 1, "d/x"), "x");
    good(io_remove_folder(f->io, "d", NULL));
    File *file = NULL;
    assert_int_equal(io_open(f->io, "d/x", IO_CREATE, &file, NULL), ERR_FILE_MISSING);
    assert_int_equal(io_open(f->io, "e", IO_READ, &file, NULL), ERR_FILE_MISSING);
}

static void contents_are_those_of_a_plain_array(void **state) {
    Fixture *f = *state;
    enum { ROOM = 40000 };
    static uint8_t want[ROOM];
    static uint8_t got[ROOM];
    memset(want, 0, sizeof want);
    uint64_t size = 0;
    Random random;
    random_init(&random, 4);
    File *file = NULL;
    good(io_open(f->io, "a", IO_CREATE, &file, NULL));
    for (int step = 0; step < 3000; step++) {
        uint64_t at = random_below(&random, ROOM - 600);
        size_t len = (size_t)random_below(&random, 600);
        switch (random_below(&random, 8)) {
        case 0:
            good(io_truncate(f->io, file, at, NULL));
            memset(want + at, 0, ROOM - at);
            size = at;
            break;
        case 1:
            good(io_allocate(f->io, file, at, NULL));
            size = MAX_OF(size, at);
            break;
        case 2:
            good(io_sync(f->io, file, NULL));
            break;
        default:
            memset(want + at, step & 0xff, len);
            good(io_pwritev(f->io, file, &(IoVec){want + at, len}, 1, at, NULL));
            size = len == 0 ? size : MAX_OF(size, at + len);
        }
        uint64_t bytes;
        good(io_size(f->io, file, &bytes, NULL));
        assert_true(bytes == size);
        size_t read;
        good(io_pread(f->io, file, got, ROOM, 0, &read, NULL));
        assert_int_equal(read, size);
        assert_memory_equal(got, want, size);
    }
    io_close(f->io, file);
}

static void count_calls(void *context, SimDisk *disk, uint64_t call) {
    (void)disk;
    *(uint64_t *)context = call;
}

static void faults_happen_where_they_are_asked_for(void **state) {
    Fixture *f = *state;
    uint64_t seen = 0;
    sim_disk_watch(f->disk, count_calls, &seen);
    write_file(f->io, "a", 0, "old", 3, true);
    good(io_sync_folder(f->io, ".", NULL));
    assert_true(seen == sim_disk_calls(f->disk));
    File *file = NULL;
    good(io_open(f->io, "a", IO_READ_WRITE, &file, NULL));
    sim_disk_fail_at(f->disk, seen + 1, ERR_IO);
    assert_int_equal(io_pwritev(f->io, file, &(IoVec){"bad", 3}, 1, 0, NULL), ERR_IO);
    good(io_pwritev(f->io, file, &(IoVec){"new", 3}, 1, 0, NULL));
    sim_disk_fail_at(f->disk, seen + 1, ERR_IO);
    assert_int_equal(io_sync(f->io, file, NULL), ERR_SYNC_FAILED);
    good(io_sync(f->io, file, NULL)); /* looks well, but what the failed one lost stays lost */
    assert_string_equal(text_after(f, SIM_NOTHING, 1, "a"), "old");
    assert_string_equal(text_after(f, SIM_KILL, 1, "a"), "new");
    sim_disk_limit_bytes(f->disk, 8192);
    uint64_t free_bytes;
    good(io_free_space(f->io, &free_bytes, NULL));
    assert_true(free_bytes == 4096);
    assert_int_equal(io_allocate(f->io, file, 100000, NULL), ERR_DISK_FULL);
    sim_disk_stop_at(f->disk, seen + 1);
    char byte;
    size_t read;
    assert_int_equal(io_pread(f->io, file, &byte, 1, 0, &read, NULL), ERR_IO);
    io_close(f->io, file);
}

static void skipped_calls_do_nothing(void **state) {
    Fixture *f = *state;
    sim_disk_skip(f->disk, SIM_SKIP_SYNC, "a");
    write_file(f->io, "a", 0, "x", 1, true);
    write_file(f->io, "b", 0, "x", 1, true);
    good(io_sync_folder(f->io, ".", NULL));
    assert_string_equal(text_after(f, SIM_NOTHING, 1, "a"), "");
    assert_string_equal(text_after(f, SIM_NOTHING, 1, "b"), "x");
    sim_disk_damage(f->disk, "b", 0, 1);
    assert_string_equal(text_after(f, SIM_NOTHING, 1, "b"), "y");
}

static void one_world_holds_the_lock(void **state) {
    Fixture *f = *state;
    Str holder;
    good(io_lock(f->io, "LOCK", STR("pid 1"), &holder, &f->arena, NULL));
    assert_int_equal(io_lock(f->io, "LOCK", STR("pid 2"), &holder, &f->arena, NULL), ERR_FOLDER_IN_USE);
    assert_true(str_equal(holder, STR("pid 1")));
    sim_world_destroy(f->world);
    open_world(f);
    good(io_lock(f->io, "LOCK", STR("pid 2"), &holder, &f->arena, NULL));
}

int main(void) {
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test_setup_teardown(only_synced_bytes_with_synced_names_survive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ext4_takes_the_name_along_with_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(renames_are_atomic, set_up, tear_down),
        cmocka_unit_test_setup_teardown(adversary_tears_sectors_and_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(same_seed_same_image, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_go_with_their_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(contents_are_those_of_a_plain_array, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_happen_where_they_are_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(skipped_calls_do_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_world_holds_the_lock, set_up, tear_down),
    };
    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
