// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of a halo exchange that end with an Allreduce, where all ranks meet. Receives are posted a step ahead, some
// from any source; every tenth step half of the ranks reduce, scan and gather among themselves, in calls that begin and
// end apart. Arguments: how many steps; "pause": each rank ends recording by MPI_Pcontrol for a while,
// not at once; "many": a hundred messages more a step; "named": in regions, one in another; "while FILE": it ends
// earlier when that file is gone; "until MS": or when so many milliseconds are over.
#include <mpi.h>

#include <stdlib.h>
#include <unistd.h>

static volatile double sink;

static void work(int amount)
{
    for (int i = 0; i < amount * 100; ++i) sink += i * 1e-9;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 300;
    const int pauses = argc > 2 && argv[2][0] == 'p', extra = argc > 2 && argv[2][0] == 'm' ? 100 : 0;
    const int is_named = argc > 2 && argv[2][0] == 'n';
    const char *file = argc > 3 && argv[2][0] == 'w' ? argv[3] : NULL;
    const double most = argc > 3 && argv[2][0] == 'u' ? atoi(argv[3]) * 1e-3 : 0;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double begin = MPI_Wtime();
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    int place, members;
    MPI_Comm_rank(half, &place);
    MPI_Comm_size(half, &members);
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    double out = rank, in[3] = {0}, sum = 0, parts[64];
    MPI_Request next = MPI_REQUEST_NULL, joined = MPI_REQUEST_NULL;
    MPI_Irecv(&in[2], 1, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &next);
    for (int step = 0; step < steps; ++step) {
        MPI_Request requests[4];
        MPI_Irecv(&in[0], 1, MPI_DOUBLE, step % 3 == 0 ? MPI_ANY_SOURCE : left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&in[1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
        if (is_named) MPI_Pcontrol(1, "exchange");
        work((rank * 7 + step * 3) % 11);
        MPI_Isend(&out, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
        if (is_named) MPI_Pcontrol(1, "second part");
        work((rank + step) % 5);
        if (is_named) MPI_Pcontrol(-1, "second part");
        MPI_Isend(&out, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        if (is_named) MPI_Pcontrol(-1, "exchange");
        for (int i = 0; i < extra; ++i)
            MPI_Sendrecv(&out, 1, MPI_DOUBLE, right, 5, &in[0], 1, MPI_DOUBLE, left, 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        if (step % 10 == 3) {
            MPI_Iallreduce(&out, &sum, 1, MPI_DOUBLE, MPI_SUM, half, &joined);
            work(rank);
        }
        if (step % 10 == 4) {
            MPI_Wait(&joined, MPI_STATUS_IGNORE);
            MPI_Scan(&out, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
            work(place);
            MPI_Gather(&out, 1, MPI_DOUBLE, parts, 1, MPI_DOUBLE, members - 1, half);
            MPI_Bcast(parts, members, MPI_DOUBLE, members - 1, half);
        }
        if (step % 7 == 5) {  // the receive for it has been open for some meetings
            MPI_Send(&out, 1, MPI_DOUBLE, right, 3, MPI_COMM_WORLD);
            MPI_Wait(&next, MPI_STATUS_IGNORE);
            MPI_Irecv(&in[2], 1, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &next);
        }
        if (step % 9 == 2) {
            MPI_Status status;
            MPI_Ssend(&out, 0, MPI_DOUBLE, rank == 0 ? MPI_PROC_NULL : 0, 4, MPI_COMM_WORLD);
            for (int from = 1; rank == 0 && from < size; ++from) {
                MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
                work(3);
                MPI_Recv(&in[0], 0, MPI_DOUBLE, status.MPI_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
        if (pauses && step == 20 + 10 * rank) MPI_Pcontrol(0);
        if (pauses && step == 120 + 10 * rank) MPI_Pcontrol(1);
        MPI_Allreduce(&out, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if ((file || most > 0) && step % 50 == 0) {
            int goes = file ? access(file, F_OK) == 0 : MPI_Wtime() - begin < most;
            MPI_Bcast(&goes, 1, MPI_INT, 0, MPI_COMM_WORLD);
            if (!goes) break;
        }
    }
    MPI_Cancel(&next);
    MPI_Wait(&next, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
