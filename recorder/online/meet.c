// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the path from batch to batch: after some of the meetings of all ranks, their logs are replayed, and what came
// out is added to the total.
#define _GNU_SOURCE
#include "recorder/online/meet.h"

#include "recorder/online/carry.h"
#include "recorder/online/meetstate.h"
#include "recorder/online/pathcalls.h"
#include "recorder/online/pathclock.h"
#include "recorder/online/told.h"
#include "recorder/storage/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lp_meet lp_meet;

// --- a batch ---

static void lose(int64_t from, int64_t now)
{
    lp_meet.lost += now - from;
    if (lp_meet.rank == 0 && !lp_meet.has_said)
        fprintf(stderr,
                "longpole: there is no memory for the path, nor room beside the recording: parts of the run will be "
                "missing in it\n");
    lp_meet.has_said = true;
}

// False: a rank had no memory, and no figure counts anything of the batch.
static bool replay_batch(void)
{
    const int64_t begin = lp_now();
    struct lp_replay *replay = lp_meet_find_lanes() ? lp_replay_begin(&lp_path.log, lp_meet.rank, lp_meet.lanes,
                                                                      lp_meet.lanes_of, lp_meet.lanes_of_count)
                                                    : NULL;
    lp_meet.worked = lp_now() - begin;
    int64_t has_room = replay != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT64_T, MPI_MIN, lp_meet.world);
    bool is_whole = has_room != 0;
    if (is_whole) {
        for (int64_t given_up = 1; lp_meet_run_rounds(replay) > 0 && given_up > 0;) {
            given_up = lp_replay_give_up(replay);
            lp_meet.stuck += (uint64_t)given_up;
            PMPI_Allreduce(MPI_IN_PLACE, &given_up, 1, MPI_INT64_T, MPI_SUM, lp_meet.world);
        }
        int64_t has_failed = lp_replay_has_failed(replay);
        PMPI_Allreduce(MPI_IN_PLACE, &has_failed, 1, MPI_INT64_T, MPI_MAX, lp_meet.world);
        is_whole = has_failed == 0 && (lp_meet.is_stopped || lp_meet_find_longest(replay));
        if (is_whole && !lp_meet.is_stopped) lp_meet_add_profile(replay);
        lp_meet.ahead += lp_replay_ahead(replay);
        lp_meet.ambiguous = lp_path.log.ambiguous;
    }
    if (replay) lp_replay_end(replay);
    else lp_log_empty(&lp_path.log);
    return is_whole;
}

// Compares the path from the logs with the one from values sent along. They must be equal, unless one of them knows
// that it may be wrong. Of equally long paths that meet each keeps one: from the first of which the parts differ on,
// parts may.
static void compare(void)
{
    const struct lp_carry_counts counts = lp_carry_counts();
    int64_t doubts[2] = {counts.is_broken || counts.late > 0 || counts.ambiguous > 0 || lp_meet.stuck > 0
                             || lp_meet.ahead > 0 || lp_meet.ambiguous > 0 || lp_meet.lost > 0,
                         counts.ties > 0};
    PMPI_Allreduce(MPI_IN_PLACE, doubts, 2, MPI_INT64_T, MPI_MAX, lp_meet.world);
    const bool is_in_doubt = doubts[0] > 0, has_shares = doubts[1] == 0 && lp_meet.lanes.count > 0;
    lp_meet.not_compared += is_in_doubt;
    lp_meet.compared += !is_in_doubt;
    lp_meet.compared_shares += !is_in_doubt && has_shares;
    if (is_in_doubt) return;
    const int64_t *carried = lp_carried();
    size_t differs = lp_meet_words();  // the first word that does
    for (size_t word = lp_meet_words(); word-- > 0;)
        if (carried[word] != lp_meet.total[word] && (word == 0 || word > lp_meet.lanes.count || has_shares))
            differs = word;
    if (differs == lp_meet_words()) return;
    if (lp_meet.rank == 0 && lp_meet.differences == 0)
        fprintf(stderr,
                "longpole: the path is %" PRId64 " ns long where all ranks replayed it and %" PRId64
                " ns where messages carried it, %s%s %" PRId64 " and %" PRId64 " ns, at meeting %" PRIu64 "\n",
                lp_meet.total[0], carried[0], differs > lp_meet.lanes.count ? "without " : "of it ",
                differs == 0 ? "all" : lp_meet.lane_names[(differs - 1) % lp_meet.lanes.count], lp_meet.total[differs],
                carried[differs], lp_meet.meetings);
    ++lp_meet.differences;
}

