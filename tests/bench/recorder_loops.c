// SPDX-License-Identifier: GPL-3.0-or-later
// CPU nanoseconds of MPI calls that do next to nothing, on MPI_COMM_SELF: run with and without the recorder, the
// difference is its cost. Prints one loop a line: name, MPI calls in one round, nanoseconds of a round (median of
// nine).
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 200000, TIMES = 9 };

static int64_t cpuTime(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void probe(void)
{
    int flag;
    MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void exchange(void)
{
    static int out, in;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void reduce(void)
{
    static double out, in;
    MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

// The same below as many functions as real programs have.
__attribute__((noinline)) static void descend(int depth)
{
    if (depth > 0) descend(depth - 1);
    else reduce();
    __asm__ volatile("");  // no tail call
}
static void deepReduce(void) { descend(20); }

static void sendReceive(void)
{
    static int out, in;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void readClock(void)
{
    static volatile int64_t last;
    last = cpuTime(CLOCK_MONOTONIC);
    last = cpuTime(CLOCK_MONOTONIC);
}

static int byValue(const void* left, const void* right)
{
    return (*(const double*)left > *(const double*)right) - (*(const double*)left < *(const double*)right);
}

static void measure(const char* name, int calls, void (*loop)(void))
{
    double times[TIMES];
    for (int time = 0; time < TIMES; ++time) {
        const int64_t begin = cpuTime(CLOCK_PROCESS_CPUTIME_ID);
        for (int round = 0; round < ROUNDS; ++round) loop();
        times[time] = (double)(cpuTime(CLOCK_PROCESS_CPUTIME_ID) - begin) / ROUNDS;
    }
    qsort(times, TIMES, sizeof *times, byValue);
    printf("%s %d %.1f\n", name, calls, times[TIMES / 2]);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    measure("two_clock_reads", 1, readClock);
    measure("iprobe", 1, probe);
    measure("irecv_isend_waitall", 3, exchange);
    measure("sendrecv", 1, sendReceive);
    measure("allreduce", 1, reduce);
    measure("deep_allreduce", 1, deepReduce);
    MPI_Finalize();
    return 0;
}
