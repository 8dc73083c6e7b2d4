// SPDX-License-Identifier: GPL-3.0-or-later
// Another tool that owns some of MPI's names: counts barriers.
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
    printf("tool saw %d\n", barriers);
    return PMPI_Finalize();
}
