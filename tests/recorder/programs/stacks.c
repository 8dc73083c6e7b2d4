// SPDX-License-Identifier: GPL-3.0-or-later
// Calls MPI from known places: a function that two others call, one that is inlined, one that calls itself, one with an
// array of variable length. The marks name the lines for the test. Rank 0 computes 2 ms a step, the others 1 ms.
#include <mpi.h>

#include <time.h>

static double field[1024];
static int rank, size;

static void compute(int microseconds)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000 + (now.tv_nsec - from.tv_nsec) / 1000 < microseconds);
}

__attribute__((noinline)) void halo_exchange(int count)
{
    MPI_Request request;
    MPI_Irecv(field, count, MPI_DOUBLE, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &request);  // mark: irecv
    MPI_Send(field + 512, count, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD);              // mark: send
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                       // mark: wait
    __asm__ volatile("");
}

static inline __attribute__((always_inline)) double norm(void)
{
    double mine = field[0], all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // mark: allreduce
    return all;
}

__attribute__((noinline)) void solve(int steps)
{
    for (int step = 0; step < steps; ++step) {
        compute(rank == 0 ? 2000 : 1000);
        halo_exchange(64);   // mark: solve calls
        field[0] += norm();  // mark: norm
    }
}

__attribute__((noinline)) void descend(int depth)
{
    volatile char room[depth * 40 + 8];  // so that each level's frame has another size
    room[depth] = 1;
    if (depth > 0) descend(depth - 1);  // mark: again
    else MPI_Barrier(MPI_COMM_WORLD);   // mark: barrier
    room[0] = room[depth];
}

__attribute__((noinline)) void setup(void)
{
    halo_exchange(8);                        // mark: setup calls
    for (int i = 0; i < 3; ++i) descend(i);  // mark: descend
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);  // mark: init
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    setup();         // mark: setup
    solve(10);       // mark: solve
    MPI_Finalize();  // mark: finalize
    return 0;
}
