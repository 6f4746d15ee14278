/* SPDX-License-Identifier: Apache-2.0
 * writer_internal.h - shared by the writers of the three formats. */
#pragma once
#include "copy/copy_internal.h"

/* Each row of a run; the message around it is the caller's. */
void copy__write_text_row(CopyWriter *writer, const PgRun *run, uint32_t row, Buffer *out);
void copy__write_csv_row(CopyWriter *writer, const PgRun *run, uint32_t row, Buffer *out);
void copy__write_binary_row(CopyWriter *writer, const PgRun *run, uint32_t row, Buffer *out);
void copy__append_text(const CopyWriter *writer, Str text, Buffer *out);            /* escaped */
void copy__append_csv(const CopyWriter *writer, Str text, bool quoted, Buffer *out); /* quoted where it must be */
void copy__write_binary_header(Buffer *out);
void copy__write_binary_trailer(Buffer *out);
