/* SPDX-License-Identifier: Apache-2.0
 * index_micro.c - costs of the index by itself, in CPU time of the thread: the tables of bench/results/index.md.
 *
 * Usage: bench-index [MILLIONS]. Keys are 64-bit numbers; the best of three runs counts. */
#include "base/random.h"
#include "index/index.h"
#include "os/os.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double cpu_nanos(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void key_of(uint8_t key[8], uint64_t number) {
    uint64_t word = __builtin_bswap64(number);
    memcpy(key, &word, 8);
}

static uint64_t scattered(uint64_t i) { return i * 0x9e3779b97f4a7c15ULL; }

static void measure_tree(uint64_t count, bool ordered) {
    double insert = 1e18, get = 1e18;
    size_t bytes = 0;
    for (int round = 0; round < 3; round++) {
        uint8_t key[8];
        Btree *tree = btree_create();
        double from = cpu_nanos();
        for (uint64_t i = 0; i < count; i++) {
            key_of(key, ordered ? i : scattered(i));
            (void)btree_insert(tree, (Bytes){key, 8}, (uint32_t)i);
        }
        double middle = cpu_nanos();
        uint64_t found = 0;
        for (uint64_t i = 0; i < count; i++) {
            BtreeCursor cursor;
            uint64_t pick = scattered(i * 7 + 3) % count;
            key_of(key, ordered ? pick : scattered(pick));
            found += btree_seek(tree, (Bytes){key, 8}, 0, &cursor) && btree_compare(&cursor, (Bytes){key, 8}) == 0;
        }
        double end = cpu_nanos();
        insert = MIN_OF(insert, (middle - from) / (double)count);
        get = MIN_OF(get, (end - middle) / (double)count);
        bytes = btree_bytes(tree);
        if (found != count) {
            abort();
        }
        btree_destroy(tree);
    }
    printf("| B+tree, %s, %llu | %.0f | %.0f | %.1f |\n", ordered ? "in order" : "random", (unsigned long long)count, insert, get, (double)bytes / (double)count);
}

static void measure_run(uint64_t count) {
    char folder[] = "/tmp/basalt_index_XXXXXX";
    Os os;
    Error err;
    if (mkdtemp(folder) == NULL || os_linux_open(folder, true, &os, &err) != ERR_OK) {
        abort();
    }
    RunBuilder *builder = run_builder_create();
    uint8_t key[8];
    double from = cpu_nanos();
    for (uint64_t i = 0; i < count; i++) {
        key_of(key, scattered(i) >> 1 << 1);
        run_builder_add(builder, (Bytes){key, 8}, (uint32_t)i);
    }
    RunOptions options = {.path = "t.idx", .file_id = 1};
    BlockFileSummary summary;
    if (run_builder_write(builder, os.io, &options, &summary, &err) != ERR_OK) {
        abort();
    }
    double written = cpu_nanos();
    run_builder_destroy(builder);
    IndexRun *run = NULL;
    BlockCache *cache = block_cache_create(os.sched, 512 << 20);
    if (index_run_open(os.io, "t.idx", NULL, &run, &err) != ERR_OK) {
        abort();
    }
    enum { PROBES = 400000 };
    double hit = 1e18, miss = 1e18;
    uint64_t wrong = 0;
    for (int round = 0; round < 4; round++) {
        double start = cpu_nanos();
        for (uint64_t i = 0; i < PROBES; i++) {
            RunCursor cursor;
            bool possible = false;
            key_of(key, scattered(scattered(i) % count) >> 1 << 1);
            if (index_run_may_hold(run, cache, (Bytes){key, 8}, &possible, &err) != ERR_OK || !possible ||
                index_run_seek(run, cache, (Bytes){key, 8}, 0, &cursor, &err) != ERR_OK || !cursor.valid) {
                abort();
            }
            run_cursor_release(&cursor);
        }
        double middle = cpu_nanos();
        wrong = 0;
        for (uint64_t i = 0; i < PROBES; i++) {
            bool possible = false;
            key_of(key, scattered(i + count) | 1);
            if (index_run_may_hold(run, cache, (Bytes){key, 8}, &possible, &err) != ERR_OK) {
                abort();
            }
            wrong += possible;
        }
        double end = cpu_nanos();
        hit = MIN_OF(hit, (middle - start) / PROBES);
        miss = MIN_OF(miss, (end - middle) / PROBES);
    }
    printf("| run, random, %llu | %.0f | %.0f hit, %.0f miss by the filter (%.2f %% pass) | %.1f |\n", (unsigned long long)count,
           (written - from) / (double)count, hit, miss, 100.0 * (double)wrong / PROBES, (double)summary.bytes / (double)count);
    block_cache_forget(cache, 1);
    index_run_close(run);
    block_cache_destroy(cache);
    os_linux_close(&os);
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) {
        abort();
    }
}

int main(int argc, char **argv) {
    uint64_t count = (argc > 1 ? (uint64_t)atoll(argv[1]) : 1) * 1000000;
    printf("| what | write, ns/key | get, ns | bytes/key |\n|---|---|---|---|\n");
    measure_tree(count, true);
    measure_tree(count, false);
    measure_run(count);
    return 0;
}
