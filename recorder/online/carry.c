// SPDX-License-Identifier: GPL-3.0-or-later
// Messages match receives in order of posting on each channel (sender, communicator, tag). Sender and receiver number
// them alike, so a receive looks for the value with its own number, and a value can be sent without waiting for its
// receiver. A receive has no number yet while an older open one could still take its message. Then its value comes
// late, like one that is still under way: it is merged with the work that this rank did since.
#define _GNU_SOURCE
#include "recorder/online/carry.h"

#include "recorder/format/recording.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 18, HEAD = 3, MOST_WORDS = 1 + 2 * 64, JOINED = -2, AROUND = -64, MOST_DIRECT = 256, MOST_TESTS = 16 };
static const int64_t short_wait = 1000000, long_wait = 60000000000;  // ns

// Names a value: that of a message, or of a collective call, which has a negative tag of the recorder's own.
struct key {
    int32_t origin;
    uint32_t serial;
    int32_t tag;
    uint32_t number;
};

struct parcel {
    struct parcel *next;
    struct key key;
    bool is_nothing;  // it counts for nothing: no path, or one from before the last meeting
    int64_t value[];
};

enum post_state { POST_OPEN, POST_DONE, POST_RELEASED, POST_GONE };
struct post {
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
struct open_any {
    uint32_t order;
    int32_t peer, tag;  // negative: any
    int32_t origin;
    uint32_t serial;
    bool is_over;
};

struct waited {  // a receive that is done and whose value is late
    int32_t peer;
    struct key key;
    int64_t *worked;
};

static struct {
    MPI_Comm comm;
    int rank, size;
    struct lp_lanes lanes;
    lp_lane_set (*lanes_of)(uint32_t procedure);
    size_t words;
    uint32_t epoch;
    int64_t *value, *worked, *room;  // worked: all work of this rank so far, in the same lanes
    struct lp_channels sends, receives;
    struct parcel **parcels;  // by sender: values that came and that no receive has asked for yet
    struct post *posts;       // by order; settled ones are kept until they are half of all
    uint32_t post_count, post_capacity, orders, gone_count;
    struct open_any *any;  // by order, from any_begin on; closed ones are kept until they are half of all
    uint32_t any_begin, any_count, any_capacity, any_over;
    // All receives in `posts` that are done or cancelled and not settled lie from the first of these places up to the
    // second.
    uint32_t first_unsettled, end_unsettled;
    bool is_freed;  // one of `any` was closed, so that receives behind it may get their numbers
    uint32_t blocked_count;
    struct waited *late;
    uint32_t late_count, late_capacity;
    struct waited *released;  // values of receives that were freed: nobody asks for them
    uint32_t released_count, released_capacity;
    MPI_Request *requests;  // of sends
    int64_t **buffers;
    int *free_sends;
    int send_count, free_count, send_capacity, tested;
    int32_t *members;  // all ranks
    uint32_t *calls;   // collective calls by communicator
    uint32_t comm_count;
    struct lp_carry_counts counts;
} carry;

// --- values ---

static void add_work(uint32_t procedure, lp_lane_set callers, int64_t ns)
{
    const lp_lane_set in = carry.lanes_of(procedure) | callers;
    lp_value_add(carry.lanes, carry.value, in, ns);
    lp_value_add(carry.lanes, carry.worked, in, ns);
}

// Counts where two paths are equally long and not the same: another carrier may keep the other one.
static void merge_into(int64_t *value, const int64_t *other)
{
    carry.counts.ties += other[0] == value[0] && memcmp(value + 1, other + 1, carry.lanes.count * sizeof *value) != 0;
    lp_value_merge(carry.lanes, value, other);
}

static void merge(const int64_t *value) { merge_into(carry.value, value); }

// Merges a value that belongs to the time when this rank's work was `worked`: the work done since then is added to it
// first.
static void merge_late(const int64_t *value, const int64_t *worked)
{
    for (size_t word = 0; word < carry.words; ++word)
        carry.room[word] = value[word] + carry.worked[word] - worked[word];
    merge(carry.room);
}

// From now on this rank takes no part: it still answers, with empty values, so that nobody waits for it, and drops what
// comes.
static void break_off(void)
{
    if (carry.counts.is_broken) return;
    carry.counts.is_broken = true;
    ++carry.counts.late;
    fprintf(stderr,
            "longpole: rank %d: no memory for the path, or a part of it did not come: it is too short from here on\n",
            carry.rank);
}

static int64_t *copied(const int64_t *value)
{
    int64_t *copy = malloc(carry.words * sizeof *copy);
    if (copy) memcpy(copy, value, carry.words * sizeof *copy);
    else break_off();
    return copy;
}

// --- sending ---

// Tests the oldest sends, which are done first.
static void test_sends(int most)
{
    for (int tries = 0; tries < carry.send_count && tries < most && carry.free_count == 0; ++tries) {
        int is_done = 0;
        carry.tested = (carry.tested + 1) % carry.send_count;
        PMPI_Test(&carry.requests[carry.tested], &is_done, MPI_STATUS_IGNORE);
        if (is_done) carry.free_sends[carry.free_count++] = carry.tested;
    }
}

static bool add_send(void)
{
    if (carry.send_count == carry.send_capacity) {
        const int capacity = 2 * carry.send_capacity + 64;
        void *requests = realloc(carry.requests, (size_t)capacity * sizeof *carry.requests);
        if (requests) carry.requests = requests;
        void *buffers = realloc(carry.buffers, (size_t)capacity * sizeof *carry.buffers);
        if (buffers) carry.buffers = buffers;
        void *free_sends = realloc(carry.free_sends, (size_t)capacity * sizeof *carry.free_sends);
        if (free_sends) carry.free_sends = free_sends;
        if (!requests || !buffers || !free_sends) return false;
        carry.send_capacity = capacity;
    }
    int64_t *buffer = malloc((HEAD + MOST_WORDS) * sizeof *buffer);
    if (!buffer) return false;
    carry.requests[carry.send_count] = MPI_REQUEST_NULL;
    carry.buffers[carry.send_count] = buffer;
    carry.free_sends[carry.free_count++] = carry.send_count++;
    return true;
}

// Waits until a send is free; there is room for one at least.
static void find_free_send(void)
{
    if (carry.free_count > 0) return;
    test_sends(MOST_TESTS);
    if (carry.free_count > 0 || add_send()) return;
    // No memory for more: values are small, so that MPI takes them before they are received.
    while (carry.free_count == 0) test_sends(carry.send_count);
}

static int64_t two(uint32_t low, uint32_t high) { return (int64_t)((uint64_t)low | (uint64_t)high << 32); }

// `value`: null if this rank gives nothing.
static void send_value(int to, struct key key, const int64_t *value)
{
    find_free_send();
    if (carry.counts.is_broken) value = NULL;
    const int at = carry.free_sends[--carry.free_count];
    int64_t *words = carry.buffers[at];
    words[0] = two((uint32_t)key.origin, key.serial);
    words[1] = two((uint32_t)key.tag, key.number);
    words[2] = two(carry.epoch, value != NULL);
    if (value) memcpy(words + HEAD, value, carry.words * sizeof *words);
    PMPI_Isend(words, (int)(HEAD + (value ? carry.words : 0)), MPI_INT64_T, to, TAG, carry.comm, &carry.requests[at]);
    ++carry.counts.messages;
}

// --- arriving ---

static bool is_same(struct key a, struct key b)
{
    return a.origin == b.origin && a.serial == b.serial && a.tag == b.tag && a.number == b.number;
}

static bool is_of_released(int from, struct key key)
{
    for (uint32_t at = 0; at < carry.released_count; ++at) {
        if (carry.released[at].peer != from || !is_same(carry.released[at].key, key)) continue;
        carry.released[at] = carry.released[--carry.released_count];
        return true;
    }
    return false;
}

// Takes in one value from that rank, or from any; false: there is none.
static bool arrive(int from)
{
    int is_there = 0, words = 0;
    MPI_Message message;
    MPI_Status status;
    PMPI_Improbe(from, TAG, carry.comm, &is_there, &message, &status);
    if (!is_there) return false;
    PMPI_Get_count(&status, MPI_INT64_T, &words);
    int64_t buffer[HEAD + MOST_WORDS];
    struct parcel *parcel = carry.counts.is_broken ? NULL
                                                   : malloc(sizeof *parcel + carry.words * sizeof *parcel->value);
    PMPI_Mrecv(buffer, words, MPI_INT64_T, &message, MPI_STATUS_IGNORE);
    if (!parcel) {
        break_off();
        return true;
    }
    const bool is_whole = words == (int)(HEAD + carry.words) && (uint32_t)buffer[2] == carry.epoch;
    *parcel = (struct parcel){.key = {.origin = (int32_t)(uint32_t)buffer[0],
                                      .serial = (uint32_t)((uint64_t)buffer[0] >> 32),
                                      .tag = (int32_t)(uint32_t)buffer[1],
                                      .number = (uint32_t)((uint64_t)buffer[1] >> 32)},
                              .is_nothing = !is_whole};
    if (is_of_released(status.MPI_SOURCE, parcel->key)) {
        free(parcel);
        return true;
    }
    if (is_whole) memcpy(parcel->value, buffer + HEAD, carry.words * sizeof *buffer);
    struct parcel **end = &carry.parcels[status.MPI_SOURCE];
    while (*end) end = &(*end)->next;
    *end = parcel;
    return true;
}

// The link to that value in the list of its sender; null: it did not come within that time.
static struct parcel **find_parcel(int from, struct key key, int64_t wait)
{
    struct parcel **at = &carry.parcels[from];
    const int64_t begin = wait > 0 ? lp_now() : 0;
    for (int looks = 0;; ++looks) {
        for (; *at; at = &(*at)->next)
            if (is_same((*at)->key, key)) return at;
        if (carry.counts.is_broken) return NULL;
        if (arrive(from)) continue;
        if (wait == 0 || lp_now() - begin > wait) return NULL;
        if (looks > 100) sched_yield();
    }
}

static void drop(struct parcel **at)
{
    struct parcel *parcel = *at;
    *at = parcel->next;
    free(parcel);
}

static void await_later(int from, struct key key, int64_t *worked)
{
    if (!worked || !lp_make_room(&carry.late, &carry.late_capacity, carry.late_count, sizeof *carry.late, 1u << 30)) {
        free(worked);
        return;
    }
    carry.late[carry.late_count++] = (struct waited){from, key, worked};
}

static void merge_from(int from, struct key key)
{
    struct parcel **parcel = find_parcel(from, key, short_wait);
    if (!parcel) {
        if (!carry.counts.is_broken) await_later(from, key, copied(carry.worked));
        return;
    }
    if (!(*parcel)->is_nothing) merge((*parcel)->value);
    drop(parcel);
}

static void take_late(void)
{
    uint32_t kept = 0;
    for (uint32_t at = 0; at < carry.late_count; ++at) {
        const struct waited late = carry.late[at];
        struct parcel **parcel = find_parcel(late.peer, late.key, 0);
        if (!parcel) {
            carry.late[kept++] = late;
            continue;
        }
        if (!(*parcel)->is_nothing) {
            merge_late((*parcel)->value, late.worked);
            ++carry.counts.late;
        }
        drop(parcel);
        free(late.worked);
    }
    carry.late_count = kept;
}

// --- messages ---

static uint32_t *next_of(struct lp_channels *channels, struct lp_channel_id id)
{
    const uint32_t channel = lp_channel_of(channels, id);
    return channel == LP_NO_CHANNEL ? NULL : &channels->all[channel].next;
}

static struct lp_channel_id channel_of(const struct post *post)
{
    return (struct lp_channel_id){post->peer, post->origin, post->serial, post->tag};
}

static void send_message(struct lp_channel_id to)
{
    uint32_t *next = next_of(&carry.sends, to);
    if (!next) return;
    send_value(to.peer, (struct key){to.origin, to.serial, to.tag, ++*next}, carry.value);
}

// Whether an older open receive could take a message that `post` may take. Only receives of several channels are looked
// at: an older one of a single channel that has no number yet is itself behind one of these.
static bool is_behind_open(const struct post *post)
{
    for (uint32_t at = carry.any_begin; at < carry.any_count && carry.any[at].order < post->order; ++at) {
        const struct open_any *any = &carry.any[at];
        if (!any->is_over && any->origin == post->origin && any->serial == post->serial
            && (any->peer < 0 || any->peer == post->peer) && (any->tag < 0 || any->tag == post->tag))
            return true;
    }
    return false;
}

static bool is_any(const struct post *post) { return post->peer < 0 || post->tag < 0; }

static void set_blocked(struct post *post, bool is_blocked)
{
    carry.blocked_count += is_blocked;
    carry.blocked_count -= post->is_blocked;
    post->is_blocked = is_blocked;
}

static void give_number(struct post *post)
{
    if (post->number > 0 || is_any(post)) return;
    uint32_t *next = is_behind_open(post) ? NULL : next_of(&carry.receives, channel_of(post));
    if (next) post->number = ++*next;
    set_blocked(post, !next);
}

static uint32_t post_receive(struct lp_channel_id from)
{
    if (!lp_make_room(&carry.posts, &carry.post_capacity, carry.post_count, sizeof *carry.posts, 1u << 30)) return 0;
    if (!lp_make_room(&carry.any, &carry.any_capacity, carry.any_count, sizeof *carry.any, 1u << 30)) return 0;
    struct post *post = &carry.posts[carry.post_count++];
    *post = (struct post){.order = ++carry.orders,
                          .peer = from.peer < 0 ? -1 : from.peer,
                          .tag = from.tag < 0 ? -1 : from.tag,
                          .origin = from.origin,
                          .serial = from.serial};
    if (is_any(post))
        carry.any[carry.any_count++] = (struct open_any){post->order,  post->peer,   post->tag,
                                                         post->origin, post->serial, false};
    if (!carry.is_freed) give_number(post);
    // receives before it get their numbers first, when they are settled
    else if (!is_any(post)) set_blocked(post, true);
    return post->order;
}

static struct post *find_post(uint32_t order)
{
    uint32_t low = 0, high = carry.post_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (carry.posts[middle].order < order) low = middle + 1;
        else high = middle;
    }
    return low < carry.post_count && carry.posts[low].order == order ? &carry.posts[low] : NULL;
}

