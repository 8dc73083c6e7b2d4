// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorder/online/pathcollectives.h"

#include "recorder/format/callkinds.h"
#include "recorder/online/pathcomms.h"

// Values for neighbours are sent as messages, on a channel that the program does not use.
static struct lp_channel_id neighbour(const struct lp_known_comm *comm, int32_t peer)
{
    return (struct lp_channel_id){peer, -1 - comm->origin, comm->serial, 0};
}

static void give_to_neighbours(const struct lp_follower *of, const struct lp_known_comm *comm)
{
    for (int at = 0; at < comm->targets; ++at) {
        const int32_t peer = comm->neighbours[comm->sources + at];
        if (peer >= 0 && peer < lp_path.log.ranks) of->to->send(neighbour(comm, peer));
    }
}

static void take_from_neighbours(const struct lp_follower *of, const struct lp_known_comm *comm)
{
    for (int at = 0; at < comm->sources; ++at) {
        const int32_t peer = comm->neighbours[at];
        if (peer < 0 || peer >= lp_path.log.ranks) continue;
        of->to->receive(of->to->post(neighbour(comm, peer)), peer, 0);
    }
}

static int place_in(const struct lp_known_comm *comm, int32_t rank)
{
    for (int at = 0; at < comm->size; ++at)
        if (comm->members[at] == rank) return at;
    return -1;
}

static bool joining_of(enum lp_collective_kind kind, enum lp_joining *joining)
{
    switch (kind) {
    case LP_KIND_BARRIER:
    case LP_KIND_N_TO_N: *joining = LP_ALL_TO_ALL; return true;
    case LP_KIND_ONE_TO_N: *joining = LP_ONE_TO_ALL; return true;
    case LP_KIND_N_TO_ONE: *joining = LP_ALL_TO_ONE; return true;
    case LP_KIND_PREFIX: *joining = LP_PREFIX; return true;
    default: return false;
    }
}

bool lp_give(const struct lp_follower *of, uint32_t number, uint16_t call, int32_t root_rank, bool gives, bool waits,
             struct lp_request *request)
{
    struct lp_known_comm *comm = lp_known_comm_of(number);
    if (!comm || !comm->is_joined) return false;
    const enum lp_collective_kind kind = lp_call_kinds[call];
    if (kind == LP_KIND_NEIGHBOURS) {
        if (!comm->neighbours) return false;
        give_to_neighbours(of, comm);
        *request = (struct lp_request){.comm = number, .is_of_neighbours = true};
        return true;
    }
    enum lp_joining joining = LP_ALL_TO_ALL;
    if (!joining_of(kind, &joining)) return false;
    const bool is_rooted = joining == LP_ONE_TO_ALL || joining == LP_ALL_TO_ONE;
    if (is_rooted && comm->is_inter) return false;  // members of the root's group do not know who it is
    const int root = is_rooted ? place_in(comm, root_rank) : 0;
    if (root < 0) return false;
    *request = (struct lp_request){.comm = number,
                                   .joint = {.comm = comm->path,
                                             .origin = comm->origin,
                                             .serial = comm->serial,
                                             .members = comm->members,
                                             .size = comm->size,
                                             .joining = joining,
                                             .root = root,
                                             .gives = gives,
                                             .waits = waits && joining == LP_ALL_TO_ALL}};
    of->to->give(&request->joint);
    return true;
}

void lp_take(const struct lp_follower *of, struct lp_request *request)
{
    const struct lp_known_comm *comm = lp_known_comm_of(request->comm);
    if (!comm) return;
    request->joint.members = comm->members;
    if (request->is_of_neighbours) take_from_neighbours(of, comm);
    else of->to->take(&request->joint);
}
