// SPDX-License-Identifier: GPL-3.0-or-later
// The notes of point-to-point, one-sided and file calls, and of calls that make communicators.
#include "recorder/wrappers/notes.h"

#include "recorder/wrappers/requests.h"
#include "recorder/wrappers/scratch.h"
#include "recorder/wrappers/spawned.h"

#include <stdlib.h>

int64_t lp_status_bytes(const MPI_Status *status)
{
    int count = MPI_UNDEFINED;
    PMPI_Get_count(status, MPI_BYTE, &count);
    if (count != MPI_UNDEFINED) return count;
    MPI_Count large = -1;
    PMPI_Get_elements_x(status, MPI_BYTE, &large);
    return large < 0 ? -1 : large;
}

void lp_note_plain(struct lp_call *call) { lp_put(call, 0, 0); }

static void put(struct lp_call *call, const struct lp_communicator *comm, int rank, int tag, int64_t bytes)
{
    call->comm = comm->number;
    call->peer = lp_peer(comm, rank);
    call->tag = tag;
    call->bytes = bytes;
    lp_put(call, 0, 0);
}

void lp_note_send(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    put(call, lp_comm(comm), to, tag, lp_bytes(count, type));
}

void lp_note_receive(struct lp_call *call, MPI_Comm comm, const MPI_Status *status)
{
    put(call, lp_comm(comm), status->MPI_SOURCE, status->MPI_TAG, lp_status_bytes(status));
}

void lp_note_mreceive(struct lp_call *call, const struct lp_communicator *comm, const MPI_Status *status)
{
    if (comm) put(call, comm, status->MPI_SOURCE, status->MPI_TAG, lp_status_bytes(status));
    else lp_put(call, 0, 0);
}

void lp_note_sendrecv(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      const MPI_Status *status)
{
    const struct lp_communicator *known = lp_comm(comm);
    if (!lp_is_asked) {
        call->peer2 = lp_peer(known, status->MPI_SOURCE);
        call->tag2 = status->MPI_TAG;
        call->bytes2 = lp_status_bytes(status);
    }
    put(call, known, to, tag, lp_bytes(count, type));
}

void lp_note_mprobe(struct lp_call *call, MPI_Comm comm, MPI_Message message, const MPI_Status *status)
{
    if (message != MPI_MESSAGE_NO_PROC && message != MPI_MESSAGE_NULL) lp_add_message(message, lp_comm(comm));
    lp_note_receive(call, comm, status);
}

void lp_note_iprobe(struct lp_call *call, MPI_Comm comm, int flag, const MPI_Status *status)
{
    if (flag) lp_note_receive(call, comm, status);
    else lp_count_poll(call);
}

void lp_note_improbe(struct lp_call *call, MPI_Comm comm, int flag, MPI_Message message, const MPI_Status *status)
{
    if (flag) lp_note_mprobe(call, comm, message, status);
    else lp_count_poll(call);
}

// The kind of a receive's request. Nothing comes from MPI_PROC_NULL, and its status cannot be trusted (MPICH's is 0 if
// the handle is the one that all requests share which were done at once).
static enum lp_request_kind receiveFrom(int rank)
{
    return rank == MPI_PROC_NULL ? LP_NULL_REQUEST : LP_RECEIVE_REQUEST;
}

static void start(struct lp_call *call, enum lp_request_kind kind, const struct lp_communicator *comm, int rank,
                  int tag, int64_t bytes, MPI_Request handle)
{
    const struct lp_request request = {
        .kind = kind, .comm = comm, .peer = lp_peer(comm, rank), .tag = tag, .bytes = bytes};
    call->request = lp_add_request(handle, request);
    put(call, comm, rank, tag, bytes);
}

void lp_note_isend(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request request)
{
    start(call, call->call == LP_Issend ? LP_SYNCHRONOUS_SEND_REQUEST : LP_SEND_REQUEST, lp_comm(comm), to, tag,
          lp_bytes(count, type), request);
}

void lp_note_irecv(struct lp_call *call, int64_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                   MPI_Request request)
{
    start(call, receiveFrom(from), lp_comm(comm), from, tag == MPI_ANY_TAG ? -1 : tag, lp_bytes(count, type), request);
}

void lp_note_imrecv(struct lp_call *call, int64_t count, MPI_Datatype type, const struct lp_communicator *comm,
                    MPI_Request request)
{
    const struct lp_communicator *known = comm ? comm : lp_comm(MPI_COMM_NULL);
    start(call, comm ? LP_RECEIVE_REQUEST : LP_NULL_REQUEST, known, MPI_ANY_SOURCE, -1, lp_bytes(count, type), request);
}