static void any_is_over(uint32_t order)
{
    uint32_t low = carry.any_begin, high = carry.any_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (carry.any[middle].order < order) low = middle + 1;
        else high = middle;
    }
    if (low == carry.any_count || carry.any[low].order != order || carry.any[low].is_over) return;
    carry.any[low].is_over = true;
    carry.is_freed = true;
    ++carry.any_over;
    while (carry.any_begin < carry.any_count && carry.any[carry.any_begin].is_over) ++carry.any_begin;
    if (2 * carry.any_over <= carry.any_count) return;
    uint32_t kept = 0;
    for (uint32_t at = carry.any_begin; at < carry.any_count; ++at)
        if (!carry.any[at].is_over) carry.any[kept++] = carry.any[at];
    carry.any_count = kept;
    carry.any_begin = carry.any_over = 0;
}

// Notes that a receive is no longer open: it is done or cancelled.
static void is_over(const struct post *post)
{
    const uint32_t place = (uint32_t)(post - carry.posts);
    const bool is_first = carry.end_unsettled == 0;
    if (is_first || place < carry.first_unsettled) carry.first_unsettled = place;
    if (place >= carry.end_unsettled) carry.end_unsettled = place + 1;
    if (is_any(post)) any_is_over(post->order);
}

static void receive_message(uint32_t order, int32_t peer, int32_t tag)
{
    struct post *post = find_post(order);
    if (!post) return;
    is_over(post);
    post->peer = peer;
    post->tag = tag;
    post->state = POST_DONE;
}

