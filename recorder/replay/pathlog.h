// SPDX-License-Identifier: GPL-3.0-or-later
// What the critical path of a rank depends on, in the order in which it happened: its work, what it sent and received,
// and where all ranks met. Kept from one meeting at which paths are compared to the next; no MPI in here.
#ifndef LONGPOLE_RECORDER_PATHLOG_H
#define LONGPOLE_RECORDER_PATHLOG_H

#include "recorder/replay/pathspill.h"
#include "recorder/replay/pathvalue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum lp_step_kind { LP_STEP_WORK, LP_STEP_SEND, LP_STEP_RECEIVE, LP_STEP_MEET, LP_STEP_GIVE, LP_STEP_TAKE };

// Whose paths a collective call joins: the path after the call, of all members or of the root, continues the longest
// path before it, of all members or of the root. Prefix: a member's path continues the longest one of the members up to
// it.
enum lp_joining { LP_ALL_TO_ALL, LP_ONE_TO_ALL, LP_ALL_TO_ONE, LP_PREFIX };

#define LP_GIVES_NOTHING ((int64_t)1 << 48)
struct lp_step {
    uint32_t what;    // kind in the lower four bits; above them the procedure, the channel or the communicator
    uint32_t number;  // SEND: of the message on its channel; RECEIVE: in order of posting; GIVE, TAKE: of the call
    int64_t work;     // WORK: ns; GIVE, TAKE: lp_joining, above its eight bits the root's place; LP_GIVES_NOTHING
};

// Messages between two ranks match in order on one communicator and tag.
struct lp_channel_id {
    int32_t peer;  // the world rank at the other end
    int32_t origin;
    uint32_t serial;  // with origin the communicator's id
    int32_t tag;
};

struct lp_channel {
    struct lp_channel_id id;
    uint32_t next;  // how many messages were sent, or how many receives have numbers
    bool is_named;  // of sent messages: the receiver knows what this channel's number stands for
    // Of a channel on which messages are received:
    uint32_t seen;    // how many messages' values have come from the sender
    uint32_t newest;  // order of the newest receive that was completed before the log begins
    uint32_t remote;  // the sender's number of the channel
    // Used while receives are numbered: how many that have a number already are still to come, and by how much their
    // numbers change.
    uint32_t behind;
    int32_t shift;
};

struct lp_channels {
    struct lp_channel *all;
    uint32_t count, capacity;
    uint32_t *slots;  // index + 1 by hash
    uint32_t slot_count, last;
};

// A receive that is open, or was completed since the log begins.
struct lp_post {
    uint32_t order;
    uint32_t channel;  // LP_NO_CHANNEL: it takes messages of several, and is open
    uint32_t number;   // on the channel, from 1; 0: has none yet
    int32_t origin;
    uint32_t serial;
    uint8_t state;  // enum lp_post_state
};
#define LP_NO_CHANNEL 0xffffffffu
enum lp_post_state { LP_POST_OPEN, LP_POST_DONE, LP_POST_CANCELLED, LP_POST_PEEKED, LP_POST_RELEASED };

struct lp_path_comm {
    int32_t origin;
    uint32_t serial;
    int32_t size, place;
    int32_t *members;     // world ranks
    bool shares_members;  // those of the first communicator, which is of all ranks
    uint32_t calls;       // collective calls begun
};

// Work of a procedure that is also work of other lanes than its own, as of a procedure that called it.
struct lp_path_context {
    uint32_t procedure;
    lp_lane_set lanes;
};
#define LP_CONTEXT (1u << 27)  // with the number of a context in place of a procedure's

struct lp_joint_call {
    uint32_t comm, call;
};
struct lp_hosted_call;
struct lp_replay_room;

