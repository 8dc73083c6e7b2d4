// SPDX-License-Identifier: GPL-3.0-or-later
// What following the path from meeting to meeting consists of, for the files that make it: procedures and their lanes,
// rounds of a replay, the longest path, samples, the plan for the next batch, and meet.c, which calls them.
#ifndef LONGPOLE_RECORDER_MEETSTATE_H
#define LONGPOLE_RECORDER_MEETSTATE_H

#include "recorder/online/control.h"
#include "recorder/online/sample.h"
#include "recorder/replay/pathlog.h"
#include "recorder/replay/pathreplay.h"
#include "recorder/replay/pathvalue.h"
#include "recorder/storage/config.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LP_FIRST_BATCH = 64 };              // meetings
#define LP_LEAST_BATCH (INT64_C(1) << 14)  // a log of so many steps and its replay fit into a core's cache

struct lp_meet {
    bool is_on;
    MPI_Comm world;
    int rank, size;
    struct lp_lanes lanes;
    char *lane_names[LP_MOST_LANES];
    int64_t lane_since[LP_MOST_LANES];  // ns since the run began
    lp_lane_set *lanes_of;              // by procedure
    uint32_t lanes_of_count;
    int64_t lane_changes;
    int64_t *total;    // value of the run so far
    int64_t *profile;  // this rank's work on the path by procedure
    uint32_t profile_count;
    int64_t on_path;  // this rank's work on the path
    uint64_t meetings, next;
    int64_t last_batch, last_begin, last_sample, began;
    int64_t own, paused, lost;
    int64_t worked;       // ns of the last batch, without waiting for other ranks
    int64_t batch_steps;  // on rank 0: as many steps as a batch should have at most
    bool is_stopped;
    bool is_from_over, is_until_over;  // on rank 0: whether the times are over at which following begins and ends
    struct lp_control_file control;    // on rank 0
    // on rank 0: names of the procedures with most of the path, one a line; null: those that are followed stay
    char *leaders;
    uint64_t messages, ahead, ambiguous, stuck;
    int64_t mistraced;  // batches in which the ranks' parts of the path did not add up to it; on rank 0
    int64_t unkept;     // batches of which this rank has not kept its part
    enum lp_online how;
    int64_t differences;  // batches after which the logs and the values sent along gave different paths
    int64_t compared, compared_shares, not_compared;  // batches after which they were compared, and were not
    MPI_Op merge;
    MPI_Datatype value;
    bool has_value;
    struct lp_sample_file samples;
    bool has_said;
};
extern struct lp_meet lp_meet;

static inline size_t lp_meet_words(void) { return lp_value_words(lp_meet.lanes); }

void lp_name_procedure(uint32_t procedure, char *name, size_t room);
// Follows these procedures from now on. What was counted for one that was followed before is kept. All ranks call it
// with the same names.
void lp_meet_follow(const char *names, char separator, bool has_nets, int64_t now);
// Looks up the lanes of procedures that are new on this rank since the last time. False: no memory.
bool lp_meet_find_lanes(void);
// The lanes of a procedure, which may be new.
lp_lane_set lp_meet_lanes_of(uint32_t procedure);
// Of procedures that do not include others, and have no more than one. 0: none.
uint32_t lp_meet_lane_of(uint32_t procedure);

// Replays until nobody sends any more. Returns how many ranks are not done then.
int64_t lp_meet_run_rounds(struct lp_replay *replay);

// The longest path of all ranks becomes part of the total, and this rank's work on it is found. False: no memory.
bool lp_meet_find_longest(struct lp_replay *replay);
void lp_meet_add_profile(struct lp_replay *replay);
// For MPI_Op_create: a value, and behind it the rank whose length and shares it has.
void lp_meet_merge(void *in, void *in_out, int *count, MPI_Datatype *type);

// Writes down the path so far; all ranks call it.
void lp_meet_take_sample(int64_t now, bool is_last);
// Each rank tells rank 0 of its path once in the time between samples, at its first call after that; rank 0 writes down
// the longest that it knows by then. Returns when it ended; 0: it did nothing.
int64_t lp_meet_look_between(int64_t at);

// Settles when the next batch is due and what is followed until then; all ranks call it. The last batch: its calls
// began at `from`, its replay at `begin`; `steps`: of its longest log.
void lp_meet_plan_next(int64_t from, int64_t begin, uint64_t meetings, int64_t steps);

#endif
