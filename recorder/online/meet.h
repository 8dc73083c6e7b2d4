// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path while the program runs: where all ranks meet anyway, now and then, they replay their logs together
// and rank 0 writes down what came out (online.jsonl in the recording's folder).
#ifndef LONGPOLE_RECORDER_MEET_H
#define LONGPOLE_RECORDER_MEET_H

#include <mpi.h>

// To be called when MPI is up and the recording open, before communicators are told; `world`: the recorder's own
// duplicate of MPI_COMM_WORLD. Does nothing unless the settings ask for it.
void lp_meet_begin(MPI_Comm world);
// To be called after the call of MPI_Finalize was recorded.
void lp_meet_end(void);

#endif
