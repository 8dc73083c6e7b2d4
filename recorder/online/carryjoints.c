// SPDX-License-Identifier: GPL-3.0-or-later
// Collective calls join the values of their members: directly, or in rounds where nobody goes on before all have begun.
#define _GNU_SOURCE
#include "recorder/online/carrystate.h"

#include <stdlib.h>
#include <string.h>

enum { JOINED = -2, AROUND = -64, MOST_DIRECT = 256 };
static const int64_t long_wait = 60000000000;  // ns

static int place_of(const struct lp_joint *joint)
{
    for (int place = 0; place < joint->size; ++place)
        if (joint->members[place] == lp_carry.rank) return place;
    return -1;
}

static bool is_told_directly(const struct lp_joint *joint) { return joint->size <= MOST_DIRECT || !joint->waits; }

// Joins the values of all members in rounds: in each, a rank sends what it has so far to the member 2^round places
// further on.
static void go_around(struct lp_joint *joint, int place)
{
    for (int round = 0, step = 1; step < joint->size; ++round, step *= 2) {
        const struct lp_carry_key key = {joint->origin, joint->serial, AROUND - round, joint->call};
        lp_carry_send_value(joint->members[(place + step) % joint->size], key, joint->value);
        const int from = joint->members[(place - step + joint->size) % joint->size];
        struct lp_parcel **parcel = lp_carry_find(from, key, long_wait);
        if (!parcel) {
            lp_carry_break_off();
            continue;
        }
        if (!(*parcel)->is_nothing && joint->value) lp_carry_merge_into(joint->value, (*parcel)->value);
        lp_carry_drop(parcel);
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

void lp_carry_give(struct lp_joint *joint)
{
    const int place = place_of(joint);
    joint->value = NULL;
    if (place < 0) return;
    if (joint->comm >= lp_carry.comm_count) {
        const uint32_t count = 2 * joint->comm + 16;
        uint32_t *calls = realloc(lp_carry.calls, count * sizeof *calls);
        if (!calls) {
            lp_carry_break_off();
            return;
        }
        memset(calls + lp_carry.comm_count, 0, (count - lp_carry.comm_count) * sizeof *calls);
        lp_carry.calls = calls;
        lp_carry.comm_count = count;
    }
    joint->call = ++lp_carry.calls[joint->comm];
    if (joint->waits) {
        joint->value = joint->gives ? lp_carry_copied(lp_carry.value) : calloc(lp_carry.words, sizeof *joint->value);
        if (!joint->value) lp_carry_break_off();
        return;
    }
    if (!is_told_directly(joint)) return;
    const struct lp_carry_key key = {joint->origin, joint->serial, JOINED, joint->call};
    for (int to = 0; to < joint->size; ++to)
        if (is_for(joint, place, to))
            lp_carry_send_value(joint->members[to], key, joint->gives ? lp_carry.value : NULL);
}

void lp_carry_take(struct lp_joint *joint)
{
    if (joint->waits) {  // all have begun the call now, however late one of them was
        const int place = place_of(joint);
        if (place >= 0) go_around(joint, place);
        if (joint->value) lp_carry_merge(joint->value);
        free(joint->value);
        joint->value = NULL;
        return;
    }
    const int place = place_of(joint);
    if (place < 0 || lp_carry.counts.is_broken) return;
    const struct lp_carry_key key = {joint->origin, joint->serial, JOINED, joint->call};
    for (int from = 0; from < joint->size; ++from)
        if (is_for(joint, from, place)) lp_carry_merge_from(joint->members[from], key);
}

// Joins the values of all ranks of the run, outside of the program's calls.
void lp_carry_meet(void)
{
    struct lp_joint joint = {.origin = -1,
                             .members = lp_carry.members,
                             .size = lp_carry.size,
                             .value = lp_carry_copied(lp_carry.value)};
    go_around(&joint, lp_carry.rank);
    if (joint.value) lp_carry_merge(joint.value);
    free(joint.value);
}
