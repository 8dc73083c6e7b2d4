// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of what MPI 4 added in Fortran 2008, and of Open MPI 4's persistent collective requests (mpix_x_init) in
// Fortran. MPICH's other bindings call those of C.
#include "recorder/fortran/wrap.h"
#include "recorder/wrappers/completions.h"

#define CALL(...)
#define BUFFERS(...)
#define COUNTED(...)
#define FIXED(...)
#define TEXT(...)
#ifndef LP_HAS_COLLECTIVES_TO_START
#define COLLECTIVE(...)
#define BARRIER(...)
#elif defined LP_HAS_MPI4
#define TO_START(symbol, next, Name, note, ...) \
    WRAP_WITH(LP_IS_DESCRIBED, symbol, next, Name##_init, note, NOTHING, NOTHING, NOTHING, __VA_ARGS__, \
              (UNUSED, INFO, info), (REQUEST, request))
#define COLLECTIVE(Name, lower, UPPER, note, ...) \
    TO_START(LP_F08_BUFFER(lower##_init), LP_NEXT_F08_BUFFER(lower##_init), Name, note, __VA_ARGS__)
#define BARRIER(Name, lower, UPPER, note, ...) \
    TO_START(LP_F08(lower##_init), LP_NEXT_F08(lower##_init), Name, note, __VA_ARGS__)
#else
#define TO_START(symbol, next, Name, note, ...) \
    WRAP(symbol, next, Name##_init, note, NOTHING, NOTHING, NOTHING, __VA_ARGS__, (UNUSED, INFO, info), \
         (REQUEST, request))
#define COLLECTIVE(Name, lower, UPPER, note, ...) \
    TO_START(mpix_##lower##_init_, pmpix_##lower##_init_, Name, note, __VA_ARGS__) \
    TO_START(mpix_##lower##_init_f08_, pmpix_##lower##_init_f08_, Name, note, __VA_ARGS__)
#define BARRIER COLLECTIVE
#endif
#include "recorder/wrappers/wrappers.def"

#ifdef LP_HAS_MPI4

#undef CALL
#undef COUNTED
#undef FIXED
#undef TEXT
#define CALL(Name, lower, UPPER, note, ...) \
    WRAP(LP_F08(lower), LP_NEXT_F08(lower), Name, note, NOTHING, NOTHING, NOTHING, __VA_ARGS__)
#define COUNTED(Name, lower, UPPER, note, ...) \
    WRAP_WITH(LP_IS_DESCRIBED, LP_F08_BUFFER(lower), LP_NEXT_F08_BUFFER(lower), Name, note, NOTHING, NOTHING, NOTHING, \
              __VA_ARGS__)
#define FIXED COUNTED
#define TEXT(n, Name, lower, UPPER, note, ...) \
    WRAP(LP_F08(lower), LP_NEXT_F08(lower), Name, note, NOTHING, DECLARE_LENGTHS_##n, LENGTHS_##n, __VA_ARGS__)
#include "recorder/mpi4/calls4.def"

// `parameters`, `arguments`: those before the error code.
#define READY(Name, lower, parameters, arguments, partitions) \
    LP_FORTRAN_NEXT void LP_NEXT_F08(lower)(MPI_Fint * parameters, MPI_Fint * error); \
    LP_EXPORT void LP_F08(lower)(MPI_Fint * parameters, MPI_Fint * error); \
    void LP_F08(lower)(MPI_Fint * parameters, MPI_Fint * error) \
    { \
        const int64_t begin = lp_begin_call(LP_##Name, false); \
        MPI_Fint own_error = MPI_SUCCESS; \
        if (!error) error = &own_error; \
        LP_BEHIND_F08(lower)(arguments, error); \
        if (begin >= 0) { \
            struct lp_call call = lp_ended(LP_##Name, begin); \
            if (*error == MPI_SUCCESS) lp_note_ready(&call, PMPI_Request_f2c(*request), partitions); \
            else lp_note_plain(&call); \
        } \
        lp_end_call(); \
    }
#define AND ,
READY(Pready, pready, partition AND MPI_Fint *request, partition AND request, 1)
READY(Pready_range, pready_range, low AND MPI_Fint *high AND MPI_Fint *request, low AND high AND request,
      *high - *low + 1)
READY(Pready_list, pready_list, count AND MPI_Fint *list AND MPI_Fint *request, count AND list AND request, *count)

LP_FORTRAN_NEXT void LP_NEXT_F08(parrived)(void *request, void *partition, MPI_Fint *flag, MPI_Fint *error);
LP_EXPORT void LP_F08(parrived)(void *request, void *partition, MPI_Fint *flag, MPI_Fint *error);
void LP_F08(parrived)(void *request, void *partition, MPI_Fint *flag, MPI_Fint *error)
{
    const int64_t begin = lp_begin_call(LP_Parrived, false);
    MPI_Fint own_error = MPI_SUCCESS;
    if (!error) error = &own_error;
    LP_BEHIND_F08(parrived)(request, partition, flag, error);
    if (begin >= 0) {
        struct lp_call call = lp_ended(LP_Parrived, begin);
        if (*error == MPI_SUCCESS && *flag) lp_note_plain(&call);
        else lp_count_poll(&call);
    }
    lp_end_call();
}

#endif
