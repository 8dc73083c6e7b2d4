// SPDX-License-Identifier: GPL-3.0-or-later
// Two ranks and a window. One rank comes 40 ms late to each way of synchronizing: to a fence;
// to MPI_Win_post; to MPI_Win_complete, before and after its last access, while the other waits and while it tests; and
// to giving a lock back.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { LATE = 40000 };  // us

static int rank, peer, *shared;
static MPI_Win window;
static MPI_Group other;

static void put(int value)
{
    MPI_Put(&value, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
}

static void expect(int value)
{
    if (*shared != value) printf("rank %d has %d instead of %d\n", rank, *shared, value);
}

static void fence(void)
{
    const int value = 10 + rank;
    MPI_Win_fence(0, window);
    if (rank == 1) usleep(LATE);
    MPI_Put(&value, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    expect(10 + peer);
}

static void late_post(void)
{
    if (rank == 0) {
        MPI_Win_start(other, 0, window);
        put(1);
    } else {
        usleep(LATE);
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
        expect(1);
    }
}

// Rank 0 is late: before its access, or between it and MPI_Win_complete.
static void early_wait(int isAfterAccess, int isTested)
{
    if (rank == 0) {
        const int value = 2;
        MPI_Win_start(other, 0, window);
        if (!isAfterAccess) usleep(LATE);
        MPI_Put(&value, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
        if (isAfterAccess) usleep(LATE);
        MPI_Win_complete(window);
    } else {
        int isDone = 0;
        MPI_Win_post(other, 0, window);
        while (isTested && !isDone) MPI_Win_test(window, &isDone);
        if (!isTested) MPI_Win_wait(window);
        expect(2);
    }
}

// Rank 1 asks for the lock when rank 0 has it. What it fetches has no origin, not even a type.
static void lock(void)
{
    int value = 3, fetched = 0;
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &fetched, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window);
    MPI_Win_flush(0, window);
    if (fetched != value) printf("rank %d fetched %d instead of %d\n", rank, fetched, value);
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 0) usleep(LATE);
    MPI_Win_unlock(0, window);
}

int main(int argc, char **argv)
{
    MPI_Group world;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    MPI_Win_allocate(4096, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    *shared = -1;

    fence();
    MPI_Barrier(MPI_COMM_WORLD);
    late_post();
    MPI_Barrier(MPI_COMM_WORLD);
    early_wait(0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    early_wait(1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    early_wait(1, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    lock();
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
