// SPDX-License-Identifier: GPL-3.0-or-later
// Collective calls: the root, and the bytes that this rank sends to others and receives from others by what the call
// means (docs/algorithms.md 7.6), from the arguments that the standard calls significant on this rank.
#include "recorder/wrappers/notes.h"

#include "recorder/wrappers/requests.h"
#include "recorder/wrappers/scratch.h"

struct moved {
    int64_t sent, received;
};

// Persistent requests (MPI_X_init) move it at each start.
static bool isPrepared(const struct lp_call *call)
{
    return call->call >= LP_Barrier_init && call->call <= LP_Neighbor_alltoallw_init;
}

static void put(struct lp_call *call, MPI_Comm handle, int root, struct moved moved, MPI_Request request)
{
    const struct lp_communicator *comm = isPrepared(call) ? lp_prepared_comm(handle) : lp_comm(handle);
    call->comm = comm->number;
    call->peer = root == MPI_ROOT ? lp_rank() : lp_peer(comm, root);
    call->bytes = moved.sent;
    call->bytes2 = moved.received;
    if (request != MPI_REQUEST_NULL)
        call->request = lp_add_request(request, (struct lp_request){.kind = LP_COLLECTIVE_REQUEST,
                                                                    .isPersistent = isPrepared(call),
                                                                    .comm = comm,
                                                                    .peer = call->peer,
                                                                    .bytes = moved.sent});
    lp_put(call, 0, 0);
}

static int64_t countAt(struct lp_counts counts, int at)
{
    return counts.few ? counts.few[at] : counts.large ? counts.large[at] : 0;
}

// This rank's place among those that it exchanges data with; -1 in an intercommunicator.
static int placeOf(const struct lp_communicator *comm) { return comm->isInter ? -1 : comm->place; }

// The counts of all but this rank itself.
static int64_t sumOfOthers(const struct lp_communicator *comm, struct lp_counts counts)
{
    const int place = placeOf(comm);
    int64_t result = 0;
    for (int at = 0; at < comm->peers; ++at) result += at == place ? 0 : countAt(counts, at);
    return result;
}

static int64_t sum(struct lp_counts counts, int count)
{
    int64_t result = 0;
    for (int at = 0; at < count; ++at) result += countAt(counts, at);
    return result;
}

static int64_t bytesOfAll(struct lp_counts counts, struct lp_types types, int count, int without)
{
    int64_t result = 0;
    for (int at = 0; at < count; ++at) {
        if (at != without && countAt(counts, at))
            result += lp_bytes(countAt(counts, at), types.c ? types.c[at] : PMPI_Type_f2c(types.fortran[at]));
    }
    return result;
}

static bool isRoot(const struct lp_communicator *comm, int root)
{
    return root == MPI_ROOT || (!comm->isInter && lp_peer(comm, root) == lp_rank());
}

void lp_note_barrier(struct lp_call *call, MPI_Comm comm, MPI_Request request)
{
    put(call, comm, MPI_PROC_NULL, (struct moved){0, 0}, request);
}

void lp_note_bcast(struct lp_call *call, int64_t count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    struct moved moved = {0, 0};
    if (isRoot(known, root)) moved.sent = lp_bytes(count * lp_others(known), type);
    else if (root != MPI_PROC_NULL) moved.received = lp_bytes(count, type);
    put(call, comm, root, moved, request);
}

void lp_note_reduce(struct lp_call *call, int64_t count, MPI_Datatype type, int root, MPI_Comm comm,
                    MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    struct moved moved = {0, 0};
    if (isRoot(known, root)) moved.received = lp_bytes(count * lp_others(known), type);
    else if (root != MPI_PROC_NULL) moved.sent = lp_bytes(count, type);
    put(call, comm, root, moved, request);
}

void lp_note_allreduce(struct lp_call *call, int64_t count, MPI_Datatype type, MPI_Comm comm, MPI_Request request)
{
    const int64_t bytes = lp_bytes(count * lp_others(lp_comm(comm)), type);
    put(call, comm, MPI_PROC_NULL, (struct moved){bytes, bytes}, request);
}

