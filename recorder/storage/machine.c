// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the kernel what it gave this thread. How long it waited for a core stands in /proc alone.
#define _GNU_SOURCE
#include "recorder/storage/machine.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct lp_own_file lp_open_machine(void) { return lp_own(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)); }

// The second number of schedstat: ns on the queue of a core.
static int64_t waited_for_core(const struct lp_own_file *waits)
{
    if (!lp_is_own(waits)) return -1;
    char text[128];
    const ssize_t length = pread(waits->fd, text, sizeof text - 1, 0);
    if (length <= 0) return -1;
    text[length] = 0;
    char *end = NULL;
    strtoull(text, &end, 10);
    char *second = end;
    const unsigned long long waited = strtoull(second, &end, 10);
    return end == second || waited > INT64_MAX ? -1 : (int64_t)waited;
}

struct lp_machine lp_read_machine(const struct lp_own_file *waits)
{
    struct lp_machine now = {.without = waited_for_core(waits)};
    struct timespec used;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0) now.cpu = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        now.taken = (uint64_t)usage.ru_nivcsw;
        now.given = (uint64_t)usage.ru_nvcsw;
    }
    const int core = sched_getcpu();
    now.core = core < 0 ? 0xffff : (uint32_t)core;
    return now;
}
