/* SPDX-License-Identifier: Apache-2.0
 * dump_command.c - basalt dump KIND FILE: what a file holds, as text.
 *
 * Tests: test/cli */
#include "blockfile/blockfile.h"
#include "cli/cli_internal.h"
#include "engine/engine.h"
#include "os/os.h"
#include "segment/segment.h"

enum { DUMP_BYTES_MAX = 1 << 30 };

typedef struct DumpKind {
    const char *name;
    ErrorCode (*dump)(Io *io, const char *path, Buffer *out, Error *err);
} DumpKind;
static const DumpKind KINDS[] = {
    {"wal", engine_dump_log},
    {"segment", segment_dump},
    {"catalog", engine_dump_catalog}, /* a checkpoint holds it whole */
    {"checkpoint", engine_dump_checkpoint},
    {"blocks", blockfile_dump},
};

/* An Io sees paths below its folder only: the file's folder becomes it. */
static ExitCode dump(const DumpKind *kind, const char *path) {
    Os os;
    Buffer out;
    Error err = {0};
    char folder[4096];
    const char *slash = strrchr(path, '/');
    size_t len = slash != NULL ? (size_t)(slash - path) : 0;
    if (len >= sizeof folder) {
        return cli_usage_error("the path is too long");
    }
    memcpy(folder, path, len);
    memcpy(folder + len, len > 0 ? "" : slash != NULL ? "/" : ".", len > 0 ? 1 : 2);
    if (os_linux_open(folder, false, &os, &err) != ERR_OK) {
        return cli_report(&err);
    }
    buffer_init(&out, DUMP_BYTES_MAX);
    ErrorCode code = kind->dump(os.io, slash != NULL ? slash + 1 : path, &out, &err);
    fwrite(out.data, 1, out.len, stdout); /* also what could be read of a damaged file */
    buffer_deinit(&out);
    os_linux_close(&os);
    return code == ERR_OK ? EXIT_DONE : cli_report(&err);
}

static ExitCode run(const CliArgs *args) {
    for (size_t i = 0; i < COUNT_OF(KINDS); i++) {
        if (strcmp(KINDS[i].name, args->words[0]) == 0) {
            return dump(&KINDS[i], args->words[1]);
        }
    }
    return cli_usage_error("dump knows wal, segment, catalog, checkpoint and blocks, not \"%s\"", args->words[0]);
}

const CliCommand CLI_DUMP = {
    .name = "dump",
    .summary = "print what a file of a folder holds",
    .usage = "dump wal|segment|catalog|checkpoint|blocks FILE",
    .words_min = 2,
    .words_max = 2,
    .run = run,
    .details = "  basalt dump wal data/wal/000001.wal\n"
               "  basalt dump segment data/table/16/1.seg\n"
               "  basalt dump catalog data/checkpoint-25\n"
               "`catalog` prints the schemas and tables of a checkpoint, `checkpoint` everything in it, `blocks`\n"
               "the blocks of any block file (.seg, .dict, checkpoint).\n",
};
