// SPDX-License-Identifier: GPL-3.0-or-later
// After the first batch there is one block: what did not fit into it is added to its size for the next batch.
#include "recorder/replay/patharena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct lp_arena_block {
    struct lp_arena_block *next;
    size_t capacity;
    alignas(max_align_t) char bytes[];
};

static const size_t least_block = (size_t)64 << 10;

static struct lp_arena_block *block_of(size_t capacity)
{
    struct lp_arena_block *block = malloc(sizeof *block + capacity);
    if (block) *block = (struct lp_arena_block){.capacity = capacity};
    return block;
}

void *lp_arena_take(struct lp_arena *arena, size_t count, size_t size)
{
    const size_t step = alignof(max_align_t);
    if (size > 0 && count > (SIZE_MAX / 2) / size) return NULL;
    const size_t bytes = (count * size + step - 1) / step * step;
    if (!arena->blocks || arena->blocks->capacity - arena->used < bytes) {
        struct lp_arena_block *block = block_of(bytes > least_block ? bytes : least_block);
        if (!block) return NULL;
        block->next = arena->blocks;
        arena->blocks = block;
        arena->used = 0;
    }
    void *taken = arena->blocks->bytes + arena->used;
    arena->used += bytes;
    return memset(taken, 0, bytes);
}

void lp_arena_empty(struct lp_arena *arena)
{
    arena->used = 0;
    if (!arena->blocks || (!arena->blocks->next && arena->blocks->capacity <= LP_ARENA_KEPT)) return;
    size_t taken = 0;
    for (const struct lp_arena_block *block = arena->blocks; block; block = block->next) taken += block->capacity;
    lp_arena_close(arena);
    arena->blocks = block_of(taken < LP_ARENA_KEPT ? taken
                                                   // no memory is no error here: the next batch asks again
                                                   : LP_ARENA_KEPT);
}

void lp_arena_close(struct lp_arena *arena)
{
    while (arena->blocks) {
        struct lp_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
    arena->used = 0;
}
