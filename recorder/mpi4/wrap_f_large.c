// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of the calls of `use mpi_f08` with counts of kind MPI_COUNT_KIND, recorded as those without.
#define LP_LARGE_COUNTS
#include "recorder/fortran/wrap.h"

#ifdef LP_HAS_MPI4

#define DESCRIBED(lower, Name, note, more, ...) \
    WRAP_WITH(LP_IS_DESCRIBED, mpi_##lower##_f08ts_large_, pmpir_##lower##_f08ts_large_, Name, note, more, NOTHING, \
              NOTHING, __VA_ARGS__)

#define CALL(...)
#define FIXED(...)
#define TEXT(...)
#define BARRIER(...)
#define BUFFERS(Name, lower, UPPER, note, ...) DESCRIBED(lower, Name, note, NOTHING, __VA_ARGS__)
#define COUNTED(Name, lower, UPPER, note, ...) \
    WRAP(mpi_##lower##_f08_large_, pmpir_##lower##_f08_large_, Name, note, NOTHING, NOTHING, NOTHING, __VA_ARGS__)
#define COLLECTIVE(Name, lower, UPPER, note, ...) \
    DESCRIBED(lower, Name, note, NO_REQUEST, __VA_ARGS__) \
    DESCRIBED(i##lower, I##lower, note, NOTHING, __VA_ARGS__, (REQUEST, request)) \
    DESCRIBED(lower##_init, Name##_init, note, NOTHING, __VA_ARGS__, (UNUSED, INFO, info), (REQUEST, request))
#include "recorder/wrappers/wrappers.def"

#undef COUNTED
#define COUNTED BUFFERS
#include "recorder/mpi4/calls4.def"

LP_FORTRAN_NEXT void pmpir_buffer_detach_f08_large_(void *buffer, void *size, MPI_Fint *error);
LP_EXPORT void mpi_buffer_detach_f08_large_(void *buffer, void *size, MPI_Fint *error);
void mpi_buffer_detach_f08_large_(void *buffer, void *size, MPI_Fint *error)
{
    const int64_t begin = lp_begin_call(LP_Buffer_detach, true);
    LP_BEHIND(pmpir_buffer_detach_f08_large_)(buffer, size, error);
    if (begin >= 0) {
        struct lp_call call = lp_ended(LP_Buffer_detach, begin);
        lp_note_plain(&call);
    }
    lp_end_call();
}

#else

typedef int lp_no_large_counts;

#endif
