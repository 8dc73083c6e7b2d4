// SPDX-License-Identifier: GPL-3.0-or-later
// The processor's own counter, which is read in less than half the time that the clock takes: it times failed polls, of
// which there are millions. Moments at which both were read turn its ticks into times of the clock.
#ifndef LONGPOLE_RECORDER_TICKS_H
#define LONGPOLE_RECORDER_TICKS_H

#include <stdbool.h>
#include <stdint.h>

// What lp_call.begin and .end are until lp_put(), where the counter was read instead of the clock.
#define LP_BY_TICKS INT64_MAX

struct lp_moment {
    int64_t time;  // lp_now()
    uint64_t ticks;
};

// C reads it: NOLINTNEXTLINE(modernize-redundant-void-arg)
static inline uint64_t lp_ticks(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

// Finds out whether the clock is made of the counter, which then runs evenly and alike on all cores. Called once; the
// length of a tick is measured from then on.
void lp_find_ticks(void);

// Reads both, closely enough after each other. False if it cannot, or if the counter is not to be used.
bool lp_read_moment(struct lp_moment *moment);

// ns in a tick, from lp_find_ticks() to `now`; 0 until enough time has passed.
double lp_tick(const struct lp_moment *now);

// Whether the clock has gone from `before` to `now` as far as the ticks say. If not, the counter is not used any more.
bool lp_ticks_agree(const struct lp_moment *before, const struct lp_moment *now, double tick);

// The time of `ticks`, which lies between the moments, counted from the nearer one. `now` may be null: far away.
int64_t lp_time_of(uint64_t ticks, const struct lp_moment *before, const struct lp_moment *now, double tick);

#endif
