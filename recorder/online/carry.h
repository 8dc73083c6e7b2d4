// SPDX-License-Identifier: GPL-3.0-or-later
// Carries the critical path along with the program's messages (Hollingsworth 1996, section 2.2): before each of them
// the recorder sends a message of its own with the longest path to that place. So each rank knows its path at any time.
#ifndef LONGPOLE_RECORDER_CARRY_H
#define LONGPOLE_RECORDER_CARRY_H

#include "recorder/online/pathcalls.h"
#include "recorder/replay/pathvalue.h"

#include <mpi.h>

// `lanes_of`: of a procedure. False: no memory.
bool lp_carry_open(MPI_Comm world, struct lp_lanes lanes, lp_lane_set (*lanes_of)(uint32_t procedure));
// Changes the lanes of values. All ranks call it, at a place where all have the same value; `value` is that one in the
// new lanes.
void lp_carry_follow(struct lp_lanes lanes, const int64_t *value);
const struct lp_path_carrier *lp_carrier(void);

const int64_t *lp_carried(void);  // this rank's value
struct lp_carry_counts {
    uint64_t messages, late, ambiguous;  // late: values that came when the rank had gone on
    uint64_t ties;                       // equally long paths met, with other parts
    bool is_broken;                      // a value that had to come did not
};
struct lp_carry_counts lp_carry_counts(void);

// Call it when no rank sends any more: receives what is left, and frees all.
void lp_carry_close(void);

#endif
