// SPDX-License-Identifier: GPL-3.0-or-later
// The communicators that calls name: who their members are, and whether these are all of this run.
#ifndef LONGPOLE_RECORDER_PATHCOMMS_H
#define LONGPOLE_RECORDER_PATHCOMMS_H

#include "recorder/replay/pathlog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is known of a communicator; the list is by this rank's numbers of them.
struct lp_known_comm {
    bool is_inter;             // an inter-communicator: the members of both groups, one group after the other
    bool is_known, is_joined;  // joined: all its members are of this run, this rank among them
    bool has_all;  // it has all ranks of the run, in one group: of two groups, a call may give nothing to one
    int32_t origin;
    uint32_t serial, path;  // path: lp_log_comm
    int size;
    const int32_t *members;  // of the log
    int32_t *neighbours;
    int sources, targets;
    uint16_t prepared;  // the call that made its request, if that is the only one and persistent
    int32_t root;
    bool gives;
};

struct lp_known_comms {
    struct lp_known_comm *all;
    uint32_t count, capacity;
};
extern struct lp_known_comms lp_known;

// Null: it is not known.
static inline struct lp_known_comm *lp_known_comm_of(uint32_t number)
{
    return number < lp_known.count && lp_known.all[number].is_known ? &lp_known.all[number] : NULL;
}

static inline struct lp_channel_id lp_channel_on(const struct lp_known_comm *comm, int32_t peer, int32_t tag)
{
    return (struct lp_channel_id){peer, comm->origin, comm->serial, tag};
}

// As lp_path_comm and lp_path_neighbours, which hold the lock.
void lp_know_comm(uint32_t comm, int32_t origin, uint32_t serial, bool is_inter, int size, const int32_t *members);
void lp_know_neighbours(uint32_t comm, int sources, int targets, const int32_t *ranks);
void lp_forget_comms(void);

#endif
