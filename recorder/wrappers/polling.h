// SPDX-License-Identifier: GPL-3.0-or-later
// Loops of failed polls: Test and Iprobe calls that found nothing, one after the other, with next to no computation
// between them, in which a thread does nothing but wait.
#ifndef LONGPOLE_RECORDER_POLLING_H
#define LONGPOLE_RECORDER_POLLING_H

#include "recorder/format/recording.h"

#include <stdbool.h>

// So many polls are a loop. Two belong to the same one if no more time lies between them than the first, or, where it
// is more than the second, if the thread slept or another had its core for at least half of it and it ran for no more
// than the third. All other time between them may be up to one part in LP_NOISE of the loop (interrupts).
#define LP_LOOP_POLLS 3
#define LP_SHORT_GAP 5000  // ns
#define LP_LONG_GAP 50000
#define LP_SHORT_RUN 100000
#define LP_NOISE 20

// The loop that a thread is in.
struct lp_polling {
    int64_t begin, end;  // of its first poll and of its last one so far
    int64_t between;     // time between polls that was neither short nor slept
    int64_t wall,
        cpu;         // lp_now() and the thread's CPU time, at once, since when it made no other call; wall 0: unknown
    uint32_t count;  // of polls; 0: no loop
    uint32_t stack;  // lp_stack() of its third poll
    uint16_t call;   // of its first poll
};

void lp_poll_failed(struct lp_polling *polling, const struct lp_call *poll);
// Records the loop, if it is one. `next`: the call that the thread has made behind it; null: it makes none now.
void lp_end_polling(struct lp_polling *polling, const struct lp_call *next);

#endif
