// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that start, complete, cancel and free requests: what happens around them in C and in Fortran.
#ifndef LONGPOLE_RECORDER_COMPLETIONS_H
#define LONGPOLE_RECORDER_COMPLETIONS_H

#include "recorder/format/recording.h"

#include <mpi.h>

#include <stdbool.h>

#define LP_STATUS_INTS (sizeof(MPI_Status) / sizeof(MPI_Fint))

// Arrays as C or as Fortran keeps them; the other is null.
struct lp_requests {
    const MPI_Request *c;
    const MPI_Fint *fortran;
};
struct lp_statuses {
    const MPI_Status *c;
    const MPI_Fint *fortran;
};

// Before MPI completes some of these requests: remembers their handles.
void lp_await(struct lp_requests requests, int count);
// Room for statuses that the caller does not want: as many as were awaited.
MPI_Status *lp_own_statuses(int count);

// After it, of `count` awaited requests: the completed ones' indices from 0 (null: all; their number may be
// MPI_UNDEFINED) and statuses, in the same order.
void lp_note_completed(struct lp_call *call, int count, int completed, const int *indices, struct lp_statuses statuses);
void lp_note_incomplete(struct lp_call *call, int count);  // a Test that found nothing
void lp_note_failed(struct lp_call *call, int count, struct lp_requests requests);

void lp_note_started(struct lp_call *call, struct lp_requests requests, int count);
void lp_before_free(MPI_Request request);
void lp_note_freed(struct lp_call *call);
void lp_note_cancel(struct lp_call *call);
void lp_note_status(struct lp_call *call, bool flag);

#endif
