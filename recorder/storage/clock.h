// SPDX-License-Identifier: GPL-3.0-or-later
// How this rank's clock differs from rank 0's, measured at the start and at the end of the run on a private duplicate
// of MPI_COMM_WORLD (Korkhov et al., section 5.4; docs/algorithms.md 7.3).
#ifndef LONGPOLE_RECORDER_CLOCK_H
#define LONGPOLE_RECORDER_CLOCK_H

#include <mpi.h>

#include <stdint.h>

// Both are collective over `world`, do as LONGPOLE_CLOCK says and hand what they find to lp_set_clock. The error they
// give is a bound: the true offset lies within it, for round trips for certain, for barriers as far as they are even.
//   auto:    ranks of one host have one clock, after a few exchanges that do not contradict; one rank of each host
//            exchanges messages with rank 0's. Where hosts turn out to have several clocks (time name spaces,
//            libfaketime): as rtt.
//   rtt:     Cristian's: the fastest of many exchanges with the parent in a tree of all ranks.
//   barrier: the paper's: times after a series of barriers, those closer than a barrier lasts are equal, the median.
//   none:    nothing is measured.
void lp_clock_begin(MPI_Comm world);
void lp_clock_end(MPI_Comm world);

// A program of several that are recorded together. `between`: their intercommunicator, whose ranks 0 call these: the
// one that was started asks, and learns how its clock differs from the run's; the one of those who started it answers.
struct lp_clock_difference {
    int64_t offset, error;
};
struct lp_clock_difference lp_clock_ask_starter(MPI_Comm between);
void lp_clock_answer_started(MPI_Comm between);
// Before lp_clock_begin, on all ranks of a program that was started: what its rank 0 has learned.
void lp_clock_follow(struct lp_clock_difference difference);

// This rank's time as rank 0's clock would have shown it; as the importer reads lp_clock_point.
int64_t lp_clock_align(int64_t time);

#endif
