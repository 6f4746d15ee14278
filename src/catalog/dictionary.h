/* SPDX-License-Identifier: Apache-2.0
 * dictionary.h - the texts of a SYMBOL column: code -> text without a lock, text -> code without a lock, new codes under a mutex.
 *
 * Symbols are not transactional: a code is handed out at once and never taken back. A commit record carries every entry above the
 * logged mark up to the codes that exist; the mark moves once that record has its place in the log.
 * Limits: SYMBOLS_MAX entries of at most STRREF_BYTES_MAX bytes. */
#pragma once
#include "catalog/catalog.h"
#include "os/os.h"

typedef struct Dictionary Dictionary;
Dictionary *dictionary_create(Sched *sched);
void dictionary_destroy(Dictionary *dictionary);
SymbolTable *dictionary_symbols(Dictionary *dictionary);      /* lives as long as the dictionary */
Dictionary *dictionary_of(SymbolTable *symbols);
int32_t dictionary_count(const Dictionary *dictionary);
Str dictionary_text(const Dictionary *dictionary, int32_t code);
/* Redo: the entry `code` is `text`. Repeating an entry is fine; a gap or another text is ERR_DAMAGED. */
NODISCARD ErrorCode dictionary_place(Dictionary *dictionary, int32_t code, Str text, Error *err);
int32_t dictionary_logged(const Dictionary *dictionary);
void dictionary_set_logged(Dictionary *dictionary, int32_t count); /* rises only */
size_t dictionary_bytes(const Dictionary *dictionary);
