// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of Fortran's calls that start, complete, cancel and free requests. Indices begin at 1.
#include "recorder/fortran/shared.h"
#include "recorder/wrappers/completions.h"
#include "recorder/wrappers/notes.h"

#include <stdatomic.h>

enum binding { FORTRAN, FORTRAN_2008 };

#ifndef OPEN_MPI
LP_FORTRAN_NEXT void pmpir_waitany_f08_(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *status,
                                        MPI_Fint *error);
#endif

// `of`: the binding.
#define ONE(symbol, next, Name, of, declarations, arguments, before, count, requests, note) \
    LP_FORTRAN_NEXT void next declarations; \
    LP_EXPORT void symbol declarations; \
    void symbol declarations \
    { \
        const enum binding binding = of; \
        (void)binding; \
        const int64_t begin = lp_begin_call(LP_##Name, LP_MAY_BLOCK(LP_##Name)); \
        before; \
        MPI_Fint own_error = MPI_SUCCESS; \
        if (!error) error = &own_error; \
        LP_BEHIND(next) arguments; \
        if (begin >= 0) { \
            struct lp_call call = lp_ended(LP_##Name, begin); \
            if (*error == MPI_SUCCESS) { \
                note; \
            } else lp_note_failed(&call, count, (struct lp_requests){.fortran = requests}); \
        } \
        lp_end_call(); \
    }
#define WRAP(Name, lower, UPPER, ...) \
    ONE(LP_FORTRAN(lower), pmpi_##lower##_, Name, FORTRAN, __VA_ARGS__) \
    LP_FORTRAN_SPELLINGS(lower, UPPER) \
    ONE(LP_F08(lower), LP_NEXT_F08(lower), Name, FORTRAN_2008, __VA_ARGS__)

#define TELL_START(Name, requests, count) \
    lp_foretell_start(LP_##Name, begin, (struct lp_requests){.fortran = requests}, count)
#define AWAIT(requests, count) \
    if (begin >= 0) lp_await((struct lp_requests){.fortran = requests}, count)
#define ONE_STATUS \
    MPI_Status own; \
    if (lp_is_ignored(status)) status = (MPI_Fint *)&own
#define MANY_STATUSES \
    if (begin >= 0 && lp_are_ignored(statuses)) statuses = (MPI_Fint *)lp_own_statuses(*count)
#define COMPLETED(count, completed, indices, all) \
    lp_note_completed(&call, count, completed, indices, (struct lp_statuses){.fortran = all})
#define COMPLETED_IF_FLAG(count, completed, indices, all) \
    if (*flag) COMPLETED(count, completed, indices, all); \
    else lp_note_incomplete(&call, count)

// Whether the binding counts from 0: MPICH 4.0's f08 does, against the standard. Asked of a request that is done.
static int firstIndex(enum binding binding)
{
#ifndef OPEN_MPI
    static atomic_int known = -1;
    if (binding == FORTRAN_2008 && atomic_load(&known) < 0) {
        MPI_Request request;
        PMPI_Irecv(0, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
        MPI_Fint one = 1, handle = PMPI_Request_c2f(request), index = 1, error = 0;
        MPI_Status status;
        LP_BEHIND(pmpir_waitany_f08_)(&one, &handle, &index, (MPI_Fint *)&status, &error);
        atomic_store(&known, index == 0 ? 0 : 1);
    }
    if (binding == FORTRAN_2008) return atomic_load(&known);
#endif
    (void)binding;
    return 1;
}

static const int *fromZero(enum binding binding, int count, const MPI_Fint *indices)
{
    const int first = firstIndex(binding);
    int *result = lp_scratch(count)->indices;
    for (int at = 0; at < count; ++at) result[at] = indices[at] - first;
    return result;
}

static const int *someFromZero(enum binding binding, int count, const MPI_Fint *indices)
{
    return count == MPI_UNDEFINED ? 0 : fromZero(binding, count, indices);
}

// clang-format off
WRAP(Wait, wait, WAIT, (MPI_Fint * request, MPI_Fint *status, MPI_Fint *error), (request, status, error),
     AWAIT(request, 1); ONE_STATUS, 1, request, COMPLETED(1, 1, 0, status))
WRAP(Waitall, waitall, WAITALL, (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *error),
     (count, requests, statuses, error), AWAIT(requests, *count); MANY_STATUSES, *count, requests,
     COMPLETED(*count, *count, 0, statuses))
WRAP(Waitany, waitany, WAITANY,
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *status, MPI_Fint *error),
     (count, requests, index, status, error), AWAIT(requests, *count); ONE_STATUS, *count, requests,
     COMPLETED(*count, 1, fromZero(binding, 1, index), status))
WRAP(Waitsome, waitsome, WAITSOME,
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *completed, MPI_Fint *indices, MPI_Fint *statuses,
      MPI_Fint *error),
     (count, requests, completed, indices, statuses, error), AWAIT(requests, *count); MANY_STATUSES, *count, requests,
     COMPLETED(*count, *completed, someFromZero(binding, *completed, indices), statuses))
WRAP(Test, test, TEST, (MPI_Fint * request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *error),
     (request, flag, status, error), AWAIT(request, 1); ONE_STATUS, 1, request, COMPLETED_IF_FLAG(1, 1, 0, status))
WRAP(Testall, testall, TESTALL,
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *flag, MPI_Fint *statuses, MPI_Fint *error),
     (count, requests, flag, statuses, error), AWAIT(requests, *count); MANY_STATUSES, *count, requests,
     COMPLETED_IF_FLAG(*count, *count, 0, statuses))
WRAP(Testany, testany, TESTANY,
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *error),
     (count, requests, index, flag, status, error), AWAIT(requests, *count); ONE_STATUS, *count, requests,
     COMPLETED_IF_FLAG(*count, 1, fromZero(binding, 1, index), status))
#define SOME_IF_ANY \
    if (*completed == 0) \
        lp_note_incomplete(&call, *count); \
    else \
        COMPLETED(*count, *completed, someFromZero(binding, *completed, indices), statuses)
WRAP(Testsome, testsome, TESTSOME,
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *completed, MPI_Fint *indices, MPI_Fint *statuses,
      MPI_Fint *error),
     (count, requests, completed, indices, statuses, error), AWAIT(requests, *count); MANY_STATUSES, *count, requests,
     SOME_IF_ANY)
WRAP(Start, start, START, (MPI_Fint * request, MPI_Fint *error), (request, error), TELL_START(Start, request, 1), 0,
     request,
     lp_note_started(&call, (struct lp_requests){ .fortran = request }, 1))
WRAP(Startall, startall, STARTALL, (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *error), (count, requests, error),
     TELL_START(Startall, requests, *count), 0, requests, lp_note_started(&call, (struct lp_requests){ .fortran = requests }, *count))
WRAP(Request_free, request_free, REQUEST_FREE, (MPI_Fint * request, MPI_Fint *error), (request, error),
     if (begin >= 0) lp_before_free(PMPI_Request_f2c(*request)), 0, request, lp_note_freed(&call))
WRAP(Cancel, cancel, CANCEL, (MPI_Fint * request, MPI_Fint *error), (request, error), , 0, request,
     lp_note_cancel(&call, PMPI_Request_f2c(*request)))
WRAP(Request_get_status, request_get_status, REQUEST_GET_STATUS,
     (MPI_Fint * request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *error), (request, flag, status, error),
     ONE_STATUS, 0, request,
     lp_note_status(&call, PMPI_Request_f2c(*request), *flag, (struct lp_statuses){ .fortran = status }))
// clang-format on
