// SPDX-License-Identifier: GPL-3.0-or-later
// Finds which requests a call completed, and with what result. MPI overwrites the handles, so they are kept before the
// call. If several threads call MPI, the requests are also taken out of the map before it, as another thread may be
// given a handle again at once.
#include "recorder/wrappers/completions.h"

#include "recorder/online/pathcalls.h"
#include "recorder/wrappers/notes.h"
#include "recorder/wrappers/requests.h"
#include "recorder/wrappers/scratch.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool mayBeCancelled;

static MPI_Request handleAt(struct lp_requests requests, int at)
{
    return requests.c ? requests.c[at] : PMPI_Request_f2c(requests.fortran[at]);
}

void lp_await(struct lp_requests requests, int count)
{
    struct lp_scratch *scratch = lp_scratch(count);
    for (int at = 0; at < count; ++at) scratch->handles[at] = handleAt(requests, at);
    if (!lp_uses_threads()) return;
    for (int at = 0; at < count; ++at) {
        if (!lp_take_request(scratch->handles[at], &scratch->requests[at])) scratch->requests[at].comm = 0;
    }
}

MPI_Status *lp_own_statuses(int count) { return lp_scratch(count)->statuses; }

static bool take(struct lp_scratch *scratch, int at, struct lp_request *request)
{
    if (!lp_uses_threads()) return lp_take_request(scratch->handles[at], request);
    *request = scratch->requests[at];
    scratch->requests[at].comm = 0;
    return request->comm != 0;
}

static void returnTaken(struct lp_scratch *scratch, int count)
{
    for (int at = count - 1; lp_uses_threads() && at >= 0; --at) {
        if (scratch->requests[at].comm) lp_return_request(scratch->handles[at], &scratch->requests[at]);
    }
}

static struct lp_completion madeComm(const struct lp_request *request)
{
    struct lp_comm_made *made = request->made;
    PMPI_Wait(&made->agreement, MPI_STATUS_IGNORE);
    lp_made_comm_of(made->handle, made->id, made->isAgreed);
    const uint32_t comm = lp_comm(made->handle)->number;
    free(made);
    return (struct lp_completion){LP_COMM_DONE, request->serial, comm, LP_NO_RANK, 0, 0, request->isUnrecorded};
}

static struct lp_completion completionOf(const struct lp_request *request, enum lp_completion_kind kind)
{
    return (struct lp_completion){kind,         request->serial, request->comm->number, request->peer,
                                  request->tag, request->bytes,  request->isUnrecorded};
}

static struct lp_completion receivedNothing(const struct lp_request *request)
{
    return (struct lp_completion){LP_RECV_DONE,         request->serial, request->comm->number, LP_NO_RANK, -1, 0,
                                  request->isUnrecorded};
}

static struct lp_completion received(const struct lp_request *request, const MPI_Status *status)
{
    return (struct lp_completion){LP_RECV_DONE,          request->serial,
                                  request->comm->number, lp_peer(request->comm, status->MPI_SOURCE),
                                  status->MPI_TAG,       lp_status_bytes(status),
                                  request->isUnrecorded};
}

static struct lp_completion complete(const struct lp_request *request, struct lp_statuses statuses, int at)
{
    static const uint8_t kinds[] = {[LP_SEND_REQUEST] = LP_SEND_DONE,
                                    [LP_SYNCHRONOUS_SEND_REQUEST] = LP_SEND_DONE,
                                    [LP_COLLECTIVE_REQUEST] = LP_COLLECTIVE_DONE};
    if (request->kind == LP_COMM_REQUEST) return madeComm(request);
    if (request->kind == LP_NULL_REQUEST) return receivedNothing(request);
    const bool isReceive = request->kind == LP_RECEIVE_REQUEST;
    if (isReceive && request->isAsAsked) return completionOf(request, LP_RECV_DONE);
    const bool isAsked = atomic_load_explicit(&mayBeCancelled, memory_order_relaxed);
    if (!isReceive && !isAsked) return completionOf(request, kinds[request->kind]);

