// SPDX-License-Identifier: GPL-3.0-or-later
// This rank's value: the longest path up to here, to which its work is added and others' values are merged; and the
// carrier of it.
#define _GNU_SOURCE
#include "recorder/online/carry.h"

#include "recorder/online/carrystate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lp_carry lp_carry;

// --- values ---

static void add_work(uint32_t procedure, lp_lane_set callers, int64_t ns)
{
    const lp_lane_set in = lp_carry.lanes_of(procedure) | callers;
    lp_value_add(lp_carry.lanes, lp_carry.value, in, ns);
    lp_value_add(lp_carry.lanes, lp_carry.worked, in, ns);
}

// Counts where two paths are equally long and not the same: another carrier may keep the other one.
void lp_carry_merge_into(int64_t *value, const int64_t *other)
{
    lp_carry.counts.ties += other[0] == value[0]
                            && memcmp(value + 1, other + 1, lp_carry.lanes.count * sizeof *value) != 0;
    lp_value_merge(lp_carry.lanes, value, other);
}

void lp_carry_break_off(void)
{
    if (lp_carry.counts.is_broken) return;
    lp_carry.counts.is_broken = true;
    ++lp_carry.counts.late;
    fprintf(stderr,
            "longpole: rank %d: no memory for the path, or a part of it did not come: it is too short from here on\n",
            lp_carry.rank);
}

int64_t *lp_carry_copied(const int64_t *value)
{
    int64_t *copy = malloc(lp_carry.words * sizeof *copy);
    if (copy) memcpy(copy, value, lp_carry.words * sizeof *copy);
    else lp_carry_break_off();
    return copy;
}

// --- begin and end ---

static const struct lp_path_carrier carrier = {.work = add_work,
                                               .send = lp_carry_send,
                                               .post = lp_carry_post,
                                               .receive = lp_carry_receive,
                                               .cancel = lp_carry_cancel,
                                               .release = lp_carry_release,
                                               .learn = lp_carry_learn,
                                               .peek = lp_carry_peek,
                                               .give = lp_carry_give,
                                               .take = lp_carry_take,
                                               .settle = lp_carry_settle,
                                               .meet = lp_carry_meet};

const struct lp_path_carrier *lp_carrier(void) { return &carrier; }

static void use_lanes(struct lp_lanes lanes)
{
    lp_carry.lanes = lanes;
    lp_carry.words = lp_value_words(lanes);
}

static void free_values(void)
{
    free(lp_carry.value);
    free(lp_carry.worked);
    free(lp_carry.room);
}

bool lp_carry_open(MPI_Comm world, struct lp_lanes lanes, lp_lane_set (*lanes_of)(uint32_t procedure))
{
    PMPI_Comm_dup(world, &lp_carry.comm);
    PMPI_Comm_rank(world, &lp_carry.rank);
    PMPI_Comm_size(world, &lp_carry.size);
    lp_carry.lanes_of = lanes_of;
    lp_carry.parcels = calloc((size_t)lp_carry.size, sizeof *lp_carry.parcels);
    lp_carry.members = calloc((size_t)lp_carry.size, sizeof *lp_carry.members);
    for (int rank = 0; lp_carry.members && rank < lp_carry.size; ++rank) lp_carry.members[rank] = rank;
    lp_carry.value = calloc(LP_MOST_WORDS, sizeof *lp_carry.value);
    lp_carry.worked = calloc(LP_MOST_WORDS, sizeof *lp_carry.worked);
    lp_carry.room = calloc(LP_MOST_WORDS, sizeof *lp_carry.room);
    use_lanes(lanes);
    return lp_carry.value && lp_carry.worked && lp_carry.room && lp_carry.parcels && lp_carry.members
           && lp_carry_add_send();
}

// Values that are under way now are from before the meeting. They count for nothing, but they still have to be
// received.
void lp_carry_follow(struct lp_lanes lanes, const int64_t *value)
{
    use_lanes(lanes);
    memset(lp_carry.worked, 0, lp_carry.words * sizeof *lp_carry.worked);
    memcpy(lp_carry.value, value, lp_carry.words * sizeof *value);
    ++lp_carry.epoch;
    for (int rank = 0; rank < lp_carry.size; ++rank)
        for (struct lp_parcel *parcel = lp_carry.parcels[rank]; parcel; parcel = parcel->next)
            parcel->is_nothing = true;
    for (uint32_t at = 0; at < lp_carry.late_count; ++at) free(lp_carry.late[at].worked);
    lp_carry.late_count = 0;
    for (uint32_t at = 0; at < lp_carry.post_count; ++at) {
        struct lp_receive *post = &lp_carry.posts[at];
        if (!post->worked) continue;
        free(post->worked);
        post->worked = calloc(lp_carry.words, sizeof *post->worked);
    }
}

const int64_t *lp_carried(void) { return lp_carry.value; }

struct lp_carry_counts lp_carry_counts(void) { return lp_carry.counts; }

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
        while (lp_carry_arrive(MPI_ANY_SOURCE)) {}
        if (barrier == MPI_REQUEST_NULL) {
            int are_sent = 1;
            for (int at = 0; at < lp_carry.send_count && are_sent; ++at)
                PMPI_Test(&lp_carry.requests[at], &are_sent, MPI_STATUS_IGNORE);
            if (are_sent) PMPI_Ibarrier(lp_carry.comm, &barrier);
        } else {
            PMPI_Test(&barrier, &is_done, MPI_STATUS_IGNORE);
        }
    }
    while (lp_carry_arrive(MPI_ANY_SOURCE)) {}
    for (int rank = 0; rank < lp_carry.size; ++rank)
        while (lp_carry.parcels[rank]) lp_carry_drop(&lp_carry.parcels[rank]);
    free(lp_carry.parcels);
    free(lp_carry.members);
    for (int at = 0; at < lp_carry.send_count; ++at) free(lp_carry.buffers[at]);
    free(lp_carry.requests);
    free(lp_carry.buffers);
    free(lp_carry.free_sends);
    for (uint32_t at = 0; at < lp_carry.post_count; ++at) free(lp_carry.posts[at].worked);
    free(lp_carry.posts);
    free(lp_carry.any);
    for (uint32_t at = 0; at < lp_carry.late_count; ++at) free(lp_carry.late[at].worked);
    free(lp_carry.late);
    free(lp_carry.released);
    free(lp_carry.calls);
    free_channels(&lp_carry.sends);
    free_channels(&lp_carry.receives);
    free_values();
    PMPI_Comm_free(&lp_carry.comm);
}
