// SPDX-License-Identifier: GPL-3.0-or-later
// The longest path of all ranks in a batch: whose it is, and what work of each rank lies on it.
#define _GNU_SOURCE
#include "recorder/online/meetstate.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 8192 };  // words in one call of MPI

void lp_meet_merge(void *in, void *in_out, int *count, MPI_Datatype *type)
{
    (void)type;
    const size_t words = lp_meet_words() + 1;
    for (int at = 0; at < *count; ++at) {
        const int64_t *other = (const int64_t *)in + (size_t)at * words;
        int64_t *value = (int64_t *)in_out + (size_t)at * words;
        const bool is_first = other[0] == value[0] && other[words - 1] < value[words - 1];
        if (is_first) memcpy(value, other, (1 + lp_meet.lanes.count) * sizeof *value);
        if (lp_value_merge(lp_meet.lanes, value, other) || is_first) value[words - 1] = other[words - 1];
    }
}

// Whether the work that was found on the way back is as long as the path is, and its parts are those of the lanes.
// `whole`: length and shares of the batch.
static bool is_traced_whole(const struct lp_replay *replay, const int64_t *whole)
{
    int64_t parts[1 + LP_MOST_LANES] = {0};
    uint32_t count = 0;
    const int64_t *profile = lp_replay_profile(replay, &count);
    for (uint32_t procedure = 0; procedure < count; ++procedure) parts[0] += profile[procedure];
    memcpy(parts + 1, lp_replay_parts(replay), lp_meet.lanes.count * sizeof *parts);
    const int of_lanes = 1 + (int)lp_meet.lanes.count;
    PMPI_Allreduce(MPI_IN_PLACE, parts, of_lanes, MPI_INT64_T, MPI_SUM, lp_meet.world);
    return memcmp(parts, whole, (size_t)of_lanes * sizeof *parts) == 0;
}

bool lp_meet_find_longest(struct lp_replay *replay)
{
    const uint32_t segments = lp_replay_segments(replay);
    const size_t words = lp_meet_words() + 1;
    int64_t *values = malloc((size_t)segments * words * sizeof *values + 8);
    int32_t *winners = malloc((size_t)segments * sizeof *winners + 8);
    int64_t has_room = values && winners;
    PMPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT64_T, MPI_MIN, lp_meet.world);
    if (has_room) {
        for (uint32_t at = 0; at < segments; ++at) {
            memcpy(values + at * words, lp_replay_values(replay) + at * (words - 1), (words - 1) * sizeof *values);
            values[at * words + words - 1] = lp_meet.rank;
        }
        const uint32_t piece = (uint32_t)(PIECE / words) + 1;
        for (uint32_t at = 0; at < segments; at += piece) {
            const uint32_t count = segments - at < piece ? segments - at : piece;
            PMPI_Allreduce(MPI_IN_PLACE, values + at * words, (int)count, lp_meet.value, lp_meet.merge, lp_meet.world);
        }
        int64_t whole[1 + LP_MOST_LANES] = {0};
        for (uint32_t at = 0; at < segments; ++at) {
            winners[at] = (int32_t)values[at * words + words - 1];
            for (size_t word = 0; word + 1 < words; ++word) lp_meet.total[word] += values[at * words + word];
            for (size_t word = 0; word <= lp_meet.lanes.count; ++word) whole[word] += values[at * words + word];
        }
        lp_replay_trace(replay, winners);
        lp_meet_run_rounds(replay);
        lp_meet.mistraced += !is_traced_whole(replay, whole);
    }
    free(values);
    free(winners);
    return has_room != 0;
}

void lp_meet_add_profile(struct lp_replay *replay)
{
    uint32_t count = 0;
    const int64_t *profile = lp_replay_profile(replay, &count);
    if (count > lp_meet.profile_count) {
        int64_t *larger = realloc(lp_meet.profile, count * sizeof *larger);
        if (!larger) {
            ++lp_meet.unkept;
            return;
        }
        memset(larger + lp_meet.profile_count, 0, (count - lp_meet.profile_count) * sizeof *larger);
        lp_meet.profile = larger;
        lp_meet.profile_count = count;
    }
    for (uint32_t at = 0; at < count; ++at) {
        lp_meet.profile[at] += profile[at];
        lp_meet.on_path += profile[at];
    }
}
