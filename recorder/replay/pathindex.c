// SPDX-License-Identifier: GPL-3.0-or-later
// Where the steps of a batch are, found before it is replayed: its segments, what each channel was sent, the collective
// calls, and the receives whose values have yet to come.
#include "recorder/replay/pathreplaystate.h"

#include <stdlib.h>

static int compare_taken(const void *a, const void *b)
{
    return lp_compare_ids(((const struct lp_taken *)a)->id, ((const struct lp_taken *)b)->id);
}

static int compare_given(const void *a, const void *b)
{
    return lp_compare_ids(((const struct lp_position *)a)->id, ((const struct lp_position *)b)->id);
}

struct lp_arrival *lp_replay_arrival_on(struct lp_replay *replay, uint32_t channel, uint32_t number)
{
    if (channel >= replay->arrival_channels) return NULL;
    struct lp_channel_arrivals *on = &replay->arrivals[channel];
    return number >= on->first && number - on->first < on->count ? &on->all[number - on->first] : NULL;
}

struct lp_arrival *lp_replay_arrival_of_call(struct lp_replay *replay, struct lp_joint_call id)
{
    const struct lp_taken key = {.id = id};
    struct lp_taken *found = replay->taken_count
                                 ? bsearch(&key, replay->taken, replay->taken_count, sizeof key, compare_taken)
                                 : NULL;
    return found ? &found->arrival : NULL;
}

bool lp_replay_step_of_send(const struct lp_replay *replay, uint32_t channel, uint32_t number, uint32_t *step)
{
    if (channel >= replay->sent_channels || number < replay->sent_number[channel]) return false;
    const uint32_t at = replay->sent_first[channel] + (number - replay->sent_number[channel]);
    if (at >= replay->sent_first[channel + 1]) return false;
    *step = replay->sent_at[at];
    return true;
}

bool lp_replay_step_of_give(const struct lp_replay *replay, struct lp_joint_call id, uint32_t *step)
{
    const struct lp_position key = {.id = id};
    const struct lp_position *found = replay->given_count
                                          ? bsearch(&key, replay->given, replay->given_count, sizeof key, compare_given)
                                          : NULL;
    if (found) *step = found->step;
    return found != NULL;
}

static void *taken_room(struct lp_replay *replay, size_t count, size_t size)
{
    return lp_arena_take(&replay->room->arena, count, size);
}

static bool find_segments(struct lp_replay *replay)
{
    const struct lp_path_log *log = replay->log;
    const uint32_t count = log->meetings;
    replay->segments = taken_room(replay, count + 1, sizeof *replay->segments);
    replay->values = taken_room(replay, (size_t)count * replay->value_words + 1, sizeof *replay->values);
    replay->runnable = taken_room(replay, count + 1, sizeof *replay->runnable);
    if (!replay->segments || !replay->values || !replay->runnable) return false;
    uint32_t begin = 0;
    for (uint32_t at = 0; at < log->count; ++at) {
        if ((log->steps[at].what & 15) != LP_STEP_MEET) continue;
        replay->segments[replay->segment_count++] = (struct lp_replay_segment){.begin = begin, .end = at, .at = begin};
        begin = at + 1;
    }
    replay->left = replay->segment_count;
    for (uint32_t at = replay->segment_count; at > 0; --at) replay->runnable[replay->runnable_count++] = at - 1;
    return true;
}

static bool find_sent(struct lp_replay *replay)
{
    const struct lp_path_log *log = replay->log;
    const uint32_t channels = replay->sent_channels = log->sends.count;
    replay->sent_first = taken_room(replay, channels + 2, sizeof *replay->sent_first);
    replay->sent_number = taken_room(replay, channels + 1, sizeof *replay->sent_number);
    if (!replay->sent_first || !replay->sent_number) return false;
    uint32_t *next = replay->sent_first + 1;  // shifted by one, so that after filling each entry is a begin
    uint32_t sum = 0;
    for (uint32_t at = 0; at < log->count; ++at)
        if ((log->steps[at].what & 15) == LP_STEP_SEND) ++next[log->steps[at].what >> 4];
    for (uint32_t channel = 0; channel < channels; ++channel) {
        const uint32_t count = next[channel];
        replay->sent_number[channel] = log->sends.all[channel].next - count;
        next[channel] = sum;
        sum += count;
    }
    replay->sent_at = taken_room(replay, sum + 1, sizeof *replay->sent_at);
    if (!replay->sent_at) return false;
    for (uint32_t at = 0; at < log->count; ++at)
        if ((log->steps[at].what & 15) == LP_STEP_SEND) replay->sent_at[next[log->steps[at].what >> 4]++] = at;
    return true;
}