// For Exscan, too: to those of higher rank, from those of lower.
void lp_note_scan(struct lp_call *call, int64_t count, MPI_Datatype type, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int place = placeOf(known);
    put(call, comm, MPI_PROC_NULL,
        (struct moved){lp_bytes(count * (known->size - 1 - place), type), lp_bytes(count * place, type)}, request);
}

void lp_note_gather(struct lp_call *call, int64_t sends, MPI_Datatype sent, int64_t receives, MPI_Datatype received,
                    int root, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    struct moved moved = {0, 0};
    if (isRoot(known, root)) moved.received = lp_bytes(receives * lp_others(known), received);
    else if (root != MPI_PROC_NULL) moved.sent = lp_bytes(sends, sent);
    put(call, comm, root, moved, request);
}

void lp_note_gatherv(struct lp_call *call, int64_t sends, MPI_Datatype sent, struct lp_counts receives,
                     MPI_Datatype received, int root, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    struct moved moved = {0, 0};
    if (isRoot(known, root)) moved.received = lp_bytes(sumOfOthers(known, receives), received);
    else if (root != MPI_PROC_NULL) moved.sent = lp_bytes(sends, sent);
    put(call, comm, root, moved, request);
}

void lp_note_scatter(struct lp_call *call, int64_t sends, MPI_Datatype sent, int64_t receives, MPI_Datatype received,
                     int root, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    struct moved moved = {0, 0};
    if (isRoot(known, root)) moved.sent = lp_bytes(sends * lp_others(known), sent);
    else if (root != MPI_PROC_NULL) moved.received = lp_bytes(receives, received);
    put(call, comm, root, moved, request);
}

void lp_note_scatterv(struct lp_call *call, struct lp_counts sends, MPI_Datatype sent, int64_t receives,
                      MPI_Datatype received, int root, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    struct moved moved = {0, 0};
    if (isRoot(known, root)) moved.sent = lp_bytes(sumOfOthers(known, sends), sent);
    else if (root != MPI_PROC_NULL) moved.received = lp_bytes(receives, received);
    put(call, comm, root, moved, request);
}

// For Alltoall, too: to every other member as much as from it, but for the two groups of an intercommunicator.
void lp_note_allgather(struct lp_call *call, bool inPlace, int64_t sends, MPI_Datatype sent, int64_t receives,
                       MPI_Datatype received, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int64_t in = lp_bytes(receives * lp_others(known), received);
    const int64_t out = inPlace || !known->isInter ? in : lp_bytes(sends * lp_others(known), sent);
    put(call, comm, MPI_PROC_NULL, (struct moved){out, in}, request);
}

void lp_note_allgatherv(struct lp_call *call, bool inPlace, int64_t sends, MPI_Datatype sent, struct lp_counts receives,
                        MPI_Datatype received, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int place = placeOf(known);
    const int64_t own = inPlace && place >= 0 ? lp_bytes(countAt(receives, place), received) : lp_bytes(sends, sent);
    put(call, comm, MPI_PROC_NULL,
        (struct moved){own * lp_others(known), lp_bytes(sumOfOthers(known, receives), received)}, request);
}

void lp_note_alltoallv(struct lp_call *call, bool inPlace, struct lp_counts sends, MPI_Datatype sent,
                       struct lp_counts receives, MPI_Datatype received, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int64_t in = lp_bytes(sumOfOthers(known, receives), received);
    put(call, comm, MPI_PROC_NULL, (struct moved){inPlace ? in : lp_bytes(sumOfOthers(known, sends), sent), in},
        request);
}

void lp_note_alltoallw(struct lp_call *call, bool inPlace, struct lp_counts sends, struct lp_types sent,
                       struct lp_counts receives, struct lp_types received, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int place = placeOf(known);
    const int64_t in = bytesOfAll(receives, received, known->peers, place);
    const int64_t out = inPlace ? in : bytesOfAll(sends, sent, known->peers, place);
    put(call, comm, MPI_PROC_NULL, (struct moved){out, in}, request);
}

