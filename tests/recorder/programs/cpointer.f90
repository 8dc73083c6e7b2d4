! SPDX-License-Identifier: GPL-3.0-or-later
! A window whose memory comes as a type(C_PTR), and names for what is no communicator.
program cpointer
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: error, window, rank
  integer(kind=MPI_ADDRESS_KIND) :: bytes, at
  type(c_ptr) :: base
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  bytes = 8
  at = 0
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, window, error)
  call MPI_Win_fence(0, window, error)
  call MPI_Put(rank, 1, MPI_INTEGER, 1 - rank, at, 1, MPI_INTEGER, window, error)
  call MPI_Win_fence(0, window, error)
  call MPI_Win_free(window, error)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
  call MPI_Comm_set_name(MPI_COMM_NULL, 'nothing', error)
  if (error == MPI_SUCCESS) print *, 'MPI_COMM_NULL has a name'
  call MPI_Comm_set_name(12345, 'nothing', error)
  if (error == MPI_SUCCESS) print *, 'what is no communicator has a name'
  call MPI_Finalize(error)
end program
