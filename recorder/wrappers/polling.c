// SPDX-License-Identifier: GPL-3.0-or-later
// Tells loops of failed polls from polls between which the program computes. The clock of CPU time takes a system call,
// so it is asked where much time has passed, and once in a loop to have something to compare with.
#define _GNU_SOURCE
#include "recorder/wrappers/polling.h"

#include "recorder/online/pathcalls.h"
#include "recorder/wrappers/scratch.h"

#include <time.h>

#define CLOCKS_AT_POLL 16

// `wall`: the time just now, read before, since the system may give the core to another at any system call.
static void readClocks(struct lp_polling *polling, int64_t wall)
{
    struct timespec cpu;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    polling->cpu = (int64_t)cpu.tv_sec * 1000000000 + cpu.tv_nsec;
    polling->wall = wall;
}

// Whether the thread slept through most of the time between the last poll and a call that has just ended. Until that
// poll it hardly slept, or else the clocks were read again.
static bool hasSlept(struct lp_polling *polling, const struct lp_call *call)
{
    const int64_t wall = polling->wall, cpu = polling->cpu;
    readClocks(polling, call->end);
    const int64_t ran = (polling->cpu - cpu) - (polling->end - wall);  // in the call, too
    return wall != 0 && ran <= LP_SHORT_RUN && 2 * ran <= call->begin - polling->end;
}

// Whether the thread did next to nothing between the last poll and a call that has just ended.
static bool isIdleUntil(struct lp_polling *polling, const struct lp_call *call)
{
    const int64_t gap = call->begin - polling->end;
    if (gap <= LP_SHORT_GAP || (gap >= LP_LONG_GAP && hasSlept(polling, call))) return true;
    polling->between += gap;
    return polling->between * LP_NOISE <= call->begin - polling->begin;
}

static void put(struct lp_polling *polling, bool isEnded)
{
    if (polling->count >= LP_LOOP_POLLS) {
        const struct lp_polling_loop loop = {.begin = polling->begin,
                                             .end = polling->end,
                                             .call = polling->call,
                                             .is_ended = isEnded,
                                             .count = polling->count,
                                             .stack = polling->stack};
        lp_put_polling(&loop);
        lp_path_polling(&loop);
    }
    polling->count = 0;
}

void lp_poll_failed(struct lp_polling *polling, const struct lp_call *poll)
{
    const int64_t length = poll->end - poll->begin;
    if (polling->count > 0 && !isIdleUntil(polling, poll)) put(polling, false);
    if (polling->count == 0) {
        polling->begin = poll->begin;
        polling->between = 0;
        polling->call = poll->call;
    }
    polling->end = poll->end;
    if (polling->count < UINT32_MAX) ++polling->count;
    if (polling->count == LP_LOOP_POLLS) polling->stack = lp_stack(lp_frame);
    if (polling->count == CLOCKS_AT_POLL || length >= LP_LONG_GAP) readClocks(polling, poll->end);
}

void lp_end_polling(struct lp_polling *polling, const struct lp_call *next)
{
    put(polling, polling->count >= LP_LOOP_POLLS && next && isIdleUntil(polling, next));
    polling->wall = 0;
}
