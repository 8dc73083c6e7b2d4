// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorder/online/pathwork.h"

#include "recorder/format/callkinds.h"
#include "recorder/online/pathclock.h"

#include <stdlib.h>
#include <string.h>

static struct {
    int64_t last;             // when the thread last returned from MPI
    struct lp_border before;  // where that was
    bool has_begun;
    bool is_polling;        // all until the next call belongs to a loop of polls, which that call ends
    int64_t own, own_next;  // time of the recorder's own work since `last`
    uint32_t *regions;      // the thread is in, the innermost one last
    uint32_t region_count, region_capacity;
    lp_lane_set (*lanes)(uint32_t procedure);  // null: no region includes what it calls
    lp_lane_set callers;                       // the lanes of all of `regions`
    uint32_t depths[LP_MOST_LANES];            // how many of them are in each
} here;

static void add_work(uint32_t procedure, int64_t work)
{
    if (2 * lp_path.all_count >= lp_path.all_slots) {
        const uint32_t slots = lp_path.all_slots ? 2 * lp_path.all_slots : 256;
        struct lp_path_work *all = calloc(slots, sizeof *all);
        if (!all) return;
        for (uint32_t at = 0; at < lp_path.all_slots; ++at) {
            if (!lp_path.all[at].procedure) continue;
            uint32_t slot = lp_path.all[at].procedure * 0x9e3779b9u & (slots - 1);
            while (all[slot].procedure) slot = (slot + 1) & (slots - 1);
            all[slot] = lp_path.all[at];
        }
        free(lp_path.all);
        lp_path.all = all;
        lp_path.all_slots = slots;
    }
    uint32_t slot = procedure * 0x9e3779b9u & (lp_path.all_slots - 1);
    while (lp_path.all[slot].procedure && lp_path.all[slot].procedure != procedure)
        slot = (slot + 1) & (lp_path.all_slots - 1);
    lp_path.all_count += lp_path.all[slot].procedure == 0;
    lp_path.all[slot].procedure = procedure;
    if (!lp_path.is_stopped) lp_path.all[slot].work += work;
}

static uint32_t procedure_until(struct lp_border next)
{
    if (here.region_count > 0) return lp_procedure_of_region(here.regions[here.region_count - 1], LP_IN_REGION);
    if (here.before.is_region) return lp_procedure_of_region(here.before.number, LP_AFTER_REGION);
    if (next.is_region) return lp_procedure_of_region(next.number, LP_BEFORE_REGION);
    return lp_procedure_between((uint16_t)here.before.number, (uint16_t)next.number);
}

// The work since the last call, up to `until`, by the clock that counts; `to_call`: that is the begin of the call in
// which the thread is now.
static int64_t take_work(int64_t until, bool to_call)
{
    const int64_t work = until - here.last - here.own;
    here.own = 0;
    return lp_is_cpu_read() ? lp_cpu_work(to_call) : work;
}

struct lp_code lp_work_until(int64_t time, struct lp_border next, bool to_call)
{
    const bool goes_on = !next.is_region
                         && (lp_call_classes[next.number] == LP_CLASS_COMPLETION
                             || lp_call_classes[next.number] == LP_CLASS_PROBE);
    if (here.is_polling && goes_on) {
        if (here.last < time) here.last = time;
        take_work(time, to_call);
    }
    here.is_polling = false;
    const int64_t work = take_work(time, to_call);
    if (!here.has_begun || work <= 0) return (struct lp_code){0};
    const uint32_t procedure = procedure_until(next);
    add_work(procedure, work);
    const lp_lane_set own = here.callers ? here.lanes(procedure) : 0;
    return (struct lp_code){.procedure = procedure, .lanes = own, .callers = here.callers, .ns = work};
}

bool lp_work_begin(void)
{
    const bool is_first = !here.has_begun;
    here.has_begun = true;
    return is_first;
}

void lp_work_goes_on(int64_t time, struct lp_border before)
{
    here.last = time;
    here.before = before;
    here.own = here.own_next;
    here.own_next = 0;
}

void lp_work_is_polling(void) { here.is_polling = true; }

void lp_work_own(int64_t ns) { here.own_next += ns; }

void lp_work_is_noted_until(int64_t time)
{
    if (here.has_begun && here.last < time) here.last = time;
}

void lp_work_begins_at(int64_t time)
{
    here.last = time;
    here.own = here.own_next = 0;
}

// A region around what comes, or not any more.
static void count_caller(uint32_t region, bool enters)
{
    if (!here.lanes) return;
    for (lp_lane_set left = here.lanes(lp_procedure_of_region(region, LP_IN_REGION)); left != 0; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        here.depths[lane] += enters ? 1u : -1u;
        if (enters) here.callers |= left & -left;
        else if (here.depths[lane] == 0) here.callers &= ~(left & -left);
    }
}

void lp_work_region(bool enter, uint32_t region, int64_t time)
{
    lp_work_goes_on(here.last < time ? time : here.last, (struct lp_border){.is_region = true, .number = region});
    if (!enter && here.region_count > 0) {
        count_caller(here.regions[--here.region_count], false);
    } else if (enter
               && lp_make_room(&here.regions, &here.region_capacity, here.region_count, sizeof *here.regions,
                               1u << 20)) {
        here.regions[here.region_count++] = region;
        count_caller(region, true);
    }
}

void lp_path_include_callees(lp_lane_set (*lanes)(uint32_t procedure)) { here.lanes = lanes; }

void lp_path_lanes_changed(void)
{
    here.callers = 0;
    memset(here.depths, 0, sizeof here.depths);
    for (uint32_t at = 0; at < here.region_count; ++at) count_caller(here.regions[at], true);
}

void lp_work_forget(void)
{
    free(here.regions);
    free(lp_path.all);
}
