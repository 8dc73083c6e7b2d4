// SPDX-License-Identifier: GPL-3.0-or-later
// The summary at MPI_Finalize: section 5.3's statistics on standard error, and a table with one row per call.
#ifndef LONGPOLE_RECORDER_SUMMARY_H
#define LONGPOLE_RECORDER_SUMMARY_H

#include <mpi.h>

#include <stdint.h>

// Collective over `world`, the private duplicate of MPI_COMM_WORLD, after lp_clock_end. `begin`: when the program
// called MPI_Finalize. Does nothing unless calls were kept (lp_keeps). Uses up what was kept.
void lp_summarize(MPI_Comm world, int64_t begin);

#endif
