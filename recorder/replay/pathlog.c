// SPDX-License-Identifier: GPL-3.0-or-later
// Steps in one array, channels in hash tables of their own for each direction, receives in order of posting.
#include "recorder/replay/pathlog.h"

#include <stdlib.h>
#include <string.h>

bool lp_make_room(void *array, uint32_t *capacity, uint32_t count, size_t size, uint32_t most)
{
    if (count < *capacity) return true;
    uint64_t larger = *capacity ? 2 * (uint64_t)*capacity : 64;
    if (larger > most) larger = most;
    if (larger <= count) return false;
    void **items = array;
    void *moved = realloc(*items, (size_t)larger * size);
    if (!moved) return false;
    *items = moved;
    *capacity = (uint32_t)larger;
    return true;
}

bool lp_log_open(struct lp_path_log *log, int ranks, uint32_t most)
{
    *log = (struct lp_path_log){.ranks = ranks, .most = most, .most_direct = 64};
    log->peers = calloc((size_t)ranks, sizeof *log->peers);
    log->peer_counts = calloc((size_t)ranks, sizeof *log->peer_counts);
    if (log->peers && log->peer_counts) return true;
    lp_log_close(log);
    return false;
}

void lp_log_spill_to(struct lp_path_log *log, const char *folder, uint64_t most_bytes)
{
    log->spilled_steps = log->spilled_posts = (struct lp_spill){.folder = folder, .most = most_bytes};
}

void lp_log_close(struct lp_path_log *log)
{
    lp_spill_return(&log->spilled_steps, &log->steps, &log->capacity, 0, sizeof *log->steps);
    lp_spill_return(&log->spilled_posts, &log->posts, &log->post_capacity, 0, sizeof *log->posts);
    for (uint32_t at = 0; at < log->comm_count; ++at)
        if (!log->comms[at].shares_members) free(log->comms[at].members);
    for (int rank = 0; log->peers && rank < log->ranks; ++rank) free(log->peers[rank]);
    free(log->steps);
    free(log->sends.all);
    free(log->sends.slots);
    free(log->receives.all);
    free(log->receives.slots);
    free(log->posts);
    free(log->comms);
    free(log->comm_slots);
    free(log->contexts);
    free(log->context_slots);
    free(log->early);
    free(log->peers);
    free(log->peer_counts);
    *log = (struct lp_path_log){0};
}

// Room for one more item, in memory or in the file.
static bool make_room(struct lp_spill *spill, void *array, uint32_t *capacity, uint32_t count, size_t size,
                      uint32_t most)
{
    return count < *capacity || (!spill->is_used && lp_make_room(array, capacity, count, size, most))
           || lp_spill_grow(spill, array, capacity, count, size);
}

static bool has_room_for_step(struct lp_path_log *log)
{
    return make_room(&log->spilled_steps, &log->steps, &log->capacity, log->count, sizeof *log->steps, log->most);
}

static bool has_room_for_post(struct lp_path_log *log)
{
    return make_room(&log->spilled_posts, &log->posts, &log->post_capacity, log->post_count, sizeof *log->posts,
                     log->most);
}

static bool put(struct lp_path_log *log, enum lp_step_kind kind, uint32_t of, uint32_t number, int64_t work)
{
    if (log->is_full) return false;
    if (of >= 1u << 28 || !has_room_for_step(log)) {
        log->is_full = true;
        return false;
    }
    log->steps[log->count++] = (struct lp_step){(of << 4) | kind, number, work};
    return true;
}

// --- channels ---

static uint32_t hash(struct lp_channel_id id)
{
    uint64_t mixed = (uint32_t)id.peer * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (uint32_t)id.tag) * 0xff51afd7ed558ccdu;
    mixed = (mixed ^ (((uint64_t)(uint32_t)id.origin << 32) | id.serial)) * 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(mixed >> 32);
}

static bool is_same(struct lp_channel_id a, struct lp_channel_id b)
{
    return a.peer == b.peer && a.origin == b.origin && a.serial == b.serial && a.tag == b.tag;
}

static bool rehash(struct lp_channels *channels)
{
    const uint32_t count = channels->slot_count ? 2 * channels->slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    for (uint32_t at = 0; at < channels->count; ++at) {
        uint32_t slot = hash(channels->all[at].id) & (count - 1);
        while (slots[slot]) slot = (slot + 1) & (count - 1);
        slots[slot] = at + 1;
    }
    free(channels->slots);
    channels->slots = slots;
    channels->slot_count = count;
    return true;
}

