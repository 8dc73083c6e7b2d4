! SPDX-License-Identifier: GPL-3.0-or-later
! A module's subroutine that calls MPI, from the program and from another subroutine; with -DF08 by `use mpi_f08`. The
! marks name lines.
#ifdef F08
#define BINDING mpi_f08
#define REQUEST type(MPI_Request)
#else
#define BINDING mpi
#define REQUEST integer
#endif
module exchange
  use BINDING
  implicit none
contains
  subroutine share(value)
    double precision, intent(inout) :: value
    double precision, asynchronous :: total, again
    REQUEST :: request
    integer :: error
    call MPI_Allreduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! mark: allreduce
    call MPI_Iallreduce(value, again, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, request, error) ! mark: iallreduce
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    value = total
  end subroutine share

  subroutine iterate(value)
    double precision, intent(inout) :: value
    integer :: step
    do step = 1, 5
      call share(value) ! mark: iterate calls
    end do
  end subroutine iterate
end module exchange

program stacks
  use BINDING
  use exchange
  implicit none
  integer :: error
  double precision :: value
  value = 1
  call MPI_Init(error)
  call share(value) ! mark: main calls
  call iterate(value) ! mark: iterate
  call MPI_Finalize(error)
end program stacks
