/* SPDX-License-Identifier: Apache-2.0
 * content.c - bytes of a file as pages that are shared until written; inodes with their pending changes.
 * Tests: test/unit/sim/test_disk.c */
#include "base/hash.h"
#include "sim/sim_internal.h"

static size_t pages_for(uint64_t size) {
    return (size_t)((size + SIM_PAGE_BYTES - 1) / SIM_PAGE_BYTES);
}

static void page_drop(SimPage *page) {
    if (page != NULL && --page->references == 0) {
        mem_free(page);
    }
}

void sim__content_copy(SimContent *to, const SimContent *from) {
    *to = (SimContent){.page_count = from->page_count, .size = from->size};
    to->pages = mem_calloc(from->page_count, sizeof *to->pages);
    for (size_t i = 0; i < from->page_count; i++) {
        to->pages[i] = from->pages[i];
        if (to->pages[i] != NULL) {
            to->pages[i]->references++;
        }
    }
}

void sim__content_free(SimContent *content) {
    for (size_t i = 0; i < content->page_count; i++) {
        page_drop(content->pages[i]);
    }
    mem_free(content->pages);
    *content = (SimContent){0};
}

/* The page, owned by this content alone. */
static SimPage *own_page(SimContent *content, size_t index) {
    SimPage *page = content->pages[index];
    if (page == NULL || page->references > 1) {
        SimPage *fresh = mem_alloc(sizeof *fresh);
        if (page == NULL) {
            memset(fresh->bytes, 0, sizeof fresh->bytes);
        } else {
            memcpy(fresh->bytes, page->bytes, sizeof fresh->bytes);
            page->references--;
        }
        fresh->references = 1;
        content->pages[index] = page = fresh;
    }
    page->hashed = false;
    return page;
}

void sim__content_resize(SimContent *content, uint64_t size) {
    size_t count = pages_for(size);
    for (size_t i = count; i < content->page_count; i++) {
        page_drop(content->pages[i]);
    }
    if (count != content->page_count) {
        content->pages = mem_realloc(content->pages, count * sizeof *content->pages);
        for (size_t i = content->page_count; i < count; i++) {
            content->pages[i] = NULL;
        }
        content->page_count = count;
    }
    size_t tail = (size_t)(size % SIM_PAGE_BYTES);
    if (size < content->size && tail != 0 && content->pages[count - 1] != NULL) {
        SimPage *page = own_page(content, count - 1);
        memset(page->bytes + tail, 0, SIM_PAGE_BYTES - tail);
    }
    content->size = size;
}

void sim__content_write(SimContent *content, uint64_t offset, const void *data, size_t len) {
    if (len == 0) {
        return;
    }
    if (offset + len > content->size) {
        sim__content_resize(content, offset + len);
    }
    const uint8_t *from = data;
    while (len > 0) {
        size_t in_page = (size_t)(offset % SIM_PAGE_BYTES);
        size_t now = MIN_OF(len, SIM_PAGE_BYTES - in_page);
        memcpy(own_page(content, (size_t)(offset / SIM_PAGE_BYTES))->bytes + in_page, from, now);
        from += now;
        offset += now;
        len -= now;
    }
}

size_t sim__content_read(const SimContent *content, uint64_t offset, void *data, size_t len) {
    if (offset >= content->size) {
        return 0;
    }
    len = (size_t)MIN_OF((uint64_t)len, content->size - offset);
    uint8_t *to = data;
    for (size_t left = len; left > 0;) {
        size_t in_page = (size_t)(offset % SIM_PAGE_BYTES);
        size_t now = MIN_OF(left, SIM_PAGE_BYTES - in_page);
        const SimPage *page = content->pages[offset / SIM_PAGE_BYTES];
        if (page == NULL) {
            memset(to, 0, now);
        } else {
            memcpy(to, page->bytes + in_page, now);
        }
        to += now;
        offset += now;
        left -= now;
    }
    return len;
}

static uint64_t page_hash(SimPage *page) {
    if (!page->hashed) {
        page->hash = hash_bytes(page->bytes, sizeof page->bytes, 1);
        page->hashed = true;
    }
    return page->hash;
}

/* A page of zeros hashes as a missing one, so that equal bytes have equal hashes. */
uint64_t sim__content_hash(const SimContent *content) {
    static const uint8_t ZEROS[SIM_PAGE_BYTES];
    uint64_t zeros = hash_bytes(ZEROS, sizeof ZEROS, 1);
    uint64_t hash = hash_u64(content->size);
    for (size_t i = 0; i < content->page_count; i++) {
        if (content->pages[i] != NULL && page_hash(content->pages[i]) != zeros) {
            hash = hash_u64(hash ^ page_hash(content->pages[i]) ^ i * UINT64_C(0x9e3779b97f4a7c15));
        }
    }
    return hash;
}

uint64_t sim__content_used_bytes(const SimContent *content) {
    return (uint64_t)content->page_count * SIM_PAGE_BYTES;
}

SimInode *sim__inode_create(bool is_folder) {
    SimInode *inode = mem_calloc(1, sizeof *inode);
    inode->is_folder = is_folder;
    return inode;
}

SimInode *sim__inode_hold(SimInode *inode) {
    if (inode != NULL) {
        inode->references++;
    }
    return inode;
}

void sim__inode_drop(SimInode *inode) {
    if (inode == NULL) {
        return;
    }
    assert(inode->references > 0);
    if (--inode->references > 0) {
        return;
    }
    sim__inode_clear_pending(inode);
    mem_free(inode->pending);
    sim__content_free(&inode->durable);
    sim__content_free(&inode->current);
    mem_free(inode);
}

void sim__inode_note(SimInode *inode, uint64_t offset, const void *data, size_t len) {
    if (inode->pending_count == inode->pending_capacity) {
        inode->pending_capacity = inode->pending_capacity == 0 ? 8 : inode->pending_capacity * 2;
        inode->pending = mem_realloc(inode->pending, inode->pending_capacity * sizeof *inode->pending);
    }
    SimPending *pending = &inode->pending[inode->pending_count++];
    *pending = (SimPending){.offset = offset, .len = len};
    if (data != NULL) {
        pending->data = mem_alloc(len);
        memcpy(pending->data, data, len);
    }
}

void sim__inode_clear_pending(SimInode *inode) {
    for (size_t i = 0; i < inode->pending_count; i++) {
        mem_free(inode->pending[i].data);
    }
    inode->pending_count = 0;
}
