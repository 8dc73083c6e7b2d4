// SPDX-License-Identifier: GPL-3.0-or-later
// Two ranks start two programs of two ranks each, one after the other, and each of them alone one more of one rank; a
// number goes round all of each pair of programs.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int alone(MPI_Comm parent)
{
    int number = 0;
    MPI_Recv(&number, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
    ++number;
    MPI_Send(&number, 1, MPI_INT, 0, 2, parent);
    MPI_Comm_disconnect(&parent);
    return number;
}

// All ranks of a merged communicator, those who started the others first.
static void goRound(MPI_Comm between, int high)
{
    MPI_Comm all;
    int rank, size, number = 0;
    MPI_Intercomm_merge(between, high, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    for (int hop = 0; hop < size; ++hop) {
        if (rank == hop) {
            ++number;
            MPI_Send(&number, 1, MPI_INT, (hop + 1) % size, 3, all);
        }
        if (rank == (hop + 1) % size) MPI_Recv(&number, 1, MPI_INT, hop, 3, all, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(all);
    MPI_Comm_free(&all);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *together[] = {"together", 0}, *single[] = {"alone", 0};
    if (parent == MPI_COMM_NULL) {
        for (int program = 0; program < 2; ++program) {
            MPI_Comm child;
            MPI_Comm_spawn(argv[0], together, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
            goRound(child, 0);
            MPI_Comm_disconnect(&child);
        }
        MPI_Comm mine;
        MPI_Comm_spawn(argv[0], single, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &mine, MPI_ERRCODES_IGNORE);
        int number = 41;
        MPI_Send(&number, 1, MPI_INT, 0, 1, mine);
        MPI_Recv(&number, 1, MPI_INT, 0, 2, mine, MPI_STATUS_IGNORE);
        if (number != 42) MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Comm_disconnect(&mine);
    } else if (argc > 1 && strcmp(argv[1], "alone") == 0) {
        alone(parent);
    } else {
        goRound(parent, 1);
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    return 0;
}
