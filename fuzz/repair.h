/* SPDX-License-Identifier: Apache-2.0
 * repair.h - gives a mutated block file the checksums of its content, so that a target reaches what is behind them. */
#pragma once
#include "base/memory.h"

/* short_header: the first 64 bytes stand for the header of 4,096. Returns the file's size; *out is the caller's. */
size_t blockfile_expand(const uint8_t *data, size_t size, bool short_header, uint8_t **out);
void blockfile_repair(uint8_t *file, size_t size);
