// SPDX-License-Identifier: GPL-3.0-or-later
// What a replay consists of, for the files that make it: the index of a batch, its segments and messages, collective
// calls of some ranks, and the way back along the path.
#ifndef LONGPOLE_RECORDER_PATHREPLAYSTATE_H
#define LONGPOLE_RECORDER_PATHREPLAYSTATE_H

#include "recorder/replay/patharena.h"
#include "recorder/replay/pathreplay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The kinds of entries in a buffer between ranks, which consist of words of 64 bits.
enum lp_word_kind { LP_CHANNEL, LP_VALUE, LP_GIVEN, LP_RESULT, LP_SENT_TOKEN, LP_GIVEN_TOKEN };

struct lp_words {
    int64_t *words;
    size_t count, capacity;
};

struct lp_replay_segment {
    uint32_t begin, end, at;  // steps
    uint32_t next;            // 1 + the next segment that waits for the same value; 0: none
    bool is_done;
};

// What a step of the log waits for.
struct lp_arrival {
    int64_t *value;    // null: no value came, or one that counts for nothing
    uint32_t segment;  // of the sender
    uint32_t waiter;   // 1 + the first segment of this rank that waits for it; 0: none
    uint32_t uses;     // how many steps take the value
    int32_t winner;    // of a collective call: the rank whose value it is
    bool is_there;
};

// Receives of a batch on one channel: numbers from `first` on.
struct lp_channel_arrivals {
    struct lp_arrival *all;
    uint32_t first, count;
};

struct lp_taken {  // a TAKE of the batch
    struct lp_joint_call id;
    struct lp_arrival arrival;
};

struct lp_position {  // of a GIVE
    struct lp_joint_call id;
    uint32_t step;
};

// Memory that one replay of a log leaves to the next, and nothing else.
struct lp_replay_room {
    struct lp_arena arena;
    struct lp_words *out;          // by rank
    struct lp_words sending, own;  // own: to itself
    int ranks;
};

struct lp_replay {
    struct lp_path_log *log;
    struct lp_replay_room *room;
    int64_t *spare;  // free values, as a list: the first word of each is the address of the next
    int rank;
    struct lp_lanes lanes;
    size_t value_words;
    const lp_lane_set *lanes_of;
    uint32_t procedures;
    struct lp_replay_segment *segments;
    uint32_t segment_count, left;
    int64_t *values;
    uint32_t *runnable;
    uint32_t runnable_count;
    struct lp_channel_arrivals *arrivals;  // by channel of log->receives, as many as there were at the begin
    uint32_t arrival_channels;
    uint32_t *sent_at;      // the steps of all SEND, by channel
    uint32_t *sent_first;   // by channel: where its steps begin in sent_at
    uint32_t *sent_number;  // by channel: the number of its first message
    uint32_t sent_channels;
    struct lp_taken *taken;  // by (communicator, call)
    uint32_t taken_count;
    struct lp_position *given;
    uint32_t given_count;
    struct lp_words *out;  // the room's
    int *outgoing;         // ranks with something in `out`
    int outgoing_count;
    int64_t *joined, *told;  // room for a value
    int64_t *nothing;        // a value of no path
    int64_t *profile;
    uint32_t profile_count;
    int64_t parts[LP_MOST_LANES];
    uint64_t ahead;
    bool has_failed;
};

static inline int64_t lp_two(uint32_t high, uint32_t low) { return (int64_t)(((uint64_t)high << 32) | low); }
static inline uint32_t lp_high_of(int64_t word) { return (uint32_t)((uint64_t)word >> 32); }
static inline uint32_t lp_low_of(int64_t word) { return (uint32_t)((uint64_t)word & 0xffffffffu); }

static inline int lp_compare_ids(struct lp_joint_call a, struct lp_joint_call b)
{
    if (a.comm != b.comm) return a.comm < b.comm ? -1 : 1;
    return a.call == b.call ? 0 : a.call < b.call ? -1 : 1;
}

// What a WORK step is of.
static inline struct lp_path_context lp_replay_context_of(const struct lp_replay *replay, uint32_t of)
{
    if (of >= LP_CONTEXT) return replay->log->contexts[of - LP_CONTEXT];
    return (struct lp_path_context){of, of < replay->procedures ? replay->lanes_of[of] : 0};
}

// Finds out where the batch's steps are. False: no memory.
bool lp_replay_index(struct lp_replay *replay);
// What the receive of that message, or the TAKE of that call, waits for. Null: the batch has none.
struct lp_arrival *lp_replay_arrival_on(struct lp_replay *replay, uint32_t channel, uint32_t number);
struct lp_arrival *lp_replay_arrival_of_call(struct lp_replay *replay, struct lp_joint_call id);
// The SEND of that message, or the GIVE of that call. False: the batch has none.
bool lp_replay_step_of_send(const struct lp_replay *replay, uint32_t channel, uint32_t number, uint32_t *step);
bool lp_replay_step_of_give(const struct lp_replay *replay, struct lp_joint_call id, uint32_t *step);

// Room for so many words in the buffer for another rank. Null: no memory, and the replay has failed.
int64_t *lp_replay_append(struct lp_replay *replay, int to, size_t count);
// What this rank's TAKE of a collective call waits for has come: the value of `winner`, given in that segment.
void lp_join_arrives(struct lp_replay *replay, struct lp_joint_call id, const int64_t *value, uint32_t segment,
                     int32_t winner);

// A GIVE of the log, on the communicator of that number, is reached with that value.
void lp_replay_give(struct lp_replay *replay, uint32_t number, const struct lp_step *step, uint32_t segment,
                    int64_t *value);
// Words of another member, of 5 and a value.
void lp_replay_take_given(struct lp_replay *replay, const int64_t *words);
void lp_replay_take_result(struct lp_replay *replay, const int64_t *words);
// Another rank's path goes on here.
void lp_replay_take_token(struct lp_replay *replay, const int64_t *words);
bool lp_replay_fit_hosted(struct lp_replay *replay);  // to the lanes of this replay. False: no memory
void lp_replay_forget_hosted(struct lp_path_log *log);

#endif