static void handle_batch(int64_t from, int64_t begin, bool is_full)
{
    if (lp_meet.how == LP_ONLINE_CARRY) {
        memcpy(lp_meet.total, lp_carried(), lp_meet_words() * sizeof *lp_meet.total);
        return;
    }
    if (lp_log_has_open_any(&lp_path.log)) lp_path_ask();
    if (is_full) {
        lp_log_number(&lp_path.log);  // later receives are numbered on from these
        lp_log_empty(&lp_path.log);
    }
    if (is_full || !replay_batch()) lose(from, begin);
    if (lp_meet.how == LP_ONLINE_BOTH) compare();
}

// `at`: when the call ended. The time from then on is the recorder's work, not the program's.
static int64_t met(int64_t at, bool is_last)
{
    if (++lp_meet.meetings < lp_meet.next && !is_last) return 0;
    const int64_t begin = lp_now(), from = lp_meet.last_batch ? lp_meet.last_batch : lp_path.begun;
    if (lp_meet.began == 0) lp_meet.began = lp_path.begun;
    const uint64_t meetings = lp_path.log.meetings;
    int64_t longest[2] = {lp_path.log.count, lp_path.log.is_full};
    PMPI_Allreduce(MPI_IN_PLACE, longest, 2, MPI_INT64_T, MPI_MAX, lp_meet.world);
    handle_batch(from, begin, longest[1] > 0);
    if (lp_meet.is_stopped && longest[1] == 0)
        lp_meet.paused += begin - (lp_meet.last_begin ? lp_meet.last_begin : lp_meet.began);
    lp_meet.last_begin = begin;
    const int64_t interval = lp_config()->sample;
    int is_due = is_last || begin - lp_meet.last_sample >= interval;
    PMPI_Bcast(&is_due, 1, MPI_INT, 0, lp_meet.world);
    const int64_t replayed = lp_now();
    lp_meet.own += replayed - begin;  // the sample tells of it
    if (is_due) lp_meet_take_sample(begin, is_last);
    if (!is_last) lp_meet_plan_next(from, begin, meetings, longest[0]);
    lp_meet.last_batch = lp_now();
    lp_meet.own += lp_meet.last_batch - replayed;
    if (!is_last) lp_put_own_work(at, lp_meet.last_batch);
    return lp_meet.last_batch;
}

// --- begin and end ---

static void begin_carrying(void)
{
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    // With several threads in MPI, one could wait for a value that another thread has to send first.
    int64_t agreed = level == MPI_THREAD_MULTIPLE;
    if (lp_meet.how == LP_ONLINE_MEET) return;
    PMPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_INT64_T, MPI_MAX, lp_meet.world);
    if (agreed > 0) {
        if (lp_meet.rank == 0)
            fprintf(stderr, "longpole: several threads call MPI: nothing is carried, all ranks replay it instead\n");
        lp_meet.how = LP_ONLINE_MEET;
        return;
    }
    agreed = lp_carry_open(lp_meet.world, lp_meet.lanes, lp_meet_lanes_of);
    PMPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_INT64_T, MPI_MIN, lp_meet.world);
    if (agreed > 0) {
        lp_path_carry_by(lp_carrier(), lp_meet.how == LP_ONLINE_BOTH);
        if (lp_meet.how == LP_ONLINE_CARRY && lp_told_open(lp_meet.world)) lp_path_look_between(lp_meet_look_between);
        return;
    }
    if (lp_meet.rank == 0)
        fprintf(stderr, "longpole: there is no memory to carry the path; all ranks replay it instead\n");
    lp_meet.how = LP_ONLINE_MEET;
}

