// SPDX-License-Identifier: GPL-3.0-or-later
// Each rank computes 5 ms of CPU time a hundred times, and all meet behind each. None ever sleeps where MPI polls.
#include <mpi.h>

#include <time.h>

static double spent(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 100; ++step) {
        const double until = spent() + 0.005;
        while (spent() < until) {}
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
