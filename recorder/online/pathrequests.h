// SPDX-License-Identifier: GPL-3.0-or-later
// Who is told what the calls mean, and the requests that were begun meanwhile: what they stand for, by number.
#ifndef LONGPOLE_RECORDER_PATHREQUESTS_H
#define LONGPOLE_RECORDER_PATHREQUESTS_H

#include "recorder/online/pathcalls.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// What a request stands for.
struct lp_request {
    uint32_t serial;  // 0: an empty slot
    bool is_receive;
    uint32_t order;  // of a receive
    uint32_t comm;
    struct lp_joint joint;  // of a collective call
    bool is_of_neighbours;
};

// A carrier that is told what the calls mean, and the requests that were begun while it was told.
struct lp_follower {
    const struct lp_path_carrier *to;  // null: nobody
    struct lp_request *requests;       // open addressing
    uint32_t slots, count;
};

static inline uint32_t lp_request_slot(const struct lp_follower *of, uint32_t serial)
{
    uint32_t slot = serial * 0x9e3779b9u & (of->slots - 1);
    while (of->requests[slot].serial && of->requests[slot].serial != serial) slot = (slot + 1) & (of->slots - 1);
    return slot;
}

static inline void lp_put_request(struct lp_follower *of, struct lp_request request)
{
    if (request.serial == LP_NO_REQUEST) return;
    if (2 * of->count >= of->slots) {
        struct lp_request *before = of->requests;
        const uint32_t slots = of->slots;
        of->slots = slots ? 2 * slots : 256;
        of->requests = calloc(of->slots, sizeof *of->requests);
        if (!of->requests) {
            of->requests = before;
            of->slots = slots;
            lp_path.log.is_full = true;
            return;
        }
        for (uint32_t at = 0; at < slots; ++at)
            if (before[at].serial) of->requests[lp_request_slot(of, before[at].serial)] = before[at];
        free(before);
    }
    const uint32_t slot = lp_request_slot(of, request.serial);
    of->count += of->requests[slot].serial == 0;
    of->requests[slot] = request;
}

static inline bool lp_take_request(struct lp_follower *of, uint32_t serial, struct lp_request *request)
{
    if (of->slots == 0 || serial == LP_NO_REQUEST) return false;
    uint32_t slot = lp_request_slot(of, serial);
    if (!of->requests[slot].serial) return false;
    *request = of->requests[slot];
    of->requests[slot].serial = 0;
    --of->count;
    // Entries behind it that a search would no longer find move up.
    for (uint32_t next = (slot + 1) & (of->slots - 1); of->requests[next].serial; next = (next + 1) & (of->slots - 1)) {
        const struct lp_request moved = of->requests[next];
        of->requests[next].serial = 0;
        of->requests[lp_request_slot(of, moved.serial)] = moved;
    }
    return true;
}

// Of a receive that is open; null: it is not known.
static inline const struct lp_request *lp_open_receive(const struct lp_follower *of, uint32_t serial)
{
    if (of->slots == 0 || serial == LP_NO_REQUEST) return NULL;
    const struct lp_request *request = &of->requests[lp_request_slot(of, serial)];
    return request->serial && request->is_receive ? request : NULL;
}

#endif
