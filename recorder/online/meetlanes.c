// SPDX-License-Identifier: GPL-3.0-or-later
// Procedures by name, and which of them are followed: each has a lane of the values.
#define _GNU_SOURCE
#include "recorder/online/meetstate.h"

#include "recorder/format/calls.h"
#include "recorder/online/carry.h"
#include "recorder/online/pathcalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_LANES (~(lp_lane_set)0)

static const char *const call_names[] = {
#define LP_ROW(name, class, kind) "MPI_" #name,
    LP_CALLS(LP_ROW)
#undef LP_ROW
};

void lp_name_procedure(uint32_t procedure, char *name, size_t room)
{
    if (procedure >= LP_PAIR_PROCEDURES) {
        static const char *const parts[LP_REGION_PARTS] = {"", "before ", "after "};
        const uint32_t region = procedure - LP_PAIR_PROCEDURES;
        const int length = snprintf(name, room, "%s", parts[region % LP_REGION_PARTS]);
        lp_region_name(region / LP_REGION_PARTS, name + length, room - (size_t)length);
        return;
    }
    const uint32_t before = (procedure - 1) / 512, after = (procedure - 1) % 512;
    snprintf(name, room, "%s to %s", before < LP_CALL_COUNT ? call_names[before] : "?",
             after < LP_CALL_COUNT ? call_names[after] : "?");
}

void lp_meet_follow(const char *names, char separator, bool has_nets, int64_t now)
{
    char *text = strdup(names), *rest = text, *lane_names[LP_MOST_LANES];
    struct lp_lanes lanes = {.has_nets = has_nets, .factor = lp_config()->factor};
    const char separators[] = {separator, 0};
    for (char *name; text && (name = strsep(&rest, separators));) {
        while (*name == ' ') ++name;
        if (*name && lanes.count < LP_MOST_LANES && (lane_names[lanes.count] = strdup(name)) != NULL) ++lanes.count;
    }
    free(text);
    int64_t *total = calloc(lp_value_words(lanes), sizeof *total);
    // All ranks must have the same lanes, or none any: the length of a value depends on it.
    int64_t agreed[3] = {total != NULL, lanes.count, -(int64_t)lanes.count};
    PMPI_Allreduce(MPI_IN_PLACE, agreed, 3, MPI_INT64_T, MPI_MIN, lp_meet.world);
    if (agreed[0] == 0 || agreed[1] != -agreed[2]) {
        for (uint32_t lane = 0; lane < lanes.count; ++lane) free(lane_names[lane]);
        free(total);
        return;
    }
    int64_t since[LP_MOST_LANES];
    if (lp_meet.total) total[0] = lp_meet.total[0];
    else lp_meet.lanes.count = 0;
    for (uint32_t lane = 0; lane < lanes.count; ++lane) {
        since[lane] = now;
        int64_t net = total[0] * lanes.factor.denominator;
        for (uint32_t old = 0; old < lp_meet.lanes.count; ++old) {
            if (strcmp(lp_meet.lane_names[old], lane_names[lane]) != 0) continue;
            total[1 + lane] = lp_meet.total[1 + old];
            if (!lp_meet.lanes.has_nets) continue;
            since[lane] = lp_meet.lane_since[old];
            net = lp_meet.total[1 + lp_meet.lanes.count + old];
        }
        if (has_nets) total[1 + lanes.count + lane] = net;
    }
    for (uint32_t lane = 0; lane < lp_meet.lanes.count; ++lane) free(lp_meet.lane_names[lane]);
    memcpy(lp_meet.lane_names, lane_names, lanes.count * sizeof *lane_names);
    memcpy(lp_meet.lane_since, since, lanes.count * sizeof *since);
    if (lp_meet.lanes_of) memset(lp_meet.lanes_of, 0xff, lp_meet.lanes_of_count * sizeof *lp_meet.lanes_of);
    free(lp_meet.total);
    lp_meet.total = total;
    lp_meet.lanes = lanes;
    ++lp_meet.lane_changes;
    if (lp_meet.has_value) PMPI_Type_free(&lp_meet.value);
    lp_meet.has_value = true;
    PMPI_Type_contiguous((int)lp_meet_words() + 1, MPI_INT64_T, &lp_meet.value);
    PMPI_Type_commit(&lp_meet.value);
    if (lp_path_carries()) lp_carry_follow(lanes, total);
    lp_path_lanes_changed();
}

static bool make_lanes(uint32_t most)
{
    if (most <= lp_meet.lanes_of_count) return true;
    lp_lane_set *lanes = realloc(lp_meet.lanes_of, most * sizeof *lanes);
    if (!lanes) return false;
    memset(lanes + lp_meet.lanes_of_count, 0xff, (most - lp_meet.lanes_of_count) * sizeof *lanes);
    lp_meet.lanes_of = lanes;
    lp_meet.lanes_of_count = most;
    return true;
}

static lp_lane_set find_lanes_of(uint32_t procedure)
{
    if (lp_meet.lanes_of[procedure] != UNKNOWN_LANES) return lp_meet.lanes_of[procedure];
    if (lp_meet.lanes.count == 0) return lp_meet.lanes_of[procedure] = 0;
    char name[1100];
    lp_name_procedure(procedure, name, sizeof name);
    lp_lane_set lanes = 0;
    for (uint32_t lane = 1; lane <= lp_meet.lanes.count; ++lane)
        if (strcmp(lp_meet.lane_names[lane - 1], name) == 0) lanes = lp_set_of_lane(lane);
    return lp_meet.lanes_of[procedure] = lanes;
}

bool lp_meet_find_lanes(void)
{
    uint32_t most = 0;
    for (uint32_t at = 0; at < lp_path.all_slots; ++at)
        if (lp_path.all[at].procedure >= most) most = lp_path.all[at].procedure + 1;
    if (!make_lanes(most)) return false;
    for (uint32_t at = 0; at < lp_path.all_slots; ++at)
        if (lp_path.all[at].procedure) find_lanes_of(lp_path.all[at].procedure);
    return true;
}

lp_lane_set lp_meet_lanes_of(uint32_t procedure)
{
    const uint32_t room = 2 * procedure;  // so that it grows seldom
    return make_lanes(procedure < lp_meet.lanes_of_count ? 0 : room) ? find_lanes_of(procedure) : 0;
}

uint32_t lp_meet_lane_of(uint32_t procedure)
{
    const lp_lane_set lanes = lp_meet_lanes_of(procedure);
    return lanes ? 1 + (uint32_t)__builtin_ctzll(lanes) : 0;
}
