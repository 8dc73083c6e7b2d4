// SPDX-License-Identifier: GPL-3.0-or-later
// A message leaves at the begin of the sending call and arrives at the end of the call that completes the receive
// (docs/algorithms.md 7). Other waits, as for a receiver that is late, are not followed.
#include "recorder/online/pathcalls.h"

#include "recorder/format/callkinds.h"
#include "recorder/online/pathclock.h"
#include "recorder/online/pathcollectives.h"
#include "recorder/online/pathcomms.h"
#include "recorder/online/pathrequests.h"
#include "recorder/online/pathwork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct lp_path lp_path;

// What lp_path_foretell was told of a call before it was made.
struct told {
    bool is_told, has_joined;
    struct lp_request request;
};
static _Thread_local struct told told __attribute__((tls_model("initial-exec")));

static struct {
    pthread_mutex_t lock;
    pthread_t thread;
    atomic_bool is_open;
    int64_t (*met)(int64_t at, bool is_last);
    int64_t (*between)(int64_t at);  // null: nobody looks
    void (*ask)(void);               // null: nobody can be asked
    bool is_ending;                  // the next call is the last one
    struct lp_follower log, carry;
} here = {.lock = PTHREAD_MUTEX_INITIALIZER};

// --- work ---

// Notes the thread's work up to `time`, when it comes to that border.
static void work_until(int64_t time, struct lp_border next, bool to_call)
{
    const struct lp_code code = lp_work_until(time, next, to_call);
    if (code.ns <= 0) return;
    if (here.log.to) {
        const bool has_callers = (code.callers & ~code.lanes) != 0;
        lp_log_work(&lp_path.log,
                    has_callers ? lp_log_context(&lp_path.log, code.procedure, code.callers | code.lanes)
                                : code.procedure,
                    code.ns);
    }
    if (here.carry.to && !lp_path.is_stopped) here.carry.to->work(code.procedure, code.callers, code.ns);
}

static bool is_followed(void) { return pthread_equal(pthread_self(), here.thread) != 0; }

// --- what MPI knows of receives ---

void lp_path_ask_by(void (*ask)(void)) { here.ask = ask; }

bool lp_path_learn(uint32_t serial, int32_t peer, int32_t tag)
{
    if (peer < 0 || peer >= lp_path.log.ranks || tag < 0) return true;
    bool is_known = true;
    const struct lp_follower *const all[] = {&here.log, &here.carry};
    for (int at = 0; at < 2; ++at) {
        const struct lp_request *request = all[at]->to ? lp_open_receive(all[at], serial) : NULL;
        if (request) all[at]->to->learn(request->order, peer, tag);
        is_known &= request || !all[at]->to;
    }
    return is_known;
}

void lp_path_ask(void)
{
    if (here.ask) here.ask();
}

// --- communicators ---

void lp_path_comm(uint32_t comm, int32_t origin, uint32_t serial, bool is_inter, int size, const int32_t *members)
{
    if (!lp_path_is_open() || comm >= 1u << 24) return;
    pthread_mutex_lock(&here.lock);
    lp_know_comm(comm, origin, serial, is_inter, size, members);
    pthread_mutex_unlock(&here.lock);
}

void lp_path_neighbours(uint32_t comm, int sources, int targets, const int32_t *ranks)
{
    if (!lp_path_is_open()) return;
    pthread_mutex_lock(&here.lock);
    lp_know_neighbours(comm, sources, targets, ranks);
    pthread_mutex_unlock(&here.lock);
}

// --- messages ---

static void send(const struct lp_follower *of, uint32_t number, int32_t peer, int32_t tag)
{
    const struct lp_known_comm *comm = lp_known_comm_of(number);
    if (comm && peer >= 0 && peer < lp_path.log.ranks) of->to->send(lp_channel_on(comm, peer, tag));
}

static void receive(const struct lp_follower *of, uint32_t number, int32_t peer, int32_t tag)
{
    const struct lp_known_comm *comm = lp_known_comm_of(number);
    if (!comm || peer < 0 || peer >= lp_path.log.ranks) return;
    const struct lp_channel_id from = lp_channel_on(comm, peer, tag);
    of->to->receive(of->to->post(from), peer, tag);
}

static void post(struct lp_follower *of, uint32_t serial, uint32_t number, int32_t peer, int32_t tag)
{
    const struct lp_known_comm *comm = lp_known_comm_of(number);
    if (!comm) return;
    lp_put_request(of, (struct lp_request){.serial = serial,
                                           .is_receive = true,
                                           .order = of->to->post(lp_channel_on(comm, peer, tag))});
}

// --- collective calls ---

// Whether others need something of this rank in this call. A barrier and calls that make communicators count, though
// they move no data.
static bool gives_something(const struct lp_call *call)
{
    const enum lp_call_class class = lp_call_classes[call->call];
    return lp_call_kinds[call->call] == LP_KIND_BARRIER || class == LP_CLASS_COMMUNICATOR
           || class == LP_CLASS_START_COMMUNICATOR || call->bytes != 0;
}

