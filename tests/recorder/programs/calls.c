// SPDX-License-Identifier: GPL-3.0-or-later
// Every kind of MPI call that is recorded, on any even number of ranks; calls.F90 does the same in Fortran, call by
// call. The order of what it records does not depend on timing. Prints one number that depends on all data.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 10 };

static int rank, size, next, previous;
static int out[COUNT], in[COUNT], many[64 * COUNT], counts[64], places[64];
static long long sum;

static void take(const int *data, int count)
{
    for (int at = 0; at < count; ++at) sum += (at + 1) * (long long)data[at];
}

static void blocking(void)
{
    char buffer[4096];
    int *detached, bytes;
    MPI_Sendrecv(out, COUNT, MPI_INT, next, 1, in, COUNT, MPI_INT, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take(in, COUNT);
    MPI_Sendrecv_replace(in, 4, MPI_INT, previous, 2, next, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take(in, 4);
    if (rank % 2 == 0) {
        MPI_Send(out, 3, MPI_INT, next, 3, MPI_COMM_WORLD);
        MPI_Buffer_attach(buffer, sizeof buffer);
        MPI_Bsend(out, 4, MPI_INT, next, 4, MPI_COMM_WORLD);
        MPI_Buffer_detach(&detached, &bytes);
        MPI_Ssend(out, 5, MPI_INT, next, 5, MPI_COMM_WORLD);
        MPI_Send(out, 0, MPI_INT, next, 6, MPI_COMM_WORLD);
    } else {
        MPI_Status status;
        MPI_Recv(in, COUNT, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, COUNT, MPI_INT, previous, 4, MPI_COMM_WORLD, &status);
        MPI_Recv(in, COUNT, MPI_INT, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        take(in, COUNT);
        MPI_Recv(in, COUNT, MPI_INT, previous, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Send(out, 3, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
    MPI_Recv(in, 3, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 2, MPI_INT, rank, 8, MPI_COMM_WORLD);
    MPI_Recv(in, 2, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void probing(void)
{
    MPI_Message message;
    MPI_Request request;
    int flag = 0;
    for (int tag = 10; tag < 14; ++tag) MPI_Send(out, tag - 8, MPI_INT, next, tag, MPI_COMM_WORLD);
    MPI_Probe(previous, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, COUNT, MPI_INT, previous, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(in, COUNT, MPI_INT, previous, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(previous, 12, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, COUNT, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Improbe(previous, 13, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, COUNT, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    take(in, COUNT);
}

static void startPair(int tag, MPI_Request *receive, MPI_Request *send)
{
    MPI_Irecv(in, COUNT, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, receive);
    MPI_Isend(out, 6, MPI_INT, next, tag, MPI_COMM_WORLD, send);
}

static void requests(void)
{
    MPI_Request pair[2], send;
    MPI_Status statuses[2];
    int flag = 0, index, done, indices[2];
    startPair(20, &pair[0], &pair[1]);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    take(in, 6);
    startPair(21, &pair[0], &pair[1]);
    MPI_Waitall(2, pair, statuses);
    MPI_Irecv(in, COUNT, MPI_INT, previous, 22, MPI_COMM_WORLD, &pair[0]);
    MPI_Issend(out, 7, MPI_INT, next, 22, MPI_COMM_WORLD, &send);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    startPair(23, &pair[1], &send);
    pair[0] = MPI_REQUEST_NULL;
    MPI_Waitany(2, pair, &index, MPI_STATUS_IGNORE);
    sum += index;
    MPI_Waitany(2, pair, &index, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    startPair(24, &pair[1], &send);
    MPI_Waitsome(2, pair, &done, indices, MPI_STATUSES_IGNORE);
    sum += done + indices[0];
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    startPair(25, &pair[0], &send);
    while (!flag) MPI_Test(&pair[0], &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    startPair(26, &pair[0], &pair[1]);
    for (flag = 0; !flag;) MPI_Testall(2, pair, &flag, MPI_STATUSES_IGNORE);
    startPair(27, &pair[1], &send);
    for (flag = 0; !flag;) MPI_Testany(2, pair, &index, &flag, MPI_STATUS_IGNORE);
    sum += index;
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    startPair(28, &pair[1], &send);
    for (done = 0; done == 0;) MPI_Testsome(2, pair, &done, indices, MPI_STATUSES_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Irecv(in, COUNT, MPI_INT, MPI_PROC_NULL, 29, MPI_COMM_WORLD, &pair[0]);
    MPI_Isend(out, COUNT, MPI_INT, MPI_PROC_NULL, 29, MPI_COMM_WORLD, &pair[1]);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    MPI_Irecv(in, COUNT, MPI_INT, next, 30, MPI_COMM_WORLD, &pair[0]);
    MPI_Cancel(&pair[0]);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    startPair(31, &pair[0], &send);
    MPI_Request_free(&send);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    take(in, 6);
}

static void persistent(void)
{
    MPI_Request pair[2];
    MPI_Recv_init(in, COUNT, MPI_INT, previous, 40, MPI_COMM_WORLD, &pair[0]);
    MPI_Send_init(out, 8, MPI_INT, next, 40, MPI_COMM_WORLD, &pair[1]);
    for (int round = 0; round < 3; ++round) {
        MPI_Startall(2, pair);
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
        take(in, 8);
    }
    MPI_Start(&pair[0]);
    MPI_Start(&pair[1]);
    MPI_Wait(&pair[1], MPI_STATUS_IGNORE);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&pair[0]);
    MPI_Request_free(&pair[1]);
}

static void collectives(MPI_Comm comm, int root)
{
    int members, me;
    MPI_Comm_size(comm, &members);
    MPI_Comm_rank(comm, &me);
    for (int at = 0; at < members; ++at) {
        counts[at] = 2;
        places[at] = 2 * at;
    }
    MPI_Barrier(comm);
    MPI_Bcast(in, 5, MPI_INT, root, comm);
    MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, root, comm);
    MPI_Allreduce(out, in, 6, MPI_INT, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, in, 3, MPI_INT, MPI_MAX, comm);
    take(in, 6);
    MPI_Gather(out, 2, MPI_INT, many, 2, MPI_INT, root, comm);
    MPI_Gatherv(out, 2, MPI_INT, many, counts, places, MPI_INT, root, comm);
    MPI_Scatter(many, 2, MPI_INT, in, 2, MPI_INT, root, comm);
    MPI_Scatterv(many, counts, places, MPI_INT, in, 2, MPI_INT, root, comm);
    MPI_Allgather(out, 2, MPI_INT, many, 2, MPI_INT, comm);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, 2, MPI_INT, comm);
    MPI_Allgatherv(out, 2, MPI_INT, many, counts, places, MPI_INT, comm);
    take(many, 2 * members);
    MPI_Alltoall(many, 2, MPI_INT, many + 32 * COUNT, 2, MPI_INT, comm);
    MPI_Alltoallv(many, counts, places, MPI_INT, many + 32 * COUNT, counts, places, MPI_INT, comm);
    MPI_Reduce_scatter(many, in, counts, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(many, in, 2, MPI_INT, MPI_SUM, comm);
    MPI_Scan(out, in, 3, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(out, in, 3, MPI_INT, MPI_SUM, comm);
}

static void startedCollectives(MPI_Comm comm)
{
    MPI_Request request;
    int members;
    MPI_Comm_size(comm, &members);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ibcast(in, 5, MPI_INT, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(out, in, 6, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ireduce(out, in, 6, MPI_INT, MPI_SUM, members - 1, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallgather(out, 2, MPI_INT, many, 2, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Igatherv(out, 2, MPI_INT, many, counts, places, MPI_INT, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ialltoall(many, 2, MPI_INT, many + 32 * COUNT, 2, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iscan(out, in, 3, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void communicators(void)
{
    MPI_Comm copy, later, half, node, created, grouped, grid, line, across, merged, graph;
    MPI_Group world, pair;
    MPI_Request request;
    int me;
    const int sizes[2] = {2, size / 2}, periodic[2] = {1, 0}, remain[2] = {0, 1}, firsts[2] = {0, 1};
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_name(copy, "copy of world");
    MPI_Comm_idup(copy, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    collectives(later, size - 1);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Sendrecv(out, 3, MPI_INT, 0, 50, in, 3, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Bcast(in, 4, MPI_INT, 0, half);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &created);
    if (created != MPI_COMM_NULL) {
        MPI_Barrier(created);
        MPI_Comm_free(&created);
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, firsts, &pair);
    MPI_Comm_create(MPI_COMM_WORLD, pair, &created);
    if (created != MPI_COMM_NULL) {
        MPI_Comm_create_group(MPI_COMM_WORLD, pair, 51, &grouped);
        MPI_Barrier(grouped);
        MPI_Comm_free(&grouped);
        MPI_Comm_free(&created);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, 0, &grid);
    MPI_Neighbor_allgather(out, 2, MPI_INT, many, 2, MPI_INT, grid);
    MPI_Neighbor_alltoall(many, 1, MPI_INT, many + 32 * COUNT, 1, MPI_INT, grid);
    MPI_Cart_sub(grid, remain, &line);
    MPI_Barrier(line);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(out, 2, MPI_INT, many, 2, MPI_INT, graph);
    take(many, 2);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? size - 2 : size - 1, 52, &across);
    MPI_Comm_rank(half, &me);
    MPI_Sendrecv(out, 3, MPI_INT, me, 53, in, 3, MPI_INT, me, 53, across, MPI_STATUS_IGNORE);
    MPI_Barrier(across);
    MPI_Bcast(in, 3, MPI_INT, rank % 2 ? 0 : rank == size - 2 ? MPI_ROOT : MPI_PROC_NULL, across);
    MPI_Intercomm_merge(across, rank % 2, &merged);
    MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, merged);
    take(in, 2);
    MPI_Group_free(&pair);
    MPI_Group_free(&world);
    MPI_Comm *const all[] = {&merged, &across, &graph, &line, &grid, &node, &half, &later, &copy};
    for (int at = 0; at < 9; ++at) MPI_Comm_free(all[at]);
}

static void windowAndFile(const char *path)
{
    static int memory[COUNT];
    MPI_Win window;
    MPI_File file;
    MPI_Group all;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(out, 3, MPI_INT, next, 0, 3, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Win_post(all, 0, window);
    MPI_Win_start(all, 0, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Group_free(&all);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
    MPI_Win_unlock(next, window);
    MPI_Win_free(&window);
    take(memory, 3);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, rank * 40, out, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_read_at(file, rank * 40, in, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    take(in, COUNT);
}

static void types(void)
{
    MPI_Datatype type;
    for (int length = 1; length <= 3; ++length) {
        MPI_Type_contiguous(length, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Sendrecv(out, 2, type, next, 60, in, 2, type, previous, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Type_free(&type);
    }
    take(in, 6);
}

int main(int argc, char **argv)
{
    int provided;
    if (argc != 2) return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    for (int at = 0; at < COUNT; ++at) out[at] = 100 * rank + at;
    blocking();
    probing();
    requests();
    persistent();
    collectives(MPI_COMM_WORLD, 0);
    startedCollectives(MPI_COMM_WORLD);
    communicators();
    types();
    windowAndFile(argv[1]);
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    long long total = 0;
    MPI_Reduce(&sum, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %lld\n", total);
    MPI_Finalize();
    return 0;
}