static void set_gone(struct post *post)
{
    carry.gone_count += post->state != POST_GONE;
    set_blocked(post, false);
    post->state = POST_GONE;
}

// The message that it would have taken goes to a later receive.
static void cancel_receive(uint32_t order)
{
    struct post *post = find_post(order);
    if (!post) return;
    is_over(post);
    set_gone(post);
    if (post->number == 0) return;
    uint32_t *next = next_of(&carry.receives, channel_of(post));
    if (next) --*next;
    for (struct post *at = post + 1; at < carry.posts + carry.post_count; ++at)
        if (at->number > post->number && at->peer == post->peer && at->tag == post->tag && at->origin == post->origin
            && at->serial == post->serial)
            --at->number;
}

// An open receive takes messages of this channel only from now on, and so holds up no other channel's.
static void learn_message(uint32_t order, int32_t peer, int32_t tag)
{
    struct post *post = find_post(order);
    if (!post || post->state != POST_OPEN || !is_any(post)) return;
    is_over(post);
    post->peer = peer;
    post->tag = tag;
    set_blocked(post, true);
}

// Its number stays taken; if it may have taken a message of any of several channels, nobody knows of which.
static void release_receive(uint32_t order, int32_t peer, int32_t tag)
{
    if (peer >= 0 && tag >= 0) learn_message(order, peer, tag);
    struct post *post = find_post(order);
    if (!post) return;
    is_over(post);
    carry.counts.ambiguous += is_any(post);
    if (is_any(post)) set_gone(post);
    else post->state = POST_RELEASED;
}

