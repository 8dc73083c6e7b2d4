// SPDX-License-Identifier: GPL-3.0-or-later
// The processor time of the program's own code between MPI calls, where that is what a path consists of: a thread whose
// core another one has does no work meanwhile. Each thread has its own figures.
#ifndef LONGPOLE_RECORDER_PATHCLOCK_H
#define LONGPOLE_RECORDER_PATHCLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Whether it is read: before that all of this does nothing.
extern atomic_bool lp_reads_cpu __attribute__((visibility("hidden")));
static inline bool lp_is_cpu_read(void) { return atomic_load_explicit(&lp_reads_cpu, memory_order_relaxed); }

// The program's code ends here, and begins there: at the begin and at the end of what the recorder wraps.
void lp_cpu_leaves(void);
void lp_cpu_returns(void);
// The call that began when the program was left last is a poll that found nothing, and the first of its loop or not.
// The program returns.
void lp_cpu_polled(bool is_first);
// Polls were a loop in which a thread does nothing but wait, or were too few for that.
void lp_cpu_polling_ends(bool is_loop);
// The work in ns since this was last asked, without loops of polls, up to the begin of the last one that has ended or,
// if `to_call`, until the program was left last.
int64_t lp_cpu_work(bool to_call);

#endif