uint32_t lp_channel_of(struct lp_channels *channels, struct lp_channel_id id)
{
    if (channels->count && is_same(channels->all[channels->last].id, id)) return channels->last;
    if (2 * channels->count >= channels->slot_count && !rehash(channels)) return LP_NO_CHANNEL;
    uint32_t slot = hash(id) & (channels->slot_count - 1);
    while (channels->slots[slot] && !is_same(channels->all[channels->slots[slot] - 1].id, id))
        slot = (slot + 1) & (channels->slot_count - 1);
    if (!channels->slots[slot]) {
        if (!lp_make_room(&channels->all, &channels->capacity, channels->count, sizeof *channels->all, 1u << 28))
            return LP_NO_CHANNEL;
        channels->all[channels->count] = (struct lp_channel){.id = id};
        channels->slots[slot] = ++channels->count;
    }
    return channels->last = channels->slots[slot] - 1;
}

// --- what happens ---

void lp_log_work(struct lp_path_log *log, uint32_t procedure, int64_t ns)
{
    if (ns <= 0) return;
    struct lp_step *last = log->count ? &log->steps[log->count - 1] : NULL;
    if (last && last->what == ((procedure << 4) | LP_STEP_WORK) && !log->is_full) last->work += ns;
    else put(log, LP_STEP_WORK, procedure, 0, ns);
}

static uint32_t *slot_of_context(const struct lp_path_log *log, uint32_t procedure, lp_lane_set lanes)
{
    const uint32_t mask = log->context_slot_count - 1;
    uint32_t slot = hash((struct lp_channel_id){(int32_t)procedure, (int32_t)(lanes >> 32), (uint32_t)lanes, 0}) & mask;
    for (; log->context_slots[slot]; slot = (slot + 1) & mask) {
        const struct lp_path_context *context = &log->contexts[log->context_slots[slot] - 1];
        if (context->procedure == procedure && context->lanes == lanes) break;
    }
    return &log->context_slots[slot];
}

static bool has_slot_for_context(struct lp_path_log *log)
{
    if (2 * log->context_count < log->context_slot_count) return true;
    const uint32_t count = log->context_slot_count ? 2 * log->context_slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    free(log->context_slots);
    log->context_slots = slots;
    log->context_slot_count = count;
    for (uint32_t at = 0; at < log->context_count; ++at)
        *slot_of_context(log, log->contexts[at].procedure, log->contexts[at].lanes) = at + 1;
    return true;
}

uint32_t lp_log_context(struct lp_path_log *log, uint32_t procedure, lp_lane_set lanes)
{
    if (!has_slot_for_context(log)
        || !lp_make_room(&log->contexts, &log->context_capacity, log->context_count, sizeof *log->contexts,
                         LP_CONTEXT)) {
        log->is_full = true;
        return procedure;
    }
    uint32_t *slot = slot_of_context(log, procedure, lanes);
    if (*slot == 0) {
        log->contexts[log->context_count] = (struct lp_path_context){procedure, lanes};
        *slot = ++log->context_count;
    }
    return LP_CONTEXT | (*slot - 1);
}

void lp_log_send(struct lp_path_log *log, struct lp_channel_id to)
{
    const uint32_t channel = lp_channel_of(&log->sends, to);
    if (channel == LP_NO_CHANNEL) log->is_full = true;
    else put(log, LP_STEP_SEND, channel, log->sends.all[channel].next++, 0);
}

uint32_t lp_log_post(struct lp_path_log *log, struct lp_channel_id from)
{
    const uint32_t order = log->orders++;
    const bool is_any = from.peer < 0 || from.tag < 0;
    const uint32_t channel = is_any ? LP_NO_CHANNEL : lp_channel_of(&log->receives, from);
    if ((!is_any && channel == LP_NO_CHANNEL) || !has_room_for_post(log)) log->is_full = true;
    else
        log->posts[log->post_count++] = (struct lp_post){
            .order = order, .channel = channel, .origin = from.origin, .serial = from.serial, .state = LP_POST_OPEN};
    return order;
}

const struct lp_post *lp_log_post_of(const struct lp_path_log *log, uint32_t order)
{
    // Receives that were posted since the log begins stand at the place of their order.
    if (log->carried < log->post_count && order >= log->posts[log->carried].order) {
        const uint32_t at = log->carried + (order - log->posts[log->carried].order);
        if (at < log->post_count && log->posts[at].order == order) return &log->posts[at];
    }
    uint32_t first = 0, last = log->post_count;
    while (first < last) {
        const uint32_t middle = first + (last - first) / 2;
        if (log->posts[middle].order < order) first = middle + 1;
        else last = middle;
    }
    return first < log->post_count && log->posts[first].order == order ? &log->posts[first] : NULL;
}

