// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of MPI_X_c: the calls of wrappers.def and calls4.def with large counts, recorded as MPI_X.
#define LP_LARGE_COUNTS
#include "recorder/wrappers/wrap_c.h"

#ifdef LP_HAS_MPI4

#define LARGE(Name, as, note, more, ...) \
    WRAP_AS(MPI_##Name##_c, LP_BEHIND(PMPI_##Name##_c), as, note, more, __VA_ARGS__)

#define CALL(...)
#define FIXED(...)
#define TEXT(...)
#define BARRIER(...)
#define BUFFERS(Name, lower, UPPER, note, ...) LARGE(Name, Name, note, NOTHING, __VA_ARGS__)
#define COUNTED BUFFERS
#define COLLECTIVE(Name, lower, UPPER, note, ...) \
    LARGE(Name, Name, note, NO_REQUEST, __VA_ARGS__) \
    LARGE(I##lower, I##lower, note, NOTHING, __VA_ARGS__, (REQUEST, request)) \
    LARGE(Name##_init, Name##_init, note, NOTHING, __VA_ARGS__, (UNUSED, INFO, info), (REQUEST, request))
#include "recorder/wrappers/wrappers.def"

#include "recorder/mpi4/calls4.def"

LP_EXPORT int MPI_Buffer_detach_c(void *buffer, MPI_Count *size)
{
    const int64_t begin = lp_begin_call(LP_Buffer_detach, true);
    const int result = LP_BEHIND(PMPI_Buffer_detach_c)(buffer, size);
    if (begin >= 0) {
        struct lp_call call = lp_ended(LP_Buffer_detach, begin);
        lp_note_plain(&call);
    }
    lp_end_call();
    return result;
}

#else

typedef int lp_no_large_counts;

#endif