    MPI_Status own;
    const MPI_Status *status = statuses.c + at;
    if (!statuses.c) {
        PMPI_Status_f2c(statuses.fortran + (size_t)at * LP_STATUS_INTS, &own);
        status = &own;
    }
    int isCancelled = 0;
    if (isAsked) PMPI_Test_cancelled(status, &isCancelled);
    if (isCancelled) return completionOf(request, LP_CANCELLED);
    return isReceive ? received(request, status) : completionOf(request, kinds[request->kind]);
}

void lp_note_completed(struct lp_call *call, int count, int completed, const int *indices, struct lp_statuses statuses)
{
    struct lp_scratch *scratch = lp_scratch(count);
    int found = 0;
    for (int at = 0; completed != MPI_UNDEFINED && at < completed; ++at) {
        const int index = indices ? indices[at] : at;
        struct lp_request request;
        if (index < 0 || index >= count || !take(scratch, index, &request)) continue;
        scratch->completions[found] = complete(&request, statuses, at);
        found += request.serial != 0;
    }
    returnTaken(scratch, count);
    lp_put(call, scratch->completions, found);
}

void lp_note_incomplete(struct lp_call *call, int count)
{
    returnTaken(lp_scratch(count), count);
    lp_count_poll(call);
}

// After an error: requests that MPI has given up are known by their handles, which are null now.
void lp_note_failed(struct lp_call *call, int count, struct lp_requests requests)
{
    struct lp_scratch *scratch = lp_scratch(count);
    int found = 0;
    for (int at = 0; at < count; ++at) {
        struct lp_request request;
        if (handleAt(requests, at) == MPI_REQUEST_NULL && take(scratch, at, &request) && request.serial)
            scratch->completions[found++] = completionOf(&request, LP_CANCELLED);
    }
    returnTaken(scratch, count);
    lp_put(call, scratch->completions, found);
}

void lp_note_started(struct lp_call *call, struct lp_requests requests, int count)
{
    static const uint8_t kinds[] = {[LP_SEND_REQUEST] = LP_SEND_STARTED,
                                    [LP_SYNCHRONOUS_SEND_REQUEST] = LP_SSEND_STARTED,
                                    [LP_RECEIVE_REQUEST] = LP_RECV_STARTED,
                                    [LP_COLLECTIVE_REQUEST] = LP_COLLECTIVE_STARTED,
                                    [LP_NULL_REQUEST] = LP_RECV_STARTED};
    struct lp_scratch *scratch = lp_scratch(count);
    int found = 0;
    for (int at = 0; at < count; ++at) {
        struct lp_request request;
        if (!lp_start_request(handleAt(requests, at), &request) || !request.serial) continue;
        const bool isSentLater = request.partitions > 0 && request.kind == LP_SEND_REQUEST;
        if (!isSentLater) scratch->completions[found++] = completionOf(&request, kinds[request.kind]);
    }
    lp_put(call, scratch->completions, found);
}

void lp_foretell_start(enum lp_call_id call, int64_t begin, struct lp_requests requests, int count)
{
    if (begin < 0 || !lp_path_carries()) return;
    struct lp_scratch *scratch = lp_scratch(count);
    int found = 0;
    for (int at = 0; at < count; ++at) {
        struct lp_request request;
        if (!lp_find_prepared(handleAt(requests, at), &request) || request.partitions > 0) continue;
        if (request.kind == LP_SEND_REQUEST || request.kind == LP_SYNCHRONOUS_SEND_REQUEST)
            scratch->completions[found++] = completionOf(&request, LP_SEND_STARTED);
    }
    const struct lp_call asked = {.begin = begin, .end = begin, .call = (uint16_t)call};
    lp_put_own_polls();
    lp_path_foretell_start(&asked, scratch->completions, found);
}

