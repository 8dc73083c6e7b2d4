// SPDX-License-Identifier: GPL-3.0-or-later
// Values that have arrived, by sender, until somebody asks for them; and those that somebody asked for and that are
// late.
#define _GNU_SOURCE
#include "recorder/online/carrystate.h"

#include "recorder/format/recording.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

// Merges a value that belongs to the time when this rank's work was `worked`: the work done since then is added to it
// first.
static void merge_late(const int64_t *value, const int64_t *worked)
{
    for (size_t word = 0; word < lp_carry.words; ++word)
        lp_carry.room[word] = value[word] + lp_carry.worked[word] - worked[word];
    lp_carry_merge(lp_carry.room);
}

static bool is_of_released(int from, struct lp_carry_key key)
{
    for (uint32_t at = 0; at < lp_carry.released_count; ++at) {
        if (lp_carry.released[at].peer != from || !lp_is_same_key(lp_carry.released[at].key, key)) continue;
        lp_carry.released[at] = lp_carry.released[--lp_carry.released_count];
        return true;
    }
    return false;
}

bool lp_carry_arrive(int from)
{
    int is_there = 0, words = 0;
    MPI_Message message;
    MPI_Status status;
    PMPI_Improbe(from, LP_CARRY_TAG, lp_carry.comm, &is_there, &message, &status);
    if (!is_there) return false;
    PMPI_Get_count(&status, MPI_INT64_T, &words);
    int64_t buffer[LP_CARRY_HEAD + LP_MOST_WORDS];
    struct lp_parcel *parcel = lp_carry.counts.is_broken
                                   ? NULL
                                   : malloc(sizeof *parcel + lp_carry.words * sizeof *parcel->value);
    PMPI_Mrecv(buffer, words, MPI_INT64_T, &message, MPI_STATUS_IGNORE);
    if (!parcel) {
        lp_carry_break_off();
        return true;
    }
    const bool is_whole = words == (int)(LP_CARRY_HEAD + lp_carry.words) && (uint32_t)buffer[2] == lp_carry.epoch;
    *parcel = (struct lp_parcel){.key = {.origin = (int32_t)(uint32_t)buffer[0],
                                         .serial = (uint32_t)((uint64_t)buffer[0] >> 32),
                                         .tag = (int32_t)(uint32_t)buffer[1],
                                         .number = (uint32_t)((uint64_t)buffer[1] >> 32)},
                                 .is_nothing = !is_whole};
    if (is_of_released(status.MPI_SOURCE, parcel->key)) {
        free(parcel);
        return true;
    }
    if (is_whole) memcpy(parcel->value, buffer + LP_CARRY_HEAD, lp_carry.words * sizeof *buffer);
    struct lp_parcel **end = &lp_carry.parcels[status.MPI_SOURCE];
    while (*end) end = &(*end)->next;
    *end = parcel;
    return true;
}

struct lp_parcel **lp_carry_find(int from, struct lp_carry_key key, int64_t wait)
{
    struct lp_parcel **at = &lp_carry.parcels[from];
    const int64_t begin = wait > 0 ? lp_now() : 0;
    for (int looks = 0;; ++looks) {
        for (; *at; at = &(*at)->next)
            if (lp_is_same_key((*at)->key, key)) return at;
        if (lp_carry.counts.is_broken) return NULL;
        if (lp_carry_arrive(from)) continue;
        if (wait == 0 || lp_now() - begin > wait) return NULL;
        if (looks > 100) sched_yield();
    }
}

void lp_carry_drop(struct lp_parcel **at)
{
    struct lp_parcel *parcel = *at;
    *at = parcel->next;
    free(parcel);
}

void lp_carry_await(int from, struct lp_carry_key key, int64_t *worked)
{
    if (!worked
        || !lp_make_room(&lp_carry.late, &lp_carry.late_capacity, lp_carry.late_count, sizeof *lp_carry.late,
                         1u << 30)) {
        free(worked);
        return;
    }
    lp_carry.late[lp_carry.late_count++] = (struct lp_waited){from, key, worked};
}

void lp_carry_merge_from(int from, struct lp_carry_key key)
{
    struct lp_parcel **parcel = lp_carry_find(from, key, LP_SHORT_WAIT);
    if (!parcel) {
        if (!lp_carry.counts.is_broken) lp_carry_await(from, key, lp_carry_copied(lp_carry.worked));
        return;
    }
    if (!(*parcel)->is_nothing) lp_carry_merge((*parcel)->value);
    lp_carry_drop(parcel);
}

void lp_carry_take_late(void)
{
    uint32_t kept = 0;
    for (uint32_t at = 0; at < lp_carry.late_count; ++at) {
        const struct lp_waited late = lp_carry.late[at];
        struct lp_parcel **parcel = lp_carry_find(late.peer, late.key, 0);
        if (!parcel) {
            lp_carry.late[kept++] = late;
            continue;
        }
        if (!(*parcel)->is_nothing) {
            merge_late((*parcel)->value, late.worked);
            ++lp_carry.counts.late;
        }
        lp_carry_drop(parcel);
        free(late.worked);
    }
    lp_carry.late_count = kept;
}