static bool is_early(const struct lp_path_log *log, struct lp_joint_call id)
{
    for (uint32_t at = 0; at < log->early_count; ++at)
        if (lp_compare_ids(log->early[at], id) == 0) return true;
    return false;
}

static bool find_calls(struct lp_replay *replay)
{
    struct lp_path_log *log = replay->log;
    uint32_t gives = 0, takes = 0;
    for (uint32_t at = 0; at < log->count; ++at) {
        gives += (log->steps[at].what & 15) == LP_STEP_GIVE;
        takes += (log->steps[at].what & 15) == LP_STEP_TAKE;
    }
    replay->given = taken_room(replay, gives + 1, sizeof *replay->given);
    replay->taken = taken_room(replay, takes + 1, sizeof *replay->taken);
    if (!replay->given || !replay->taken) return false;
    for (uint32_t at = 0; at < log->count; ++at) {
        const struct lp_joint_call id = {log->steps[at].what >> 4, log->steps[at].number};
        if ((log->steps[at].what & 15) == LP_STEP_GIVE)
            replay->given[replay->given_count++] = (struct lp_position){id, at};
        if ((log->steps[at].what & 15) == LP_STEP_TAKE)
            replay->taken[replay->taken_count++] = (struct lp_taken){.id = id, .arrival.is_there = is_early(log, id)};
    }
    qsort(replay->given, replay->given_count, sizeof *replay->given, compare_given);
    qsort(replay->taken, replay->taken_count, sizeof *replay->taken, compare_taken);
    uint32_t kept = 0;
    for (uint32_t at = 0; at < log->early_count; ++at)
        if (!lp_replay_arrival_of_call(replay, log->early[at])) log->early[kept++] = log->early[at];
    log->early_count = kept;
    return true;
}

// Finds receives whose values came in an earlier batch: these count for nothing now.
static bool find_received(struct lp_replay *replay)
{
    const struct lp_path_log *log = replay->log;
    replay->arrival_channels = log->receives.count;
    replay->arrivals = taken_room(replay, replay->arrival_channels + 1, sizeof *replay->arrivals);
    if (!replay->arrivals) return false;
    for (uint32_t at = 0; at < log->count; ++at) {
        if ((log->steps[at].what & 15) != LP_STEP_RECEIVE) continue;
        const struct lp_post *post = lp_log_post_of(log, log->steps[at].number);
        if (!post || post->number == 0) continue;
        struct lp_channel_arrivals *on = &replay->arrivals[log->steps[at].what >> 4];
        const uint32_t number = post->number - 1;
        if (on->count == 0) {
            on->first = number;
            on->count = 1;
        } else if (number < on->first) {
            on->count += on->first - number;
            on->first = number;
        } else if (number - on->first >= on->count) {
            on->count = number - on->first + 1;
        }
    }
    for (uint32_t channel = 0; channel < replay->arrival_channels; ++channel) {
        struct lp_channel_arrivals *on = &replay->arrivals[channel];
        if (on->count == 0) continue;
        on->all = taken_room(replay, on->count, sizeof *on->all);
        if (!on->all) return false;
        const uint32_t seen = log->receives.all[channel].seen;
        for (uint32_t at = 0; at < on->count; ++at) on->all[at].is_there = on->first + at < seen;
    }
    for (uint32_t at = 0; at < log->count; ++at) {
        if ((log->steps[at].what & 15) != LP_STEP_RECEIVE) continue;
        const struct lp_post *post = lp_log_post_of(log, log->steps[at].number);
        if (post && post->number > 0) ++lp_replay_arrival_on(replay, log->steps[at].what >> 4, post->number - 1)->uses;
    }
    return true;
}

bool lp_replay_index(struct lp_replay *replay)
{
    return find_segments(replay) && find_sent(replay) && find_calls(replay) && find_received(replay);
}
