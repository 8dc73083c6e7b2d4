// SPDX-License-Identifier: GPL-3.0-or-later
// Rank 1 awaits five messages of rank 0, which computes 30 ms before each. How it waits is the first argument:
// test, any, some, all, iprobe, improbe (loops without a pause), sleep (0.2 ms between two tests), spin (a thousand
// tests, then MPI_Wait), progress (1 ms of computation between two tests), bursts (10 ms of it after each forty
// tests), probe, mprobe (blocking).
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void compute(double seconds)
{
    const double end = MPI_Wtime() + seconds;
    volatile double sum = 0;
    while (MPI_Wtime() < end)
        for (int i = 0; i < 1000; ++i) sum += i;
}

static void await(const char *how, MPI_Request *request)
{
    int flag = 0, index = MPI_UNDEFINED, found = 0;
    for (long polls = 0; !flag; ++polls) {
        if (strcmp(how, "any") == 0) {
            MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE);
        } else if (strcmp(how, "some") == 0) {
            MPI_Testsome(1, request, &found, &index, MPI_STATUSES_IGNORE);
            flag = found > 0;
        } else if (strcmp(how, "all") == 0) {
            MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE);
        } else {
            MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        }
        if (!flag && strcmp(how, "sleep") == 0) usleep(200);
        if (!flag && strcmp(how, "progress") == 0) compute(0.001);
        if (!flag && strcmp(how, "bursts") == 0 && polls % 40 == 39) compute(0.01);
        if (!flag && strcmp(how, "spin") == 0 && polls == 1000) {
            MPI_Wait(request, MPI_STATUS_IGNORE);
            return;
        }
    }
}

static void receive(const char *how, int tag)
{
    int data = 0, flag = 0;
    MPI_Message message;
    MPI_Request request;
    if (strcmp(how, "probe") == 0) MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(how, "mprobe") == 0) MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    if (strcmp(how, "iprobe") == 0)
        while (!flag) MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (strcmp(how, "improbe") == 0)
        while (!flag) MPI_Improbe(0, tag, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    if (strstr(how, "mprobe")) {
        MPI_Mrecv(&data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else if (strstr(how, "probe")) {
        MPI_Recv(&data, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(&data, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request);
        await(how, &request);
    }
    if (data != 100 + tag) printf("wrong data %d with tag %d\n", data, tag);
}

int main(int argc, char **argv)
{
    int rank;
    const char *how = argc > 1 ? argv[1] : "test";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int tag = 0; tag < 5; ++tag) {
        const int data = 100 + tag;
        if (rank == 0) {
            compute(0.03);
            MPI_Send(&data, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
        } else if (rank == 1) {
            receive(how, tag);
        }
    }
    MPI_Finalize();
    return 0;
}
