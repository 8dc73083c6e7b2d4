// SPDX-License-Identifier: GPL-3.0-or-later
// Ends as its argument says, after forty barriers: finalize, kill (rank 1), abort (rank 1), exit (all).
#include <mpi.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 40; ++i) MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && strcmp(argv[1], "kill") == 0) kill(getpid(), SIGKILL);
    if (rank == 1 && strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(argv[1], "exit") == 0) exit(0);
    if (strcmp(argv[1], "finalize") != 0) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return argc > 2 ? atoi(argv[2]) : 0;
}
