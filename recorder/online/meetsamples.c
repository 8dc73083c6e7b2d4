// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of the path: where all ranks meet, of all of them; between meetings, of what they have told rank 0.
#define _GNU_SOURCE
#include "recorder/online/meetstate.h"

#include "recorder/online/carry.h"
#include "recorder/online/pathcalls.h"
#include "recorder/online/pathclock.h"
#include "recorder/online/told.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How much of the path is work of a procedure on this rank.
static int64_t path_of(uint32_t procedure)
{
    if (lp_meet.how != LP_ONLINE_CARRY) return procedure < lp_meet.profile_count ? lp_meet.profile[procedure] : 0;
    const uint32_t lane = lp_meet_lane_of(procedure);
    return lp_meet.rank == 0 && lane > 0 ? lp_meet.total[lane] : 0;
}

// Rounded, half to even.
static int64_t quotient(int64_t number, int64_t divisor)
{
    const int64_t whole = number / divisor, twice = 2 * (number % divisor);
    return whole + (twice > divisor || (twice == divisor && whole % 2 != 0));
}

static void set_lanes(struct lp_sample_row *rows, int count, const int64_t *value)
{
    for (int at = 0; at < count; ++at)
        for (uint32_t lane = 0; lane < lp_meet.lanes.count; ++lane) {
            if (strcmp(rows[at].name, lp_meet.lane_names[lane]) != 0) continue;
            if (lp_config()->inclusive && lp_meet.how != LP_ONLINE_CARRY) rows[at].inclusive = value[1 + lane];
            if (!lp_meet.lanes.has_nets) continue;
            rows[at].net = quotient(value[1 + lp_meet.lanes.count + lane], lp_meet.lanes.factor.denominator);
            rows[at].since = lp_meet.lane_since[lane];
        }
}

// Gathers the procedures of all ranks on rank 0, those of equal names as one; elsewhere the result is empty. If rank 0
// has no memory for them, or had `has_room` false before, nothing is gathered and `has_room` becomes false on all
// ranks.
static struct lp_sample_row *gather_rows(int *row_count, bool *has_room)
{
    struct lp_bytes mine = {0};
    for (uint32_t at = 0; at < lp_path.all_slots; ++at) {
        const uint32_t procedure = lp_path.all[at].procedure;
        if (!procedure || lp_path.all[at].work == 0) continue;
        char name[1100];
        lp_name_procedure(procedure, name, sizeof name);
        lp_sample_add(&mine, name, path_of(procedure), lp_path.all[at].work);
    }
    int64_t own = (int64_t)mine.length, sum = 0;
    PMPI_Reduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, 0, lp_meet.world);
    int *lengths = NULL, *begins = NULL;
    char *all = NULL;
    if (lp_meet.rank == 0 && *has_room && sum < INT_MAX) {  // MPI counts in int
        lengths = calloc((size_t)lp_meet.size, sizeof *lengths);
        begins = calloc((size_t)lp_meet.size, sizeof *begins);
        all = malloc((size_t)sum + 1);
    }
    int is_agreed = lengths && begins && all;
    PMPI_Bcast(&is_agreed, 1, MPI_INT, 0, lp_meet.world);
    *has_room = is_agreed != 0;
    if (*has_room) {
        const int length = (int)own;
        PMPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, lp_meet.world);
        for (int at = 1; lp_meet.rank == 0 && at < lp_meet.size; ++at) begins[at] = begins[at - 1] + lengths[at - 1];
        PMPI_Gatherv(mine.bytes, length, MPI_CHAR, all, lengths, begins, MPI_CHAR, 0, lp_meet.world);
    }
    free(mine.bytes);
    free(lengths);
    free(begins);
    struct lp_sample_row *rows = all && *has_room ? lp_sample_rows(all, (size_t)sum, row_count) : NULL;
    free(all);
    set_lanes(rows, *row_count, lp_meet.total);
    return rows;
}

