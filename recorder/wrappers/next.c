// SPDX-License-Identifier: GPL-3.0-or-later
// Finds other tools that own MPI's names, so that both see the calls.
#define _GNU_SOURCE
#include "recorder/wrappers/next.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define LP_ROW(name, class, kind) [LP_##name] = (lp_function_t *)PMPI_##name,
#ifdef LP_HAS_MPI4
#define LP_ROW4 LP_ROW
#else
#define LP_ROW4(name, class, kind) [LP_##name] = 0,
#endif
#ifdef LP_HAS_COLLECTIVES_TO_START
#define LP_ROW_TO_START(name, class, kind) [LP_##name] = (lp_function_t *)LP_NEXT_TO_START(name),
#else
#define LP_ROW_TO_START(name, class, kind) [LP_##name] = 0,
#endif
lp_function_t *lp_next[LP_CALL_COUNT] = {LP_MPI3_CALLS(LP_ROW) LP_COLLECTIVES_TO_START(LP_ROW_TO_START)
                                             LP_MPI4_CALLS(LP_ROW4)};
#undef LP_ROW
#undef LP_ROW_TO_START

#define LP_ROW(name, class, kind) "MPI_" #name,
#define LP_ROW_TO_START(name, class, kind) LP_PREFIX_TO_START #name,
static const char *const names[LP_CALL_COUNT] = {LP_MPI3_CALLS(LP_ROW) LP_COLLECTIVES_TO_START(LP_ROW_TO_START)
                                                     LP_MPI4_CALLS(LP_ROW)};
#undef LP_ROW

static char remark[512];

static const char *fileOf(void *function)
{
    Dl_info info;
    return function && dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}

// MPI's own libraries define MPI_X beside PMPI_X; their Fortran parts may define some themselves.
static bool isMpi(void *function, const char *mpi)
{
    const char *file = fileOf(function);
    return !*file || strcmp(file, mpi) == 0 || strstr(file, "libmpi") || strstr(file, "libpmpi");
}

const char *lp_find_tools(void)
{
    const char *mpi = fileOf((void *)lp_next[LP_Init]);
    const char *ours = fileOf((void *)lp_find_tools);
    const char *behind = 0;
    const char *before = 0;
    for (int call = 0; call < LP_CALL_COUNT; ++call) {
        void *first = dlsym(RTLD_DEFAULT, names[call]);
        if (first && !isMpi(first, mpi) && strcmp(fileOf(first), ours) != 0) before = fileOf(first);
        void *next = dlsym(RTLD_NEXT, names[call]);
        if (next && !isMpi(next, mpi)) {
            behind = fileOf(next);
            lp_next[call] = (lp_function_t *)next;
        }
    }
    if (before)
        snprintf(remark, sizeof remark, "Another tool takes MPI's calls before Longpole, which may miss some: %s",
                 before);
    else if (behind)
        snprintf(remark, sizeof remark, "Another tool takes MPI's calls after Longpole; its time counts as MPI's: %s",
                 behind);
    return *remark ? remark : 0;
}
