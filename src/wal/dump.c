/* SPDX-License-Identifier: Apache-2.0
 * dump.c - one log file as text, for people: header, groups, records; then where and why it ends.
 *
 * Tests:      test/unit/wal/test_reader.c */
#include "wal/wal_internal.h"

static void dump_header(const char *path, const WalFileHeader *header, Buffer *out) {
    buffer_printf(
        out, "%s: format %u, sequence %llu, first lsn %llu, engine %016llx, salt %016llx, previous crc %08x\n", path,
        header->format_version, (unsigned long long)header->sequence, (unsigned long long)header->first_lsn,
        (unsigned long long)header->engine_id, (unsigned long long)header->salt, header->previous_crc);
}

static void dump_group(WalReader *reader, const WalGroup *group, Buffer *out) {
    buffer_printf(out, "group at %llu: %u records, %u bytes, first lsn %llu, durable below %llu\n",
                  (unsigned long long)group->offset, group->records, group->bytes, (unsigned long long)group->first_lsn,
                  (unsigned long long)group->durable_below);
    WalRecord record;
    while (wal_reader_next_record(reader, &record)) {
        buffer_printf(out, "  lsn %llu: kind %u, flags %u, term %u, wall %lld, body %zu\n",
                      (unsigned long long)record.lsn, record.kind, record.flags, record.term,
                      (long long)record.wall_micros, record.body.len);
    }
}

ErrorCode wal_dump_file(Io *io, const char *path, Buffer *out, Error *err) {
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
        dump_group(reader, &group, out);
    }
    buffer_printf(out, "end at %llu, next lsn %llu\n", (unsigned long long)wal__reader_offset(reader),
                  (unsigned long long)wal__reader_next_lsn(reader));
    code = buffer_check(out, err);
done:
    wal_reader_close(reader);
    return code;
}
