/* SPDX-License-Identifier: Apache-2.0
 * dictionary.h - the texts of a SYMBOL column: code -> text without a lock, text -> code without a lock, new codes under a mutex.
 *
 * Symbols are not transactional: a code is handed out at once and never taken back. A commit record carries every entry above the
 * logged mark up to the codes that exist; the mark moves once that record has its place in the log.
 * Limits: SYMBOLS_MAX entries of at most STRREF_BYTES_MAX bytes.
 * On disk:  files of consecutive codes (docs/format/dictionary.md), read when somebody first asks for a text or a code; a table that
 *           nobody asks costs no memory. Layers with an error path call dictionary_load first; a failure behind a SymbolTable call ends
 *           the process, because those calls cannot tell it. */
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

/* ---- on disk ---- */
enum { DICTIONARY_FILES_MAX = 40 };
typedef struct DictionaryFile {
    uint64_t file_id, bytes;
    uint32_t crc;
    int32_t first, count;      /* codes */
} DictionaryFile;
typedef struct DictionaryFiles { DictionaryFile *files; uint32_t count; } DictionaryFiles; /* room for DICTIONARY_FILES_MAX once reserved */
/* The files in order of codes. Changed by checkpoints only, one at a time, and never while the dictionary is not loaded. */
DictionaryFiles *dictionary_files(Dictionary *dictionary);
void dictionary_files_reserve(Dictionary *dictionary);
/* Reads all files, one dictionary_place per entry. */
typedef ErrorCode (*DictionaryRead)(void *context, Dictionary *dictionary, Error *err);
/* Before anything else is asked of it: codes below count are in the files. */
void dictionary_attach(Dictionary *dictionary, int32_t count, DictionaryRead read, void *context);
NODISCARD ErrorCode dictionary_load(Dictionary *dictionary, Error *err); /* nothing to do if loaded */
bool dictionary_loaded(const Dictionary *dictionary);
