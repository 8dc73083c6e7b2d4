// SPDX-License-Identifier: GPL-3.0-or-later
// What carrying the path consists of, for the files that do it: values that are sent and that arrive, receives in order
// of posting, collective calls, and carry.c, which begins and ends it.
#ifndef LONGPOLE_RECORDER_CARRYSTATE_H
#define LONGPOLE_RECORDER_CARRYSTATE_H

#include "recorder/online/carry.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LP_CARRY_TAG = 18, LP_CARRY_HEAD = 3, LP_MOST_WORDS = 1 + 2 * 64 };
#define LP_SHORT_WAIT INT64_C(1000000)  // ns

// Names a value: that of a message, or of a collective call, which has a negative tag of the recorder's own.
struct lp_carry_key {
    int32_t origin;
    uint32_t serial;
    int32_t tag;
    uint32_t number;
};

struct lp_parcel {
    struct lp_parcel *next;
    struct lp_carry_key key;
    bool is_nothing;  // it counts for nothing: no path, or one from before the last meeting
    int64_t value[];
};

enum lp_receive_state { LP_RECEIVE_OPEN, LP_RECEIVE_DONE, LP_RECEIVE_RELEASED, LP_RECEIVE_GONE };
struct lp_receive {
    uint32_t order;
    int32_t peer, tag;  // negative: any; once the receive is done, those of its message
    int32_t origin;
    uint32_t serial;
    uint32_t number;  // on its channel; 0: none yet
    bool is_ambiguous;
    bool is_blocked;  // it takes messages of one channel only, and has no number yet
    uint8_t state;
    int64_t *worked;  // this rank's work when it was done, if its value had not come by then; else null
};

// An open receive that takes messages of several channels.
struct lp_open_any {
    uint32_t order;
    int32_t peer, tag;  // negative: any
    int32_t origin;
    uint32_t serial;
    bool is_over;
};

struct lp_waited {  // a receive that is done and whose value is late
    int32_t peer;
    struct lp_carry_key key;
    int64_t *worked;
};

struct lp_carry {
    MPI_Comm comm;
    int rank, size;
    struct lp_lanes lanes;
    lp_lane_set (*lanes_of)(uint32_t procedure);
    size_t words;
    uint32_t epoch;
    int64_t *value, *worked, *room;  // worked: all work of this rank so far, in the same lanes
    struct lp_channels sends, receives;
    struct lp_parcel **parcels;  // by sender: values that came and that no receive has asked for yet
    struct lp_receive *posts;    // by order; settled ones are kept until they are half of all
    uint32_t post_count, post_capacity, orders, gone_count;
    struct lp_open_any *any;  // by order, from any_begin on; closed ones are kept until they are half of all
    uint32_t any_begin, any_count, any_capacity, any_over;
    // All receives in `posts` that are done or cancelled and not settled lie from the first of these places up to the
    // second.
    uint32_t first_unsettled, end_unsettled;
    bool is_freed;  // one of `any` was closed, so that receives behind it may get their numbers
    uint32_t blocked_count;
    struct lp_waited *late;
    uint32_t late_count, late_capacity;
    struct lp_waited *released;  // values of receives that were freed: nobody asks for them
    uint32_t released_count, released_capacity;
    MPI_Request *requests;  // of sends
    int64_t **buffers;
    int *free_sends;
    int send_count, free_count, send_capacity, tested;
    int32_t *members;  // all ranks
    uint32_t *calls;   // collective calls by communicator
    uint32_t comm_count;
    struct lp_carry_counts counts;
};
extern struct lp_carry lp_carry;

static inline bool lp_is_same_key(struct lp_carry_key a, struct lp_carry_key b)
{
    return a.origin == b.origin && a.serial == b.serial && a.tag == b.tag && a.number == b.number;
}

// Merges another value into this one, and into this rank's.
void lp_carry_merge_into(int64_t *value, const int64_t *other);
static inline void lp_carry_merge(const int64_t *value) { lp_carry_merge_into(lp_carry.value, value); }
int64_t *lp_carry_copied(const int64_t *value);
// From now on this rank takes no part: it still answers, with empty values, so that nobody waits for it, and drops what
// comes.
void lp_carry_break_off(void);

bool lp_carry_add_send(void);  // room for one more; false: no memory
// `value`: null if this rank gives nothing.
void lp_carry_send_value(int to, struct lp_carry_key key, const int64_t *value);

// Takes in one value from that rank, or from any; false: there is none.
bool lp_carry_arrive(int from);
// The link to that value in the list of its sender; null: it did not come within that time.
struct lp_parcel **lp_carry_find(int from, struct lp_carry_key key, int64_t wait);
void lp_carry_drop(struct lp_parcel **at);
// The value will be merged when it comes, with this rank's work since it had `worked`, which this takes over.
void lp_carry_await(int from, struct lp_carry_key key, int64_t *worked);
void lp_carry_merge_from(int from, struct lp_carry_key key);
void lp_carry_take_late(void);

// Of the carrier.
void lp_carry_send(struct lp_channel_id to);
uint32_t lp_carry_post(struct lp_channel_id from);
void lp_carry_receive(uint32_t order, int32_t peer, int32_t tag);
void lp_carry_cancel(uint32_t order);
void lp_carry_release(uint32_t order, int32_t peer, int32_t tag);
void lp_carry_learn(uint32_t order, int32_t peer, int32_t tag);
void lp_carry_peek(struct lp_channel_id from);
void lp_carry_settle(void);
void lp_carry_give(struct lp_joint *joint);
void lp_carry_take(struct lp_joint *joint);
void lp_carry_meet(void);

#endif
