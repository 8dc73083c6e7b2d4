// SPDX-License-Identifier: GPL-3.0-or-later
// Another tool that wraps MPI calls: counts barriers.
#include <mpi.h>

#include <stdio.h>

static int barriers;

int MPI_Barrier(MPI_Comm comm)
{
    ++barriers;
    return PMPI_Barrier(comm);
}

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("tool: rank %d: %d barriers\n", rank, barriers);
    fflush(stdout);
    return PMPI_Finalize();
}
