/* SPDX-License-Identifier: Apache-2.0
 * dictionary.c - append-only text <-> code map of one SYMBOL column.
 *
 * Layout:     entries lie in sections of 8, 8, 16, 32 ... codes that never move; an entry points to u32 length | bytes in a heap
 *             block. The hash table is open addressing; a slot is the hash's upper half and code + 1.
 * Why:        geometric sections cost nothing for ten symbols and one pointer step for five million.
 * Atomics:    a slot is stored (release) after its entry and text; who loads it (acquire) may read both. `count` likewise. A
 *             larger hash table is filled before its pointer is stored; old ones are kept until the end, together they are not
 *             larger than the newest. Codes that reach a reader through a table were published by the table's lock.
 * Invariants: codes are dense; entry and text never change.
 * Tests:      test/unit/catalog/test_dictionary.c */
#include "catalog/dictionary.h"
#include "base/hash.h"
#include <stdatomic.h>

enum { SECTION_FIRST = 8, SECTIONS = 28, TABLE_FIRST = 16, HEAP_BLOCK_FIRST = 128, HEAP_BLOCK_LARGEST = 1 << 20, LENGTH_BYTES = 4 };

typedef struct HashTable HashTable;
struct HashTable {
    HashTable *older;
    uint64_t mask;
    _Atomic uint64_t slots[]; /* hash high 32 << 32 | code + 1; 0 = empty */
};
typedef struct TextBlock TextBlock;
struct TextBlock { TextBlock *older; size_t bytes, used; uint8_t data[]; };

struct Dictionary {
    SymbolTable symbols;      /* first, so that a SymbolTable is its Dictionary */
    Sched *sched;
    Mutex lock;               /* guards what writers change */
    _Atomic(HashTable *) table;
    _Atomic(const uint8_t **) sections[SECTIONS];
    _Atomic int32_t count;
    _Atomic int32_t logged;
    TextBlock *text;
    _Atomic size_t bytes;
    Mutex load_lock;          /* one thread reads the files */
    _Atomic bool unloaded;    /* codes below attached_count are still on disk */
    int32_t attached_count;
    DictionaryRead read;
    void *read_context;
    DictionaryFiles files;
};

static void demand(const Dictionary *dictionary);
static Str symbols_text(const SymbolTable *symbols, int32_t code) {
    demand((const Dictionary *)symbols);
    return dictionary_text((const Dictionary *)symbols, code);
}
static int32_t symbols_count(const SymbolTable *symbols) { return dictionary_count((const Dictionary *)symbols); }
static int32_t symbols_find(const SymbolTable *symbols, Str text);
static int32_t symbols_intern(SymbolTable *symbols, Str text);

Dictionary *dictionary_create(Sched *sched) {
    Dictionary *dictionary = mem_calloc(1, sizeof *dictionary);
    dictionary->symbols = (SymbolTable){symbols_text, symbols_find, symbols_count, symbols_intern};
    dictionary->sched = sched;
    sched->mutex_init(sched, &dictionary->lock);
    sched->mutex_init(sched, &dictionary->load_lock);
    return dictionary;
}

void dictionary_destroy(Dictionary *dictionary) {
    if (dictionary == NULL) {
        return;
    }
    for (HashTable *table = atomic_load(&dictionary->table); table != NULL;) {
        HashTable *older = table->older;
        mem_free(table);
        table = older;
    }
    for (int i = 0; i < SECTIONS; i++) {
        mem_free(atomic_load(&dictionary->sections[i]));
    }
    while (dictionary->text != NULL) {
        TextBlock *older = dictionary->text->older;
        mem_free(dictionary->text);
        dictionary->text = older;
    }
    dictionary->sched->mutex_deinit(dictionary->sched, &dictionary->lock);
    dictionary->sched->mutex_deinit(dictionary->sched, &dictionary->load_lock);
    mem_free(dictionary->files.files);
    mem_free(dictionary);
}

SymbolTable *dictionary_symbols(Dictionary *dictionary) { return &dictionary->symbols; }
Dictionary *dictionary_of(SymbolTable *symbols) { return (Dictionary *)symbols; }
int32_t dictionary_count(const Dictionary *dictionary) {
    int32_t count = atomic_load_explicit(&dictionary->count, memory_order_acquire);
    return dictionary_loaded(dictionary) ? count : MAX_OF(count, dictionary->attached_count);
}
int32_t dictionary_logged(const Dictionary *dictionary) { return atomic_load(&dictionary->logged); }
size_t dictionary_bytes(const Dictionary *dictionary) { return atomic_load(&dictionary->bytes); }

