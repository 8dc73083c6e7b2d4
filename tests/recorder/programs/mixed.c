// SPDX-License-Identifier: GPL-3.0-or-later
// Three hundred exchanges of all kinds in an order that all ranks draw alike, each rank late by a little of its own.
#include <mpi.h>

#include <stdlib.h>
#include <time.h>

enum { STEPS = 300, MOST = 64 };

static int rank, size;
static MPI_Comm half;  // ranks of the same parity

static unsigned draw(unsigned *state) { return (*state = *state * 1664525u + 1013904223u) >> 16; }

static void be_late(unsigned *state)
{
    const struct timespec time = {0, draw(state) % 300000};
    if (draw(state) % 4 == 0) nanosleep(&time, NULL);
}

static void any_source(int tag)
{
    int out[MOST], in[MOST];
    MPI_Request requests[2 * MOST];
    int count = 0;
    for (int i = 0; i < size; ++i)
        if (i != rank) MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[count++]);
    for (int i = 0; i < size; ++i) {
        out[i] = rank;
        if (i != rank) MPI_Isend(&out[i], 1, MPI_INT, i, tag, MPI_COMM_WORLD, &requests[count++]);
    }
    for (int i = 0; i < count; ++i) {
        int index;
        MPI_Status status;
        MPI_Waitany(count, requests, &index, &status);
    }
}

static void pairs(int tag, int is_synchronous)
{
    int value = rank;
    MPI_Status status;
    const int other = rank ^ 1;
    if (other >= size) return;
    if (rank & 1) MPI_Recv(&value, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &status);
    else if (is_synchronous) MPI_Ssend(&value, 1, MPI_INT, other, tag, MPI_COMM_WORLD);
    else MPI_Send(&value, 1, MPI_INT, other, tag, MPI_COMM_WORLD);
}

static void large(int tag)
{
    static char out[300000], in[300000];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(in, sizeof in, MPI_CHAR, (rank + 1) % size, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, sizeof out, MPI_CHAR, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
}

static void shift(int tag)
{
    int out = rank, in = -1;
    MPI_Status status;
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, tag, &in, 1, MPI_INT, rank == 0 ? MPI_PROC_NULL : rank - 1, tag,
                 MPI_COMM_WORLD, &status);
    if (rank == 0) MPI_Recv(&in, 1, MPI_INT, size - 1, tag, MPI_COMM_WORLD, &status);
}

static void collective(unsigned kind, int root)
{
    int out = rank, in = 0;
    MPI_Request request;
    MPI_Status status;
    switch (kind) {
    case 0: MPI_Barrier(MPI_COMM_WORLD); break;
    case 1: MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, half); break;
    case 2: MPI_Bcast(&out, 1, MPI_INT, root, MPI_COMM_WORLD); break;
    case 3: MPI_Reduce(&out, &in, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD); break;
    case 4: MPI_Scan(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); break;
    case 5:
        MPI_Ibarrier(half, &request);
        MPI_Wait(&request, &status);
        break;
    default: MPI_Iallreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); MPI_Wait(&request, &status);
    }
}

int main(int argc, char **argv)
{
    unsigned all = 42, own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MOST) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    own = 7u + (unsigned)rank;
    for (int step = 0; step < STEPS; ++step) {
        be_late(&own);
        const unsigned kind = draw(&all) % 12;
        const int root = (int)(draw(&all) % (unsigned)size);
        if (kind < 7) collective(kind, root);
        else if (kind == 7) any_source(step);
        else if (kind == 8) large(step);
        else if (kind == 9) shift(step);
        else pairs(step, kind == 10);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
