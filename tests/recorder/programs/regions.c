// SPDX-License-Identifier: GPL-3.0-or-later
// Regions by MPI_Pcontrol and by -finstrument-functions, recording switched off and on, and arguments that are no
// names.
#include <mpi.h>
#include <stdlib.h>

static void __attribute__((noinline)) work(int rank)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    int rank;
    static const char control[] = "\x01\x02";
    MPI_Request across;
    char word = 0, received;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Pcontrol(1, "outer part");
    MPI_Pcontrol(1, "inner");
    work(rank);
    MPI_Pcontrol(-1, "inner");
    MPI_Pcontrol(-1, "outer part");
    MPI_Pcontrol(2, "level two is nothing");
    MPI_Pcontrol(1, (const char *)16);
    MPI_Pcontrol(1, control);
    MPI_Pcontrol(1, getenv("PATH"));
    MPI_Irecv(&received, 1, MPI_CHAR, rank, 1, MPI_COMM_WORLD, &across);
    MPI_Pcontrol(0, (const char *)0);
    MPI_Pcontrol(1, "not recorded");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&word, 1, MPI_CHAR, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&across, MPI_STATUS_IGNORE);
    MPI_Irecv(&received, 1, MPI_CHAR, rank, 2, MPI_COMM_WORLD, &across);
    MPI_Pcontrol(1, (const char *)0);
    MPI_Send(&word, 1, MPI_CHAR, rank, 2, MPI_COMM_WORLD);
    MPI_Wait(&across, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
