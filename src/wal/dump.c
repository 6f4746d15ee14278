/* SPDX-License-Identifier: Apache-2.0
 * dump.c - one log file as text, for people: header, groups, records; then where and why it ends.
 *
 * Tests:      test/unit/wal/test_reader.c */
#include "wal/wal_internal.h"

enum { DUMP_BODY_BYTES_MAX = 64 << 20 };

static void dump_header(const char *path, const WalFileHeader *header, Buffer *out) {
    buffer_printf(
        out, "%s: format %u, sequence %llu, first lsn %llu, engine %016llx, salt %016llx, previous crc %08x\n", path,
        header->format_version, (unsigned long long)header->sequence, (unsigned long long)header->first_lsn,
        (unsigned long long)header->engine_id, (unsigned long long)header->salt, header->previous_crc);
}

/* The lines that `body` prints, each indented below its record. */
static void dump_body(const WalRecord *record, WalDumpBody body, Buffer *out) {
    Buffer text;
    Error err = {0};
    Str line;
    buffer_init(&text, DUMP_BODY_BYTES_MAX);
    ErrorCode code = body(record, &text, &err);
    Str rest = str_trim(buffer_str(&text));
    while (str_split(&rest, '\n', &line)) {
        buffer_printf(out, "    %.*s\n", STR_ARG(line));
    }
    if (code != ERR_OK) {
        buffer_printf(out, "    %s\n", err.message);
    }
    buffer_deinit(&text);
}

static void dump_group(WalReader *reader, const WalGroup *group, WalDumpBody body, Buffer *out) {
    buffer_printf(out, "group at %llu: %u records, %u bytes, first lsn %llu, durable below %llu\n",
                  (unsigned long long)group->offset, group->records, group->bytes, (unsigned long long)group->first_lsn,
                  (unsigned long long)group->durable_below);
    WalRecord record;
    while (wal_reader_next_record(reader, &record)) {
        buffer_printf(out, "  lsn %llu: kind %u, flags %u, term %u, wall %lld, body %zu\n",
                      (unsigned long long)record.lsn, record.kind, record.flags, record.term,
                      (long long)record.wall_micros, record.body.len);
        if (body != NULL) {
            dump_body(&record, body, out);
        }
    }
}

ErrorCode wal_dump_file(Io *io, const char *path, WalDumpBody body, Buffer *out, Error *err) {
    WalReader *reader = NULL;
    TRY(wal_reader_open(io, path, &reader, err));
    dump_header(path, wal_reader_header(reader), out);
    ErrorCode code = ERR_OK;
    WalGroup group;
    bool found = true;
    for (;;) {
        TRY_OR(done, wal_reader_next_group(reader, &group, &found, err));
        if (!found) {
            break;
        }
        dump_group(reader, &group, body, out);
    }
    buffer_printf(out, "end at %llu, next lsn %llu\n", (unsigned long long)wal__reader_offset(reader),
                  (unsigned long long)wal__reader_next_lsn(reader));
    code = buffer_check(out, err);
done:
    wal_reader_close(reader);
    return code;
}
