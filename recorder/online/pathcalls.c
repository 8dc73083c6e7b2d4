// SPDX-License-Identifier: GPL-3.0-or-later
// A send leaves at the begin of its call, a receive arrives at the end of the call that completes it
// (docs/algorithms.md 7); what a call waits for besides, as a receiver that is late, is not followed.
#include "recorder/online/pathcalls.h"

#include "recorder/format/calls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct lp_path lp_path;

// A communicator by this rank's number of it.
struct known_comm {
    bool is_known, is_joined;  // joined: all its members are of this run, this rank among them
    bool has_all;              // ranks of the run
    int32_t origin;
    uint32_t serial, path;  // path: lp_log_comm
    int size;
    int32_t *members;
    int32_t *neighbours;
    int sources, targets;
    uint16_t prepared;  // the call that made its only request, a persistent one
    int32_t root;
    bool gives;
};

// What a request stands for.
struct request {
    uint32_t serial;  // 0: an empty slot
    bool is_receive;
    uint32_t order;  // of a receive
    uint32_t comm, call;
    enum lp_joining joining;
    int root;
    bool is_of_neighbours;
};

static struct {
    pthread_mutex_t lock;
    pthread_t thread;
    atomic_bool is_open;
    int64_t (*met)(int64_t at, bool is_last);
    int64_t last;  // end of what the thread did last in MPI
    uint16_t last_call;
    bool has_begun;
    int64_t own, own_next;  // of the recorder, since `last`
    uint32_t *regions;
    uint32_t region_count, region_capacity;
    struct known_comm *comms;
    uint32_t comm_count, comm_capacity;
    struct request *requests;  // open addressing
    uint32_t request_slots, request_count;
} here = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const uint8_t classes[] = {
#define LP_ROW(name, class, kind) LP_CLASS_##class,
    LP_CALLS(LP_ROW)
#undef LP_ROW
};
static const uint8_t kinds[] = {
#define LP_ROW(name, class, kind) LP_KIND_##kind,
    LP_CALLS(LP_ROW)
#undef LP_ROW
};

// --- work ---

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

// What the thread did since its last call, up to `until`, in code that ends with `next`.
static void work_until(int64_t until, uint16_t next)
{
    const int64_t work = until - here.last - here.own;
    here.own = 0;
    if (!here.has_begun || work <= 0) return;
    const uint32_t procedure = here.region_count > 0 ? lp_procedure_of_region(here.regions[here.region_count - 1])
                                                     : lp_procedure_between(here.last_call, next);
    lp_log_work(&lp_path.log, procedure, work);
    add_work(procedure, work);
}

static bool is_followed(void) { return pthread_equal(pthread_self(), here.thread) != 0; }

// --- requests ---

static uint32_t slot_of(uint32_t serial)
{
    uint32_t slot = serial * 0x9e3779b9u & (here.request_slots - 1);
    while (here.requests[slot].serial && here.requests[slot].serial != serial)
        slot = (slot + 1) & (here.request_slots - 1);
    return slot;
}

static void put_request(struct request request)
{
    if (request.serial == LP_NO_REQUEST) return;
    if (2 * here.request_count >= here.request_slots) {
        struct request *before = here.requests;
        const uint32_t slots = here.request_slots;
        here.request_slots = slots ? 2 * slots : 256;
        here.requests = calloc(here.request_slots, sizeof *here.requests);
        if (!here.requests) {
            here.requests = before;
            here.request_slots = slots;
            lp_path.log.is_full = true;
            return;
        }
        for (uint32_t at = 0; at < slots; ++at)
            if (before[at].serial) here.requests[slot_of(before[at].serial)] = before[at];
        free(before);
    }
    const uint32_t slot = slot_of(request.serial);
    here.request_count += here.requests[slot].serial == 0;
    here.requests[slot] = request;
}

static bool take_request(uint32_t serial, struct request *request)
{
    if (here.request_slots == 0 || serial == LP_NO_REQUEST) return false;
    uint32_t slot = slot_of(serial);
    if (!here.requests[slot].serial) return false;
    *request = here.requests[slot];
    here.requests[slot].serial = 0;
    --here.request_count;
    // Those behind it that would not be found any more move up.
    for (uint32_t next = (slot + 1) & (here.request_slots - 1); here.requests[next].serial;
         next = (next + 1) & (here.request_slots - 1)) {
        const struct request moved = here.requests[next];
        here.requests[next].serial = 0;
        here.requests[slot_of(moved.serial)] = moved;
    }
    return true;
}