// With --top-share: chooses the procedures with more than that share of the path, if at least one of them is not
// followed yet.
static void choose_leaders(const struct lp_sample_row *rows, int count)
{
    const unsigned most = lp_config()->top_share;
    size_t length = 1;
    bool is_new = false;
    for (int at = 0; at < count && rows[at].path * (int64_t)most > lp_meet.total[0]; ++at) {
        length += strlen(rows[at].name) + 1;
        is_new |= rows[at].net < 0;
    }
    char *names = is_new ? calloc(length, 1) : NULL;
    if (!names) return;
    for (int at = 0; at < count && rows[at].path * (int64_t)most > lp_meet.total[0]; ++at)
        strcat(strcat(names, rows[at].name), "\n");
    free(lp_meet.leaders);
    lp_meet.leaders = names;
}

static void append(const struct lp_sample *sample)
{
    if (lp_meet.samples.own.fd >= 0 && !lp_sample_append(&lp_meet.samples, sample) && lp_meet.samples.left_out == 1)
        fprintf(stderr, "longpole: online.jsonl: a sample of the path could not be written: %s\n",
                errno == ESTALE ? "the file was replaced" : strerror(errno));
}

// How much of the run was followed, by the clock of rank 0. Where the path was on ranks that left MPI_Init before that
// one, it has lasted longer: pieces of a path are never at once.
static int64_t covered(int64_t now, int64_t length)
{
    const int64_t time = now - lp_meet.began - lp_meet.paused - lp_meet.lost;
    return time > length ? time : length;
}

void lp_meet_take_sample(int64_t now, bool is_last)
{
    int count = 0;
    int64_t *shares = lp_meet.rank == 0 ? calloc((size_t)lp_meet.size, sizeof *shares) : NULL;
    bool has_room = shares != NULL;  // on rank 0
    struct lp_sample_row *rows = gather_rows(&count, &has_room);
    lp_meet.last_sample = now;
    if (!has_room) {
        free(shares);
        if (lp_meet.rank == 0 && ++lp_meet.samples.left_out == 1)
            fprintf(stderr, "longpole: there is no memory for a sample of the path; it is left out\n");
        return;
    }
    PMPI_Gather(&lp_meet.on_path, 1, MPI_INT64_T, shares, 1, MPI_INT64_T, 0, lp_meet.world);
    const struct lp_carry_counts carried = lp_carry_counts();
    int64_t counters[6] = {lp_meet.own + lp_path.carried,
                           (int64_t)(lp_meet.messages + carried.messages),
                           (int64_t)(lp_meet.ambiguous + carried.ambiguous),
                           (int64_t)lp_meet.ahead,
                           (int64_t)(lp_meet.stuck + carried.late),
                           lp_meet.unkept};
    int64_t sums[6] = {0};
    PMPI_Reduce(counters, sums, 6, MPI_INT64_T, MPI_SUM, 0, lp_meet.world);
    const struct lp_sample sample = {.time = now - lp_meet.began,
                                     .length = lp_meet.total[0],
                                     .covered = covered(now, lp_meet.total[0]),
                                     .paused = lp_meet.paused,
                                     .lost = lp_meet.lost,
                                     .meetings = lp_meet.meetings,
                                     .rows = rows,
                                     .count = count,
                                     .shares = shares,
                                     .ranks = lp_meet.how == LP_ONLINE_CARRY ? 0 : lp_meet.size,
                                     .own = sums[0],
                                     .messages = sums[1],
                                     .ambiguous = sums[2],
                                     .ahead = sums[3],
                                     .late = sums[4],
                                     .mistraced = lp_meet.mistraced + sums[5],
                                     .is_compared = lp_meet.how == LP_ONLINE_BOTH,
                                     .differences = lp_meet.differences,
                                     .compared = lp_meet.compared,
                                     .compared_shares = lp_meet.compared_shares,
                                     .not_compared = lp_meet.not_compared,
                                     .is_stopped = lp_meet.is_stopped,
                                     .is_last = is_last,
                                     .factor = lp_meet.lanes.factor,
                                     .is_of_cpu = lp_is_cpu_read()};
    if (lp_meet.rank == 0) append(&sample);
    if (lp_meet.rank == 0 && is_last) lp_sample_print(stderr, &sample);
    if (lp_meet.rank == 0 && !is_last) choose_leaders(rows, count);
    lp_sample_free(rows, count);
    free(shares);
}

// --- between meetings ---

