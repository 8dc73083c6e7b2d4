// SPDX-License-Identifier: GPL-3.0-or-later
// The path as Hollingsworth's paper takes it along (1996, section 2.2): a message of our own beside every message of
// the program's, sent before it, with the longest path to that place; so each rank knows its path at any time.
#ifndef LONGPOLE_RECORDER_CARRY_H
#define LONGPOLE_RECORDER_CARRY_H

#include "recorder/online/pathcalls.h"
#include "recorder/online/pathvalue.h"

#include <mpi.h>

// `lane`: of a procedure, 0 of those that are not followed. False: no memory.
bool lp_carry_open(MPI_Comm world, struct lp_lanes lanes, uint32_t (*lane)(uint32_t procedure));
// Where all ranks have the same value: from now on it has other lanes. `value` has it for these. All ranks call it.
void lp_carry_follow(struct lp_lanes lanes, const int64_t *value);
const struct lp_path_carrier *lp_carrier(void);

const int64_t *lp_carried(void);  // this rank's value
struct lp_carry_counts {
    uint64_t messages, late, ambiguous;  // late: values that came when the rank had gone on
    bool is_broken;                      // a value that had to come did not
};
struct lp_carry_counts lp_carry_counts(void);

// When no rank sends any more. Takes in what was not received.
void lp_carry_close(void);

#endif