// --- communicators ---

static struct known_comm *comm_of(uint32_t number)
{
    return number < here.comm_count && here.comms[number].is_known ? &here.comms[number] : NULL;
}

void lp_path_comm(uint32_t comm, int32_t origin, uint32_t serial, int size, const int32_t *members)
{
    if (!lp_path_is_open() || comm >= 1u << 24) return;
    pthread_mutex_lock(&here.lock);
    while (here.comm_count <= comm) {
        if (!lp_make_room(&here.comms, &here.comm_capacity, here.comm_count, sizeof *here.comms, 1u << 24)) break;
        here.comms[here.comm_count++] = (struct known_comm){0};
    }
    if (comm < here.comm_count && !here.comms[comm].is_known) {
        struct known_comm *known = &here.comms[comm];
        int place = -1;
        bool are_ours = size > 0;
        for (int at = 0; at < size; ++at) {
            are_ours &= members[at] >= 0 && members[at] < lp_path.log.ranks;
            if (members[at] == lp_path.rank) place = at;
        }
        *known = (struct known_comm){.is_known = true, .origin = origin, .serial = serial, .size = size};
        known->members = malloc((size_t)(size > 0 ? size : 1) * sizeof *known->members);
        known->is_joined = are_ours && place >= 0 && known->members;
        if (known->is_joined) {
            memcpy(known->members, members, (size_t)size * sizeof *members);
            known->has_all = size == lp_path.log.ranks;
            known->path = lp_log_comm(&lp_path.log, origin, serial, size, place, members);
        }
    }
    pthread_mutex_unlock(&here.lock);
}

void lp_path_neighbours(uint32_t comm, int sources, int targets, const int32_t *ranks)
{
    if (!lp_path_is_open()) return;
    pthread_mutex_lock(&here.lock);
    struct known_comm *known = comm_of(comm);
    const size_t count = (size_t)sources + (size_t)targets;
    int32_t *copy = known ? malloc((count + 1) * sizeof *copy) : NULL;
    if (copy) {
        memcpy(copy, ranks, count * sizeof *copy);
        free(known->neighbours);
        known->neighbours = copy;
        known->sources = sources;
        known->targets = targets;
    }
    pthread_mutex_unlock(&here.lock);
}

// --- messages ---

static struct lp_channel_id channel(const struct known_comm *comm, int32_t peer, int32_t tag)
{
    return (struct lp_channel_id){peer, comm->origin, comm->serial, tag};
}

static void send(uint32_t number, int32_t peer, int32_t tag)
{
    const struct known_comm *comm = comm_of(number);
    if (comm && peer >= 0 && peer < lp_path.log.ranks) lp_log_send(&lp_path.log, channel(comm, peer, tag));
}

static void receive(uint32_t number, int32_t peer, int32_t tag)
{
    const struct known_comm *comm = comm_of(number);
    if (!comm || peer < 0 || peer >= lp_path.log.ranks) return;
    const struct lp_channel_id from = channel(comm, peer, tag);
    lp_log_receive(&lp_path.log, lp_log_post(&lp_path.log, from), peer, tag);
}

static void post(uint32_t serial, uint32_t number, int32_t peer, int32_t tag)
{
    const struct known_comm *comm = comm_of(number);
    if (!comm) return;
    put_request((struct request){.serial = serial,
                                 .is_receive = true,
                                 .order = lp_log_post(&lp_path.log, channel(comm, peer, tag))});
}

// --- collective calls ---

// Neighbours' values go as messages on a channel that no message of the program's has.
static struct lp_channel_id neighbour(const struct known_comm *comm, int32_t peer)
{
    return (struct lp_channel_id){peer, -1 - comm->origin, comm->serial, 0};
}

static void give_to_neighbours(const struct known_comm *comm)
{
    for (int at = 0; at < comm->targets; ++at) {
        const int32_t peer = comm->neighbours[comm->sources + at];
        if (peer >= 0 && peer < lp_path.log.ranks) lp_log_send(&lp_path.log, neighbour(comm, peer));
    }
}

static void take_from_neighbours(const struct known_comm *comm)
{
    for (int at = 0; at < comm->sources; ++at) {
        const int32_t peer = comm->neighbours[at];
        if (peer < 0 || peer >= lp_path.log.ranks) continue;
        lp_log_receive(&lp_path.log, lp_log_post(&lp_path.log, neighbour(comm, peer)), peer, 0);
    }
}

