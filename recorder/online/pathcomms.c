// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorder/online/pathcomms.h"

#include "recorder/online/pathcalls.h"

#include <stdlib.h>
#include <string.h>

struct lp_known_comms lp_known;

void lp_know_comm(uint32_t comm, int32_t origin, uint32_t serial, bool is_inter, int size, const int32_t *members)
{
    while (lp_known.count <= comm) {
        if (!lp_make_room(&lp_known.all, &lp_known.capacity, lp_known.count, sizeof *lp_known.all, 1u << 24)) break;
        lp_known.all[lp_known.count++] = (struct lp_known_comm){0};
    }
    if (comm < lp_known.count && !lp_known.all[comm].is_known) {
        struct lp_known_comm *known = &lp_known.all[comm];
        int place = -1;
        bool are_ours = size > 0;
        for (int at = 0; at < size; ++at) {
            are_ours &= members[at] >= 0 && members[at] < lp_path.log.ranks;
            if (members[at] == lp_path.rank) place = at;
        }
        *known = (struct lp_known_comm){
            .is_known = true, .is_inter = is_inter, .origin = origin, .serial = serial, .size = size};
        if (are_ours && place >= 0) known->path = lp_log_comm(&lp_path.log, origin, serial, size, place, members);
        known->is_joined = are_ours && place >= 0 && known->path != LP_NO_COMM;
        if (known->is_joined) {
            known->members = lp_path.log.comms[known->path].members;
            known->has_all = !is_inter && size == lp_path.log.ranks;
        }
    }
}

void lp_know_neighbours(uint32_t comm, int sources, int targets, const int32_t *ranks)
{
    struct lp_known_comm *known = lp_known_comm_of(comm);
    const size_t count = (size_t)sources + (size_t)targets;
    int32_t *copy = known ? malloc((count + 1) * sizeof *copy) : NULL;
    if (copy) {
        memcpy(copy, ranks, count * sizeof *copy);
        free(known->neighbours);
        known->neighbours = copy;
        known->sources = sources;
        known->targets = targets;
    }
}

void lp_forget_comms(void)
{
    for (uint32_t at = 0; at < lp_known.count; ++at) free(lp_known.all[at].neighbours);
    free(lp_known.all);
}
