// SPDX-License-Identifier: GPL-3.0-or-later
// A segment (the steps between two meetings) runs until it needs a value that has not come; it goes on when the value
// arrives. So nobody waits in a circle, as the program itself did not.
#include "recorder/replay/pathreplaystate.h"

#include <stdlib.h>
#include <string.h>

// --- buffers ---

int64_t *lp_replay_append(struct lp_replay *replay, int to, size_t count)
{
    struct lp_words *out = &replay->out[to];
    if (out->count + count > out->capacity) {
        const size_t capacity = 2 * (out->count + count + 32);
        int64_t *words = realloc(out->words, capacity * sizeof *words);
        if (!words) {
            replay->has_failed = true;
            return NULL;
        }
        out->words = words;
        out->capacity = capacity;
    }
    if (out->count == 0) replay->outgoing[replay->outgoing_count++] = to;
    int64_t *at = out->words + out->count;
    out->count += count;
    return at;
}

// --- what a segment waits for ---

static void let_run(struct lp_replay *replay, struct lp_arrival *arrival)
{
    while (arrival->waiter) {
        const uint32_t waiter = arrival->waiter - 1;
        arrival->waiter = replay->segments[waiter].next;
        replay->runnable[replay->runnable_count++] = waiter;
    }
}

static int64_t *kept_value(struct lp_replay *replay, const int64_t *value)
{
    int64_t *kept = replay->spare;
    if (kept) memcpy(&replay->spare, kept, sizeof replay->spare);
    else kept = lp_arena_take(&replay->room->arena, replay->value_words, sizeof *value);
    if (kept) memcpy(kept, value, replay->value_words * sizeof *value);
    else replay->has_failed = true;
    return kept;
}

static void return_value(struct lp_replay *replay, int64_t *value)
{
    if (!value) return;
    memcpy(value, &replay->spare, sizeof replay->spare);
    replay->spare = value;
}

// `value`: null if it counts for nothing.
static void arrive(struct lp_replay *replay, struct lp_arrival *arrival, const int64_t *value, uint32_t segment,
                   int32_t winner)
{
    if (arrival->is_there) return;
    if (value) arrival->value = kept_value(replay, value);
    arrival->segment = segment;
    arrival->winner = winner;
    arrival->is_there = true;
    let_run(replay, arrival);
}

void lp_join_arrives(struct lp_replay *replay, struct lp_joint_call id, const int64_t *value, uint32_t segment,
                     int32_t winner)
{
    struct lp_path_log *log = replay->log;
    struct lp_arrival *arrival = lp_replay_arrival_of_call(replay, id);
    if (arrival) arrive(replay, arrival, value, segment, winner);
    else if (lp_make_room(&log->early, &log->early_capacity, log->early_count, sizeof *log->early, 1u << 28))
        log->early[log->early_count++] = id;
    else replay->has_failed = true;
}

// --- a segment ---

static void send(struct lp_replay *replay, uint32_t channel, uint32_t number, uint32_t segment, const int64_t *value)
{
    const struct lp_channel_id id = replay->log->sends.all[channel].id;
    if (id.peer < 0 || id.peer >= replay->log->ranks) return;
    if (!replay->log->sends.all[channel].is_named) {
        int64_t *at = lp_replay_append(replay, id.peer, 3);
        if (!at) return;
        at[0] = LP_CHANNEL | ((int64_t)channel << 8);
        at[1] = lp_two((uint32_t)id.origin, id.serial);
        at[2] = id.tag;
        replay->log->sends.all[channel].is_named = true;
    }
    int64_t *at = lp_replay_append(replay, id.peer, 2 + replay->value_words);
    if (!at) return;
    at[0] = LP_VALUE | ((int64_t)channel << 8);
    at[1] = lp_two(number, segment);
    memcpy(at + 2, value, replay->value_words * sizeof *value);
}

// Takes the value that a step needs. False: it has not come, and the segment is noted as waiting for it.
static bool take(struct lp_replay *replay, struct lp_step *step, struct lp_arrival *arrival, uint32_t at,
                 int64_t *value)
{
    step->work = 0;
    if (!arrival) return true;  // nobody sends a value for this step
    if (!arrival->is_there) {
        replay->segments[at].next = arrival->waiter;
        arrival->waiter = at + 1;
        return false;
    }
    const uint32_t segment = replay->log->segment + at;
    replay->ahead += arrival->value && arrival->segment > segment;
    const bool counts = arrival->value && arrival->segment == segment;
    const bool is_longer = counts && lp_value_merge(replay->lanes, value, arrival->value);
    step->work = is_longer ? (int64_t)arrival->winner + 1 : 0;  // the rank whose path goes on here
    if (arrival->uses > 1) {
        --arrival->uses;
        return true;
    }
    return_value(replay, arrival->value);
    arrival->value = NULL;
    return true;
}

