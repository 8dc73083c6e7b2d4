// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of a batch, which takes it piece by piece and gives it all back at once. It is kept for the next batch: fresh
// memory, whose pages the system clears, would cost more time than what is computed in it.
#ifndef LONGPOLE_RECORDER_PATHARENA_H
#define LONGPOLE_RECORDER_PATHARENA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lp_arena_block;

struct lp_arena {
    struct lp_arena_block *blocks;  // the one in use first
    size_t used;                    // bytes of it
};

// `count` items of `size` bytes, all 0, for any type; they last until the arena is emptied. NULL: no memory.
void *lp_arena_take(struct lp_arena *arena, size_t count, size_t size);
// Gives all back. Room for as much as was taken is kept, at most LP_ARENA_KEPT bytes.
void lp_arena_empty(struct lp_arena *arena);
void lp_arena_close(struct lp_arena *arena);

#define LP_ARENA_KEPT ((size_t)16 << 20)

#ifdef __cplusplus
}
#endif

#endif