// A rank's word on its path: these numbers, its value, and its work: all of it, and of each lane.
enum { LANE_CHANGES, OWN, MESSAGES, AMBIGUOUS, LATE, HEAD };

static size_t told_words(void) { return HEAD + lp_meet_words() + 1 + lp_meet.lanes.count; }

static void say_own(int64_t *word)
{
    const struct lp_carry_counts counts = lp_carry_counts();
    memset(word, 0, told_words() * sizeof *word);
    word[LANE_CHANGES] = lp_meet.lane_changes;
    word[OWN] = lp_meet.own + lp_path.carried;
    word[MESSAGES] = (int64_t)counts.messages;
    word[AMBIGUOUS] = (int64_t)counts.ambiguous;
    word[LATE] = (int64_t)counts.late;
    memcpy(word + HEAD, lp_carried(), lp_meet_words() * sizeof *word);
    int64_t *all = word + HEAD + lp_meet_words();
    for (uint32_t at = 0; at < lp_path.all_slots; ++at) {
        const struct lp_path_work *work = &lp_path.all[at];
        if (!work->procedure) continue;
        const uint32_t lane = lp_meet_lane_of(work->procedure);
        all[0] += work->work;
        if (lane > 0) all[lane] += work->work;
    }
}

// The longest path that any rank has told of, and its value. `sums`: of all ranks' numbers and work.
static void join_told(const int64_t *own, int64_t *value, int64_t *sums)
{
    memcpy(value, lp_meet.total, lp_meet_words() * sizeof *value);
    memset(sums, 0, told_words() * sizeof *sums);
    for (int rank = 0; rank < lp_meet.size; ++rank) {
        size_t count = told_words();
        const int64_t *word = rank == 0 ? own : lp_told_of(rank, &count);
        if (!word || count != told_words() || word[LANE_CHANGES] != lp_meet.lane_changes)
            continue;  // of other procedures
        lp_value_merge(lp_meet.lanes, value, word + HEAD);
        for (size_t at = 0; at < told_words(); ++at) sums[at] += word[at];
    }
}

static void write_told(int64_t now, const int64_t *own)
{
    int64_t value[LP_MOST_TOLD], sums[LP_MOST_TOLD];
    join_told(own, value, sums);
    const int64_t *all = sums + HEAD + lp_meet_words();
    struct lp_bytes bytes = {0};
    int count = 0;
    int64_t rest = all[0];
    for (uint32_t lane = 1; lane <= lp_meet.lanes.count; ++lane) {
        if (all[lane] > 0) lp_sample_add(&bytes, lp_meet.lane_names[lane - 1], value[lane], all[lane]);
        rest -= all[lane];
    }
    struct lp_sample_row *rows = lp_sample_rows(bytes.bytes, bytes.length, &count);
    free(bytes.bytes);
    set_lanes(rows, count, value);
    const struct lp_sample sample = {.time = now - lp_meet.began,
                                     .length = value[0],
                                     .covered = covered(now, value[0]),
                                     .paused = lp_meet.paused,
                                     .lost = lp_meet.lost,
                                     .meetings = lp_meet.meetings,
                                     .rows = rows,
                                     .count = count,
                                     .rest_of_all = rest,
                                     .own = sums[OWN],
                                     .messages = sums[MESSAGES],
                                     .ambiguous = sums[AMBIGUOUS],
                                     .late = sums[LATE],
                                     .is_between = true,
                                     .factor = lp_meet.lanes.factor,
                                     .is_of_cpu = lp_is_cpu_read()};
    append(&sample);
    lp_sample_free(rows, count);
}

int64_t lp_meet_look_between(int64_t at)
{
    if (lp_meet.began == 0) lp_meet.began = lp_meet.last_sample = lp_path.begun;
    if (at - lp_meet.last_sample < lp_config()->sample || lp_meet.is_stopped) return 0;
    lp_meet.last_sample = at;
    int64_t word[LP_MOST_TOLD];
    say_own(word);
    if (lp_meet.rank != 0) {
        lp_told_tell(word, told_words());
    } else {
        lp_told_hear();
        write_told(at, word);
    }
    const int64_t end = lp_now();
    lp_meet.own += end - at;
    lp_put_own_work(at, end);
    return end;
}