static void run(struct lp_replay *replay, uint32_t at)
{
    struct lp_replay_segment *segment = &replay->segments[at];
    struct lp_path_log *log = replay->log;
    int64_t *value = replay->values + (size_t)at * replay->value_words;
    for (; segment->at < segment->end; ++segment->at) {
        struct lp_step *step = &log->steps[segment->at];
        const uint32_t of = step->what >> 4;
        struct lp_arrival *arrival = NULL;
        switch ((enum lp_step_kind)(step->what & 15)) {
        case LP_STEP_WORK:
            lp_value_add(replay->lanes, value, lp_replay_context_of(replay, of).lanes, step->work);
            break;
        case LP_STEP_SEND: send(replay, of, step->number, log->segment + at, value); break;
        case LP_STEP_RECEIVE: {
            const struct lp_post *post = lp_log_post_of(log, step->number);
            if (post) arrival = lp_replay_arrival_on(replay, of, post->number - 1);
            if (arrival) arrival->winner = log->receives.all[of].id.peer;
            if (!take(replay, step, arrival, at, value)) return;
            break;
        }
        case LP_STEP_GIVE: lp_replay_give(replay, of, step, log->segment + at, value); break;
        case LP_STEP_TAKE:
            arrival = lp_replay_arrival_of_call(replay, (struct lp_joint_call){of, step->number});
            if (!take(replay, step, arrival, at, value)) return;
            break;
        case LP_STEP_MEET: break;
        }
    }
    segment->is_done = true;
    --replay->left;
}

bool lp_replay_run(struct lp_replay *replay)
{
    for (;;) {
        while (replay->runnable_count > 0) run(replay, replay->runnable[--replay->runnable_count]);
        struct lp_words *own = &replay->out[replay->rank];
        if (own->count == 0) return replay->left == 0;
        const struct lp_words taken = *own;
        *own = replay->room->own;
        own->count = 0;
        for (int at = 0; at < replay->outgoing_count; ++at)
            if (replay->outgoing[at] == replay->rank) replay->outgoing[at] = replay->outgoing[--replay->outgoing_count];
        lp_replay_input(replay, replay->rank, taken.words, taken.count * sizeof *taken.words);
        replay->room->own = taken;
    }
}

static uint32_t give_up(struct lp_replay *replay, struct lp_arrival *arrival)
{
    if (!arrival->waiter) return 0;
    arrive(replay, arrival, NULL, 0, -1);
    return 1;
}

uint32_t lp_replay_give_up(struct lp_replay *replay)
{
    uint32_t count = 0;
    for (uint32_t channel = 0; channel < replay->arrival_channels; ++channel)
        for (uint32_t at = 0; at < replay->arrivals[channel].count; ++at)
            count += give_up(replay, &replay->arrivals[channel].all[at]);
    for (uint32_t at = 0; at < replay->taken_count; ++at) count += give_up(replay, &replay->taken[at].arrival);
    return count;
}

bool lp_replay_output(struct lp_replay *replay, int *to, const void **bytes, size_t *size)
{
    if (replay->outgoing_count == 0) return false;
    *to = replay->outgoing[--replay->outgoing_count];
    struct lp_words *sending = &replay->room->sending;
    const struct lp_words taken = replay->out[*to];
    replay->out[*to] = *sending;
    replay->out[*to].count = 0;
    *sending = taken;
    *bytes = taken.words;
    *size = taken.count * sizeof *taken.words;
    return true;
}

// --- what arrives ---

// This rank's channel for a channel number of the sender; null: no memory, or the sender has never told what the number
// stands for.
static struct lp_channel *channel_from(struct lp_replay *replay, int from, uint32_t remote)
{
    const struct lp_path_log *log = replay->log;
    if (remote >= log->peer_counts[from] || log->peers[from][remote] == 0) return NULL;
    return &log->receives.all[log->peers[from][remote] - 1];
}

static void name_channel(struct lp_replay *replay, int from, uint32_t remote, const int64_t *words)
{
    struct lp_path_log *log = replay->log;
    const uint32_t channel = lp_channel_of(&log->receives,
                                           (struct lp_channel_id){from, (int32_t)lp_high_of(words[1]),
                                                                  lp_low_of(words[1]), (int32_t)words[2]});
    uint32_t capacity = log->peer_counts[from];
    while (channel != LP_NO_CHANNEL && capacity <= remote) {
        if (!lp_make_room(&log->peers[from], &capacity, capacity, sizeof *log->peers[from], 1u << 28)) break;
        memset(log->peers[from] + log->peer_counts[from], 0,
               (capacity - log->peer_counts[from]) * sizeof *log->peers[from]);
        log->peer_counts[from] = capacity;
    }
    if (channel == LP_NO_CHANNEL || capacity <= remote) {
        replay->has_failed = true;
        return;
    }
    log->peers[from][remote] = channel + 1;
    log->receives.all[channel].remote = remote;
}

