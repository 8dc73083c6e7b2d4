// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps each thread's buffers, and hands calls to the storage if recording is on.
#include "recorder/wrappers/scratch.h"

#include "recorder/online/pathcalls.h"
#include "recorder/wrappers/requests.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Thread_local int lp_depth;
_Thread_local const void *lp_frame;
_Thread_local bool lp_is_asked;
atomic_int lp_gate = LP_CLOSED;

static _Thread_local struct lp_scratch *self __attribute__((tls_model("initial-exec")));
static _Atomic(struct lp_scratch *) all;
static pthread_key_t ends;

static const uint16_t pollCalls[LP_POLL_CALLS] = {LP_Test,   LP_Testall, LP_Testany, LP_Testsome, LP_Request_get_status,
                                                  LP_Iprobe, LP_Improbe, LP_Win_test};

static void *grown(void *buffer, int count, size_t size)
{
    void *result = realloc(buffer, (size_t)count * size);
    if (!result) {
        fputs("longpole: no memory left to record MPI requests.\n", stderr);
        abort();
    }
    return result;
}

static void leave(void *scratch) { atomic_store(&((struct lp_scratch *)scratch)->isTaken, false); }

static void makeKey(void) { pthread_key_create(&ends, leave); }

// The buffers of a thread that has ended, or new ones.
static struct lp_scratch *newScratch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, makeKey);
    struct lp_scratch *scratch = atomic_load(&all);
    bool isTaken = false;
    while (scratch && !atomic_compare_exchange_strong(&scratch->isTaken, &isTaken, true)) {
        scratch = scratch->next;
        isTaken = false;
    }
    if (!scratch) {
        scratch = grown(0, 1, sizeof *scratch);
        *scratch = (struct lp_scratch){.next = atomic_load(&all), .isTaken = true};
        while (!atomic_compare_exchange_weak(&all, &scratch->next, scratch)) {}
    }
    pthread_setspecific(ends, scratch);
    return scratch;
}

static void grow(struct lp_scratch *scratch, int count)
{
    count = count < 32 ? 32 : count + count / 2;
    scratch->handles = grown(scratch->handles, count, sizeof *scratch->handles);
    scratch->requests = grown(scratch->requests, count, sizeof *scratch->requests);
    scratch->statuses = grown(scratch->statuses, count, sizeof *scratch->statuses);
    scratch->completions = grown(scratch->completions, count, sizeof *scratch->completions);
    scratch->recorded = grown(scratch->recorded, count, sizeof *scratch->recorded);
    scratch->indices = grown(scratch->indices, count, sizeof *scratch->indices);
    scratch->capacity = count;
}

struct lp_scratch *lp_scratch(int count)
{
    if (!self) self = newScratch();
    if (count > self->capacity) grow(self, count);
    return self;
}

int64_t lp_begin_poll(void)
{
    if (!self || !self->polling.isByTicks) return lp_now();
    self->polling.from = lp_ticks();
    return LP_BY_TICKS;
}

int64_t lp_end_poll(int64_t begin)
{
    if (begin != LP_BY_TICKS) return lp_now();
    self->polling.until = lp_ticks();
    return LP_BY_TICKS;
}

static void putPolls(struct lp_scratch *scratch, int64_t time)
{
    for (int poll = 0; poll < LP_POLL_CALLS; ++poll) {
        if (scratch->polls[poll]) lp_put_failed_polls(pollCalls[poll], scratch->polls[poll], time);
        scratch->polls[poll] = 0;
    }
    scratch->hasPolls = false;
}

// Records the calling thread's polls before what it has done since: `next` is a call of it, null: there is none. All at
// the end of the last one, as a thread's records are in order of time.
static void endPolls(const struct lp_call *next)
{
    lp_end_polling(&self->polling, next);
    putPolls(self, self->polling.end);
}

bool lp_is_observing(void)
{
    return lp_is_recording()
           || (atomic_load_explicit(&lp_gate, memory_order_relaxed) == LP_PAUSED && lp_path_is_open());
}

// Leaves out completions of requests that the storage does not know. Returns how many are left.
static int recordedOf(const struct lp_completion **completions, int count)
{
    int known = 0;
    while (known < count && !(*completions)[known].is_unrecorded) ++known;
    if (known == count) return count;
    struct lp_completion *recorded = lp_scratch(count)->recorded;
    memcpy(recorded, *completions, (size_t)known * sizeof *recorded);
    for (int at = known + 1; at < count; ++at)
        if (!(*completions)[at].is_unrecorded) recorded[known++] = (*completions)[at];
    *completions = recorded;
    return known;
}

void lp_put(struct lp_call *call, const struct lp_completion *completions, int count)
{
    if (call->begin == LP_BY_TICKS) lp_time_poll(&self->polling, call);
    const struct lp_completion *recorded = completions;
    const int recordedCount = recordedOf(&recorded, count);
    const bool isRecorded = lp_is_recording() || recordedCount;
    if ((isRecorded || lp_path_is_open()) && self && self->hasPolls) endPolls(call);
    if (lp_is_asked) {
        lp_path_foretell(call);
        return;
    }
    lp_path_carry(call, completions, count);
    call->stack = isRecorded ? lp_stack(lp_frame) : 0;
    if (isRecorded) lp_put_call(call, recorded, recordedCount);
    lp_path_call(call, completions, count);  // which a pause does not end: all ranks count their meetings
}

void lp_count_poll(struct lp_call *call)
{
    if (!lp_is_observing()) return;
    struct lp_scratch *scratch = lp_scratch(0);
    int poll = 0;
    while (poll < LP_POLL_CALLS - 1 && pollCalls[poll] != call->call) ++poll;
    scratch->polls[poll] += lp_is_recording();
    scratch->hasPolls = true;
    if (call->begin != LP_BY_TICKS || !lp_is_one_more(&scratch->polling)) lp_poll_failed(&scratch->polling, call);
}

void lp_put_own_polls(void)
{
    if (self && self->hasPolls) endPolls(0);
}

void lp_put_mark(bool enter, uint32_t region)
{
    lp_cpu_leaves();
    lp_put_own_polls();
    const int64_t now = lp_now();
    if (lp_is_recording()) lp_put_region(enter, region, now);
    lp_path_region(enter, region, now);
}

// Those of other threads, which may still poll, at the time of now.
void lp_put_all_polls(void)
{
    lp_put_own_polls();
    const int64_t now = lp_now();
    for (struct lp_scratch *scratch = atomic_load(&all); scratch; scratch = scratch->next) putPolls(scratch, now);
}
