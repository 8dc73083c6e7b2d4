// SPDX-License-Identifier: GPL-3.0-or-later
// Fills in what the kept calls waited for (keptcalls.h), by asking the ranks that took part. Collective over `world`,
// the private duplicate of MPI_COMM_WORLD; times of the kept calls are rank 0's by then. False: no room.
#ifndef LONGPOLE_RECORDER_WAITS_H
#define LONGPOLE_RECORDER_WAITS_H

#include "recorder/format/calls.h"
#include "recorder/storage/keptcalls.h"

#include <mpi.h>

#include <stdbool.h>

bool lp_collective_waits(MPI_Comm world);
bool lp_message_waits(MPI_Comm world);

enum lp_call_class lp_class_of(uint16_t call);
enum lp_collective_kind lp_kind_of(uint16_t call);
bool lp_is_test(uint16_t call);  // MPI_Test and its kin never wait

// Raises a call's wait to `before`. Several requests may have made it wait, of which the longest wait counts.
void lp_wait_before(struct lp_kept_call *call, int64_t before);
// Whether `mine` is true on all ranks.
bool lp_all_ranks(MPI_Comm world, bool mine);

#endif