// Whether all ranks are certainly in this call at the same time, which each of them must be able to tell by itself.
static bool is_meeting(const struct lp_call *call)
{
    const struct lp_known_comm *comm = lp_known_comm_of(call->comm);
    const enum lp_call_class class = lp_call_classes[call->call];
    if (!comm || !comm->is_joined || !comm->has_all) return false;
    if (class == LP_CLASS_COMMUNICATOR) return lp_call_kinds[call->call] == LP_KIND_N_TO_N;
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

static void complete(struct lp_follower *of, const struct lp_completion *done)
{
    struct lp_request request;
    switch (done->kind) {
    case LP_SEND_STARTED:
    case LP_SSEND_STARTED:
        if (of == &here.log || !told.is_told) send(of, done->comm, done->peer, done->tag);
        return;
    case LP_RECV_STARTED: post(of, done->request, done->comm, done->peer, done->tag); return;
    case LP_COLLECTIVE_STARTED: {
        const struct lp_known_comm *comm = lp_known_comm_of(done->comm);
        if (!comm || !comm->prepared
            || !lp_give(of, done->comm, comm->prepared, comm->root, comm->gives, false, &request))
            return;
        request.serial = done->request;
        lp_put_request(of, request);
        return;
    }
    case LP_EPOCH_PEER: return;
    default: break;
    }
    if (!lp_take_request(of, done->request, &request)) return;
    if (request.is_receive && done->kind == LP_RECV_DONE && done->peer >= 0)
        of->to->receive(request.order, done->peer, done->tag);
    else if (request.is_receive && (done->kind == LP_FREED || done->kind == LP_FREED_ANY))
        of->to->release(request.order, done->peer, done->tag);
    else if (request.is_receive) of->to->cancel(request.order);
    else if (done->kind == LP_COLLECTIVE_DONE || done->kind == LP_COMM_DONE) lp_take(of, &request);
}

// Notes what a call gives to others as it begins. False: it joins nobody's path.
static bool begin_call(struct lp_follower *of, const struct lp_call *call, struct lp_request *request)
{
    switch ((enum lp_call_class)lp_call_classes[call->call]) {
    case LP_CLASS_SEND:
    case LP_CLASS_START_SEND:
    case LP_CLASS_SENDRECEIVE:
    case LP_CLASS_START_SENDRECEIVE: send(of, call->comm, call->peer, call->tag); return false;
    case LP_CLASS_COLLECTIVE:
    case LP_CLASS_COMMUNICATOR:
        return lp_give(of, call->comm, call->call, call->peer, is_meeting(call) || gives_something(call), true,
                       request);
    case LP_CLASS_START_COLLECTIVE:
    case LP_CLASS_START_COMMUNICATOR:
        return lp_give(of, call->comm, call->call, call->peer, gives_something(call), false, request);
    default: return false;
    }
}

static void follow(struct lp_follower *of, const struct lp_call *call, const struct lp_completion *completions,
                   int count)
{
    struct lp_request request = {0};
    bool has_joined = false;
    if (of == &here.log && is_meeting(call)) lp_log_meet(&lp_path.log);
    else if (of == &here.log || !told.is_told) has_joined = begin_call(of, call, &request);
    else if ((has_joined = told.has_joined)) request = told.request;
    switch ((enum lp_call_class)lp_call_classes[call->call]) {
    case LP_CLASS_RECEIVE: receive(of, call->comm, call->peer, call->tag); break;
    case LP_CLASS_SENDRECEIVE: receive(of, call->comm, call->peer2, call->tag2); break;
    case LP_CLASS_PROBE: {
        const struct lp_known_comm *comm = lp_known_comm_of(call->comm);
        if (comm && call->peer >= 0 && call->peer < lp_path.log.ranks)
            of->to->peek(lp_channel_on(comm, call->peer, call->tag));
        break;
    }
    case LP_CLASS_START_RECEIVE: post(of, call->request, call->comm, call->peer, call->tag); break;
    case LP_CLASS_START_SENDRECEIVE: post(of, call->request, call->comm, call->peer2, call->tag2); break;
    case LP_CLASS_PREPARE:
        if (lp_call_kinds[call->call] != LP_KIND_NONE && lp_known_comm_of(call->comm)) {
            struct lp_known_comm *comm = lp_known_comm_of(call->comm);
            comm->prepared = call->call;
            comm->root = call->peer;
            comm->gives = gives_something(call);
        }
        break;
    case LP_CLASS_COLLECTIVE:
    case LP_CLASS_COMMUNICATOR:
        if (has_joined) lp_take(of, &request);
        break;
    case LP_CLASS_START_COLLECTIVE:
    case LP_CLASS_START_COMMUNICATOR:
        if (!has_joined) break;
        request.serial = call->request;
        if (request.serial == LP_NO_REQUEST) lp_take(of, &request);
        else lp_put_request(of, request);
        break;
    default: break;
    }
    for (int at = 0; at < count; ++at) complete(of, &completions[at]);
}

void lp_path_call(const struct lp_call *call, const struct lp_completion *completions, int count)
{
    if (!lp_path_is_open() || call->call >= LP_CALL_COUNT) return;
    pthread_mutex_lock(&here.lock);
    const bool is_last = here.is_ending, is_ours = is_followed();
    if (is_ours) work_until(call->begin, lp_border_of_call(call->call), true);
    if (here.log.to && is_last) lp_log_meet(&lp_path.log);
    else if (here.log.to) follow(&here.log, call, completions, count);
    if (is_ours) {
        if (lp_work_begin()) lp_path.begun = call->end;
        lp_work_goes_on(call->end, lp_border_of_call(call->call));
    }
    int64_t end = 0;
    if (is_last || is_meeting(call)) end = here.met(call->end, is_last);
    else if (here.between && is_ours) end = here.between(call->end);
    if (end != 0) lp_work_begins_at(end);
    pthread_mutex_unlock(&here.lock);
    if (is_ours) lp_cpu_returns();
}

void lp_path_end(void) { here.is_ending = true; }

// --- what is carried ---

// Brings the carrier's value up to the begin of the call.
static void carry_until(const struct lp_call *call)
{
    if (!is_followed()) return;
    work_until(call->begin, lp_border_of_call(call->call), true);
    lp_work_is_noted_until(call->begin);
}

void lp_path_foretell(const struct lp_call *call)
{
    told = (struct told){0};
    if (!lp_path_carries() || call->call >= LP_CALL_COUNT) return;
    const int64_t begin = lp_now();
    pthread_mutex_lock(&here.lock);
    carry_until(call);
    told.is_told = true;
    told.has_joined = begin_call(&here.carry, call, &told.request);
    here.carry.to->settle();
    lp_path.carried += lp_now() - begin;
    pthread_mutex_unlock(&here.lock);
}

void lp_path_foretell_start(const struct lp_call *call, const struct lp_completion *started, int count)
{
    told = (struct told){0};
    if (!lp_path_carries()) return;
    pthread_mutex_lock(&here.lock);
    carry_until(call);
    for (int at = 0; at < count; ++at) send(&here.carry, started[at].comm, started[at].peer, started[at].tag);
    told.is_told = true;
    pthread_mutex_unlock(&here.lock);
}

void lp_path_carry(struct lp_call *call, const struct lp_completion *completions, int count)
{
    if (!lp_path_carries() || call->call >= LP_CALL_COUNT) return;
    const int64_t begin = lp_now();
    pthread_mutex_lock(&here.lock);
    carry_until(call);
    if (here.is_ending) here.carry.to->meet();
    else follow(&here.carry, call, completions, count);
    here.carry.to->settle();
    told = (struct told){0};
    call->end = lp_now();
    lp_path.carried += call->end - begin;
    pthread_mutex_unlock(&here.lock);
}

void lp_path_region(bool enter, uint32_t region, int64_t time)
{
    if (!lp_path_is_open() || !is_followed()) return;
    pthread_mutex_lock(&here.lock);
    work_until(time, (struct lp_border){.is_region = true, .number = region}, true);
    lp_work_region(enter, region, time);
    pthread_mutex_unlock(&here.lock);
    lp_cpu_returns();
}

void lp_path_polling(const struct lp_polling_loop *loop)
{
    if (!lp_path_is_open() || !is_followed()) return;
    pthread_mutex_lock(&here.lock);
    work_until(loop->begin, lp_border_of_call(loop->call), false);
    lp_work_goes_on(loop->end, lp_border_of_call(loop->call));
    if (loop->is_ended) lp_work_is_polling();
    pthread_mutex_unlock(&here.lock);
}

void lp_path_own(int64_t ns)
{
    if (lp_path_is_open() && is_followed()) lp_work_own(ns);
}

// --- begin and end ---

bool lp_path_is_open(void) { return atomic_load_explicit(&here.is_open, memory_order_relaxed); }

void lp_path_look_between(int64_t (*between)(int64_t at)) { here.between = between; }

bool lp_path_carries(void) { return lp_path_is_open() && here.carry.to != NULL; }

void lp_path_carry_by(const struct lp_path_carrier *carrier, bool with_log)
{
    here.carry.to = carrier;
    if (!with_log) here.log.to = NULL;
}

bool lp_path_open(int rank, int ranks, uint32_t most_steps, int64_t (*met)(int64_t at, bool is_last))
{
    here.log.to = &lp_log_carrier;
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
    lp_forget_comms();
    free(here.log.requests);
    free(here.carry.requests);
    lp_work_forget();
}
