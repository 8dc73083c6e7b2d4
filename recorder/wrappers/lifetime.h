// SPDX-License-Identifier: GPL-3.0-or-later
// Opens and closes a recording, around MPI_Init and MPI_Finalize, or the first and the last session, of C and of
// Fortran.
#ifndef LONGPOLE_RECORDER_LIFETIME_H
#define LONGPOLE_RECORDER_LIFETIME_H

#include "recorder/format/calls.h"

#include <mpi.h>

#include <stdint.h>

// To be called when MPI is up; only the first call counts, as an MPI_Init may call another one (Fortran's in MPICH).
void lp_after_init(enum lp_call_id call, int64_t begin);
// To be called while MPI is still up, once.
void lp_before_finalize(void);
void lp_before_abort(MPI_Comm comm);
// Of a session that the program has begun, and of one that it is about to end.
void lp_after_session_init(enum lp_call_id call, int64_t begin);
void lp_before_session_finalize(enum lp_call_id call);

// MPI_Pcontrol. `name` may be null.
void lp_control(int level, const char *name);

#endif