static int place_in(const struct known_comm *comm, int32_t rank)
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

// Begins it; `request` says how it is completed. False: nobody's path is joined.
static bool give(uint32_t number, uint16_t call, int32_t root_rank, bool gives, struct request *request)
{
    const struct known_comm *comm = comm_of(number);
    if (!comm || !comm->is_joined) return false;
    const enum lp_collective_kind kind = kinds[call];
    if (kind == LP_KIND_NEIGHBOURS) {
        if (!comm->neighbours) return false;
        give_to_neighbours(comm);
        *request = (struct request){.comm = number, .is_of_neighbours = true};
        return true;
    }
    enum lp_joining joining = LP_ALL_TO_ALL;
    if (!joining_of(kind, &joining)) return false;
    const bool is_rooted = joining == LP_ONE_TO_ALL || joining == LP_ALL_TO_ONE;
    const int root = is_rooted ? place_in(comm, root_rank) : 0;
    if (root < 0) return false;
    *request = (struct request){.comm = number, .joining = joining, .root = root};
    request->call = lp_log_give(&lp_path.log, comm->path, joining, root, gives);
    return true;
}

static void take(const struct request *request)
{
    const struct known_comm *comm = comm_of(request->comm);
    if (request->is_of_neighbours) take_from_neighbours(comm);
    else lp_log_take(&lp_path.log, comm->path, request->call, request->joining, request->root);
}

// Whether this call gives something to others: a barrier does, and what makes communicators.
static bool gives_something(const struct lp_call *call)
{
    const enum lp_call_class class = classes[call->call];
    return kinds[call->call] == LP_KIND_BARRIER || class == LP_CLASS_COMMUNICATOR
           || class == LP_CLASS_START_COMMUNICATOR || call->bytes != 0;
}

// Whether all ranks are in this call at once, for certain and as each of them can tell by itself.
static bool is_meeting(const struct lp_call *call)
{
    const struct known_comm *comm = comm_of(call->comm);
    const enum lp_call_class class = classes[call->call];
    if (!comm || !comm->is_joined || !comm->has_all) return false;
    if (class == LP_CLASS_COMMUNICATOR) return kinds[call->call] == LP_KIND_N_TO_N;
    if (class != LP_CLASS_COLLECTIVE) return false;
    switch (call->call) {
    case LP_Barrier: return true;
    case LP_Allreduce:
    case LP_Allgather:
    case LP_Alltoall: return call->bytes > 0 || comm->size == 1;
    default: return false;
    }
}

// --- a call ---

static void complete(const struct lp_completion *done)
{
    struct request request;
    switch (done->kind) {
    case LP_SEND_STARTED:
    case LP_SSEND_STARTED: send(done->comm, done->peer, done->tag); return;
    case LP_RECV_STARTED: post(done->request, done->comm, done->peer, done->tag); return;
    case LP_COLLECTIVE_STARTED: {
        const struct known_comm *comm = comm_of(done->comm);
        if (!comm || !comm->prepared || !give(done->comm, comm->prepared, comm->root, comm->gives, &request)) return;
        request.serial = done->request;
        put_request(request);
        return;
    }
    default: break;
    }
    if (!take_request(done->request, &request)) return;
    if (request.is_receive && done->kind == LP_RECV_DONE && done->peer >= 0)
        lp_log_receive(&lp_path.log, request.order, done->peer, done->tag);
    else if (request.is_receive) lp_log_cancel(&lp_path.log, request.order);
    else if (done->kind == LP_COLLECTIVE_DONE || done->kind == LP_COMM_DONE) take(&request);
}

