// SPDX-License-Identifier: GPL-3.0-or-later
// Collective calls, one-sided calls and a file with known numbers of bytes, on four ranks. With MPI 4 also persistent
// requests that are started in another order than they were made in, large counts and partitioned messages.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Bcast_init MPIX_Bcast_init
#endif

enum { N = 4 };
static char out[4096], in[4096];
static int rank;

static void collectives(void)
{
    const int counts[N] = {1, 2, 3, 4}, places[N] = {0, 100, 200, 300}, nines[N] = {9, 9, 9, 9};
    const int none[N] = {0}, ofOne[N] = {0, 9, 0, 0};
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(out, 1000, MPI_CHAR, 1, MPI_COMM_WORLD);
    MPI_Reduce(out, in, 10, MPI_INT, MPI_MAX, 2, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, 10, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Gather(out, 7, MPI_CHAR, in, 7, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Scatterv(out, counts, places, MPI_CHAR, in, rank + 1, MPI_CHAR, 3, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Alltoall(out, 5, MPI_CHAR, in, 5, MPI_CHAR, MPI_COMM_WORLD);
    // Rank 1 gives 9 bytes to each of the others and gets nothing.
    MPI_Alltoallv(out, rank == 1 ? nines : none, places, MPI_CHAR, in, ofOne, places, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Reduce_scatter(out, in, counts, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD);
    MPI_Scan(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(out, in, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void oneSided(const char *file)
{
    MPI_Win window;
    MPI_File handle;
    char *here;
    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &here, &window);
    MPI_Win_fence(0, window);
    MPI_Put(out, 300, MPI_CHAR, (rank + 1) % N, 0, 300, MPI_CHAR, window);
    MPI_Get(in, 40, MPI_CHAR, (rank + 2) % N, 1000, 40, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_File_open(MPI_COMM_WORLD, file, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &handle);
    MPI_File_write_at(handle, rank * 500, out, 500, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&handle);
}

static void persistent(void)
{
    MPI_Request first, second;
    MPI_Allreduce_init(out, in, 8, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD, MPI_INFO_NULL, &first);
    MPI_Bcast_init(out + 2000, 60, MPI_CHAR, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &second);
    for (int round = 0; round < 3; ++round) {
        MPI_Start(&second);
        MPI_Wait(&second, MPI_STATUS_IGNORE);
        if (rank == 3) usleep(20000);  // the others wait for it
        MPI_Start(&first);
        MPI_Wait(&first, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&first);
    MPI_Request_free(&second);
}

#if MPI_VERSION >= 4
static void large(void)
{
    MPI_Request request;
    if (rank == 0) MPI_Send_c(out, 11, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv_c(in, 11, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce_c(out, in, 13, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD);
    MPI_Isendrecv(out, 17, MPI_CHAR, (rank + 1) % N, 2, in, 17, MPI_CHAR, (rank + N - 1) % N, 2, MPI_COMM_WORLD,
                  &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Psend_init(out, 4, 25, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 2, request);
        usleep(20000);
        MPI_Pready(3, request);
    } else if (rank == 1) {
        MPI_Precv_init(in, 4, 25, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    if (rank < 2) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    collectives();
    oneSided(argv[1]);
    persistent();
#if MPI_VERSION >= 4
    large();
#endif
    MPI_Finalize();
    return 0;
}
