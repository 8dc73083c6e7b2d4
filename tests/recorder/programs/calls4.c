// SPDX-License-Identifier: GPL-3.0-or-later
// What MPI 4 added, call by call, on two ranks: persistent collectives, and where the MPI has them partitioned
// messages, MPI_Isendrecv and large counts. calls4.F90 does the same. Prints a sum.
#include <mpi.h>

#include <stdio.h>

#if MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Gatherv_init MPIX_Gatherv_init
#endif

enum { ITEMS = 12 };

static int rank, other;
static int out[ITEMS], in[ITEMS], many[2 * ITEMS];
static long long total;

static void take(const int *values, int count)
{
    for (int at = 0; at < count; ++at) total += (at + 1) * (long long)values[at];
}

static void persistent(void)
{
    const int counts[] = {2, 3}, places[] = {0, 2};
    MPI_Request all[4];
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &all[0]);
    MPI_Bcast_init(in, 5, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &all[1]);
    MPI_Allreduce_init(out, many, 6, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &all[2]);
    MPI_Gatherv_init(out, 2 + rank, MPI_INT, many + ITEMS, counts, places, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &all[3]);
    for (int round = 0; round < 2; ++round) {
        for (int at = 0; at < 5; ++at) in[at] = rank == 1 ? 7 + at + round : 0;
        MPI_Startall(4, all);
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
        take(in, 5);
        take(many, 6);
    }
    MPI_Start(&all[1]);
    MPI_Wait(&all[1], MPI_STATUS_IGNORE);
    for (int at = 0; at < 4; ++at) MPI_Request_free(&all[at]);
}

#if MPI_VERSION >= 4
static void combined(void)
{
    MPI_Request request;
    MPI_Isendrecv(out, 3, MPI_INT, other, 1, in, ITEMS, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    take(in, 3);
    MPI_Isendrecv_replace(in, 4, MPI_INT, other, 2, other, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    take(in, 4);
}

static void partitioned(void)
{
    MPI_Request request;
    int list[] = {3, 0};
    int flag = 0;
    if (rank == 0) {
        MPI_Psend_init(out, 6, 2, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(5, request);
        MPI_Pready_range(1, 2, request);
        MPI_Pready_list(2, list, request);
        MPI_Pready(4, request);
    } else {
        MPI_Precv_init(in, 6, 2, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        while (!flag) MPI_Parrived(request, 4, &flag);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    take(in, 12);
}

static void large(void)
{
    const MPI_Count counts[] = {2, 3}, three = 3, four = 4;
    const MPI_Aint places[] = {0, 3};
    MPI_Request pair[2];
    if (rank == 0) MPI_Send_c(out, three, MPI_INT, other, 4, MPI_COMM_WORLD);
    else MPI_Recv_c(in, three, MPI_INT, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv_c(in, four, MPI_INT, other, 5, MPI_COMM_WORLD, &pair[0]);
    MPI_Isend_c(out, four, MPI_INT, other, 5, MPI_COMM_WORLD, &pair[1]);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    take(in, 4);
    MPI_Allreduce_c(out, in, three, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Ibcast_c(in, four, MPI_INT, 0, MPI_COMM_WORLD, &pair[0]);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    MPI_Allgatherv_c(out, counts[rank], MPI_INT, many, counts, places, MPI_INT, MPI_COMM_WORLD);
    take(in, 4);
    MPI_Bcast_init_c(in, four, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]);
    MPI_Start(&pair[0]);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&pair[0]);
    MPI_Isendrecv_c(out, three, MPI_INT, other, 6, in, four, MPI_INT, other, 6, MPI_COMM_WORLD, &pair[0]);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    take(in, 4);
}

static void communicators(void)
{
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int at = 0; at < ITEMS; ++at) out[at] = 100 * rank + at;
    persistent();
#if MPI_VERSION >= 4
    combined();
    partitioned();
    large();
    communicators();
#endif
    MPI_Finalize();
    if (rank == 0) printf("sum %lld\n", total);
    return 0;
}
