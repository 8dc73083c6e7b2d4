// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of C's calls that start, complete, cancel and free requests.
#include "recorder/wrappers/completions.h"
#include "recorder/wrappers/next.h"
#include "recorder/wrappers/notes.h"

// Calls MPI, with `note` where the call is recorded and MPI found no error. What is declared in `before` (it also
// awaits the requests) is seen by both.
#define WRAP(Name, parameters, before, arguments, count, requests, note) \
    LP_EXPORT int MPI_##Name parameters \
    { \
        const int64_t begin = lp_begin_call(LP_##Name, LP_MAY_BLOCK(LP_##Name)); \
        before; \
        const int result = LP_NEXT(Name) arguments; \
        if (begin >= 0) { \
            struct lp_call call = lp_ended(LP_##Name, begin); \
            if (result == MPI_SUCCESS) { \
                note; \
            } else lp_note_failed(&call, count, (struct lp_requests){.c = requests}); \
        } \
        lp_end_call(); \
        return result; \
    }

#define TELL_START(Name, requests, count) \
    lp_foretell_start(LP_##Name, begin, (struct lp_requests){.c = requests}, count)
#define AWAIT(requests, count) \
    if (begin >= 0) lp_await((struct lp_requests){.c = requests}, count)
#define ONE_STATUS \
    MPI_Status own; \
    if (status == MPI_STATUS_IGNORE) status = &own
#define MANY_STATUSES \
    if (begin >= 0 && statuses == MPI_STATUSES_IGNORE) statuses = lp_own_statuses(count)
#define COMPLETED(count, completed, indices, all) \
    lp_note_completed(&call, count, completed, indices, (struct lp_statuses){.c = all})
#define COMPLETED_IF_FLAG(count, completed, indices, all) \
    if (*flag) COMPLETED(count, completed, indices, all); \
    else lp_note_incomplete(&call, count)

// clang-format off
WRAP(Wait, (MPI_Request * request, MPI_Status *status), AWAIT(request, 1); ONE_STATUS, (request, status),
     1, request, COMPLETED(1, 1, 0, status))
WRAP(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]), AWAIT(requests, count); MANY_STATUSES,
     (count, requests, statuses), count, requests, COMPLETED(count, count, 0, statuses))
WRAP(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status), AWAIT(requests, count); ONE_STATUS,
     (count, requests, index, status), count, requests, COMPLETED(count, 1, index, status))
WRAP(Waitsome, (int count, MPI_Request requests[], int *completed, int indices[], MPI_Status statuses[]),
     AWAIT(requests, count); MANY_STATUSES, (count, requests, completed, indices, statuses), count, requests,
     COMPLETED(count, *completed, indices, statuses))
WRAP(Test, (MPI_Request * request, int *flag, MPI_Status *status), AWAIT(request, 1); ONE_STATUS,
     (request, flag, status), 1, request, COMPLETED_IF_FLAG(1, 1, 0, status))
WRAP(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
     AWAIT(requests, count); MANY_STATUSES, (count, requests, flag, statuses), count, requests,
     COMPLETED_IF_FLAG(count, count, 0, statuses))
WRAP(Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
     AWAIT(requests, count); ONE_STATUS, (count, requests, index, flag, status), count, requests,
     COMPLETED_IF_FLAG(count, 1, index, status))

// Finds nothing where none of several is complete, without a flag.
#define SOME_IF_ANY \
    if (*completed == 0) \
        lp_note_incomplete(&call, count); \
    else \
        COMPLETED(count, *completed, indices, statuses)
WRAP(Testsome, (int count, MPI_Request requests[], int *completed, int indices[], MPI_Status statuses[]),
     AWAIT(requests, count); MANY_STATUSES, (count, requests, completed, indices, statuses), count, requests,
     SOME_IF_ANY)

WRAP(Start, (MPI_Request * request), TELL_START(Start, request, 1), (request), 0, request,
     lp_note_started(&call, (struct lp_requests){ .c = request }, 1))
WRAP(Startall, (int count, MPI_Request requests[]), TELL_START(Startall, requests, count), (count, requests), 0, requests,
     lp_note_started(&call, (struct lp_requests){ .c = requests }, count))
WRAP(Request_free, (MPI_Request * request), if (begin >= 0) lp_before_free(*request), (request), 0, request,
     lp_note_freed(&call))
WRAP(Cancel, (MPI_Request * request), , (request), 0, request, lp_note_cancel(&call, *request))
WRAP(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status), ONE_STATUS, (request, flag, status),
     0, &request, lp_note_status(&call, request, *flag, (struct lp_statuses){ .c = status }))
// clang-format on
