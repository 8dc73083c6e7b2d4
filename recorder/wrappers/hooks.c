// SPDX-License-Identifier: GPL-3.0-or-later
// Entry and exit of procedures compiled with -finstrument-functions.
#define _GNU_SOURCE
#include "recorder/wrappers/next.h"
#include "recorder/wrappers/scratch.h"

#include <dlfcn.h>

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
LP_EXPORT void __cyg_profile_func_enter(void *function, void *site);
LP_EXPORT void __cyg_profile_func_exit(void *function, void *site);
// NOLINTEND(bugprone-reserved-identifier)

typedef void hook(void *function, void *site);

static void ignore(void *function, void *site) { (void)function, (void)site; }

// A profiler of the program's own that is a shared library: its hooks go first. The C library's do nothing.
static hook *next(bool enter)
{
    static _Atomic(hook *) found[2];
    hook *known = atomic_load_explicit(&found[enter], memory_order_relaxed);
    if (known) return known;
    known = (hook *)dlsym(RTLD_NEXT, enter ? "__cyg_profile_func_enter" : "__cyg_profile_func_exit");
    if (!known) known = ignore;
    atomic_store_explicit(&found[enter], known, memory_order_relaxed);
    return known;
}

// Procedures that MPI calls (reductions, attributes) belong to its call.
static void put(bool enter, const void *function)
{
    if (!lp_is_observing() || lp_depth != 0) return;
    ++lp_depth;
    lp_put_mark(enter, lp_function(function));
    --lp_depth;
}

void __cyg_profile_func_enter(void *function, void *site)
{
    next(true)(function, site);
    put(true, function);
}

void __cyg_profile_func_exit(void *function, void *site)
{
    put(false, function);
    next(false)(function, site);
}
