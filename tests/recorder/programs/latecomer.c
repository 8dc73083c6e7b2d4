// SPDX-License-Identifier: GPL-3.0-or-later
// The last rank comes to a barrier half a second after the others.
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double begin = MPI_Wtime();
    while (rank == size - 1 && MPI_Wtime() < begin + 0.5) {}
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