static void prepare(struct lp_call *call, enum lp_request_kind kind, MPI_Comm comm, int rank, int tag, int64_t bytes,
                    MPI_Request handle)
{
    const struct lp_communicator *known = lp_comm(comm);
    const struct lp_request request = {
        .kind = kind, .isPersistent = true, .comm = known, .tag = tag, .peer = lp_peer(known, rank), .bytes = bytes};
    lp_add_request(handle, request);
    put(call, known, rank, tag, bytes);
}

void lp_note_send_init(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                       MPI_Request request)
{
    prepare(call, call->call == LP_Ssend_init ? LP_SYNCHRONOUS_SEND_REQUEST : LP_SEND_REQUEST, comm, to, tag,
            lp_bytes(count, type), request);
}

void lp_note_recv_init(struct lp_call *call, int64_t count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                       MPI_Request request)
{
    prepare(call, receiveFrom(from), comm, from, tag == MPI_ANY_TAG ? -1 : tag, lp_bytes(count, type), request);
}

// The send is over when it is called; what completes later is the receive. MPICH 4.0's status is not that of a receive.
void lp_note_isendrecv(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, int64_t count2,
                       MPI_Datatype type2, int from, int tag2, MPI_Comm comm, MPI_Request handle)
{
    const struct lp_communicator *known = lp_comm(comm);
    const struct lp_request request = {.kind = receiveFrom(from),
                                       .comm = known,
                                       .peer = lp_peer(known, from),
                                       .tag = tag2 == MPI_ANY_TAG ? -1 : tag2,
                                       .isAsAsked = from != MPI_ANY_SOURCE && tag2 != MPI_ANY_TAG,
                                       .bytes = lp_bytes(count2, type2)};
    call->request = lp_add_request(handle, request);
    call->peer2 = request.peer;
    call->tag2 = request.tag;
    call->bytes2 = request.bytes;
    put(call, known, to, tag, lp_bytes(count, type));
}

void lp_note_isendrecv_replace(struct lp_call *call, int64_t count, MPI_Datatype type, int to, int tag, int from,
                               int tag2, MPI_Comm comm, MPI_Request request)
{
    lp_note_isendrecv(call, count, type, to, tag, count, type, from, tag2, comm, request);
}

static void preparePartitions(struct lp_call *call, enum lp_request_kind kind, int partitions, int64_t bytes, int rank,
                              int tag, MPI_Comm comm, MPI_Request handle)
{
    const struct lp_communicator *known = lp_partitioned_comm(comm);
    const struct lp_request request = {.kind = kind,
                                       .isPersistent = true,
                                       .isAsAsked = true,
                                       .partitions = partitions,
                                       .comm = known,
                                       .tag = tag,
                                       .peer = lp_peer(known, rank),
                                       .bytes = bytes};
    lp_add_request(handle, request);
    put(call, known, rank, tag, bytes);
}

void lp_note_psend_init(struct lp_call *call, int partitions, int64_t count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm, MPI_Request request)
{
    preparePartitions(call, LP_SEND_REQUEST, partitions, lp_bytes(partitions * count, type), to, tag, comm, request);
}

void lp_note_precv_init(struct lp_call *call, int partitions, int64_t count, MPI_Datatype type, int from, int tag,
                        MPI_Comm comm, MPI_Request request)
{
    preparePartitions(call, receiveFrom(from), partitions, lp_bytes(partitions * count, type), from, tag, comm,
                      request);
}

// The agreement on a new communicator's id belongs to the call that made it.
static void putMaking(struct lp_call *call, const struct lp_communicator *parent)
{
    call->comm = parent->number;
    call->end = lp_now();
    lp_put(call, 0, 0);
}

void lp_note_new_comm(struct lp_call *call, MPI_Comm comm, MPI_Comm made)
{
    // Of the other side of a new intercommunicator a rank may know who they are, and others of its own side not.
    lp_made_comm(made, call->call == LP_Intercomm_create ? 0 : lp_comm(comm));
    putMaking(call, lp_comm(comm));
}

void lp_note_comm_of_groups(struct lp_call *call, MPI_Comm made)
{
    lp_made_comm(made, 0);
    putMaking(call, lp_comm(made));
}

// Where both sides are recorded, the program's start is a meeting of all who started it and of its ranks.
void lp_note_spawned(struct lp_call *call, MPI_Comm comm, MPI_Comm made)
{
    lp_made_spawned(made, comm);
    const struct lp_communicator *between = lp_comm(made);
    putMaking(call, between->isAgreed ? between : lp_comm(comm));
}

