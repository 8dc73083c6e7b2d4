// SPDX-License-Identifier: GPL-3.0-or-later
// A program drawn from a seed, the same on all ranks: rounds of messages with receives from one rank or from any,
// posted before or after, completed in any way; persistent requests; collective calls of all and of some, blocking or
// begun in one round and completed in a later one. Arguments: seed, rounds; "forward": no request is waited for before
// earlier ones.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256, TAGS = 2 };

static unsigned state;
static unsigned draw(unsigned below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 10) % below;
}

static volatile double sink;
static unsigned own;  // drawn by each rank for itself
static void work(void)
{
    own = own * 1664525u + 1013904223u;
    for (unsigned i = 0; i < (own >> 12) % 4000; ++i) sink += i * 1e-9;
}

static int rank, size, ways = 5;
static double room[2 * MOST];

static void complete(MPI_Request *requests, int count, unsigned how)
{
    int index, done, indices[2 * MOST];
    if (how == 0) {
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        return;
    }
    for (int left = count; left > 0;) {
        switch (how) {
        case 1:
            MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
            --left;
            break;
        case 2:
            MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
            left -= done;
            break;
        case 3:
            MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
            left -= done;
            break;
        default:
            for (int i = count - 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            left = 0;
        }
        if (how < 4 && left > 0) work();
    }
}

static void exchange(int round)
{
    MPI_Request requests[2 * MOST];
    int count = 0, any[TAGS], messages[TAGS][16][16];
    const unsigned posted_first = draw(2), how = draw((unsigned)ways), sendrecv = draw(4);
    for (int tag = 0; tag < TAGS; ++tag)
        for (int from = 0; from < size; ++from)
            for (int to = 0; to < size; ++to) messages[tag][from][to] = (int)draw(3);
    for (int tag = 0; tag < TAGS; ++tag) any[tag] = draw(3) == 0;
    for (int pass = 0; pass < 2; ++pass) {
        if ((pass == 0) == (posted_first == 1)) {
            for (int tag = 0; tag < TAGS; ++tag)
                for (int from = 0; from < size; ++from)
                    for (int i = 0; i < messages[tag][from][rank]; ++i, ++count) {
                        if (i == 1) work();
                        MPI_Irecv(&room[count], 1, MPI_DOUBLE, any[tag] ? MPI_ANY_SOURCE : from, 2 * round + tag,
                                  MPI_COMM_WORLD, &requests[count]);
                    }
        } else {
            for (int tag = 0; tag < TAGS; ++tag)
                for (int to = 0; to < size; ++to)
                    for (int i = 0; i < messages[tag][rank][to]; ++i, ++count) {
                        work();
                        MPI_Isend(&room[count], 1, MPI_DOUBLE, to, 2 * round + tag, MPI_COMM_WORLD, &requests[count]);
                    }
        }
        work();
    }
    complete(requests, count, how);
    if (sendrecv == 0)
        MPI_Sendrecv(&room[0], 1, MPI_DOUBLE, (rank + 1) % size, 9, &room[1], 1, MPI_DOUBLE, (rank + size - 1) % size,
                     9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// To rank 0, which asks first what there is.
static void probed(void)
{
    MPI_Status status;
    const int to = (int)draw((unsigned)size);
    work();
    if (rank != to) {
        MPI_Send(&room[0], 1, MPI_DOUBLE, to, 7, MPI_COMM_WORLD);
        return;
    }
    for (int left = size - 1; left > 0; --left) {
        MPI_Probe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
        work();
        MPI_Recv(&room[1], 1, MPI_DOUBLE, status.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void together(MPI_Comm comm, MPI_Request *begun)
{
    int members, place;
    double in = rank, out[16] = {0};
    MPI_Comm_size(comm, &members);
    MPI_Comm_rank(comm, &place);
    const int which = (int)draw(9), root = (int)draw(1000) % members;
    static double kept_in = 1, kept_out[16];
    if (*begun != MPI_REQUEST_NULL) MPI_Wait(begun, MPI_STATUS_IGNORE);
    work();
    switch (which) {
    case 0: MPI_Bcast(&in, 1, MPI_DOUBLE, root, comm); break;
    case 1: MPI_Reduce(&in, out, 1, MPI_DOUBLE, MPI_SUM, root, comm); break;
    case 2: MPI_Allreduce(&in, out, 1, MPI_DOUBLE, MPI_SUM, comm); break;
    case 3: MPI_Scan(&in, out, 1, MPI_DOUBLE, MPI_SUM, comm); break;
    case 4: MPI_Allgather(&in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, comm); break;
    case 5: MPI_Barrier(comm); break;
    case 6: MPI_Iallreduce(&kept_in, kept_out, 1, MPI_DOUBLE, MPI_SUM, comm, begun); break;
    case 7: MPI_Ibcast(kept_out, 1, MPI_DOUBLE, root, comm, begun); break;
    default: MPI_Gather(&in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, root, comm);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm some;
    MPI_Request begun[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, again[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 16) MPI_Abort(MPI_COMM_WORLD, 1);
    state = (unsigned)(argc > 1 ? atoi(argv[1]) : 1);
    if (argc > 3) ways = 4;
    own = state * 977 + (unsigned)rank;
    const int rounds = argc > 2 ? atoi(argv[2]) : 100;
    MPI_Comm_split(MPI_COMM_WORLD, rank * (int)(1 + draw(3)) / 2 % 2, (int)draw(2) ? rank : -rank, &some);
    MPI_Send_init(&room[0], 1, MPI_DOUBLE, (rank + 1) % size, 8, MPI_COMM_WORLD, &again[0]);
    MPI_Recv_init(&room[1], 1, MPI_DOUBLE, (rank + size - 1) % size, 8, MPI_COMM_WORLD, &again[1]);
    for (int round = 10; round < 10 + rounds; ++round) {
        switch (draw(8)) {
        case 0:
        case 1:
        case 2: exchange(round); break;
        case 3: probed(); break;
        case 4: together(some, &begun[0]); break;
        case 5: together(MPI_COMM_WORLD, &begun[1]); break;
        case 6:
            MPI_Startall(2, again);
            work();
            MPI_Waitall(2, again, MPI_STATUSES_IGNORE);
            break;
        default: work();
        }
    }
    for (int i = 0; i < 2; ++i) {
        if (begun[i] != MPI_REQUEST_NULL) MPI_Wait(&begun[i], MPI_STATUS_IGNORE);
        MPI_Request_free(&again[i]);
    }
    MPI_Comm_free(&some);
    MPI_Finalize();
    return 0;
}