/* Section 0 holds codes 0-7, section s > 0 the codes from 4 << s to (8 << s) - 1. */
static int section_of(uint32_t code, uint32_t *place_out) {
    if (code < SECTION_FIRST) {
        *place_out = code;
        return 0;
    }
    int high = 31 - __builtin_clz(code);
    *place_out = code - (UINT32_C(1) << high);
    return high - 2;
}

static size_t section_size(int section) { return section == 0 ? SECTION_FIRST : (size_t)4 << section; }

Str dictionary_text(const Dictionary *dictionary, int32_t code) {
    assert(code >= 0);
    uint32_t place = 0;
    int section = section_of((uint32_t)code, &place);
    const uint8_t **entries = atomic_load_explicit(&dictionary->sections[section], memory_order_acquire);
    assert(entries != NULL);
    const uint8_t *entry = entries[place];
    return (Str){(const char *)entry + LENGTH_BYTES, get_u32le(entry)};
}

static uint64_t hash_of(Str text) { return hash_bytes(text.data, text.len, 0); }

/* Code or -1. Safe beside writers. */
static int32_t probe(const Dictionary *dictionary, Str text, uint64_t hash) {
    const HashTable *table = atomic_load_explicit(&dictionary->table, memory_order_acquire);
    if (table == NULL) {
        return -1;
    }
    for (uint64_t at = hash & table->mask;; at = (at + 1) & table->mask) {
        uint64_t slot = atomic_load_explicit(&table->slots[at], memory_order_acquire);
        if (slot == 0) {
            return -1;
        }
        int32_t code = (int32_t)((uint32_t)slot - 1);
        if (slot >> 32 == hash >> 32 && str_equal(dictionary_text(dictionary, code), text)) {
            return code;
        }
    }
}

static int32_t symbols_find(const SymbolTable *symbols, Str text) {
    demand((const Dictionary *)symbols);
    return probe((const Dictionary *)symbols, text, hash_of(text));
}

static void table_insert(HashTable *table, uint64_t hash, int32_t code) {
    uint64_t at = hash & table->mask;
    while (atomic_load_explicit(&table->slots[at], memory_order_relaxed) != 0) {
        at = (at + 1) & table->mask;
    }
    atomic_store_explicit(&table->slots[at], (hash >> 32) << 32 | ((uint32_t)code + 1), memory_order_release);
}

static void table_grow(Dictionary *dictionary) {
    HashTable *old = atomic_load(&dictionary->table);
    uint64_t capacity = old == NULL ? TABLE_FIRST : (old->mask + 1) * 2;
    while (capacity < (uint64_t)dictionary->attached_count * 3 / 2) {
        capacity *= 2; /* files are being read */
    }
    HashTable *table = mem_calloc(1, sizeof *table + sizeof(uint64_t) * capacity);
    table->older = old;
    table->mask = capacity - 1;
    int32_t count = atomic_load(&dictionary->count);
    for (int32_t code = 0; code < count; code++) {
        table_insert(table, hash_of(dictionary_text(dictionary, code)), code);
    }
    atomic_fetch_add(&dictionary->bytes, sizeof(uint64_t) * capacity);
    atomic_store_explicit(&dictionary->table, table, memory_order_release);
}

static uint8_t *text_room(Dictionary *dictionary, size_t bytes) {
    if (dictionary->text == NULL || dictionary->text->bytes - dictionary->text->used < bytes) {
        size_t next = dictionary->text == NULL ? HEAP_BLOCK_FIRST : MIN_OF(dictionary->text->bytes * 2, (size_t)HEAP_BLOCK_LARGEST);
        next = MAX_OF(next, bytes);
        TextBlock *block = mem_alloc(sizeof *block + next);
        *block = (TextBlock){dictionary->text, next, 0};
        dictionary->text = block;
        atomic_fetch_add(&dictionary->bytes, next);
    }
    uint8_t *room = dictionary->text->data + dictionary->text->used;
    dictionary->text->used += bytes;
    return room;
}

/* Under the lock: the entry behind the last. */
static void add(Dictionary *dictionary, Str text, uint64_t hash) {
    int32_t code = atomic_load(&dictionary->count);
    const HashTable *table = atomic_load(&dictionary->table);
    if (table == NULL || (uint64_t)code * 4 >= (table->mask + 1) * 3) {
        table_grow(dictionary);
    }
    uint32_t place = 0;
    int section = section_of((uint32_t)code, &place);
    const uint8_t **entries = atomic_load(&dictionary->sections[section]);
    if (entries == NULL) {
        entries = mem_calloc(section_size(section), sizeof *entries);
        atomic_fetch_add(&dictionary->bytes, sizeof *entries * section_size(section));
        atomic_store_explicit(&dictionary->sections[section], entries, memory_order_release);
    }
    uint8_t *entry = text_room(dictionary, LENGTH_BYTES + text.len);
    put_u32le(entry, (uint32_t)text.len);
    if (text.len > 0) {
        memcpy(entry + LENGTH_BYTES, text.data, text.len);
    }
    entries[place] = entry;
    atomic_store_explicit(&dictionary->count, code + 1, memory_order_release);
    table_insert(atomic_load(&dictionary->table), hash, code);
}