void lp_note_foreign_comm(struct lp_call *call, MPI_Comm comm, MPI_Comm made)
{
    lp_made_foreign_comm(made, comm);
    putMaking(call, lp_comm(comm));
}

void lp_note_joined_comm(struct lp_call *call, MPI_Comm made)
{
    lp_made_foreign_comm(made, MPI_COMM_SELF);
    putMaking(call, lp_comm(MPI_COMM_SELF));
}

void lp_note_freed_comm(struct lp_call *call, const struct lp_communicator *comm)
{
    call->comm = comm ? comm->number : LP_NO_COMM;
    lp_put(call, 0, 0);
}

// The id travels on the parent while MPI makes the communicator: a blocking agreement at completion could wait for
// ever.
void lp_note_idup(struct lp_call *call, MPI_Comm comm, MPI_Comm made, MPI_Request handle)
{
    const struct lp_communicator *parent = lp_comm(comm);
    struct lp_comm_made *making = calloc(1, sizeof *making);
    making->handle = made;
    making->id = lp_new_comm_id();
    making->agreement = MPI_REQUEST_NULL;
    making->isAgreed = !parent->isForeign && !parent->isInter;
    if (making->isAgreed) PMPI_Ibcast(&making->id, 2, MPI_INT, 0, comm, &making->agreement);
    if (handle == MPI_REQUEST_NULL) {  // done at once
        PMPI_Wait(&making->agreement, MPI_STATUS_IGNORE);
        lp_made_comm_of(made, making->id, making->isAgreed);
        free(making);
        putMaking(call, parent);
        return;
    }
    const struct lp_request request = {.kind = LP_COMM_REQUEST, .comm = parent, .peer = LP_NO_RANK, .made = making};
    call->request = lp_add_request(handle, request);
    putMaking(call, parent);
}

void lp_note_new_window(struct lp_call *call, MPI_Comm comm, MPI_Win window)
{
    lp_made_window(window, comm);
    lp_note_window(call, lp_window(window));
}

static void set(struct lp_call *call, struct lp_window window)
{
    call->comm = window.comm ? window.comm->number : LP_NO_COMM;
    call->tag = window.number;
}

void lp_note_window(struct lp_call *call, struct lp_window window)
{
    set(call, window);
    lp_put(call, 0, 0);
}

void lp_note_tested_window(struct lp_call *call, struct lp_window window, int flag)
{
    if (flag) lp_note_window(call, window);
    else lp_count_poll(call);
}

// Of MPI_Win_post and MPI_Win_start: the group's members are the other ends of the epoch.
void lp_note_window_of(struct lp_call *call, MPI_Group group, struct lp_window window)
{
    set(call, window);
    if (lp_is_asked || !lp_is_recording()) {
        lp_put(call, 0, 0);
        return;
    }
    int size = 0;
    int32_t *ranks = lp_group_ranks(group, &size);
    struct lp_completion *members = lp_scratch(size)->completions;
    for (int i = 0; i < size; ++i)
        members[i] = (struct lp_completion){.kind = LP_EPOCH_PEER, .comm = call->comm, .peer = ranks[i]};
    free(ranks);
    lp_put(call, members, size);
}

void lp_note_lock(struct lp_call *call, int type, int rank, struct lp_window window)
{
    if (window.comm) call->peer = lp_peer(window.comm, rank);
    set(call, window);
    if (type == MPI_LOCK_EXCLUSIVE) call->tag = -call->tag;
    lp_put(call, 0, 0);
}

void lp_note_locked_window(struct lp_call *call, int rank, struct lp_window window)
{
    if (window.comm) call->peer = lp_peer(window.comm, rank);
    lp_note_window(call, window);
}

void lp_note_access(struct lp_call *call, int64_t count, MPI_Datatype type, int rank, struct lp_window window)
{
    call->bytes = rank == MPI_PROC_NULL ? 0 : lp_bytes(count, type);
    lp_note_locked_window(call, rank, window);
}

void lp_note_fetch(struct lp_call *call, MPI_Datatype type, int rank, struct lp_window window)
{
    lp_note_access(call, 1, type, rank, window);
}

void lp_note_io(struct lp_call *call, int64_t count, MPI_Datatype type)
{
    call->bytes = lp_bytes(count, type);
    lp_put(call, 0, 0);
}

void lp_note_opened_file(struct lp_call *call, MPI_Comm comm)
{
    call->comm = lp_comm(comm)->number;
    lp_put(call, 0, 0);
}
