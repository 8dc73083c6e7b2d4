// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that have MPI by sessions (MPI 4) instead of MPI_Init: the recorder has a session of its own, as long as it
// records, and talks on a communicator of the process set mpi://WORLD.
#ifndef LONGPOLE_RECORDER_SESSIONS_H
#define LONGPOLE_RECORDER_SESSIONS_H

#include <mpi.h>

// Collective over all ranks. MPI_COMM_NULL: there is no such set.
MPI_Comm lp_open_session(void);
void lp_close_session(void);

#endif