struct lp_path_log {
    struct lp_step *steps;
    uint32_t count, capacity, most;  // most: in memory; beyond it the file
    struct lp_spill spilled_steps;
    struct lp_channels sends, receives;
    struct lp_post *posts;  // by order
    struct lp_spill spilled_posts;
    uint32_t post_count, post_capacity, orders;
    uint32_t carried;                  // posts that were there when the log began
    struct lp_path_context *contexts;  // since the log begins
    uint32_t context_count, context_capacity;
    uint32_t *context_slots, context_slot_count;  // index + 1 by hash
    struct lp_path_comm *comms;
    uint32_t comm_count, comm_capacity;
    uint32_t *comm_slots, comm_slot_count;  // index + 1 by hash
    // What the replay keeps from one log to the next: results of collective calls that came before this rank took them,
    // and calls that this rank joins for others and to which not all members have given their values.
    struct lp_joint_call *early;
    uint32_t early_count, early_capacity;
    struct lp_hosted_call *hosted;
    struct lp_replay_room *room;
    uint32_t **peers;  // by world rank: indices + 1 of receives by the sender's channel number
    uint32_t *peer_counts;
    int ranks;
    int most_direct;     // in a replay, communicators of so many members have one that joins the values of all
    uint32_t segment;    // meetings before the log begins
    uint32_t meetings;   // in the log
    uint64_t ambiguous;  // receives of which it is not certain which message they got
    bool is_full;        // steps were lost since: the log is of no use until it is emptied
};

// Room for at most so many steps, and as many receives, in memory. False: no memory.
bool lp_log_open(struct lp_path_log *log, int ranks, uint32_t most);
// Steps and receives beyond that go to files without names in this folder, at most so many bytes of each. The text
// `folder` must last as long as the log.
void lp_log_spill_to(struct lp_path_log *log, const char *folder, uint64_t most_bytes);
void lp_log_close(struct lp_path_log *log);

// `procedure`: its number, or what lp_log_context returned.
void lp_log_work(struct lp_path_log *log, uint32_t procedure, int64_t ns);
uint32_t lp_log_context(struct lp_path_log *log, uint32_t procedure, lp_lane_set lanes);
void lp_log_send(struct lp_path_log *log, struct lp_channel_id to);
// A receive is posted; peer or tag are negative if it takes any. Returns its order, which completes it.
uint32_t lp_log_post(struct lp_path_log *log, struct lp_channel_id from);
// A receive was completed by a message from that peer with that tag, on the communicator on which it was posted.
void lp_log_receive(struct lp_path_log *log, uint32_t order, int32_t peer, int32_t tag);
void lp_log_cancel(struct lp_path_log *log, uint32_t order);
// It is freed while it is open: it takes its message, of which nobody hears. Which one is in doubt if it takes any and
// peer or tag, which are its message's, are negative.
void lp_log_release(struct lp_path_log *log, uint32_t order, int32_t peer, int32_t tag);
// It is open, and the message that it has taken is known. `order`: of one that takes any, else nothing happens.
void lp_log_learn(struct lp_path_log *log, uint32_t order, int32_t peer, int32_t tag);
// Whether a receive is open that takes messages of several channels.
bool lp_log_has_open_any(const struct lp_path_log *log);
// A probe found the message that the next receive from there will match.
void lp_log_peek(struct lp_path_log *log, struct lp_channel_id from);
void lp_log_meet(struct lp_path_log *log);

// Notes a communicator; `place`: this rank's place among its members. Returns the log's number of it; LP_NO_COMM: no
// memory.
#define LP_NO_COMM 0xffffffffu
uint32_t lp_log_comm(struct lp_path_log *log, int32_t origin, uint32_t serial, int size, int place,
                     const int32_t *members);
// Notes that a collective call begins on a communicator, and that it is completed; the second takes the number that the
// first returned. Nobody waits for a member that gives nothing.
uint32_t lp_log_give(struct lp_path_log *log, uint32_t comm, enum lp_joining joining, int root, bool gives);
void lp_log_take(struct lp_path_log *log, uint32_t comm, uint32_t call, enum lp_joining joining, int root);

// For the replay: gives each receive the number of its message, in order of posting, and frees what is no longer needed
// then.
void lp_log_number(struct lp_path_log *log);
const struct lp_post *lp_log_post_of(const struct lp_path_log *log, uint32_t order);  // null: unknown
void lp_log_empty(struct lp_path_log *log);
// Room for one more item of so many bytes, `most` at most. False: no memory, and all stays as it is.
bool lp_make_room(void *array, uint32_t *capacity, uint32_t count, size_t size, uint32_t most);
// The index of a channel, which is made where it is missing; LP_NO_CHANNEL: no memory.
uint32_t lp_channel_of(struct lp_channels *channels, struct lp_channel_id id);
const struct lp_path_comm *lp_log_comm_of(const struct lp_path_log *log, int32_t origin, uint32_t serial,
                                          uint32_t *number);

#ifdef __cplusplus
}
#endif

#endif