// The counts are those of the rank's own group: each member sends every other one its part, and gets its own from each.
void lp_note_reduce_scatter(struct lp_call *call, struct lp_counts receives, MPI_Datatype type, MPI_Comm comm,
                            MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int64_t own = known->place < 0 ? 0 : countAt(receives, known->place);
    const int64_t others = sum(receives, known->size) - (known->isInter ? 0 : own);
    put(call, comm, MPI_PROC_NULL, (struct moved){lp_bytes(others, type), lp_bytes(own * lp_others(known), type)},
        request);
}

void lp_note_reduce_scatter_block(struct lp_call *call, int64_t receives, MPI_Datatype type, MPI_Comm comm,
                                  MPI_Request request)
{
    const int64_t bytes = lp_bytes(receives * lp_others(lp_comm(comm)), type);
    put(call, comm, MPI_PROC_NULL, (struct moved){bytes, bytes}, request);
}

// Neighbours of a topology: there is nobody beyond an edge, and nobody sends to itself.
static bool isThere(const struct lp_communicator *comm, int at)
{
    return comm->neighbours && comm->neighbours[at] != LP_NO_RANK && comm->neighbours[at] != lp_rank();
}

static int64_t neighboursThere(const struct lp_communicator *comm, int from, int count)
{
    int64_t result = 0;
    for (int at = 0; at < count; ++at) result += isThere(comm, from + at);
    return result;
}

static int64_t sumOfNeighbours(const struct lp_communicator *comm, struct lp_counts counts, int from, int count)
{
    int64_t result = 0;
    for (int at = 0; at < count; ++at) result += isThere(comm, from + at) ? countAt(counts, at) : 0;
    return result;
}

static int64_t bytesOfNeighbours(const struct lp_communicator *comm, struct lp_counts counts, struct lp_types types,
                                 int from, int count)
{
    int64_t result = 0;
    for (int at = 0; at < count; ++at) {
        if (isThere(comm, from + at) && countAt(counts, at))
            result += lp_bytes(countAt(counts, at), types.c ? types.c[at] : PMPI_Type_f2c(types.fortran[at]));
    }
    return result;
}

void lp_note_neighbours(struct lp_call *call, int64_t sends, MPI_Datatype sent, int64_t receives, MPI_Datatype received,
                        MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int64_t out = lp_bytes(sends * neighboursThere(known, known->sources, known->targets), sent);
    const int64_t in = lp_bytes(receives * neighboursThere(known, 0, known->sources), received);
    put(call, comm, MPI_PROC_NULL, (struct moved){out, in}, request);
}

void lp_note_neighbours_gatherv(struct lp_call *call, int64_t sends, MPI_Datatype sent, struct lp_counts receives,
                                MPI_Datatype received, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int64_t out = lp_bytes(sends * neighboursThere(known, known->sources, known->targets), sent);
    const int64_t in = lp_bytes(sumOfNeighbours(known, receives, 0, known->sources), received);
    put(call, comm, MPI_PROC_NULL, (struct moved){out, in}, request);
}

void lp_note_neighboursv(struct lp_call *call, struct lp_counts sends, MPI_Datatype sent, struct lp_counts receives,
                         MPI_Datatype received, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int64_t out = lp_bytes(sumOfNeighbours(known, sends, known->sources, known->targets), sent);
    const int64_t in = lp_bytes(sumOfNeighbours(known, receives, 0, known->sources), received);
    put(call, comm, MPI_PROC_NULL, (struct moved){out, in}, request);
}

void lp_note_neighboursw(struct lp_call *call, struct lp_counts sends, struct lp_types sent, struct lp_counts receives,
                         struct lp_types received, MPI_Comm comm, MPI_Request request)
{
    const struct lp_communicator *known = lp_comm(comm);
    const int64_t out = bytesOfNeighbours(known, sends, sent, known->sources, known->targets);
    const int64_t in = bytesOfNeighbours(known, receives, received, 0, known->sources);
    put(call, comm, MPI_PROC_NULL, (struct moved){out, in}, request);
}
