// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the critical path of all ranks between two meetings from their logs: each rank replays its own and sends the
// values of its messages to those that received them, many at once. Who carries the buffers is the caller's business,
// so any number of ranks can be replayed in one process; no MPI in here.
//
// At a meeting all ranks have the same value, the longest. So each segment between two meetings begins with nothing,
// the segments' longest values add up to the run's, and a message that is received in a later segment than it was sent
// in changes nothing: its sender brought at least as much to the meeting between.
#ifndef LONGPOLE_RECORDER_PATHREPLAY_H
#define LONGPOLE_RECORDER_PATHREPLAY_H

#include "recorder/replay/pathlog.h"
#include "recorder/replay/pathvalue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lp_replay;

// Of the log up to its last meeting, which must be its last step. `lanes_of`: the lanes of each of so many procedures.
// Null: no memory.
struct lp_replay *lp_replay_begin(struct lp_path_log *log, int rank, struct lp_lanes lanes, const lp_lane_set *lanes_of,
                                  uint32_t procedures);
// Frees it and empties the log.
void lp_replay_end(struct lp_replay *replay);
// Frees what replays have kept in a log for the next ones, before it is closed.
void lp_replay_forget(struct lp_path_log *log);

// Goes on with the log's segments as far as it can. True: all are done.
bool lp_replay_run(struct lp_replay *replay);
// To be called when nobody sends any more and not all segments are done: what they still wait for counts as nothing, so
// that they go on. Returns how many values were missing. They belong to messages that are not in the sender's log.
uint32_t lp_replay_give_up(struct lp_replay *replay);
// The next buffer for another rank, which is the caller's until the next call; false: there is none. Buffers for one
// rank must come in this order.
bool lp_replay_output(struct lp_replay *replay, int *to, const void **bytes, size_t *size);
// A buffer from another rank, aligned to eight bytes. All buffers are to arrive before any rank ends its replay.
void lp_replay_input(struct lp_replay *replay, int from, const void *bytes, size_t size);

// After all is done: the value at the end of each segment, one after the other.
uint32_t lp_replay_segments(const struct lp_replay *replay);
int64_t *lp_replay_values(struct lp_replay *replay);

// Follows the path back through the segments whose longest value is this rank's (`winners`: that rank, by segment).
// Ranks exchange buffers until nobody has any more; then each knows which part of its work lies on the path.
void lp_replay_trace(struct lp_replay *replay, const int32_t *winners);
// This rank's work on the path by procedure, so far.
const int64_t *lp_replay_profile(const struct lp_replay *replay, uint32_t *procedures);
const int64_t *lp_replay_parts(const struct lp_replay *replay);  // the same by lane, from lane 1 on

uint64_t lp_replay_ahead(
    const struct lp_replay *replay);  // messages that were received before a meeting and sent after it, which cannot be
bool lp_replay_has_failed(const struct lp_replay *replay);  // no memory: its values are of no use
void lp_replay_fail(struct lp_replay *replay);              // because a buffer was lost

#ifdef __cplusplus
}
#endif

#endif