static struct lp_post *open_post(struct lp_path_log *log, uint32_t order)
{
    struct lp_post *post = (struct lp_post *)lp_log_post_of(log, order);
    return post && post->state == LP_POST_OPEN ? post : NULL;
}

void lp_log_receive(struct lp_path_log *log, uint32_t order, int32_t peer, int32_t tag)
{
    struct lp_post *post = open_post(log, order);
    if (!post) return;
    const uint32_t channel = lp_channel_of(&log->receives,
                                           (struct lp_channel_id){peer, post->origin, post->serial, tag});
    post->state = LP_POST_DONE;
    if (channel == LP_NO_CHANNEL) log->is_full = true;
    else put(log, LP_STEP_RECEIVE, channel, order, 0);
    post->channel = channel;
}

void lp_log_cancel(struct lp_path_log *log, uint32_t order)
{
    struct lp_post *post = open_post(log, order);
    if (post) post->state = LP_POST_CANCELLED;
}

void lp_log_learn(struct lp_path_log *log, uint32_t order, int32_t peer, int32_t tag)
{
    struct lp_post *post = open_post(log, order);
    if (!post || post->channel != LP_NO_CHANNEL) return;
    post->channel = lp_channel_of(&log->receives, (struct lp_channel_id){peer, post->origin, post->serial, tag});
    log->is_full |= post->channel == LP_NO_CHANNEL;
}

bool lp_log_has_open_any(const struct lp_path_log *log)
{
    for (uint32_t at = 0; at < log->post_count; ++at)
        if (log->posts[at].state == LP_POST_OPEN && log->posts[at].channel == LP_NO_CHANNEL) return true;
    return false;
}

// Its place on the channel stays taken, so that it is numbered as if it had been received.
void lp_log_release(struct lp_path_log *log, uint32_t order, int32_t peer, int32_t tag)
{
    if (peer >= 0 && tag >= 0) lp_log_learn(log, order, peer, tag);
    struct lp_post *post = open_post(log, order);
    if (!post) return;
    log->ambiguous += post->channel == LP_NO_CHANNEL;
    post->state = post->channel == LP_NO_CHANNEL ? LP_POST_CANCELLED : LP_POST_RELEASED;
}

void lp_log_peek(struct lp_path_log *log, struct lp_channel_id from)
{
    const uint32_t order = lp_log_post(log, from);
    struct lp_post *post = open_post(log, order);
    if (!post) return;
    post->state = LP_POST_PEEKED;
    put(log, LP_STEP_RECEIVE, post->channel, order, 0);
}

// The meeting is counted even if there is no room for its step, since all ranks must count meetings alike.
void lp_log_meet(struct lp_path_log *log)
{
    put(log, LP_STEP_MEET, 0, 0, 0);
    ++log->meetings;
}

// --- collective calls of some ranks ---

static uint32_t *slot_of_comm(const struct lp_path_log *log, int32_t origin, uint32_t serial)
{
    uint32_t slot = hash((struct lp_channel_id){0, origin, serial, 0}) & (log->comm_slot_count - 1);
    for (; log->comm_slots[slot]; slot = (slot + 1) & (log->comm_slot_count - 1)) {
        const struct lp_path_comm *comm = &log->comms[log->comm_slots[slot] - 1];
        if (comm->origin == origin && comm->serial == serial) break;
    }
    return &log->comm_slots[slot];
}

static bool has_slot_for_comm(struct lp_path_log *log)
{
    if (2 * log->comm_count < log->comm_slot_count) return true;
    const uint32_t count = log->comm_slot_count ? 2 * log->comm_slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    free(log->comm_slots);
    log->comm_slots = slots;
    log->comm_slot_count = count;
    for (uint32_t at = 0; at < log->comm_count; ++at)
        *slot_of_comm(log, log->comms[at].origin, log->comms[at].serial) = at + 1;
    return true;
}

static bool has_members_of_first(const struct lp_path_log *log, int size, const int32_t *members)
{
    return log->comm_count > 0 && log->comms[0].size == size
           && memcmp(log->comms[0].members, members, (size_t)size * sizeof *members) == 0;
}

uint32_t lp_log_comm(struct lp_path_log *log, int32_t origin, uint32_t serial, int size, int place,
                     const int32_t *members)
{
    const bool shares = has_members_of_first(log, size, members);
    int32_t *copy = shares ? log->comms[0].members : malloc((size_t)size * sizeof *copy);
    if (!copy || !has_slot_for_comm(log)
        || !lp_make_room(&log->comms, &log->comm_capacity, log->comm_count, sizeof *log->comms, 1u << 28)) {
        if (!shares) free(copy);
        log->is_full = true;
        return LP_NO_COMM;
    }
    if (!shares) memcpy(copy, members, (size_t)size * sizeof *copy);
    *slot_of_comm(log, origin, serial) = log->comm_count + 1;
    log->comms[log->comm_count] = (struct lp_path_comm){origin, serial, size, place, copy, shares, 0};
    return log->comm_count++;
}

