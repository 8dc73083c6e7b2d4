// SPDX-License-Identifier: GPL-3.0-or-later
// What the wrappers of Fortran's calls share: spellings, and statuses.
#ifndef LONGPOLE_RECORDER_FORTRAN_SHARED_H
#define LONGPOLE_RECORDER_FORTRAN_SHARED_H

#include "recorder/fortran/names.h"
#include "recorder/wrappers/next.h"

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>

// Only declared, for LP_BEHIND: MPI's Fortran libraries are not there in C programs.
#define LP_FORTRAN_NEXT extern

// The wrapper of mpi_x_, which programs see by the names below.
#define LP_FORTRAN(lower) lp_fortran_##lower
// Compilers spell mpi_send_ as mpi_send, mpi_send__ or MPI_SEND, too.
#define LP_FORTRAN_SPELLINGS(lower, UPPER) \
    LP_FORTRAN_NAME(mpi_##lower##_, lower) \
    LP_FORTRAN_NAME(mpi_##lower, lower) \
    LP_FORTRAN_NAME(mpi_##lower##__, lower) \
    LP_FORTRAN_NAME(MPI_##UPPER, lower)

// MPICH's f08 names tell calls with choice buffers apart: these get descriptors, which are passed on as they are.
#ifdef OPEN_MPI
#define LP_F08(lower) mpi_##lower##_f08_
#define LP_NEXT_F08(lower) pmpi_##lower##_f08_
#define LP_IS_DESCRIBED false
#define LP_F08_BUFFER(lower) mpi_##lower##_f08_
#define LP_NEXT_F08_BUFFER(lower) pmpi_##lower##_f08_
#else
#define LP_F08(lower) mpi_##lower##_f08_
#define LP_NEXT_F08(lower) pmpir_##lower##_f08_
#define LP_IS_DESCRIBED true
#define LP_F08_BUFFER(lower) mpi_##lower##_f08ts_
#define LP_NEXT_F08_BUFFER(lower) pmpir_##lower##_f08ts_
#endif

// The function behind our mpi_x_f08_.
#define LP_BEHIND_F08(lower) LP_BEHIND_OF(LP_NEXT_F08(lower))
#define LP_BEHIND_OF(own) LP_BEHIND(own)

// Open MPI's common blocks, which f08 uses too; null in programs without Fortran.
extern const void *lp_fortran_status_ignore, *lp_fortran_statuses_ignore;
// Whether a buffer is MPI_IN_PLACE; `isDescribed`: it comes as a descriptor, which begins with its address.
bool lp_is_in_place(const void *buffer, bool isDescribed);
extern const void *lp_fortran_in_place;       // f08's of MPICH, and all of Open MPI
extern const void *const *lp_mpich_in_place;  // points to where MPICH keeps the address of the other bindings' one
// MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE of mpif.h, `use mpi` or f08.
bool lp_is_ignored(const void *status);
bool lp_are_ignored(const void *statuses);
// A Fortran status (f08's is laid out alike) in C.
const MPI_Status *lp_status_of(const void *status, MPI_Status *converted);

#endif
