// SPDX-License-Identifier: GPL-3.0-or-later
// Two halves of the ranks connect by a port, and exchange messages over it and over MPI_COMM_WORLD.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int rank, size, remote;
    MPI_Comm half, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank % 2 == 0) MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &other);
    else MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &other);
    MPI_Comm_remote_size(other, &remote);
    for (int i = 0; i < 200; ++i) {
        int value = i, got = 0, sum = 0;
        const int to = rank / 2;
        if (to < remote) MPI_Sendrecv(&value, 1, MPI_INT, to, 1, &got, 1, MPI_INT, to, 1, other, MPI_STATUS_IGNORE);
        MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, other);
        MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0 && i == 199) printf("sum %d\n", sum);
    }
    MPI_Comm_disconnect(&other);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
