// SPDX-License-Identifier: GPL-3.0-or-later
// Loops of failed polls: Test and Iprobe calls that found nothing, one after the other, with next to no computation
// between them, in which a thread does nothing but wait.
#ifndef LONGPOLE_RECORDER_POLLING_H
#define LONGPOLE_RECORDER_POLLING_H

#include "recorder/format/recording.h"
#include "recorder/wrappers/ticks.h"

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
    bool isUnrecorded;        // it began while recording was off
    bool isByTicks;           // the polls of a longer loop are timed by ticks; `end` is then known by `last` only
    double tick;              // ns
    struct lp_moment anchor;  // not long before `last`
    uint64_t last;            // the end of the last poll
    uint64_t from, until;     // begin and end of the poll that the thread has made just now
    uint64_t shortGap, longPoll, anchored;  // LP_SHORT_GAP and others in ticks
};

// Whether a poll that found nothing, timed by ticks, is of the loop for certain and changes nothing but its end.
static inline bool lp_is_one_more(struct lp_polling *polling)
{
    const uint64_t from = polling->from, until = polling->until;
    if (!polling->isByTicks || from - polling->last > polling->shortGap || until - from > polling->longPoll
        || until - polling->anchor.ticks > polling->anchored)
        return false;
    polling->last = until;
    if (polling->count < UINT32_MAX) ++polling->count;
    return true;
}

// Gives a poll that was timed by ticks its times, and the one before it; their loop is not timed by ticks any more.
// False if something else than ticks should be used from now on.
bool lp_time_poll(struct lp_polling *polling, struct lp_call *poll);
void lp_poll_failed(struct lp_polling *polling, struct lp_call *poll);
// Records the loop, if it is one. `next`: the call that the thread has made behind it; null: it makes none now.
void lp_end_polling(struct lp_polling *polling, const struct lp_call *next);

#endif