const struct lp_path_comm *lp_log_comm_of(const struct lp_path_log *log, int32_t origin, uint32_t serial,
                                          uint32_t *number)
{
    const uint32_t found = log->comm_slot_count ? *slot_of_comm(log, origin, serial) : 0;
    if (!found) return NULL;
    *number = found - 1;
    return &log->comms[found - 1];
}

uint32_t lp_log_give(struct lp_path_log *log, uint32_t comm, enum lp_joining joining, int root, bool gives)
{
    struct lp_path_comm *known = &log->comms[comm];
    const uint32_t call = known->calls++;
    if (known->size > 1 && (joining != LP_ONE_TO_ALL || known->place == root))
        put(log, LP_STEP_GIVE, comm, call, (int64_t)joining | ((int64_t)root << 8) | (gives ? 0 : LP_GIVES_NOTHING));
    return call;
}

void lp_log_take(struct lp_path_log *log, uint32_t comm, uint32_t call, enum lp_joining joining, int root)
{
    const struct lp_path_comm *known = &log->comms[comm];
    const bool takes = joining == LP_ALL_TO_ONE   ? known->place == root
                       : joining == LP_ONE_TO_ALL ? known->place != root
                       : joining == LP_PREFIX     ? known->place != 0
                                                  : true;
    if (known->size > 1 && takes) put(log, LP_STEP_TAKE, comm, call, (int64_t)joining | ((int64_t)root << 8));
}

// --- at a meeting ---

// Receives match in order of posting. An open receive that takes messages of several channels is taken to have matched
// nothing so far. If it turns out later that it did match, receives that were posted after it but completed before it
// were given the values of wrong messages: their numbers are moved. Only receives that were there when the log began
// have numbers already.
void lp_log_number(struct lp_path_log *log)
{
    for (uint32_t at = 0; at < log->carried; ++at)
        if (log->posts[at].channel != LP_NO_CHANNEL && log->posts[at].number > 0)
            ++log->receives.all[log->posts[at].channel].behind;
    for (uint32_t at = 0; at < log->post_count; ++at) {
        struct lp_post *post = &log->posts[at];
        if (post->channel == LP_NO_CHANNEL) continue;
        struct lp_channel *channel = &log->receives.all[post->channel];
        const bool had_number = post->number > 0;
        if (had_number) {
            --channel->behind;
            post->number += (uint32_t)channel->shift;
        }
        if (post->state == LP_POST_CANCELLED) {
            channel->shift -= had_number;
            channel->next -= had_number;
        } else if (!had_number) {
            log->ambiguous += post->order < channel->newest;
            post->number = ++channel->next - channel->behind;
            if (post->state == LP_POST_PEEKED) --channel->next;
            else ++channel->shift;
        }
    }
    for (uint32_t at = 0; at < log->post_count; ++at)
        if (log->posts[at].channel != LP_NO_CHANNEL) log->receives.all[log->posts[at].channel].shift = 0;
}

void lp_log_empty(struct lp_path_log *log)
{
    uint32_t kept = 0;
    bool is_behind_open = false;  // an older receive may still take a message of its channel
    for (uint32_t at = 0; at < log->post_count; ++at) {
        const struct lp_post *post = &log->posts[at];
        is_behind_open |= post->state == LP_POST_OPEN && post->channel == LP_NO_CHANNEL;
        const bool is_kept = post->state == LP_POST_OPEN || (post->state == LP_POST_RELEASED && is_behind_open);
        const bool had_message = post->state == LP_POST_DONE || post->state == LP_POST_PEEKED
                                 || post->state == LP_POST_RELEASED;
        if (!is_kept && post->channel != LP_NO_CHANNEL && had_message
            && log->receives.all[post->channel].newest < post->order)
            log->receives.all[post->channel].newest = post->order;
        if (is_kept) log->posts[kept++] = *post;
    }
    lp_spill_return(&log->spilled_posts, &log->posts, &log->post_capacity, kept, sizeof *log->posts);
    lp_spill_return(&log->spilled_steps, &log->steps, &log->capacity, 0, sizeof *log->steps);
    log->post_count = log->carried = kept;
    log->segment += log->meetings;
    log->meetings = log->count = log->context_count = 0;
    if (log->context_slots) memset(log->context_slots, 0, log->context_slot_count * sizeof *log->context_slots);
    log->is_full = false;
}