static void peek_message(struct lp_channel_id from)
{
    const uint32_t *next = next_of(&carry.receives, from);
    if (!next) return;
    struct parcel **parcel = find_parcel(from.peer, (struct key){from.origin, from.serial, from.tag, *next + 1},
                                         short_wait);
    if (!parcel) ++carry.counts.late;
    else if (!(*parcel)->is_nothing) merge((*parcel)->value);
}

static void take_message(struct post *post)
{
    const struct key key = {post->origin, post->serial, post->tag, post->number};
    if (post->worked) await_later(post->peer, key, post->worked);
    else merge_from(post->peer, key);
    post->worked = NULL;
    set_gone(post);
}

// Without memory the value stays where it is.
static void drop_message(struct post *post)
{
    const struct key key = {post->origin, post->serial, post->tag, post->number};
    struct parcel **at = &carry.parcels[post->peer];
    while (*at && !is_same((*at)->key, key)) at = &(*at)->next;
    if (*at) drop(at);
    else if (lp_make_room(&carry.released, &carry.released_capacity, carry.released_count, sizeof *carry.released,
                          1u << 30))
        carry.released[carry.released_count++] = (struct waited){.peer = post->peer, .key = key};
    set_gone(post);
}

static void forget_gone(void)
{
    uint32_t kept = 0;
    for (uint32_t at = 0; at < carry.post_count; ++at)
        if (carry.posts[at].state != POST_GONE) carry.posts[kept++] = carry.posts[at];
    carry.post_count = kept;
    carry.gone_count = 0;
}

