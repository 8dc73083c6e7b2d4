// SPDX-License-Identifier: GPL-3.0-or-later
// An exchange of halos with both neighbours, 10,000 MPI calls a second and rank: Irecv and Isend to each side, Waitall,
// then work of a fixed amount. Prints the CPU nanoseconds of rank 0 for a step: those that one in ten of sixty pieces
// of the run stayed below, as waiting for a rank that the system has put off is no cost of a call.
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 40, TIMES = 60, HALO = 64 };
static const int64_t step_time = 500000;  // ns: five calls at 10,000 a second

static int64_t cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static double work(int64_t amount)
{
    volatile double sum = 1;
    for (int64_t i = 0; i < amount; ++i) sum = sum * 0.999999 + 1e-6;
    return sum;
}

// So much that it takes a step; the fastest of several tries, the same on all ranks.
static int64_t amount_of_work(void)
{
    const int64_t tried = 200000;
    int64_t fastest = INT64_MAX;
    for (int i = 0; i < 20; ++i) {
        const int64_t begin = cpu_time();
        work(tried);
        const int64_t taken = cpu_time() - begin;
        if (taken < fastest) fastest = taken;
    }
    int64_t amount = tried * step_time / fastest;
    MPI_Bcast(&amount, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return amount;
}

static void exchange(int left, int right)
{
    static double out[2][HALO], in[2][HALO];
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Irecv(in[0], HALO, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in[1], HALO, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out[0], HALO, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out[1], HALO, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
}

static int compare(const void* a, const void* b)
{
    const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int64_t amount = argc > 1 ? atoll(argv[1]) : amount_of_work();
    int64_t times[TIMES];
    for (int i = 0; i < TIMES; ++i) {
        const int64_t begin = cpu_time();
        for (int step = 0; step < STEPS; ++step) {
            exchange((rank + size - 1) % size, (rank + 1) % size);
            work(amount);
        }
        times[i] = (cpu_time() - begin) / STEPS;
    }
    qsort(times, TIMES, sizeof *times, compare);
    if (rank == 0) printf("halo %lld ns amount %lld\n", (long long)times[TIMES / 10], (long long)amount);
    MPI_Finalize();
    return 0;
}
