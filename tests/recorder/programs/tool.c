// SPDX-License-Identifier: GPL-3.0-or-later
// Another tool that owns some of MPI's names, in C and in Fortran, and the hooks of procedures: counts calls.
#include <mpi.h>

#include <stdio.h>

static int barriers, controls, types, names, procedures;

// Not there in C programs, nor in those of the other MPI.
__attribute__((weak)) void pmpi_barrier_(MPI_Fint *comm, MPI_Fint *error);
__attribute__((weak)) void pmpi_barrier_f08_(MPI_Fint *comm, MPI_Fint *error);
__attribute__((weak)) void pmpir_barrier_f08_(MPI_Fint *comm, MPI_Fint *error);

int MPI_Barrier(MPI_Comm comm)
{
    ++barriers;
    return PMPI_Barrier(comm);
}

void mpi_barrier_(MPI_Fint *comm, MPI_Fint *error)
{
    ++barriers;
    pmpi_barrier_(comm, error);
}

void mpi_barrier_f08_(MPI_Fint *comm, MPI_Fint *error)
{
    ++barriers;
    if (pmpi_barrier_f08_) pmpi_barrier_f08_(comm, error);
    else pmpir_barrier_f08_(comm, error);
}

int MPI_Pcontrol(const int level, ...)
{
    controls += 1 + level;
    return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype *type)
{
    ++types;
    return PMPI_Type_free(type);
}

int MPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    ++names;
    return PMPI_Comm_set_name(comm, name);
}

void __cyg_profile_func_enter(void *function, void *site) { ++procedures; }
void __cyg_profile_func_exit(void *function, void *site) { procedures += 100; }

__attribute__((destructor)) static void report(void)
{
    int wasMpi;
    MPI_Initialized(&wasMpi);
    if (!wasMpi) return;
    printf("tool saw %d barriers, %d controls, %d types, %d names, %d procedures\n", barriers, controls, types, names,
           procedures);
    fflush(stdout);
}
