// SPDX-License-Identifier: GPL-3.0-or-later
// Entry and exit of procedures compiled with -finstrument-functions.
#include "recorder/wrappers/next.h"
#include "recorder/wrappers/scratch.h"

LP_EXPORT void __cyg_profile_func_enter(void *function, void *site);
LP_EXPORT void __cyg_profile_func_exit(void *function, void *site);

// Procedures that MPI calls (reductions, attributes) belong to its call.
static void put(bool enter, const void *function)
{
    if (!lp_is_recording() || lp_depth != 0) return;
    ++lp_depth;
    lp_put_mark(enter, lp_function(function));
    --lp_depth;
}

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    put(true, function);
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    put(false, function);
}