static void take_value(struct lp_replay *replay, int from, const int64_t *words)
{
    struct lp_channel *channel = channel_from(replay, from, (uint32_t)(words[0] >> 8));
    if (!channel) return;
    const uint32_t number = lp_high_of(words[1]);
    if (channel->seen <= number) channel->seen = number + 1;  // a later segment may have sent first
    struct lp_arrival *arrival = lp_replay_arrival_on(replay, (uint32_t)(channel - replay->log->receives.all), number);
    if (arrival) arrive(replay, arrival, words + 2, lp_low_of(words[1]), from);
}

void lp_replay_input(struct lp_replay *replay, int from, const void *bytes, size_t size)
{
    const int64_t *words = bytes, *end = words + size / sizeof *words;
    while (words < end) {
        switch ((enum lp_word_kind)(*words & 0xff)) {
        case LP_CHANNEL:
            name_channel(replay, from, (uint32_t)(words[0] >> 8), words);
            words += 3;
            break;
        case LP_VALUE:
            take_value(replay, from, words);
            words += 2 + replay->value_words;
            break;
        case LP_GIVEN:
            lp_replay_take_given(replay, words);
            words += 5 + replay->value_words;
            break;
        case LP_RESULT:
            lp_replay_take_result(replay, words);
            words += 5 + replay->value_words;
            break;
        case LP_SENT_TOKEN:
            lp_replay_take_token(replay, words);
            words += 2;
            break;
        case LP_GIVEN_TOKEN:
            lp_replay_take_token(replay, words);
            words += 3;
            break;
        }
    }
}

// --- begin and end ---

static struct lp_replay_room *room_of(struct lp_path_log *log)
{
    if (log->room) return log->room;
    struct lp_replay_room *room = calloc(1, sizeof *room);
    if (!room) return NULL;
    room->ranks = log->ranks;
    room->out = calloc((size_t)log->ranks, sizeof *room->out);
    if (room->out) return log->room = room;
    free(room);
    return NULL;
}

struct lp_replay *lp_replay_begin(struct lp_path_log *log, int rank, struct lp_lanes lanes, const lp_lane_set *lanes_of,
                                  uint32_t procedures)
{
    struct lp_replay_room *room = room_of(log);
    struct lp_replay *replay = room ? lp_arena_take(&room->arena, 1, sizeof *replay) : NULL;
    if (!replay) return NULL;
    replay->log = log;
    replay->room = room;
    replay->rank = rank;
    replay->lanes = lanes;
    replay->value_words = lp_value_words(lanes);
    replay->lanes_of = lanes_of;
    replay->procedures = procedures;
    replay->out = room->out;
    lp_log_number(log);
    replay->outgoing = lp_arena_take(&room->arena, (size_t)log->ranks, sizeof *replay->outgoing);
    replay->joined = lp_arena_take(&room->arena, replay->value_words, sizeof *replay->joined);
    replay->told = lp_arena_take(&room->arena, replay->value_words, sizeof *replay->told);
    replay->nothing = lp_arena_take(&room->arena, replay->value_words, sizeof *replay->nothing);
    if (replay->outgoing && replay->joined && replay->told && replay->nothing && lp_replay_index(replay)
        && lp_replay_fit_hosted(replay))
        return replay;
    lp_replay_end(replay);
    return NULL;
}

// Keeps a buffer that may be needed again, as long as the kept buffers for all ranks together are no larger than the
// arena of a batch.
static void keep_room(struct lp_words *words, size_t *kept)
{
    words->count = 0;
    const size_t bytes = words->capacity * sizeof *words->words;
    if (bytes <= LP_ARENA_KEPT - *kept) {
        *kept += bytes;
        return;
    }
    free(words->words);
    *words = (struct lp_words){0};
}

void lp_replay_end(struct lp_replay *replay)
{
    struct lp_path_log *log = replay->log;
    struct lp_replay_room *room = replay->room;
    size_t kept = 0;
    keep_room(&room->sending, &kept);
    keep_room(&room->own, &kept);
    for (int rank = 0; rank < room->ranks; ++rank) keep_room(&room->out[rank], &kept);
    free(replay->profile);
    lp_arena_empty(&room->arena);  // the replay itself lies in the arena
    lp_log_empty(log);
}

uint32_t lp_replay_segments(const struct lp_replay *replay) { return replay->segment_count; }
int64_t *lp_replay_values(struct lp_replay *replay) { return replay->values; }
uint64_t lp_replay_ahead(const struct lp_replay *replay) { return replay->ahead; }
bool lp_replay_has_failed(const struct lp_replay *replay) { return replay->has_failed; }
void lp_replay_fail(struct lp_replay *replay) { replay->has_failed = true; }

void lp_replay_forget(struct lp_path_log *log)
{
    lp_replay_forget_hosted(log);
    struct lp_replay_room *room = log->room;
    if (!room) return;
    for (int rank = 0; rank < room->ranks; ++rank) free(room->out[rank].words);
    free(room->out);
    free(room->sending.words);
    free(room->own.words);
    lp_arena_close(&room->arena);
    free(room);
    log->room = NULL;
}
