! SPDX-License-Identifier: GPL-3.0-or-later
! A program of `use mpi_f08` that never calls MPI_Init.
program sessions
  use mpi_f08
  implicit none
  type(MPI_Session) :: session
  type(MPI_Group) :: group
  type(MPI_Comm) :: all
  integer :: rank, most
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', group)
  call MPI_Comm_create_from_group(group, 'all', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, all)
  call MPI_Group_free(group)
  call MPI_Comm_rank(all, rank)
  call MPI_Allreduce(rank, most, 1, MPI_INTEGER, MPI_MAX, all)
  call MPI_Comm_free(all)
  call MPI_Session_finalize(session)
end program
