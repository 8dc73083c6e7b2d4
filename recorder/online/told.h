// SPDX-License-Identifier: GPL-3.0-or-later
// What each rank tells rank 0 of its path between two meetings (Hollingsworth 1996, figure 4). Nobody waits for
// anybody: a rank whose last word has not been received yet says nothing.
#ifndef LONGPOLE_RECORDER_TOLD_H
#define LONGPOLE_RECORDER_TOLD_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LP_MOST_TOLD = 256 };  // words of 64 bits

// All ranks call it; `world`: the recorder's own. False: no memory on this rank, which then neither tells nor hears.
bool lp_told_open(MPI_Comm world);
// Tells rank 0 so many words. Elsewhere than on rank 0.
void lp_told_tell(const int64_t *words, size_t count);
// On rank 0: takes in what has come.
void lp_told_hear(void);
// What a rank told last; null: nothing.
const int64_t *lp_told_of(int rank, size_t *count);
// All ranks call it. Nothing is under way then.
void lp_told_close(void);

#endif
