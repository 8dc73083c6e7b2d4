// SPDX-License-Identifier: GPL-3.0-or-later
// Tells loops of failed polls from polls between which the program computes. The clock of CPU time takes a system call,
// so it is asked where much time has passed, and once in a loop to have something to compare with. Nor is the clock
// asked at each poll of a longer loop: while the processor's counter shows that a poll is like the ones before it, it
// is only counted. Of those that are not, of the last one and of the call that ends the loop ticks are turned into
// times.
#define _GNU_SOURCE
#include "recorder/wrappers/polling.h"

#include "recorder/online/pathcalls.h"
#include "recorder/online/pathclock.h"
#include "recorder/wrappers/scratch.h"

#include <time.h>

#define CLOCKS_AT_POLL 16
#define TICKS_EACH 16    // at each so many-th poll of a loop, ticks may begin to be used
#define ANCHORED 100000  // ns: so long the times of polls are counted from one reading of the clock
#define MARGIN 100       // ns: what ticks may be wrong by

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
        if (!polling->isUnrecorded) lp_put_polling(&loop);
        lp_cpu_polling_ends(true);
        lp_path_polling(&loop);
    } else {
        lp_cpu_polling_ends(false);
    }
    polling->count = 0;
}

static uint64_t ticksIn(int64_t time, double tick) { return (uint64_t)((double)time / tick); }

// From now on the loop's polls are timed by ticks.
static void countTicks(struct lp_polling *polling)
{
    if (lp_is_cpu_read() || !lp_read_moment(&polling->anchor)) return;
    polling->tick = lp_tick(&polling->anchor);
    if (polling->tick == 0) return;
    polling->isByTicks = true;
    polling->last = polling->anchor.ticks - ticksIn(polling->anchor.time - polling->end, polling->tick);
    polling->shortGap = ticksIn(LP_SHORT_GAP - MARGIN, polling->tick);
    polling->longPoll = ticksIn(LP_LONG_GAP - MARGIN, polling->tick);
    polling->anchored = ticksIn(ANCHORED, polling->tick);
}

static int64_t between(int64_t time, int64_t least, int64_t most)
{
    const int64_t noLess = time > least ? time : least;
    return noLess < most ? noLess : most;
}

bool lp_time_poll(struct lp_polling *polling, struct lp_call *poll)
{
    const struct lp_moment anchor = polling->anchor;
    struct lp_moment now;
    const bool isRight = lp_read_moment(&now) && lp_ticks_agree(&anchor, &now, polling->tick);
    const struct lp_moment *after = isRight ? &now : 0;
    const int64_t latest = isRight ? now.time : lp_now();
    const bool isInLoop = polling->isByTicks;
    if (isInLoop) {
        const int64_t end = lp_time_of(polling->last, &anchor, after, polling->tick);
        polling->end = between(end, polling->end, latest);
    }
    poll->begin = between(lp_time_of(polling->from, &anchor, after, polling->tick), polling->end, latest);
    poll->end = between(lp_time_of(polling->until, &anchor, after, polling->tick), poll->begin, latest);
    polling->isByTicks = false;
    if (isRight) polling->anchor = now;
    return isInLoop && isRight;
}

// The loop goes on by the clock, which is at `latest` at least when its last poll has ended.
static void useClock(struct lp_polling *polling, int64_t latest)
{
    if (!polling->isByTicks) return;
    const int64_t end = lp_time_of(polling->last, &polling->anchor, 0, polling->tick);
    polling->end = between(end, polling->end, latest);
    polling->isByTicks = false;
}

void lp_poll_failed(struct lp_polling *polling, struct lp_call *poll)
{
    if (poll->begin != LP_BY_TICKS) useClock(polling, poll->begin);  // recording has paused meanwhile
    const bool isByTicks = poll->begin == LP_BY_TICKS && lp_time_poll(polling, poll);
    const int64_t length = poll->end - poll->begin;
    if (polling->count > 0 && !isIdleUntil(polling, poll)) put(polling, false);
    if (polling->count == 0) {
        polling->begin = poll->begin;
        polling->between = 0;
        polling->call = poll->call;
        polling->isUnrecorded = !lp_is_recording();
    }
    lp_cpu_polled(polling->count == 0);
    polling->end = poll->end;
    if (polling->count < UINT32_MAX) ++polling->count;
    if (polling->count == LP_LOOP_POLLS && !polling->isUnrecorded) polling->stack = lp_stack(lp_frame);
    if (polling->count == CLOCKS_AT_POLL || length >= LP_LONG_GAP) readClocks(polling, poll->end);
    if (isByTicks && polling->count > TICKS_EACH) {
        polling->isByTicks = true;
        polling->last = polling->until;
    } else if (polling->count % TICKS_EACH == 0) {
        countTicks(polling);
    }
}

void lp_end_polling(struct lp_polling *polling, const struct lp_call *next)
{
    useClock(polling, next ? next->begin : lp_now());
    put(polling, polling->count >= LP_LOOP_POLLS && next && isIdleUntil(polling, next));
    polling->wall = 0;
}