void lp_meet_begin(MPI_Comm world)
{
    const struct lp_config *config = lp_config();
    if (config->online == LP_ONLINE_OFF) return;
    lp_meet.how = config->online;
    lp_meet.world = world;
    PMPI_Comm_rank(world, &lp_meet.rank);
    PMPI_Comm_size(world, &lp_meet.size);
    lp_meet_follow(config->procedures, ',', config->zeroing, 0);
    const uint32_t most = (uint32_t)(config->online_memory / sizeof(struct lp_step));
    int64_t has_room = lp_meet.total && lp_path_open(lp_meet.rank, lp_meet.size, most, met);
    PMPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT64_T, MPI_MIN, world);
    if (!has_room) {
        if (lp_meet.rank == 0)
            fprintf(stderr, "longpole: there is no memory for the path; the program goes on without\n");
        lp_path_close();
        return;
    }
    if (config->online_spill > 0) lp_log_spill_to(&lp_path.log, lp_recording.folder, config->online_spill);
    lp_meet.next = LP_FIRST_BATCH;
    lp_meet.batch_steps = LP_LEAST_BATCH;
    lp_meet.is_on = true;
    PMPI_Op_create(lp_meet_merge, 1, &lp_meet.merge);
    begin_carrying();
    if (config->inclusive && lp_meet.how != LP_ONLINE_CARRY) lp_path_include_callees(lp_meet_lanes_of);
    atomic_store(&lp_reads_cpu, config->online_clock == LP_PATH_OF_CPU);
    if (lp_meet.rank == 0 && lp_meet.how == LP_ONLINE_CARRY && config->top_share > 0)
        fprintf(stderr, "longpole: top_share is left out: what is carried knows only the parts of procedures\n");
    if (lp_meet.rank == 0 && lp_meet.how == LP_ONLINE_CARRY && config->inclusive)
        fprintf(stderr, "longpole: inclusive is left out: what is carried knows one part of each procedure\n");
    int is_stopped = config->online_from > 0;
    PMPI_Bcast(&is_stopped, 1, MPI_INT, 0, world);
    lp_meet.is_stopped = lp_path.is_stopped = is_stopped != 0;
    if (lp_meet.rank == 0) {
        snprintf(lp_meet.control.path, sizeof lp_meet.control.path, "%s/online.control", lp_recording.folder);
        char path[1300];
        snprintf(path, sizeof path, "%s/online.jsonl", lp_recording.folder);
        lp_meet.samples = lp_sample_create(path);
        if (lp_meet.samples.own.fd < 0) fprintf(stderr, "longpole: %s cannot be written: %s\n", path, strerror(errno));
    }
    lp_recording.own_work = lp_path_own;
}

void lp_meet_end(void)
{
    if (!lp_meet.is_on) return;
    lp_meet.is_on = false;
    lp_recording.own_work = NULL;
    PMPI_Op_free(&lp_meet.merge);
    PMPI_Type_free(&lp_meet.value);
    lp_told_close();
    if (lp_path_carries()) lp_carry_close();
    if (lp_meet.rank == 0 && lp_meet.samples.left_out > 1)
        fprintf(stderr, "longpole: online.jsonl: %" PRIu64 " samples of the path are left out\n",
                lp_meet.samples.left_out);
    if (lp_meet.rank == 0) lp_sample_close(&lp_meet.samples);
    lp_replay_forget(&lp_path.log);
    lp_path_close();
    for (uint32_t lane = 0; lane < lp_meet.lanes.count; ++lane) free(lp_meet.lane_names[lane]);
    free(lp_meet.lanes_of);
    free(lp_meet.leaders);
    free(lp_meet.total);
    free(lp_meet.profile);
}