static int32_t symbols_intern(SymbolTable *symbols, Str text) {
    Dictionary *dictionary = (Dictionary *)symbols;
    uint64_t hash = hash_of(text);
    demand(dictionary);
    int32_t code = probe(dictionary, text, hash);
    if (code >= 0) {
        return code;
    }
    dictionary->sched->mutex_lock(dictionary->sched, &dictionary->lock);
    code = probe(dictionary, text, hash);
    if (code < 0 && atomic_load(&dictionary->count) < SYMBOLS_MAX && text.len <= STRREF_BYTES_MAX) {
        code = atomic_load(&dictionary->count);
        add(dictionary, text, hash);
    }
    dictionary->sched->mutex_unlock(dictionary->sched, &dictionary->lock);
    return code;
}

ErrorCode dictionary_place(Dictionary *dictionary, int32_t code, Str text, Error *err) {
    int32_t count = atomic_load(&dictionary->count);
    if (code >= 0 && code < count) {
        return str_equal(dictionary_text(dictionary, code), text)
                   ? ERR_OK
                   : error_set(err, ERR_DAMAGED, code, "symbol %d has two texts", (int)code);
    }
    if (code != count || code >= SYMBOLS_MAX) {
        return error_set(err, ERR_DAMAGED, code, "symbol %d does not follow symbol %d", (int)code, (int)count - 1);
    }
    dictionary->sched->mutex_lock(dictionary->sched, &dictionary->lock);
    add(dictionary, text, hash_of(text));
    dictionary->sched->mutex_unlock(dictionary->sched, &dictionary->lock);
    return ERR_OK;
}

void dictionary_set_logged(Dictionary *dictionary, int32_t count) {
    int32_t before = atomic_load(&dictionary->logged);
    while (before < count && !atomic_compare_exchange_weak(&dictionary->logged, &before, count)) {
    }
}

/* ---- on disk ---- */

DictionaryFiles *dictionary_files(Dictionary *dictionary) { return &dictionary->files; }

void dictionary_files_reserve(Dictionary *dictionary) {
    if (dictionary->files.files == NULL) {
        dictionary->files.files = mem_calloc(DICTIONARY_FILES_MAX, sizeof(DictionaryFile));
    }
}
bool dictionary_loaded(const Dictionary *dictionary) { return !atomic_load_explicit(&dictionary->unloaded, memory_order_acquire); }

void dictionary_attach(Dictionary *dictionary, int32_t count, DictionaryRead read, void *context) {
    assert(atomic_load(&dictionary->count) == 0);
    dictionary->attached_count = count;
    dictionary->read = read;
    dictionary->read_context = context;
    atomic_store(&dictionary->logged, count);
    atomic_store(&dictionary->unloaded, count > 0);
}

ErrorCode dictionary_load(Dictionary *dictionary, Error *err) {
    if (dictionary_loaded(dictionary)) {
        return ERR_OK;
    }
    ErrorCode code = ERR_OK;
    dictionary->sched->mutex_lock(dictionary->sched, &dictionary->load_lock);
    if (!dictionary_loaded(dictionary)) {
        code = dictionary->read(dictionary->read_context, dictionary, err);
        if (code == ERR_OK && atomic_load(&dictionary->count) != dictionary->attached_count) {
            code = error_set(err, ERR_DAMAGED, ERROR_NO_POSITION, "a dictionary of %d symbols has files with %d", (int)dictionary->attached_count,
                             (int)atomic_load(&dictionary->count));
        }
        atomic_store_explicit(&dictionary->unloaded, code != ERR_OK, memory_order_release);
    }
    dictionary->sched->mutex_unlock(dictionary->sched, &dictionary->load_lock);
    return code;
}

static void demand(const Dictionary *dictionary) {
    if (LIKELY(dictionary_loaded(dictionary))) {
        return;
    }
    Error error = {0};
    if (dictionary_load((Dictionary *)(uintptr_t)dictionary, &error) != ERR_OK) {
        fatal(error.code, "a dictionary cannot be read: %s", error.message);
    }
}
