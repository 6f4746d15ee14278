/* SPDX-License-Identifier: Apache-2.0
 * btree.c - (key, row) in order: nodes of 256 entries, a word of the key in the node, what is longer in one heap.
 *
 * Why:        most keys are decided by their first eight bytes, which lie side by side: a search touches two or three lines a node.
 *             16 bytes an entry and full nodes in ordered inserts: 17 to 24 bytes a key.
 * Invariants: entries of a tree are distinct and rising; leaves are linked both ways; a leaf may be empty after removals, never the
 *             first separator of an inner node wrong: child i holds entries below separator i, child i + 1 those from it on.
 * Threads:    the owner's lock guards it. Optimistic coupling may come behind the same calls.
 * Tests:      test/unit/index/test_btree.c */
#include "index/index.h"

enum { FANOUT = 256, HEIGHT_MAX = 12, TAIL_UNIT = 4 };

typedef struct BtreeNode Node;
struct BtreeNode {
    uint32_t count;
    bool leaf;
    Node *next, *previous;       /* leaves */
    uint64_t prefix[FANOUT];
    uint32_t tail[FANOUT];       /* place of the rest in the heap + 1, in units; 0 = the key has eight bytes */
    uint32_t row[FANOUT];
};
typedef struct Inner { Node node; Node *child[FANOUT + 1]; } Inner;

struct Btree {
    Node *root;
    uint32_t height;             /* inner levels */
    size_t count, leaf_count, inner_count;
    uint8_t *tails;
    size_t tail_bytes, tail_capacity;
};

static Inner *inner_of(const Node *node) {
    assert(!node->leaf);
    return (Inner *)(uintptr_t)node;
}

static Node *leaf_new(Btree *tree) {
    Node *node = mem_alloc(sizeof *node);
    node->count = 0;
    node->leaf = true;
    node->next = node->previous = NULL;
    tree->leaf_count++;
    return node;
}

static Node *inner_new(Btree *tree) {
    Inner *inner = mem_alloc(sizeof *inner);
    inner->node.count = 0;
    inner->node.leaf = false;
    inner->node.next = inner->node.previous = NULL;
    tree->inner_count++;
    return &inner->node;
}

Btree *btree_create(void) {
    Btree *tree = mem_calloc(1, sizeof *tree);
    tree->root = leaf_new(tree);
    return tree;
}

static void node_free(Node *node) { /* depth is the tree's height: a handful */
    for (uint32_t i = 0; !node->leaf && i <= node->count; i++) {
        node_free(inner_of(node)->child[i]);
    }
    mem_free(node);
}

void btree_destroy(Btree *tree) {
    if (tree != NULL) {
        node_free(tree->root);
        mem_free(tree->tails);
        mem_free(tree);
    }
}

size_t btree_count(const Btree *tree) { return tree->count; }

size_t btree_bytes(const Btree *tree) {
    return tree->leaf_count * sizeof(Node) + tree->inner_count * sizeof(Inner) + tree->tail_capacity;
}

/* ---- comparing ---- */

typedef struct Probe { uint64_t prefix; Bytes rest; uint32_t row; } Probe;

static Probe probe_of(Bytes key, uint32_t row) {
    Probe probe = {.prefix = key_prefix(key), .row = row};
    if (key.len > INDEX_KEY_BYTES_MIN) {
        probe.rest = (Bytes){key.data + INDEX_KEY_BYTES_MIN, key.len - INDEX_KEY_BYTES_MIN};
    }
    return probe;
}

static Bytes tail_of(const Btree *tree, const Node *node, uint32_t at) {
    if (node->tail[at] == 0) {
        return (Bytes){0};
    }
    const uint8_t *record = tree->tails + (size_t)(node->tail[at] - 1) * TAIL_UNIT;
    return (Bytes){record + 4, get_u32le(record)};
}

static int compare_key(const Btree *tree, const Node *node, uint32_t at, const Probe *probe) {
    if (node->prefix[at] != probe->prefix) {
        return node->prefix[at] < probe->prefix ? -1 : 1;
    }
    return node->tail[at] == 0 && probe->rest.len == 0 ? 0 : key_compare(tail_of(tree, node, at), probe->rest);
}

static int compare_entry(const Btree *tree, const Node *node, uint32_t at, const Probe *probe) {
    int order = compare_key(tree, node, at, probe);
    return order != 0 ? order : (node->row[at] > probe->row) - (node->row[at] < probe->row);
}

