// SPDX-License-Identifier: GPL-3.0-or-later
// When the next batch is due, and what is followed until then: batches take a small part of the run's time and end
// where the user wants something, who may stop, start and choose procedures meanwhile.
#define _GNU_SOURCE
#include "recorder/online/meetstate.h"

#include "recorder/online/pathcalls.h"
#include "recorder/storage/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t least_between = 20 * INT64_C(1000000);  // ns between batches
static const int64_t batch_share = 100;     // batches take at most one part in so many of the run's time
static const size_t most_values = 4 << 20;  // bytes of all values between the meetings of a batch

// Fits the size of the next batch. A batch that stays in the cache costs least; but if ranks mostly waited for each
// other in it, a larger one is cheaper.
static void fit_batch(int64_t took, int64_t steps)
{
    const int64_t waited = took - lp_meet.worked, most = lp_path.log.most / 2;
    if (2 * steps < lp_meet.batch_steps) return;  // something else than its size ended the batch
    if (waited > lp_meet.worked / 2) lp_meet.batch_steps *= 2;
    else if (waited < lp_meet.worked / 8) lp_meet.batch_steps /= 2;
    if (lp_meet.batch_steps < LP_LEAST_BATCH) lp_meet.batch_steps = LP_LEAST_BATCH;
    if (lp_meet.batch_steps > most) lp_meet.batch_steps = most > 0 ? most : 1;
}

// Estimates after how many meetings the next batch is due. `steps`: of the longest log in the batch that has just
// ended.
static uint64_t meetings_to_next(int64_t from, int64_t begin, uint64_t meetings, int64_t steps)
{
    const int64_t now = lp_now(), took = now - begin, between = begin - from;
    fit_batch(took, steps);
    if (meetings == 0 || between <= 0) return LP_FIRST_BATCH;
    const double each = (double)between / (double)meetings;
    int64_t wanted = batch_share * took;
    // Not later than a time that the user asked for.
    const struct lp_config *config = lp_config();
    const int64_t moments[] = {config->sample - (now - lp_meet.last_sample),
                               config->online_from - (now - lp_meet.began),
                               config->online_until - (now - lp_meet.began)};
    for (size_t at = 0; at < sizeof moments / sizeof *moments; ++at)
        if (moments[at] > 0 && moments[at] < wanted) wanted = moments[at];
    if (wanted < least_between) wanted = least_between;
    const uint64_t after = (uint64_t)((double)wanted / each) + 1;
    const double room = steps > 0 ? (double)lp_meet.batch_steps / (double)steps * (double)meetings : (double)after;
    return (double)after > room ? (uint64_t)room + 1 : after;
}

struct plan {
    uint64_t next;  // the number of the next batch's meeting
    int64_t is_stopped;
    int64_t names;  // bytes of the names of procedures to follow from now on; -1: as they are
};

// Makes rank 0's plan: what begins or ends at this time, what the user's file asks for, and which procedures have most
// of the path.
static struct plan decide(int64_t time, char **names)
{
    const struct lp_config *config = lp_config();
    struct plan plan = {.is_stopped = lp_meet.is_stopped, .names = -1};
    if (!lp_meet.is_from_over && time >= config->online_from) {
        lp_meet.is_from_over = true;
        plan.is_stopped = false;
    }
    if (config->online_until > 0 && !lp_meet.is_until_over && time >= config->online_until) {
        lp_meet.is_until_over = true;
        plan.is_stopped = true;
    }
    struct lp_control control;
    *names = NULL;
    if (lp_control_look(&lp_meet.control, lp_now(), &control)) {
        if (control.run != LP_CONTROL_AS_IT_IS) plan.is_stopped = control.run == LP_CONTROL_STOP;
        if (control.has_procedures) *names = strdup(control.procedures);
        if (control.wrong[0] != 0)
            fprintf(stderr, "longpole: %s: not understood: %s\n", lp_meet.control.path, control.wrong);
    }
    if (!*names) {
        *names = lp_meet.leaders;
        lp_meet.leaders = NULL;
    }
    if (*names) plan.names = (int64_t)strlen(*names);
    return plan;
}

void lp_meet_plan_next(int64_t from, int64_t begin, uint64_t meetings, int64_t steps)
{
    char *names = NULL;
    struct plan plan = {0};
    if (lp_meet.rank == 0) {
        plan = decide(lp_now() - lp_meet.began, &names);
        plan.next = lp_meet.meetings + meetings_to_next(from, begin, meetings, steps);
    }
    PMPI_Bcast(&plan, sizeof plan, MPI_BYTE, 0, lp_meet.world);
    lp_meet.is_stopped = plan.is_stopped != 0;
    lp_path.is_stopped = lp_meet.is_stopped;
    if (plan.names >= 0) {
        if (lp_meet.rank != 0) names = calloc((size_t)plan.names + 1, 1);
        int64_t has_room = names != NULL;
        PMPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT64_T, MPI_MIN, lp_meet.world);
        if (has_room) {
            PMPI_Bcast(names, (int)plan.names, MPI_CHAR, 0, lp_meet.world);
            lp_meet_follow(names, '\n', true, begin - lp_meet.began);
        }
        free(names);
    }
    // Of as many procedures as are followed from now on; all ranks know how many these are.
    const uint64_t most = most_values / ((lp_meet_words() + 1) * sizeof *lp_meet.total);
    lp_meet.next = plan.next - lp_meet.meetings > most ? lp_meet.meetings + most : plan.next;
}
