// SPDX-License-Identifier: GPL-3.0-or-later
// Two ranks and a window. Rank 1 comes 40 ms late to a fence, then to an epoch of MPI_Win_post and MPI_Win_start, whose
// waiting nothing records.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { LATE = 40000 };  // us

int main(int argc, char **argv)
{
    int rank, value, *shared;
    MPI_Win window;
    MPI_Group world, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = 10 + rank;
    const int peer = 1 - rank;
    MPI_Win_allocate(4096, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
    *shared = -1;
    MPI_Win_fence(0, window);
    if (rank == 1) usleep(LATE);
    MPI_Put(&value, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    if (*shared != 10 + peer) printf("rank %d has %d\n", rank, *shared);

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_start(other, 0, window);
        MPI_Put(&rank, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else {
        usleep(LATE);
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
        if (*shared != 0) printf("rank 1 has %d\n", *shared);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
