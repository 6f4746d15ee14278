/* SPDX-License-Identifier: Apache-2.0
 * plant.c - the numbered planted bugs. Those of the disk stand for a call that the engine forgot. */
#include "plant.h"
#include "base/number.h"
#include "base/plant.h"
#include "wal/wal.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct PlantRow {
    const char *text;
    int code;        /* Plant, or PLANT_LOG_FIRST + WalPlant; 0 for the disk's */
    SimSkip skip;
    const char *part;
} PlantRow;

static const PlantRow ROWS[] = {
#define X(name, text) {text, PLANT_##name, SIM_SKIP_NOTHING, NULL},
    PLANTS(X)
#undef X
    {"the log's files are never synced", 0, SIM_SKIP_SYNC, "wal/"},
    {"the log's folder is never synced", 0, SIM_SKIP_SYNC_FOLDER, "wal"},
    {"checkpoints are not synced before their rename", 0, SIM_SKIP_SYNC, "checkpoint"},
    {"VERSION is not synced before its rename", 0, SIM_SKIP_SYNC, "VERSION"},
    {"segments are not synced", 0, SIM_SKIP_SYNC, ".seg"},
    {"a segment's folder is not synced", 0, SIM_SKIP_SYNC_FOLDER, "table"},
    {"the log: commits are published without a sync", PLANT_LOG_FIRST + WAL_PLANT_SKIP_SYNC, SIM_SKIP_NOTHING, NULL},
    {"the log: commits are published before the sync returns", PLANT_LOG_FIRST + WAL_PLANT_PUBLISH_EARLY, SIM_SKIP_NOTHING, NULL},
    {"the log: groups beyond the end stay after recovery", PLANT_LOG_FIRST + WAL_PLANT_NO_ERASE, SIM_SKIP_NOTHING, NULL},
    {"the log: a synced block is rewritten", PLANT_LOG_FIRST + WAL_PLANT_REWRITE_HEADER, SIM_SKIP_NOTHING, NULL},
    {"the log: bodies are not checked", PLANT_LOG_FIRST + WAL_PLANT_NO_BODY_CRC, SIM_SKIP_NOTHING, NULL},
    {"the log: replay begins one record too late", PLANT_LOG_FIRST + WAL_PLANT_SKIP_FIRST, SIM_SKIP_NOTHING, NULL},
};

static const PlantRow *chosen;

static const PlantRow *row_chosen(void) {
    return chosen;
}

void plant_choose(const char *number) {
    int64_t value = 0;
    bool overflow;
    if (number == NULL || strcmp(number, "0") == 0) {
        return;
    }
    if (!parse_int64(str_from_c(number), &value, &overflow) || value < 1 || value > (int64_t)COUNT_OF(ROWS)) {
        fprintf(stderr, "BASALT_PLANT is a number from 1 to %zu\n", COUNT_OF(ROWS));
        exit(2);
    }
#ifdef BASALT_PLANTED
    chosen = &ROWS[value - 1];
    plant_chosen = chosen->code;
#else
    fprintf(stderr, "this build has no planted bugs: configure with -Dplant=true\n");
    exit(2);
#endif
}

void plant_disk(SimDisk *disk) {
    const PlantRow *row = row_chosen();
    if (row != NULL) {
        sim_disk_skip(disk, row->skip, row->part);
    }
}

void plant_list(void) {
    for (size_t i = 0; i < COUNT_OF(ROWS); i++) {
        printf("%zu %s\n", i + 1, ROWS[i].text);
    }
}
