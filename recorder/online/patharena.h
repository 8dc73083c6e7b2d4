// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that one batch after another takes piece by piece and gives back at once. It stays with the program, as fresh
// memory costs more than what is computed in it: the system clears each page.
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
// Gives all back. So much room stays as was taken, at most LP_ARENA_KEPT bytes.
void lp_arena_empty(struct lp_arena *arena);
void lp_arena_close(struct lp_arena *arena);

#define LP_ARENA_KEPT ((size_t)16 << 20)

#ifdef __cplusplus
}
#endif

#endif
