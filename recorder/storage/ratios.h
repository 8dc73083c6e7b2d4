// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of the summary: what a call waited, ratios of waiting to execution, and the table of section 5.3
// (Korkhov et al., sections 5.2 and 5.3; docs/algorithms.md 7.1, 7.2). No MPI in here; times are nanoseconds.
#ifndef LONGPOLE_RECORDER_RATIOS_H
#define LONGPOLE_RECORDER_RATIOS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// before + execution + after is the length of the call. Of a collective call, execution < 0 means that a member left
// before the last one came: the call did not synchronize.
struct lp_parts {
    int64_t before, execution, after;
};

// A blocking collective call of one member, from what all members say: section 5.2's formulas as they stand.
struct lp_parts lp_collective_parts(int64_t start, int64_t end, int64_t latest_start, int64_t earliest_end);
// The call in which a receive completes: waits until the sender comes to its send (late sender).
struct lp_parts lp_receive_parts(int64_t start, int64_t end, int64_t send_start);
// The call in which a send completes: waits until the receive is posted, if it is posted within the call (late
// receiver).
struct lp_parts lp_send_parts(int64_t start, int64_t end, int64_t posted);

// wait / execution. False, and *ratio untouched, where it is undefined (execution <= 0): shown as "-".
bool lp_imbalance(int64_t wait, int64_t execution, double *ratio);

// One rank, or all. Calls that did not synchronize are counted, their times are in neither sum.
struct lp_statistics {
    int64_t program_time;  // from the end of MPI_Init to the start of MPI_Finalize
    int64_t graph_time;    // what these statistics took, once all ranks were in MPI_Finalize
    int64_t execution, wait;
    int64_t program_edges;  // code between calls
    int64_t calls, nodes, edges;
    int64_t unsynchronized;
};

void lp_add_call(struct lp_statistics *rank, struct lp_parts parts);
// Sums; program_time and graph_time are those of the rank that took longest.
struct lp_statistics lp_total(const struct lp_statistics *ranks, int count);
// Section 5.3's output, with the imbalance that its table prints (wait / execution) and, below the totals, the one that
// section 5.2 defines for a program (execution and code between calls in the denominator).
void lp_print_statistics(FILE *to, const struct lp_statistics *ranks, int count);

#ifdef __cplusplus
}
#endif

#endif