static void follow(const struct lp_call *call, const struct lp_completion *completions, int count)
{
    struct request request;
    switch ((enum lp_call_class)classes[call->call]) {
    case LP_CLASS_SEND:
    case LP_CLASS_START_SEND: send(call->comm, call->peer, call->tag); break;
    case LP_CLASS_RECEIVE: receive(call->comm, call->peer, call->tag); break;
    case LP_CLASS_SENDRECEIVE:
        send(call->comm, call->peer, call->tag);
        receive(call->comm, call->peer2, call->tag2);
        break;
    case LP_CLASS_PROBE: {
        const struct known_comm *comm = comm_of(call->comm);
        if (comm && call->peer >= 0 && call->peer < lp_path.log.ranks)
            lp_log_peek(&lp_path.log, channel(comm, call->peer, call->tag));
        break;
    }
    case LP_CLASS_START_RECEIVE: post(call->request, call->comm, call->peer, call->tag); break;
    case LP_CLASS_START_SENDRECEIVE:
        send(call->comm, call->peer, call->tag);
        post(call->request, call->comm, call->peer2, call->tag2);
        break;
    case LP_CLASS_PREPARE:
        if (kinds[call->call] != LP_KIND_NONE && comm_of(call->comm)) {
            struct known_comm *comm = comm_of(call->comm);
            comm->prepared = call->call;
            comm->root = call->peer;
            comm->gives = gives_something(call);
        }
        break;
    case LP_CLASS_COLLECTIVE:
    case LP_CLASS_COMMUNICATOR:
        if (is_meeting(call)) lp_log_meet(&lp_path.log);
        else if (give(call->comm, call->call, call->peer, gives_something(call), &request)) take(&request);
        break;
    case LP_CLASS_START_COLLECTIVE:
    case LP_CLASS_START_COMMUNICATOR:
        if (give(call->comm, call->call, call->peer, gives_something(call), &request)) {
            request.serial = call->request;
            if (request.serial == LP_NO_REQUEST) take(&request);
            else put_request(request);
        }
        break;
    default: break;
    }
    for (int at = 0; at < count; ++at) complete(&completions[at]);
}

void lp_path_call(const struct lp_call *call, const struct lp_completion *completions, int count)
{
    if (!lp_path_is_open() || call->call >= LP_CALL_COUNT) return;
    pthread_mutex_lock(&here.lock);
    const bool is_last = call->call == LP_Finalize, is_ours = is_followed();
    const uint32_t meetings = lp_path.log.meetings;
    if (is_ours) work_until(call->begin, call->call);
    if (is_last) lp_log_meet(&lp_path.log);
    else follow(call, completions, count);
    if (is_ours) {
        if (!here.has_begun) lp_path.begun = call->end;
        here.has_begun = true;
        here.last = call->end;
        here.last_call = call->call;
        here.own = here.own_next;
        here.own_next = 0;
    }
    if ((lp_path.log.meetings > meetings || lp_path.log.is_full) && (is_last || is_meeting(call))) {
        const int64_t end = here.met(call->end, is_last);
        if (end != 0) {
            here.last = end;
            here.own = here.own_next = 0;  // which lies before that
        }
    }
    pthread_mutex_unlock(&here.lock);
}

void lp_path_region(bool enter, uint32_t region, int64_t time)
{
    if (!lp_path_is_open() || !is_followed()) return;
    pthread_mutex_lock(&here.lock);
    work_until(time, here.last_call);
    if (here.last < time) here.last = time;
    here.own = here.own_next;
    here.own_next = 0;
    if (!enter) here.region_count -= here.region_count > 0;
    else if (lp_make_room(&here.regions, &here.region_capacity, here.region_count, sizeof *here.regions, 1u << 20))
        here.regions[here.region_count++] = region;
    pthread_mutex_unlock(&here.lock);
}

void lp_path_polling(const struct lp_polling_loop *loop)
{
    if (!lp_path_is_open() || !is_followed()) return;
    pthread_mutex_lock(&here.lock);
    work_until(loop->begin, loop->call);
    here.last = loop->end;
    here.last_call = loop->call;
    here.own = here.own_next;
    here.own_next = 0;
    pthread_mutex_unlock(&here.lock);
}

void lp_path_own(int64_t ns)
{
    if (lp_path_is_open() && is_followed()) here.own_next += ns;
}

// --- begin and end ---

bool lp_path_is_open(void) { return atomic_load_explicit(&here.is_open, memory_order_relaxed); }

bool lp_path_open(int rank, int ranks, uint32_t most_steps, int64_t (*met)(int64_t at, bool is_last))
{
    if (!lp_log_open(&lp_path.log, ranks, most_steps)) return false;
    lp_path.rank = rank;
    here.thread = pthread_self();
    here.met = met;
    atomic_store(&here.is_open, true);
    return true;
}

void lp_path_close(void)
{
    if (!atomic_exchange(&here.is_open, false)) return;
    lp_log_close(&lp_path.log);
    for (uint32_t at = 0; at < here.comm_count; ++at) {
        free(here.comms[at].members);
        free(here.comms[at].neighbours);
    }
    free(here.comms);
    free(here.requests);
    free(here.regions);
    free(lp_path.all);
}
