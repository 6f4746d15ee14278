/* SPDX-License-Identifier: Apache-2.0
 * unpack.h - gzip and zstd streams, known by their first bytes; anything else passes through.
 *
 * Threads: an Unpack belongs to one thread. */
#pragma once
#include "base/memory.h"

typedef struct Unpack Unpack;
typedef ErrorCode (*UnpackWrite)(void *context, Bytes piece, Error *err);
Unpack *unpack_open(UnpackWrite write, void *context);
void unpack_close(Unpack *unpack);
NODISCARD ErrorCode unpack_feed(Unpack *unpack, Bytes piece, Error *err); /* ERR_BAD_COPY: damaged stream; else what write says */
NODISCARD ErrorCode unpack_finish(Unpack *unpack, Error *err);            /* ERR_BAD_COPY: the stream is cut short */
