// SPDX-License-Identifier: GPL-3.0-or-later
// The way from a function's frame to its caller's: a rule for each return address, read once from the unwind tables of
// its program or library (.eh_frame; x86-64 psABI, DWARF 5, section 6.4). libgcc works it out anew at each step, which
// in functions with many calls takes a microsecond.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lp_return {
    const uintptr_t *at;
    uintptr_t address;
};

// Of one thread; zero at first.
struct lp_frame_rules;

struct lp_frame_rules *lp_frame_rules_new(void);  // NULL: no memory, or no rules on such machines
void lp_frame_rules_free(struct lp_frame_rules *rules);

// Whether the word lies on the stack that the thread began on: one that the program made for a thread of its own may be
// gone while another one is at the same place. Never without rules.
bool lp_is_on_own_stack(const struct lp_frame_rules *rules, const uintptr_t *at);

// Return addresses and where they stand, from the one at `at` on, whose function's frame pointer register has this
// value there; at most `most`. 0: a frame has no rule of the known kinds, or lies outside of the thread's stack.
unsigned lp_walk_frames(struct lp_frame_rules *rules, const uintptr_t *at, uintptr_t frame_pointer,
                        struct lp_return *places, unsigned most);

#ifdef __cplusplus
}
#endif
