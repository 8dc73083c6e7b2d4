// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of what MPI 4 added in C: persistent collective requests (Open MPI 4: MPIX_X_init), partitioned
// messages, MPI_Isendrecv, and MPI_Parrived, which is a test.
#include "recorder/wrappers/completions.h"
#include "recorder/wrappers/wrap_c.h"

#define CALL(...)
#define BUFFERS(...)
#define COUNTED(...)
#define FIXED(...)
#define TEXT(...)
#define BARRIER COLLECTIVE
#ifdef LP_HAS_COLLECTIVES_TO_START
#define COLLECTIVE(Name, lower, UPPER, note, ...) \
    WRAP_AS(LP_TO_START(Name##_init), ((__typeof__(&LP_NEXT_TO_START(Name##_init)))lp_next[LP_##Name##_init]), \
            Name##_init, note, NOTHING, __VA_ARGS__, (UNUSED, INFO, info), (REQUEST, request))
#else
#define COLLECTIVE(...)
#endif
#include "recorder/wrappers/wrappers.def"

#ifdef LP_HAS_MPI4

#undef CALL
#undef COUNTED
#undef FIXED
#undef TEXT
#define CALL(Name, lower, UPPER, note, ...) WRAP(Name, note, NOTHING, __VA_ARGS__)
#define COUNTED CALL
#define FIXED CALL
#define TEXT(n, Name, lower, UPPER, note, ...) WRAP(Name, note, NOTHING, __VA_ARGS__)
#include "recorder/mpi4/calls4.def"

#define READY(Name, parameters, arguments, partitions) \
    LP_EXPORT int MPI_##Name parameters \
    { \
        const int64_t begin = lp_begin_call(LP_##Name, false); \
        const int result = LP_NEXT(Name) arguments; \
        if (begin >= 0) { \
            struct lp_call call = lp_ended(LP_##Name, begin); \
            if (result == MPI_SUCCESS) lp_note_ready(&call, request, partitions); \
            else lp_note_plain(&call); \
        } \
        lp_end_call(); \
        return result; \
    }
READY(Pready, (int partition, MPI_Request request), (partition, request), 1)
READY(Pready_range, (int low, int high, MPI_Request request), (low, high, request), high - low + 1)
READY(Pready_list, (int count, int partitions[], MPI_Request request), (count, partitions, request), count)

LP_EXPORT int MPI_Parrived(MPI_Request request, int partition, int *flag)
{
    const int64_t begin = lp_begin_call(LP_Parrived, false);
    const int result = LP_NEXT(Parrived)(request, partition, flag);
    if (begin >= 0) {
        struct lp_call call = lp_ended(LP_Parrived, begin);
        if (result == MPI_SUCCESS && *flag) lp_note_plain(&call);
        else lp_count_poll(&call);
    }
    lp_end_call();
    return result;
}

#endif