/* First entry >= probe; node->count if none. */
static uint32_t lower_bound(const Btree *tree, const Node *node, const Probe *probe) {
    uint32_t low = 0, high = node->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (compare_entry(tree, node, middle, probe) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Child that holds the probe: separators equal to it stand left of their child. */
static uint32_t child_for(const Btree *tree, const Node *node, const Probe *probe) {
    uint32_t at = lower_bound(tree, node, probe);
    return at < node->count && compare_entry(tree, node, at, probe) == 0 ? at + 1 : at;
}

/* ---- inserting ---- */

typedef struct Path { Node *nodes[HEIGHT_MAX]; uint32_t at[HEIGHT_MAX]; uint32_t depth; } Path;

static Node *descend(const Btree *tree, const Probe *probe, Path *path) {
    Node *node = tree->root;
    path->depth = 0;
    while (!node->leaf) {
        uint32_t at = child_for(tree, node, probe);
        path->nodes[path->depth] = node;
        path->at[path->depth++] = at;
        node = inner_of(node)->child[at];
    }
    return node;
}

static uint32_t tail_put(Btree *tree, Bytes rest) {
    if (rest.len == 0) {
        return 0;
    }
    size_t bytes = (4 + rest.len + TAIL_UNIT - 1) / TAIL_UNIT * TAIL_UNIT;
    if (tree->tail_bytes + bytes > tree->tail_capacity) {
        tree->tail_capacity = MAX_OF(tree->tail_capacity * 2, MAX_OF((size_t)1024, tree->tail_bytes + bytes));
        tree->tails = mem_realloc(tree->tails, tree->tail_capacity);
    }
    uint8_t *record = tree->tails + tree->tail_bytes;
    put_u32le(record, (uint32_t)rest.len);
    memcpy(record + 4, rest.data, rest.len);
    uint32_t place = (uint32_t)(tree->tail_bytes / TAIL_UNIT) + 1;
    tree->tail_bytes += bytes;
    return place;
}

typedef struct Entry { uint64_t prefix; uint32_t tail, row; } Entry;

static void entry_put(Node *node, uint32_t at, const Entry *entry) {
    uint32_t behind = node->count - at;
    memmove(&node->prefix[at + 1], &node->prefix[at], sizeof *node->prefix * behind);
    memmove(&node->tail[at + 1], &node->tail[at], sizeof *node->tail * behind);
    memmove(&node->row[at + 1], &node->row[at], sizeof *node->row * behind);
    node->prefix[at] = entry->prefix;
    node->tail[at] = entry->tail;
    node->row[at] = entry->row;
    node->count++;
}

static void entries_move(Node *to, Node *from, uint32_t first) {
    uint32_t count = from->count - first;
    memcpy(to->prefix, &from->prefix[first], sizeof *to->prefix * count);
    memcpy(to->tail, &from->tail[first], sizeof *to->tail * count);
    memcpy(to->row, &from->row[first], sizeof *to->row * count);
    to->count = count;
    from->count = first;
}

static void link_behind(Node *leaf, Node *right) {
    right->previous = leaf;
    right->next = leaf->next;
    if (leaf->next != NULL) {
        leaf->next->previous = right;
    }
    leaf->next = right;
}

/* The separator and its right child into the parent; parents split on the way up. */
static void parent_put(Btree *tree, Path *path, Entry separator, Node *right) {
    while (path->depth > 0) {
        Node *node = path->nodes[--path->depth];
        uint32_t at = path->at[path->depth];
        Inner *inner = inner_of(node);
        if (node->count < FANOUT) {
            memmove(&inner->child[at + 2], &inner->child[at + 1], sizeof(Node *) * (node->count - at));
            inner->child[at + 1] = right;
            entry_put(node, at, &separator);
            return;
        }
        uint32_t middle = at == FANOUT ? FANOUT - 1 : FANOUT / 2; /* at the right edge the left node stays full */
        Node *sibling = inner_new(tree);
        Entry up = {node->prefix[middle], node->tail[middle], node->row[middle]};
        memcpy(inner_of(sibling)->child, &inner->child[middle + 1], sizeof(Node *) * (node->count - middle));
        entries_move(sibling, node, middle + 1);
        node->count = middle;
        Node *target = at <= middle ? node : sibling;
        uint32_t place = at <= middle ? at : at - middle - 1;
        memmove(&inner_of(target)->child[place + 2], &inner_of(target)->child[place + 1], sizeof(Node *) * (target->count - place));
        inner_of(target)->child[place + 1] = right;
        entry_put(target, place, &separator);
        separator = up;
        right = sibling;
    }
    Node *root = inner_new(tree);
    inner_of(root)->child[0] = tree->root;
    inner_of(root)->child[1] = right;
    entry_put(root, 0, &separator);
    tree->root = root;
    tree->height++;
    assert(tree->height < HEIGHT_MAX);
}

static void leaf_split(Btree *tree, Path *path, Node *leaf, uint32_t at, const Entry *entry) {
    Node *right = leaf_new(tree);
    bool ordered = at == FANOUT && leaf->next == NULL;
    link_behind(leaf, right);
    if (!ordered) {
        entries_move(right, leaf, FANOUT / 2);
    }
    if (ordered || at > FANOUT / 2) {
        entry_put(right, ordered ? 0 : at - FANOUT / 2, entry);
    } else {
        entry_put(leaf, at, entry);
    }
    parent_put(tree, path, (Entry){right->prefix[0], right->tail[0], right->row[0]}, right);
}

bool btree_insert(Btree *tree, Bytes key, uint32_t row) {
    assert(key.len >= INDEX_KEY_BYTES_MIN);
    Probe probe = probe_of(key, row);
    Path path;
    Node *leaf = descend(tree, &probe, &path);
    uint32_t at = lower_bound(tree, leaf, &probe);
    if (at < leaf->count && compare_entry(tree, leaf, at, &probe) == 0) {
        return false;
    }
    Entry entry = {probe.prefix, tail_put(tree, probe.rest), row};
    tree->count++;
    if (leaf->count < FANOUT) {
        entry_put(leaf, at, &entry);
    } else {
        leaf_split(tree, &path, leaf, at, &entry);
    }
    return true;
}

bool btree_remove(Btree *tree, Bytes key, uint32_t row) {
    Probe probe = probe_of(key, row);
    Path path;
    Node *leaf = descend(tree, &probe, &path);
    uint32_t at = lower_bound(tree, leaf, &probe);
    if (at == leaf->count || compare_entry(tree, leaf, at, &probe) != 0) {
        return false;
    }
    uint32_t behind = leaf->count - at - 1;
    memmove(&leaf->prefix[at], &leaf->prefix[at + 1], sizeof *leaf->prefix * behind);
    memmove(&leaf->tail[at], &leaf->tail[at + 1], sizeof *leaf->tail * behind);
    memmove(&leaf->row[at], &leaf->row[at + 1], sizeof *leaf->row * behind);
    leaf->count--;
    tree->count--;
    return true;
}

/* ---- walking ---- */

static bool settle_forward(BtreeCursor *cursor) {
    while (cursor->node != NULL && cursor->at >= cursor->node->count) {
        cursor->node = cursor->node->next;
        cursor->at = 0;
    }
    return cursor->node != NULL;
}

bool btree_seek(const Btree *tree, Bytes key, uint32_t row, BtreeCursor *cursor) {
    Probe probe = probe_of(key, row);
    Path path;
    const Node *leaf = descend(tree, &probe, &path);
    *cursor = (BtreeCursor){tree, leaf, lower_bound(tree, leaf, &probe)};
    return settle_forward(cursor);
}

bool btree_previous(BtreeCursor *cursor) {
    while (cursor->node != NULL && cursor->at == 0) {
        cursor->node = cursor->node->previous;
        cursor->at = cursor->node == NULL ? 0 : cursor->node->count;
    }
    cursor->at -= cursor->node != NULL;
    return cursor->node != NULL;
}

bool btree_seek_before(const Btree *tree, Bytes key, uint32_t row, BtreeCursor *cursor) {
    Probe probe = probe_of(key, row);
    Path path;
    const Node *leaf = descend(tree, &probe, &path);
    *cursor = (BtreeCursor){tree, leaf, lower_bound(tree, leaf, &probe)};
    return btree_previous(cursor);
}

bool btree_next(BtreeCursor *cursor) {
    cursor->at++;
    return settle_forward(cursor);
}

uint32_t btree_row(const BtreeCursor *cursor) { return cursor->node->row[cursor->at]; }

int btree_compare(const BtreeCursor *cursor, Bytes key) {
    Probe probe = probe_of(key, 0);
    return compare_key(cursor->tree, cursor->node, cursor->at, &probe);
}

bool btree_starts_with(const BtreeCursor *cursor, Bytes head) {
    size_t in_word = MIN_OF(head.len, (size_t)INDEX_KEY_BYTES_MIN);
    uint64_t mask = in_word == 0 ? 0 : ~UINT64_C(0) << (64 - 8 * in_word);
    if (((cursor->node->prefix[cursor->at] ^ key_prefix(head)) & mask) != 0) {
        return false;
    }
    if (head.len <= INDEX_KEY_BYTES_MIN) {
        return true;
    }
    Bytes tail = tail_of(cursor->tree, cursor->node, cursor->at);
    size_t more = head.len - INDEX_KEY_BYTES_MIN;
    return tail.len >= more && memcmp(tail.data, head.data + INDEX_KEY_BYTES_MIN, more) == 0;
}

void btree_key(const BtreeCursor *cursor, Buffer *out) {
    uint64_t word = __builtin_bswap64(cursor->node->prefix[cursor->at]);
    Bytes tail = tail_of(cursor->tree, cursor->node, cursor->at);
    buffer_append(out, &word, sizeof word);
    if (tail.len > 0) {
        buffer_append(out, tail.data, tail.len);
    }
}

void btree_compact(Btree *tree, bool (*keep)(void *context, uint32_t row), void *context) {
    Btree *packed = btree_create();
    Buffer key;
    buffer_init(&key, SIZE_MAX);
    BtreeCursor cursor;
    for (bool more = btree_seek(tree, (Bytes){0}, 0, &cursor); more; more = btree_next(&cursor)) {
        if (keep(context, btree_row(&cursor))) {
            buffer_clear(&key);
            btree_key(&cursor, &key);
            (void)btree_insert(packed, buffer_bytes(&key), btree_row(&cursor));
        }
    }
    buffer_deinit(&key);
    Btree old = *tree;
    *tree = *packed;
    *packed = old;
    btree_destroy(packed);
}
