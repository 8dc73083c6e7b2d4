// SPDX-License-Identifier: GPL-3.0-or-later
// A program that never calls MPI_Init: two sessions, of which the second ends last, a message round a ring, and groups
// of even and of odd ranks with messages between them.
#include <mpi.h>

static MPI_Comm commOf(MPI_Session session, const char *set)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, set, &group);
    MPI_Comm_create_from_group(group, set, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static MPI_Group everySecond(MPI_Comm of, int first)
{
    int size, ranks[64], count = 0;
    MPI_Group all, some;
    MPI_Comm_size(of, &size);
    for (int rank = first; rank < size && count < 64; rank += 2) ranks[count++] = rank;
    MPI_Comm_group(of, &all);
    MPI_Group_incl(all, count, ranks, &some);
    MPI_Group_free(&all);
    return some;
}

int main(void)
{
    MPI_Session first, second;
    int rank, size, number = 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Comm all = commOf(first, "mpi://WORLD"), self = commOf(first, "mpi://SELF"), across;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &number, 1, MPI_INT, (rank + size - 1) % size, 1, all,
                 MPI_STATUS_IGNORE);
    MPI_Group own = everySecond(all, rank % 2), others = everySecond(all, 1 - rank % 2);
    MPI_Intercomm_create_from_groups(own, 0, others, 0, "across", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &across);
    if (rank == 0) MPI_Send(&number, 1, MPI_INT, 0, 2, across);
    if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 2, across, MPI_STATUS_IGNORE);
    MPI_Comm_free(&across);
    MPI_Group_free(&own);
    MPI_Group_free(&others);
    MPI_Comm_free(&self);
    MPI_Comm_free(&all);
    MPI_Session_finalize(&first);
    MPI_Comm again = commOf(second, "mpi://WORLD");
    MPI_Barrier(again);
    MPI_Comm_free(&again);
    MPI_Session_finalize(&second);
    return 0;
}
