// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the functions of MPI that the recorder calls itself. It does not include mpi.h, so that a pointer is a pointer.
#define _GNU_SOURCE
#include "recorder/wrappers/direct.h"

#include <dlfcn.h>

// Null where mpi.h has a macro instead of the function.
#define LP_ROW(name) extern void *lp_direct_##name __attribute__((weak, visibility("hidden")));
LP_DIRECT_CALLS(LP_ROW)
#undef LP_ROW

bool lp_find_direct(void)
{
    bool areThere = true;
#define LP_ROW(name) \
    if (&lp_direct_##name) { \
        lp_direct_##name = dlsym(RTLD_DEFAULT, "PMPI_" #name); \
        areThere = areThere && lp_direct_##name; \
    }
    LP_DIRECT_CALLS(LP_ROW)
#undef LP_ROW
    return areThere;
}