static uint32_t end_of_unsettled(void)
{
    return carry.is_freed && carry.blocked_count > 0 ? carry.post_count : carry.end_unsettled;
}

// False: one that is done has none, since an older open receive may have taken its message.
static bool give_numbers(void)
{
    bool have_all = true;
    const uint32_t end = end_of_unsettled();
    for (uint32_t at = carry.first_unsettled; at < end; ++at) {
        struct post *post = &carry.posts[at];
        if (post->state == POST_GONE) continue;
        give_number(post);
        have_all &= post->number > 0 || post->state != POST_DONE || post->is_ambiguous;
    }
    return have_all;
}

// An older receive that could have taken a message has taken one, as messages match receives in order of posting: MPI
// knows which, unless that is still coming.
static void settle_posts(void)
{
    if (!give_numbers()) lp_path_ask();
    const uint32_t end = end_of_unsettled();
    for (uint32_t at = carry.first_unsettled; at < end; ++at) {
        struct post *post = &carry.posts[at];
        if (post->state == POST_GONE) continue;
        give_number(post);
        if (post->state == POST_RELEASED && post->number > 0) drop_message(post);
        if (post->state != POST_DONE) continue;
        if (post->number > 0) {
            take_message(post);
        } else if (!post->is_ambiguous) {
            post->is_ambiguous = true;
            ++carry.counts.ambiguous;
            post->worked = copied(carry.worked);
        }
    }
    carry.first_unsettled = carry.end_unsettled = 0;
    carry.is_freed = false;
    if (2 * carry.gone_count > carry.post_count) forget_gone();
}

