// SPDX-License-Identifier: GPL-3.0-or-later
// Calls between two groups of ranks that a recorder must not take for calls of all: one group gathers from the other,
// which gets nothing; broadcasts have their root in one group; a duplicate is made without waiting. Besides, a library
// keeps a duplicate of a communicator as its attribute, which MPI copies and frees within other calls. Argument: how
// many steps. Prints "done" at the end.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static int copies, frees;

static int copy(MPI_Comm from, int key, void *extra, void *value, void *to, int *flag)
{
    (void)from, (void)key, (void)extra;
    MPI_Comm *made = malloc(sizeof *made);
    MPI_Comm_dup(*(MPI_Comm *)value, made);
    *(MPI_Comm **)to = made;
    *flag = 1;
    ++copies;
    return MPI_SUCCESS;
}

static int release(MPI_Comm from, int key, void *value, void *extra)
{
    (void)from, (void)key, (void)extra;
    MPI_Comm_free(value);
    free(value);
    ++frees;
    return MPI_SUCCESS;
}

// Communicators of other sizes come and go within calls; the arrays have room for this one's members.
static void keep_in_attribute(MPI_Comm half)
{
    int key, found, size;
    MPI_Comm *kept = malloc(sizeof *kept), *copied, again;
    MPI_Comm_create_keyval(copy, release, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, kept);
    MPI_Comm_set_attr(half, key, kept);
    MPI_Comm_dup(half, &again);
    MPI_Comm_get_attr(again, key, &copied, &found);
    MPI_Comm_free(&again);
    MPI_Comm_delete_attr(half, key);
    MPI_Comm_free_keyval(&key);

    MPI_Comm_dup(half, &again);
    MPI_Comm_size(again, &size);
    int *in = calloc((size_t)size, sizeof *in), *counts = calloc((size_t)size, sizeof *counts);
    int *places = calloc((size_t)size, sizeof *places);
    MPI_Datatype *types = malloc((size_t)size * sizeof *types);
    for (int at = 0; at < size; ++at) {
        counts[at] = 1;
        places[at] = at * (int)sizeof *in;
        types[at] = MPI_INT;
    }
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, counts, places, types, again);
    MPI_Comm_free(&again);
    free(in), free(counts), free(places), free(types);
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    int rank, size, value, in[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm half, both, twin;
    MPI_Request made;
    const int gives = rank % 2 == 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);
    for (int step = 0; step < steps; ++step) {
        value = rank + step;
        MPI_Allgather(&value, gives, MPI_INT, in, !gives, MPI_INT, both);
        MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : gives ? MPI_PROC_NULL : 0, both);
        if (!gives && value != step) printf("rank %d has %d instead of %d\n", rank, value, step);
        MPI_Barrier(step % 3 == 0 ? both : MPI_COMM_WORLD);
    }
    MPI_Comm_idup(both, &twin, &made);
    MPI_Wait(&made, MPI_STATUS_IGNORE);
    MPI_Barrier(twin);
    for (int round = 0; round < 4; ++round) keep_in_attribute(half);
    if (rank == 0 && (copies == 0 || copies + 4 != frees)) printf("%d copies, %d freed\n", copies, frees);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) puts("done");
    MPI_Comm_free(&twin);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
