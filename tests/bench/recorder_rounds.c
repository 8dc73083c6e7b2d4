// SPDX-License-Identifier: GPL-3.0-or-later
// Rounds of work, and of a message to each side, for what following the critical path costs; where all ranks meet every
// twentieth round. Arguments: ns of work a round, bytes of a message, seconds to run, and the amount of work that
// another run found to take so long, so that runs can be compared. Prints the CPU nanoseconds of rank 0 for a round,
// those that one in twenty pieces of the run stayed below (in the others something else may have had the core of one of
// the two, and the other one polled), how many rounds a second that were, and the amount.
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 20, MOST_PIECES = 100000, MOST_BYTES = 1 << 20 };

static int64_t clock_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static double work(int64_t amount)
{
    volatile double sum = 1;
    for (int64_t i = 0; i < amount; ++i) sum = sum * 0.999999 + 1e-6;
    return sum;
}

// The amount of work that takes so long; the fastest of several tries, the same on all ranks.
static int64_t amount_of(int64_t ns)
{
    const int64_t tried = 20000;
    int64_t fastest = INT64_MAX;
    for (int i = 0; i < 100; ++i) {
        const int64_t begin = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        work(tried);
        const int64_t taken = clock_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
        if (taken < fastest) fastest = taken;
    }
    int64_t amount = tried * ns / fastest;
    MPI_Bcast(&amount, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return amount;
}

static int compare(const void* a, const void* b)
{
    const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char** argv)
{
    int rank, size, count = 0;
    static char out[MOST_BYTES], in[MOST_BYTES];
    static int64_t times[MOST_PIECES];
    if (argc < 4) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int64_t amount = argc > 4 ? atoll(argv[4]) : amount_of(atoll(argv[1]));
    const int bytes = atoi(argv[2]) <= MOST_BYTES ? atoi(argv[2]) : MOST_BYTES;
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    const int64_t start = clock_of(CLOCK_MONOTONIC), length = (int64_t)(atof(argv[3]) * 1e9);
    for (int goes = 1; goes && count < MOST_PIECES; ++count) {
        const int64_t begin = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        for (int round = 0; round < ROUNDS; ++round) {
            work(amount);
            MPI_Sendrecv(out, bytes, MPI_CHAR, right, 1, in, bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
        times[count] = (clock_of(CLOCK_PROCESS_CPUTIME_ID) - begin) / ROUNDS;
        int mine = clock_of(CLOCK_MONOTONIC) - start < length;
        MPI_Allreduce(&mine, &goes, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    const double seconds = (double)(clock_of(CLOCK_MONOTONIC) - start) / 1e9;
    qsort(times, (size_t)count, sizeof *times, compare);
    if (rank == 0)
        printf("round %lld ns, %.0f a second, amount %lld\n", (long long)times[count / 20], count * ROUNDS / seconds,
               (long long)amount);
    MPI_Finalize();
    return 0;
}
