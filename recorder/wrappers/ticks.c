// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the kernel once whether its clock is made of the processor's counter, and measures the length of a tick between
// moments that lie far enough apart.
#include "recorder/wrappers/ticks.h"

#include "recorder/format/recording.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRIES 4
#define TICKS_APART 4000   // around a reading of the clock; with more, another program had the core
#define NS_APART 1000      // what these are at most, about
#define MEASURED 10000000  // ns: what the length of a tick is measured over at least
#define LEAST_TICK 0.05    // ns: 20 GHz
#define MOST_TICK 10.0     // 100 MHz
#define DRIFT 0.001        // of a time that is counted in ticks; a clock is slewed by half of that at most

static atomic_bool isUsable;
static struct lp_moment first;

static bool isClockOfCounter(void)
{
#if defined __x86_64__
    char name[8] = "";
    const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t length = read(fd, name, sizeof name - 1);
    close(fd);
    return length >= 3 && strcmp(name, "tsc\n") == 0;
#else
    return false;
#endif
}

// A program of the tests may have a clock of its own.
static bool isClockTheSystems(void)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    const int64_t now = lp_now();
    clock_gettime(CLOCK_MONOTONIC, &after);
    return now >= (int64_t)before.tv_sec * 1000000000 + before.tv_nsec
           && now <= (int64_t)after.tv_sec * 1000000000 + after.tv_nsec;
}

static bool readBoth(struct lp_moment *moment)
{
    for (int attempt = 0; attempt < TRIES; ++attempt) {
        const uint64_t before = lp_ticks();
        moment->time = lp_now();
        const uint64_t apart = lp_ticks() - before;
        moment->ticks = before + apart / 2;
        if (apart <= TICKS_APART) return true;
    }
    return false;
}

void lp_find_ticks(void) { atomic_store(&isUsable, isClockOfCounter() && isClockTheSystems() && readBoth(&first)); }

bool lp_read_moment(struct lp_moment *moment)
{
    return atomic_load_explicit(&isUsable, memory_order_acquire) && readBoth(moment);
}

double lp_tick(const struct lp_moment *now)
{
    const int64_t time = now->time - first.time;
    if (time < MEASURED || now->ticks <= first.ticks) return 0;
    const double tick = (double)time / (double)(now->ticks - first.ticks);
    return tick >= LEAST_TICK && tick <= MOST_TICK ? tick : 0;
}

bool lp_ticks_agree(const struct lp_moment *before, const struct lp_moment *now, double tick)
{
    const double counted = (double)(int64_t)(now->ticks - before->ticks) * tick;
    const double differs = counted - (double)(now->time - before->time);
    const double allowed = 2 * NS_APART + DRIFT * (double)(now->time - before->time);
    if (differs <= allowed && -differs <= allowed) return true;
    atomic_store(&isUsable, false);
    return false;
}

int64_t lp_time_of(uint64_t ticks, const struct lp_moment *before, const struct lp_moment *now, double tick)
{
    const uint64_t since = ticks - before->ticks;
    if (!now || since <= now->ticks - ticks) {
        const int64_t time = before->time + (int64_t)((double)since * tick);
        return now && time > now->time ? now->time : time;
    }
    const int64_t time = now->time - (int64_t)((double)(now->ticks - ticks) * tick);
    return time < before->time ? before->time : time;
}