static void settle(void)
{
    if (carry.end_unsettled > 0) settle_posts();
    if (carry.late_count > 0) take_late();
    while (carry.counts.is_broken && arrive(MPI_ANY_SOURCE)) {}
}

// --- collective calls ---

static int place_of(const struct lp_joint *joint)
{
    for (int place = 0; place < joint->size; ++place)
        if (joint->members[place] == carry.rank) return place;
    return -1;
}

static bool is_told_directly(const struct lp_joint *joint) { return joint->size <= MOST_DIRECT || !joint->waits; }

// Joins the values of all members in rounds: in each, a rank sends what it has so far to the member 2^round places
// further on.
static void go_around(struct lp_joint *joint, int place)
{
    for (int round = 0, step = 1; step < joint->size; ++round, step *= 2) {
        const struct key key = {joint->origin, joint->serial, AROUND - round, joint->call};
        send_value(joint->members[(place + step) % joint->size], key, joint->value);
        const int from = joint->members[(place - step + joint->size) % joint->size];
        struct parcel **parcel = find_parcel(from, key, long_wait);
        if (!parcel) {
            break_off();
            continue;
        }
        if (!(*parcel)->is_nothing && joint->value) merge_into(joint->value, (*parcel)->value);
        drop(parcel);
    }
}

// Whether the member at place `from` sends its value to the one at `to`.
static bool is_for(const struct lp_joint *joint, int from, int to)
{
    if (from == to) return false;
    switch (joint->joining) {
    case LP_ALL_TO_ALL: return true;
    case LP_ONE_TO_ALL: return from == joint->root;
    case LP_ALL_TO_ONE: return to == joint->root;
    case LP_PREFIX: return from < to;
    }
    return false;
}

static void give_joint(struct lp_joint *joint)
{
    const int place = place_of(joint);
    joint->value = NULL;
    if (place < 0) return;
    if (joint->comm >= carry.comm_count) {
        const uint32_t count = 2 * joint->comm + 16;
        uint32_t *calls = realloc(carry.calls, count * sizeof *calls);
        if (!calls) {
            break_off();
            return;
        }
        memset(calls + carry.comm_count, 0, (count - carry.comm_count) * sizeof *calls);
        carry.calls = calls;
        carry.comm_count = count;
    }
    joint->call = ++carry.calls[joint->comm];
    if (joint->waits) {
        joint->value = joint->gives ? copied(carry.value) : calloc(carry.words, sizeof *joint->value);
        if (!joint->value) break_off();
        return;
    }
    if (!is_told_directly(joint)) return;
    const struct key key = {joint->origin, joint->serial, JOINED, joint->call};
    for (int to = 0; to < joint->size; ++to)
        if (is_for(joint, place, to)) send_value(joint->members[to], key, joint->gives ? carry.value : NULL);
}

static void take_joint(struct lp_joint *joint)
{
    if (joint->waits) {  // all have begun the call now, however late one of them was
        const int place = place_of(joint);
        if (place >= 0) go_around(joint, place);
        if (joint->value) merge(joint->value);
        free(joint->value);
        joint->value = NULL;
        return;
    }
    const int place = place_of(joint);
    if (place < 0 || carry.counts.is_broken) return;
    const struct key key = {joint->origin, joint->serial, JOINED, joint->call};
    for (int from = 0; from < joint->size; ++from)
        if (is_for(joint, from, place)) merge_from(joint->members[from], key);
}

// Joins the values of all ranks of the run, outside of the program's calls.
static void meet(void)
{
    struct lp_joint joint = {.origin = -1, .members = carry.members, .size = carry.size, .value = copied(carry.value)};
    go_around(&joint, carry.rank);
    if (joint.value) merge(joint.value);
    free(joint.value);
}

// --- begin and end ---

static const struct lp_path_carrier carrier = {.work = add_work,
                                               .send = send_message,
                                               .post = post_receive,
                                               .receive = receive_message,
                                               .cancel = cancel_receive,
                                               .release = release_receive,
                                               .learn = learn_message,
                                               .peek = peek_message,
                                               .give = give_joint,
                                               .take = take_joint,
                                               .settle = settle,
                                               .meet = meet};

