// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE
#include "recorder/storage/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct mapping {
    uintptr_t begin, end;
    const struct mapping *next;
};

static _Atomic(const struct mapping *) mappings;  // grows only, so that the handler can walk it at any time
static struct sigaction before;
static uintptr_t page_size;

// What would have happened without this handler.
static void pass_on(int signal, siginfo_t *info, void *context)
{
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(signal);
    } else if (info->si_code > 0) {  // a fault, which comes again on return
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    } else if (before.sa_handler == SIG_DFL) {  // somebody's kill()
        sigaction(signal, &before, NULL);
        raise(signal);
    }
}

static void replace_page(int signal, siginfo_t *info, void *context)
{
    const int error = errno;
    const uintptr_t at = (uintptr_t)info->si_addr;
    for (const struct mapping *m = info->si_code > 0 ? atomic_load(&mappings) : NULL; m; m = m->next) {
        if (at < m->begin || at >= m->end) continue;
        void *page = (void *)(at / page_size * page_size);
        const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
        if (mmap(page, page_size, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) break;
        errno = error;
        return;
    }
    errno = error;
    pass_on(signal, info, context);
}

static void begin_guarding(void)
{
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = replace_page, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigaction(SIGBUS, NULL, &before);
    sigaction(SIGBUS, &action, NULL);
}

void lp_guard(void *memory, uint64_t length)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct mapping *mapping = malloc(sizeof *mapping);
    if (!mapping) return;
    pthread_once(&once, begin_guarding);
    mapping->begin = (uintptr_t)memory;
    mapping->end = mapping->begin + length;
    mapping->next = atomic_load(&mappings);
    while (!atomic_compare_exchange_weak(&mappings, &mapping->next, mapping)) {}
}
