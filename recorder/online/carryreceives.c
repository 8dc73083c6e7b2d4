// SPDX-License-Identifier: GPL-3.0-or-later
// Messages match receives in order of posting on each channel (sender, communicator, tag). Sender and receiver number
// them alike, so a receive looks for the value with its own number, and a value can be sent without waiting for its
// receiver. A receive has no number yet while an older open one could still take its message. Then its value comes
// late, like one that is still under way: it is merged with the work that this rank did since.
#define _GNU_SOURCE
#include "recorder/online/carrystate.h"

#include <stdlib.h>

static uint32_t *next_of(struct lp_channels *channels, struct lp_channel_id id)
{
    const uint32_t channel = lp_channel_of(channels, id);
    return channel == LP_NO_CHANNEL ? NULL : &channels->all[channel].next;
}

static struct lp_channel_id channel_of(const struct lp_receive *post)
{
    return (struct lp_channel_id){post->peer, post->origin, post->serial, post->tag};
}

void lp_carry_send(struct lp_channel_id to)
{
    uint32_t *next = next_of(&lp_carry.sends, to);
    if (!next) return;
    lp_carry_send_value(to.peer, (struct lp_carry_key){to.origin, to.serial, to.tag, ++*next}, lp_carry.value);
}

// Whether an older open receive could take a message that `post` may take. Only receives of several channels are looked
// at: an older one of a single channel that has no number yet is itself behind one of these.
static bool is_behind_open(const struct lp_receive *post)
{
    for (uint32_t at = lp_carry.any_begin; at < lp_carry.any_count && lp_carry.any[at].order < post->order; ++at) {
        const struct lp_open_any *any = &lp_carry.any[at];
        if (!any->is_over && any->origin == post->origin && any->serial == post->serial
            && (any->peer < 0 || any->peer == post->peer) && (any->tag < 0 || any->tag == post->tag))
            return true;
    }
    return false;
}

static bool is_any(const struct lp_receive *post) { return post->peer < 0 || post->tag < 0; }

static void set_blocked(struct lp_receive *post, bool is_blocked)
{
    lp_carry.blocked_count += is_blocked;
    lp_carry.blocked_count -= post->is_blocked;
    post->is_blocked = is_blocked;
}

static void give_number(struct lp_receive *post)
{
    if (post->number > 0 || is_any(post)) return;
    uint32_t *next = is_behind_open(post) ? NULL : next_of(&lp_carry.receives, channel_of(post));
    if (next) post->number = ++*next;
    set_blocked(post, !next);
}

uint32_t lp_carry_post(struct lp_channel_id from)
{
    if (!lp_make_room(&lp_carry.posts, &lp_carry.post_capacity, lp_carry.post_count, sizeof *lp_carry.posts, 1u << 30))
        return 0;
    if (!lp_make_room(&lp_carry.any, &lp_carry.any_capacity, lp_carry.any_count, sizeof *lp_carry.any, 1u << 30))
        return 0;
    struct lp_receive *post = &lp_carry.posts[lp_carry.post_count++];
    *post = (struct lp_receive){.order = ++lp_carry.orders,
                                .peer = from.peer < 0 ? -1 : from.peer,
                                .tag = from.tag < 0 ? -1 : from.tag,
                                .origin = from.origin,
                                .serial = from.serial};
    if (is_any(post))
        lp_carry.any[lp_carry.any_count++] = (struct lp_open_any){post->order,  post->peer,   post->tag,
                                                                  post->origin, post->serial, false};
    if (!lp_carry.is_freed) give_number(post);
    // receives before it get their numbers first, when they are settled
    else if (!is_any(post)) set_blocked(post, true);
    return post->order;
}

static struct lp_receive *find_post(uint32_t order)
{
    uint32_t low = 0, high = lp_carry.post_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (lp_carry.posts[middle].order < order) low = middle + 1;
        else high = middle;
    }
    return low < lp_carry.post_count && lp_carry.posts[low].order == order ? &lp_carry.posts[low] : NULL;
}

static void any_is_over(uint32_t order)
{
    uint32_t low = lp_carry.any_begin, high = lp_carry.any_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (lp_carry.any[middle].order < order) low = middle + 1;
        else high = middle;
    }
    if (low == lp_carry.any_count || lp_carry.any[low].order != order || lp_carry.any[low].is_over) return;
    lp_carry.any[low].is_over = true;
    lp_carry.is_freed = true;
    ++lp_carry.any_over;
    while (lp_carry.any_begin < lp_carry.any_count && lp_carry.any[lp_carry.any_begin].is_over) ++lp_carry.any_begin;
    if (2 * lp_carry.any_over <= lp_carry.any_count) return;
    uint32_t kept = 0;
    for (uint32_t at = lp_carry.any_begin; at < lp_carry.any_count; ++at)
        if (!lp_carry.any[at].is_over) lp_carry.any[kept++] = lp_carry.any[at];
    lp_carry.any_count = kept;
    lp_carry.any_begin = lp_carry.any_over = 0;
}

// Notes that a receive is no longer open: it is done or cancelled.
static void is_over(const struct lp_receive *post)
{
    const uint32_t place = (uint32_t)(post - lp_carry.posts);
    const bool is_first = lp_carry.end_unsettled == 0;
    if (is_first || place < lp_carry.first_unsettled) lp_carry.first_unsettled = place;
    if (place >= lp_carry.end_unsettled) lp_carry.end_unsettled = place + 1;
    if (is_any(post)) any_is_over(post->order);
}

void lp_carry_receive(uint32_t order, int32_t peer, int32_t tag)
{
    struct lp_receive *post = find_post(order);
    if (!post) return;
    is_over(post);
    post->peer = peer;
    post->tag = tag;
    post->state = LP_RECEIVE_DONE;
}

