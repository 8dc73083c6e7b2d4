// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that MPI_Comm_spawn starts are recorded with the one that started them: both sides agree on numbers for all
// ranks, on a folder and on a clock, over the intercommunicator that MPI made between them. Only if both are recorded;
// recorder/storage/spawnfiles.h says how each knows that of the other.
#ifndef LONGPOLE_RECORDER_SPAWNED_H
#define LONGPOLE_RECORDER_SPAWNED_H

#include "recorder/storage/clock.h"
#include "recorder/wrappers/comms.h"

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

// What a program that was started learns.
struct lp_joined {
    uint64_t run;                      // of those who started it; 0: it is a run of its own
    int32_t folder;                    // lp_open's number
    int32_t first;                     // the number of its rank 0
    struct lp_comm_id comm;            // of the intercommunicator
    struct lp_clock_difference clock;  // of its rank 0's against the run's
};

// Before MPI_Init does its work.
void lp_before_start(void);

// All ranks of a program that has just been started call it; `own` has them all.
struct lp_joined lp_join_parents(MPI_Comm own);
// Of one that has begun without MPI_COMM_WORLD, and so without parents.
struct lp_joined lp_join_nobody(void);
// Behind lp_open_comms: the intercommunicator's number.
uint32_t lp_know_parents(const struct lp_joined *joined);

// Around MPI_Comm_spawn; all members of `local` call them.
void lp_before_spawn(MPI_Comm local);
void lp_made_spawned(MPI_Comm made, MPI_Comm local);

#endif
