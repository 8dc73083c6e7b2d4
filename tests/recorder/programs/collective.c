// SPDX-License-Identifier: GPL-3.0-or-later
// Figure 13, left (Korkhov et al.): ranks that come late to two collective calls, each another one.
#include <mpi.h>

#include <time.h>

static void work(int ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_name(MPI_COMM_WORLD, "the world");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    work(20 + 60 * (rank == 0));
    MPI_Barrier(MPI_COMM_WORLD);
    work(20 + 60 * (rank == size - 1));
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == size * (size - 1) / 2 ? 0 : 1;
}
