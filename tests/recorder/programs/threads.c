// SPDX-License-Identifier: GPL-3.0-or-later
// Four threads of each of two ranks exchange messages at once (MPI_THREAD_MULTIPLE): handles come back to other
// threads.
#include <mpi.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 500, MANY = 8 };

static int rank;

static void *exchange(void *number)
{
    const int tag = (int)(intptr_t)number;
    int out[MANY] = {tag}, in[MANY];
    for (int round = 0; round < ROUNDS; ++round) {
        MPI_Request requests[2 * MANY];
        int done = 0, index;
        for (int at = 0; at < MANY; ++at) {
            MPI_Irecv(&in[at], 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[at]);
            MPI_Isend(&out[at], 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[MANY + at]);
        }
        if (round % 3 == 0) MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
        for (int at = 0; round % 3 == 1 && at < 2 * MANY; ++at)
            MPI_Waitany(2 * MANY, requests, &index, MPI_STATUS_IGNORE);
        while (round % 3 == 2 && !done) MPI_Testall(2 * MANY, requests, &done, MPI_STATUSES_IGNORE);
    }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("provided %d\n", provided == MPI_THREAD_MULTIPLE);
    for (intptr_t number = 0; number < THREADS && provided == MPI_THREAD_MULTIPLE; ++number)
        pthread_create(&threads[number], 0, exchange, (void *)number);
    for (int number = 0; number < THREADS && provided == MPI_THREAD_MULTIPLE; ++number)
        pthread_join(threads[number], 0);
    MPI_Finalize();
    return 0;
}