const struct lp_path_carrier *lp_carrier(void) { return &carrier; }

static void use_lanes(struct lp_lanes lanes)
{
    carry.lanes = lanes;
    carry.words = lp_value_words(lanes);
}

static void free_values(void)
{
    free(carry.value);
    free(carry.worked);
    free(carry.room);
}

bool lp_carry_open(MPI_Comm world, struct lp_lanes lanes, lp_lane_set (*lanes_of)(uint32_t procedure))
{
    PMPI_Comm_dup(world, &carry.comm);
    PMPI_Comm_rank(world, &carry.rank);
    PMPI_Comm_size(world, &carry.size);
    carry.lanes_of = lanes_of;
    carry.parcels = calloc((size_t)carry.size, sizeof *carry.parcels);
    carry.members = calloc((size_t)carry.size, sizeof *carry.members);
    for (int rank = 0; carry.members && rank < carry.size; ++rank) carry.members[rank] = rank;
    carry.value = calloc(MOST_WORDS, sizeof *carry.value);
    carry.worked = calloc(MOST_WORDS, sizeof *carry.worked);
    carry.room = calloc(MOST_WORDS, sizeof *carry.room);
    use_lanes(lanes);
    return carry.value && carry.worked && carry.room && carry.parcels && carry.members && add_send();
}

// Values that are under way now are from before the meeting. They count for nothing, but they still have to be
// received.
void lp_carry_follow(struct lp_lanes lanes, const int64_t *value)
{
    use_lanes(lanes);
    memset(carry.worked, 0, carry.words * sizeof *carry.worked);
    memcpy(carry.value, value, carry.words * sizeof *value);
    ++carry.epoch;
    for (int rank = 0; rank < carry.size; ++rank)
        for (struct parcel *parcel = carry.parcels[rank]; parcel; parcel = parcel->next) parcel->is_nothing = true;
    for (uint32_t at = 0; at < carry.late_count; ++at) free(carry.late[at].worked);
    carry.late_count = 0;
    for (uint32_t at = 0; at < carry.post_count; ++at) {
        struct post *post = &carry.posts[at];
        if (!post->worked) continue;
        free(post->worked);
        post->worked = calloc(carry.words, sizeof *post->worked);
    }
}

const int64_t *lp_carried(void) { return carry.value; }

struct lp_carry_counts lp_carry_counts(void) { return carry.counts; }

static void free_channels(struct lp_channels *channels)
{
    free(channels->all);
    free(channels->slots);
}

void lp_carry_close(void)
{
    // What was not received is still on its way. Once the sends of all ranks are complete, all of it has come.
    MPI_Request barrier = MPI_REQUEST_NULL;
    for (int is_done = 0; !is_done;) {
        while (arrive(MPI_ANY_SOURCE)) {}
        if (barrier == MPI_REQUEST_NULL) {
            int are_sent = 1;
            for (int at = 0; at < carry.send_count && are_sent; ++at)
                PMPI_Test(&carry.requests[at], &are_sent, MPI_STATUS_IGNORE);
            if (are_sent) PMPI_Ibarrier(carry.comm, &barrier);
        } else {
            PMPI_Test(&barrier, &is_done, MPI_STATUS_IGNORE);
        }
    }
    while (arrive(MPI_ANY_SOURCE)) {}
    for (int rank = 0; rank < carry.size; ++rank)
        while (carry.parcels[rank]) drop(&carry.parcels[rank]);
    free(carry.parcels);
    free(carry.members);
    for (int at = 0; at < carry.send_count; ++at) free(carry.buffers[at]);
    free(carry.requests);
    free(carry.buffers);
    free(carry.free_sends);
    for (uint32_t at = 0; at < carry.post_count; ++at) free(carry.posts[at].worked);
    free(carry.posts);
    free(carry.any);
    for (uint32_t at = 0; at < carry.late_count; ++at) free(carry.late[at].worked);
    free(carry.late);
    free(carry.released);
    free(carry.calls);
    free_channels(&carry.sends);
    free_channels(&carry.receives);
    free_values();
    PMPI_Comm_free(&carry.comm);
}
