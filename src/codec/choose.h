/* SPDX-License-Identifier: Apache-2.0
 * choose.h - private to codec: the decision of choose.c for one block. */
#pragma once
#include "codec/codec_internal.h"

/* Drops block->valid where no row is null. Dictionary codes and entries are left in scratch. */
BlockPlan codec__choose(ColumnBlock *block, const CodecOptions *options, EncodeScratch *scratch);
