// SPDX-License-Identifier: GPL-3.0-or-later
// Collective calls: the root, and the bytes of the arguments that the standard calls significant on this rank (with
// MPI_IN_PLACE the other side's): what the rank receives where it has a receive buffer, else what it sends.
#include "recorder/wrappers/notes.h"

#include "recorder/wrappers/requests.h"
#include "recorder/wrappers/scratch.h"

static void put(struct lp_call *call, const struct lp_communicator *comm, int root, int64_t bytes, MPI_Request handle)
{
    call->comm = comm->number;
    call->peer = root == MPI_ROOT ? lp_rank() : lp_peer(comm, root);
    call->bytes = bytes;
    if (handle != MPI_REQUEST_NULL)
        call->request = lp_add_request(handle, (struct lp_request){.kind = LP_COLLECTIVE_REQUEST,
                                                                   .comm = comm,
                                                                   .peer = call->peer,
                                                                   .bytes = bytes});
    lp_put(call, 0, 0);
}

static int64_t sum(const int *counts, int count)
{
    int64_t result = 0;
    for (int at = 0; at < count; ++at) result += counts[at];
    return result;
}

static int64_t bytesOfAll(const int *counts, struct lp_types types, int count)
{
    int64_t result = 0;
    for (int at = 0; at < count; ++at) {
        if (counts[at]) result += lp_bytes(counts[at], types.c ? types.c[at] : PMPI_Type_f2c(types.fortran[at]));
    }
    return result;
}

static bool isRoot(const struct lp_communicator *comm, int root)
{
    return root == MPI_ROOT || (!comm->isInter && lp_peer(comm, root) == lp_rank());
}

void lp_note_barrier(struct lp_call *call, MPI_Comm comm, MPI_Request request)
{
    put(call, lp_comm(comm), MPI_PROC_NULL, 0, request);
}

// For Reduce, too.
void lp_note_bcast(struct lp_call *call, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request request)
{
    put(call, lp_comm(comm), root, root == MPI_PROC_NULL ? 0 : lp_bytes(count, type), request);
}

void lp_note_allreduce(struct lp_call *call, int count, MPI_Datatype type, MPI_Comm comm, MPI_Request request)
{
    put(call, lp_comm(comm), MPI_PROC_NULL, lp_bytes(count, type), request);
}

void lp_note_gather(struct lp_call *call, int sends, MPI_Datatype sent, int receives, MPI_Datatype received, int root,
                    MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    int64_t bytes = 0;
    if (isRoot(known, root)) bytes = lp_bytes((int64_t)receives * known->peers, received);
    else if (root != MPI_PROC_NULL) bytes = lp_bytes(sends, sent);
    put(call, known, root, bytes, request);
}

void lp_note_gatherv(struct lp_call *call, int sends, MPI_Datatype sent, const int *receives, MPI_Datatype received,
                     int root, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    int64_t bytes = 0;
    if (isRoot(known, root)) bytes = lp_bytes(sum(receives, known->peers), received);
    else if (root != MPI_PROC_NULL) bytes = lp_bytes(sends, sent);
    put(call, known, root, bytes, request);
}

void lp_note_scatter(struct lp_call *call, int sends, MPI_Datatype sent, int receives, MPI_Datatype received, int root,
                     MPI_Comm comm, MPI_Request request)
{
    lp_note_gather(call, receives, received, sends, sent, root, comm, request);
}

void lp_note_scatterv(struct lp_call *call, const int *sends, MPI_Datatype sent, int receives, MPI_Datatype received,
                      int root, MPI_Comm comm, MPI_Request request)
{
    lp_note_gatherv(call, receives, received, sends, sent, root, comm, request);
}

// For Alltoall, too: the rank receives the same amount from every member.
void lp_note_allgather(struct lp_call *call, int receives, MPI_Datatype received, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    put(call, known, MPI_PROC_NULL, lp_bytes((int64_t)receives * known->peers, received), request);
}

// For Alltoallv, too.
void lp_note_allgatherv(struct lp_call *call, const int *receives, MPI_Datatype received, MPI_Comm comm,
                        MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    put(call, known, MPI_PROC_NULL, lp_bytes(sum(receives, known->peers), received), request);
}

void lp_note_alltoallw(struct lp_call *call, const int *receives, struct lp_types received, MPI_Comm comm,
                       MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    put(call, known, MPI_PROC_NULL, bytesOfAll(receives, received, known->peers), request);
}

// The counts are those of the rank's own group.
void lp_note_reduce_scatter(struct lp_call *call, const int *receives, MPI_Datatype type, MPI_Comm comm,
                            MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    put(call, known, MPI_PROC_NULL, lp_bytes(sum(receives, known->size), type), request);
}

void lp_note_reduce_scatter_block(struct lp_call *call, int receives, MPI_Datatype type, MPI_Comm comm,
                                  MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    put(call, known, MPI_PROC_NULL, lp_bytes((int64_t)receives * known->size, type), request);
}

void lp_note_neighbours(struct lp_call *call, int sends, MPI_Datatype sent, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int64_t targets = call->call == LP_Neighbor_allgather || call->call == LP_Ineighbor_allgather
                                    || call->call == LP_Neighbor_allgatherv || call->call == LP_Ineighbor_allgatherv
                                ? 1
                                : lp_targets(known);
    put(call, known, MPI_PROC_NULL, lp_bytes(sends * targets, sent), request);
}

void lp_note_neighboursv(struct lp_call *call, const int *sends, MPI_Datatype sent, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    put(call, known, MPI_PROC_NULL, lp_bytes(sum(sends, lp_targets(known)), sent), request);
}

void lp_note_neighboursw(struct lp_call *call, const int *sends, struct lp_types sent, MPI_Comm comm,
                         MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    put(call, known, MPI_PROC_NULL, bytesOfAll(sends, sent, lp_targets(known)), request);
}
