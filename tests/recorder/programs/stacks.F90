! SPDX-License-Identifier: GPL-3.0-or-later
! A module's subroutine that calls MPI, from the program and from another subroutine. The marks name lines.
module exchange
  use mpi
  implicit none
contains
  subroutine share(value)
    double precision, intent(inout) :: value
    double precision :: total
    integer :: error
    call MPI_Allreduce(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! mark: allreduce
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
  use mpi
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
