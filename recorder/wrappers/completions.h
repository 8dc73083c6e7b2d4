// SPDX-License-Identifier: GPL-3.0-or-later
// What the wrappers, of C and of Fortran, do around calls that start, complete, cancel and free requests.
#ifndef LONGPOLE_RECORDER_COMPLETIONS_H
#define LONGPOLE_RECORDER_COMPLETIONS_H

#include "recorder/format/calls.h"
#include "recorder/format/recording.h"

#include <mpi.h>

#include <stdbool.h>

#define LP_STATUS_INTS (sizeof(MPI_Status) / sizeof(MPI_Fint))

// Arrays of C or of Fortran; the other pointer is null.
struct lp_requests {
    const MPI_Request *c;
    const MPI_Fint *fortran;
};
struct lp_statuses {
    const MPI_Status *c;
    const MPI_Fint *fortran;
};

// To be called before MPI completes some of these requests: remembers their handles.
void lp_await(struct lp_requests requests, int count);
// Room for statuses that the caller does not want: as many as were awaited.
MPI_Status *lp_own_statuses(int count);

// To be called after that. `count`: awaited requests; `completed`: how many are complete, maybe MPI_UNDEFINED;
// `indices`: which, from 0 (null: all); `statuses`: theirs, in the same order.
void lp_note_completed(struct lp_call *call, int count, int completed, const int *indices, struct lp_statuses statuses);
void lp_note_incomplete(struct lp_call *call, int count);  // a Test that found nothing
void lp_note_failed(struct lp_call *call, int count, struct lp_requests requests);

// Before persistent requests are started: tells what they send, where somebody carries it.
void lp_foretell_start(enum lp_call_id call, int64_t begin, struct lp_requests requests, int count);
void lp_note_started(struct lp_call *call, struct lp_requests requests, int count);
void lp_before_free(MPI_Request handle);
void lp_note_freed(struct lp_call *call);
void lp_note_cancel(struct lp_call *call, MPI_Request handle);
// MPI_Pready and its like: the last of a send's partitions sends it.
void lp_note_ready(struct lp_call *call, MPI_Request handle, int partitions);
// MPI_Request_get_status: a request that is complete is so from this call on, since the program knows it.
void lp_note_status(struct lp_call *call, MPI_Request handle, bool flag, struct lp_statuses status);
// Tells the path which messages open receives have taken of which that was not known when they were posted.
void lp_learn_open(void);

#endif
