// SPDX-License-Identifier: GPL-3.0-or-later
// What the machine gave the calling thread so far: CPU time, waits for a core, context switches.
#ifndef LONGPOLE_RECORDER_MACHINE_H
#define LONGPOLE_RECORDER_MACHINE_H

#include "recorder/storage/ownfile.h"

#include <stdbool.h>
#include <stdint.h>

struct lp_machine {
    int64_t cpu;      // ns
    int64_t without;  // ns in which it could have run and had no core; -1: the kernel does not say
    uint64_t taken;   // how often a core was taken from it
    uint64_t given;   // and how often it gave its core up
    uint32_t core;    // the one that it runs on
};

// What the kernel says of the calling thread's waits for a core, as long as the thread lives; fd -1: nothing.
struct lp_own_file lp_open_machine(void);
// A microsecond or two.
struct lp_machine lp_read_machine(const struct lp_own_file *waits);

#endif
