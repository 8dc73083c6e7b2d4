// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts rank 0's file of its own recording (argument 1) to argument 2 bytes in the middle of many calls; -1: removes it.
#include <mpi.h>

#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 40; ++i) MPI_Barrier(MPI_COMM_WORLD);
    const long left = atol(argv[2]);
    if (rank == 0 && (left < 0 ? unlink(argv[1]) : truncate(argv[1], left)) != 0) MPI_Abort(MPI_COMM_WORLD, 7);
    // To itself: barriers of ranks that share a processor take a slice of time each.
    for (int i = 0, got; i < 20000; ++i)
        MPI_Sendrecv(&i, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