static void set_gone(struct lp_receive *post)
{
    lp_carry.gone_count += post->state != LP_RECEIVE_GONE;
    set_blocked(post, false);
    post->state = LP_RECEIVE_GONE;
}

// The message that it would have taken goes to a later receive.
void lp_carry_cancel(uint32_t order)
{
    struct lp_receive *post = find_post(order);
    if (!post) return;
    is_over(post);
    set_gone(post);
    if (post->number == 0) return;
    uint32_t *next = next_of(&lp_carry.receives, channel_of(post));
    if (next) --*next;
    for (struct lp_receive *at = post + 1; at < lp_carry.posts + lp_carry.post_count; ++at)
        if (at->number > post->number && at->peer == post->peer && at->tag == post->tag && at->origin == post->origin
            && at->serial == post->serial)
            --at->number;
}

// An open receive takes messages of this channel only from now on, and so holds up no other channel's.
void lp_carry_learn(uint32_t order, int32_t peer, int32_t tag)
{
    struct lp_receive *post = find_post(order);
    if (!post || post->state != LP_RECEIVE_OPEN || !is_any(post)) return;
    is_over(post);
    post->peer = peer;
    post->tag = tag;
    set_blocked(post, true);
}

// Its number stays taken; if it may have taken a message of any of several channels, nobody knows of which.
void lp_carry_release(uint32_t order, int32_t peer, int32_t tag)
{
    if (peer >= 0 && tag >= 0) lp_carry_learn(order, peer, tag);
    struct lp_receive *post = find_post(order);
    if (!post) return;
    is_over(post);
    lp_carry.counts.ambiguous += is_any(post);
    if (is_any(post)) set_gone(post);
    else post->state = LP_RECEIVE_RELEASED;
}

void lp_carry_peek(struct lp_channel_id from)
{
    const uint32_t *next = next_of(&lp_carry.receives, from);
    if (!next) return;
    struct lp_parcel **parcel = lp_carry_find(from.peer,
                                              (struct lp_carry_key){from.origin, from.serial, from.tag, *next + 1},
                                              LP_SHORT_WAIT);
    if (!parcel) ++lp_carry.counts.late;
    else if (!(*parcel)->is_nothing) lp_carry_merge((*parcel)->value);
}

static void take_message(struct lp_receive *post)
{
    const struct lp_carry_key key = {post->origin, post->serial, post->tag, post->number};
    if (post->worked) lp_carry_await(post->peer, key, post->worked);
    else lp_carry_merge_from(post->peer, key);
    post->worked = NULL;
    set_gone(post);
}

// Without memory the value stays where it is.
static void drop_message(struct lp_receive *post)
{
    const struct lp_carry_key key = {post->origin, post->serial, post->tag, post->number};
    struct lp_parcel **at = &lp_carry.parcels[post->peer];
    while (*at && !lp_is_same_key((*at)->key, key)) at = &(*at)->next;
    if (*at) lp_carry_drop(at);
    else if (lp_make_room(&lp_carry.released, &lp_carry.released_capacity, lp_carry.released_count,
                          sizeof *lp_carry.released, 1u << 30))
        lp_carry.released[lp_carry.released_count++] = (struct lp_waited){.peer = post->peer, .key = key};
    set_gone(post);
}

static void forget_gone(void)
{
    uint32_t kept = 0;
    for (uint32_t at = 0; at < lp_carry.post_count; ++at)
        if (lp_carry.posts[at].state != LP_RECEIVE_GONE) lp_carry.posts[kept++] = lp_carry.posts[at];
    lp_carry.post_count = kept;
    lp_carry.gone_count = 0;
}

static uint32_t end_of_unsettled(void)
{
    return lp_carry.is_freed && lp_carry.blocked_count > 0 ? lp_carry.post_count : lp_carry.end_unsettled;
}

// False: one that is done has none, since an older open receive may have taken its message.
static bool give_numbers(void)
{
    bool have_all = true;
    const uint32_t end = end_of_unsettled();
    for (uint32_t at = lp_carry.first_unsettled; at < end; ++at) {
        struct lp_receive *post = &lp_carry.posts[at];
        if (post->state == LP_RECEIVE_GONE) continue;
        give_number(post);
        have_all &= post->number > 0 || post->state != LP_RECEIVE_DONE || post->is_ambiguous;
    }
    return have_all;
}

// An older receive that could have taken a message has taken one, as messages match receives in order of posting: MPI
// knows which, unless that is still coming.
static void settle_posts(void)
{
    if (!give_numbers()) lp_path_ask();
    const uint32_t end = end_of_unsettled();
    for (uint32_t at = lp_carry.first_unsettled; at < end; ++at) {
        struct lp_receive *post = &lp_carry.posts[at];
        if (post->state == LP_RECEIVE_GONE) continue;
        give_number(post);
        if (post->state == LP_RECEIVE_RELEASED && post->number > 0) drop_message(post);
        if (post->state != LP_RECEIVE_DONE) continue;
        if (post->number > 0) {
            take_message(post);
        } else if (!post->is_ambiguous) {
            post->is_ambiguous = true;
            ++lp_carry.counts.ambiguous;
            post->worked = lp_carry_copied(lp_carry.worked);
        }
    }
    lp_carry.first_unsettled = lp_carry.end_unsettled = 0;
    lp_carry.is_freed = false;
    if (2 * lp_carry.gone_count > lp_carry.post_count) forget_gone();
}

void lp_carry_settle(void)
{
    if (lp_carry.end_unsettled > 0) settle_posts();
    if (lp_carry.late_count > 0) lp_carry_take_late();
    while (lp_carry.counts.is_broken && lp_carry_arrive(MPI_ANY_SOURCE)) {}
}
