// SPDX-License-Identifier: GPL-3.0-or-later
// Two readings of the clock for each call, at its begin and when the program goes on: what the recorder takes lies
// between them and counts for nothing. Each is a system call.
#define _GNU_SOURCE
#include "recorder/online/pathclock.h"

#include <time.h>

atomic_bool lp_reads_cpu;

static _Thread_local struct {
    int64_t left, returned;  // ns of this thread's processor time: when the program was left last, and returned to
    int64_t work;            // until the first poll of the loop that the thread may be in
    int64_t between;         // polls of that loop
} cpu __attribute__((tls_model("initial-exec")));

static int64_t cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void lp_cpu_leaves(void)
{
    if (lp_is_cpu_read()) cpu.left = cpu_now();
}

void lp_cpu_returns(void)
{
    if (lp_is_cpu_read()) cpu.returned = cpu_now();
}

void lp_cpu_polled(bool is_first)
{
    if (!lp_is_cpu_read()) return;
    int64_t *to = is_first ? &cpu.work : &cpu.between;
    *to += cpu.left - cpu.returned;
    cpu.returned = cpu_now();
}

void lp_cpu_polling_ends(bool is_loop)
{
    if (!is_loop) cpu.work += cpu.between;
    cpu.between = 0;
}

int64_t lp_cpu_work(bool to_call)
{
    int64_t work = cpu.work;
    cpu.work = 0;
    if (to_call) {
        work += cpu.left - cpu.returned;
        cpu.returned = cpu.left;
    }
    return work;
}
