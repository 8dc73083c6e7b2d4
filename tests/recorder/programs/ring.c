// SPDX-License-Identifier: GPL-3.0-or-later
// Figure 13, right (Korkhov et al.): a ring of non-blocking neighbours. Ranks take turns in being late.
#include <mpi.h>

#include <time.h>

enum { STEPS = 5 };

int main(int argc, char **argv)
{
    int rank, size, ok = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; ++step) {
        const struct timespec late = {0, 30000000}, soon = {0, 2000000};
        const int to = (rank + 1) % size, from = (rank + size - 1) % size;
        int got = -1;
        MPI_Request requests[2];
        MPI_Status statuses[2];
        nanosleep(step % size == rank ? &late : &soon, NULL);
        MPI_Isend(&rank, 1, MPI_INT, to, step, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&got, 1, MPI_INT, from, step, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        ok = ok && got == from;
    }
    MPI_Finalize();
    return ok ? 0 : 1;
}
