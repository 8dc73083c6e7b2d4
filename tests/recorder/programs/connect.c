// SPDX-License-Identifier: GPL-3.0-or-later
// Two ranks of one program connect to each other by a port, and send each other a number over it.
#include <mpi.h>

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm between;
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
        number = 42;
        MPI_Send(&number, 1, MPI_INT, 0, 5, between);
        MPI_Close_port(port);
    } else {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
        MPI_Recv(&number, 1, MPI_INT, 0, 5, between, MPI_STATUS_IGNORE);
    }
    MPI_Comm_disconnect(&between);
    MPI_Finalize();
    return number == 42 ? 0 : 1;
}