void lp_note_ready(struct lp_call *call, MPI_Request handle, int partitions)
{
    struct lp_request request;
    const bool isSent = lp_count_ready(handle, partitions, &request) && request.serial != 0;
    const struct lp_completion sent = isSent ? completionOf(&request, LP_SEND_STARTED) : (struct lp_completion){0};
    lp_put(call, &sent, isSent);
}

// What MPI knows of a receive. False: it is open, or nothing is known.
static bool askStatus(MPI_Request handle, const struct lp_request *request, MPI_Status *status, int *isCancelled)
{
    int isDone = 0;
    if (request->isAsAsked || PMPI_Request_get_status(handle, &isDone, status) != MPI_SUCCESS || !isDone) return false;
    *isCancelled = 0;
    if (atomic_load_explicit(&mayBeCancelled, memory_order_relaxed)) PMPI_Test_cancelled(status, isCancelled);
    return true;
}

static void takeFrom(struct lp_request *request, int32_t peer, int tag)
{
    request->isLearned |= request->peer < 0 || request->tag < 0;
    request->peer = peer;
    request->tag = tag;
}

static void learn(MPI_Request handle, struct lp_request *request)
{
    MPI_Status status;
    int isCancelled;
    if (!askStatus(handle, request, &status, &isCancelled) || isCancelled) return;
    const int32_t peer = lp_peer(request->comm, status.MPI_SOURCE);
    if (peer < 0 || status.MPI_TAG < 0 || !lp_path_learn(request->serial, peer, status.MPI_TAG)) return;
    if (!request->isPersistent) takeFrom(request, peer, status.MPI_TAG);  // its next message may be another's
}

void lp_learn_open(void) { lp_each_open_receive(learn); }

void lp_before_free(MPI_Request handle)
{
    struct lp_scratch *scratch = lp_scratch(1);
    struct lp_request *request = &scratch->requests[0];
    if (handle == MPI_REQUEST_NULL || !lp_forget_request(handle, request)
        || (request->isPersistent && !request->isActive))
        request->comm = 0;
    MPI_Status status;
    int isCancelled;
    const bool isReceive = request->comm && request->serial && request->kind == LP_RECEIVE_REQUEST;
    if (!isReceive || !askStatus(handle, request, &status, &isCancelled)) return;
    request->isCancelled = isCancelled;
    if (!isCancelled) takeFrom(request, lp_peer(request->comm, status.MPI_SOURCE), status.MPI_TAG);
}

void lp_note_freed(struct lp_call *call)
{
    struct lp_scratch *scratch = lp_scratch(1);
    const struct lp_request *request = &scratch->requests[0];
    const bool isKnown = request->comm && request->serial;
    const enum lp_completion_kind kind = request->isCancelled ? LP_CANCELLED
                                         : request->isLearned ? LP_FREED_ANY
                                                              : LP_FREED;
    if (isKnown) scratch->completions[0] = completionOf(request, kind);
    lp_put(call, scratch->completions, isKnown);
}

// Receives are cancelled at once, and later ones may get what they would have got before anybody waits for them.
void lp_note_cancel(struct lp_call *call, MPI_Request handle)
{
    atomic_store(&mayBeCancelled, true);
    struct lp_request request;
    MPI_Status status;
    int isCancelled = 0;
    if (lp_find_request(handle, &request) && request.kind == LP_RECEIVE_REQUEST
        && askStatus(handle, &request, &status, &isCancelled) && isCancelled && lp_see_request(handle, &request)) {
        const struct lp_completion cancelled = completionOf(&request, LP_CANCELLED);
        lp_put(call, &cancelled, 1);
    } else {
        lp_put(call, 0, 0);
    }
}

void lp_note_status(struct lp_call *call, MPI_Request handle, bool flag, struct lp_statuses status)
{
    struct lp_request request;
    if (!flag) {
        lp_count_poll(call);
    } else if (lp_see_request(handle, &request)) {
        const struct lp_completion seen = complete(&request, status, 0);
        lp_put(call, &seen, 1);
    } else {
        lp_put(call, 0, 0);
    }
}
