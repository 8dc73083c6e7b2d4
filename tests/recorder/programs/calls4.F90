! SPDX-License-Identifier: GPL-3.0-or-later
! What calls4.c does, call by call, with `use mpi_f08`; with -DEXTENDED in Open MPI 4, which calls persistent collectives
! MPIX_ and has nothing else of it.
#ifdef EXTENDED
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Gatherv_init MPIX_Gatherv_init
#endif
module state
  use mpi_f08
#ifdef EXTENDED
  use mpi_f08_ext
#endif
  implicit none
  integer, parameter :: items = 12
  integer :: rank, other
  integer, save, asynchronous :: out(items), in(items), many(2 * items)
  integer(8) :: total = 0
contains
  subroutine take(values, number)
    integer, intent(in) :: values(*), number
    integer :: at
    do at = 1, number
      total = total + at * int(values(at), 8)
    end do
  end subroutine

  subroutine persistent()
    integer, asynchronous :: counts(2) = [2, 3], places(2) = [0, 2]
    type(MPI_Request) :: all(4)
    integer :: round, at
    call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, all(1))
    call MPI_Bcast_init(in, 5, MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, all(2))
    call MPI_Allreduce_init(out, many, 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, all(3))
    call MPI_Gatherv_init(out, 2 + rank, MPI_INTEGER, many(items + 1:), counts, places, MPI_INTEGER, 0, &
                          MPI_COMM_WORLD, MPI_INFO_NULL, all(4))
    do round = 0, 1
      do at = 1, 5
        in(at) = merge(6 + at + round, 0, rank == 1)
      end do
      call MPI_Startall(4, all)
      call MPI_Waitall(4, all, MPI_STATUSES_IGNORE)
      call take(in, 5)
      call take(many, 6)
    end do
    call MPI_Start(all(2))
    call MPI_Wait(all(2), MPI_STATUS_IGNORE)
    do at = 1, 4
      call MPI_Request_free(all(at))
    end do
  end subroutine

#ifndef EXTENDED
  subroutine combined()
    type(MPI_Request) :: request
    call MPI_Isendrecv(out, 3, MPI_INTEGER, other, 1, in, items, MPI_INTEGER, other, 1, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call take(in, 3)
    call MPI_Isendrecv_replace(in, 4, MPI_INTEGER, other, 2, other, 2, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call take(in, 4)
  end subroutine

  subroutine partitioned()
    type(MPI_Request) :: request
    logical :: flag
    if (rank == 0) then
      call MPI_Psend_init(out, 6, 2_MPI_COUNT_KIND, MPI_INTEGER, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, request)
      call MPI_Start(request)
      call MPI_Pready(5, request)
      call MPI_Pready_range(1, 2, request)
      call MPI_Pready_list(2, [3, 0], request)
      call MPI_Pready(4, request)
    else
      call MPI_Precv_init(in, 6, 2_MPI_COUNT_KIND, MPI_INTEGER, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, request)
      call MPI_Start(request)
      flag = .false.
      do while (.not. flag)
        call MPI_Parrived(request, 4, flag)
      end do
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Request_free(request)
    call take(in, 12)
  end subroutine

  subroutine large()
    integer(MPI_COUNT_KIND), asynchronous :: counts(2) = [2, 3]
    integer(MPI_COUNT_KIND) :: three = 3, four = 4
    integer(MPI_ADDRESS_KIND), asynchronous :: places(2) = [0, 3]
    type(MPI_Request) :: pair(2)
    if (rank == 0) then
      call MPI_Send(out, three, MPI_INTEGER, other, 4, MPI_COMM_WORLD)
    else
      call MPI_Recv(in, three, MPI_INTEGER, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
    call MPI_Irecv(in, four, MPI_INTEGER, other, 5, MPI_COMM_WORLD, pair(1))
    call MPI_Isend(out, four, MPI_INTEGER, other, 5, MPI_COMM_WORLD, pair(2))
    call MPI_Waitall(2, pair, MPI_STATUSES_IGNORE)
    call take(in, 4)
    call MPI_Allreduce(out, in, three, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call MPI_Ibcast(in, four, MPI_INTEGER, 0, MPI_COMM_WORLD, pair(1))
    call MPI_Wait(pair(1), MPI_STATUS_IGNORE)
    call MPI_Allgatherv(out, counts(rank + 1), MPI_INTEGER, many, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
    call take(in, 4)
    call MPI_Bcast_init(in, four, MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, pair(1))
    call MPI_Start(pair(1))
    call MPI_Wait(pair(1), MPI_STATUS_IGNORE)
    call MPI_Request_free(pair(1))
    call MPI_Isendrecv(out, three, MPI_INTEGER, other, 6, in, four, MPI_INTEGER, other, 6, MPI_COMM_WORLD, pair(1))
    call MPI_Wait(pair(1), MPI_STATUS_IGNORE)
    call take(in, 4)
  end subroutine

  subroutine communicators()
    type(MPI_Comm) :: copy
    type(MPI_Request) :: request
    call MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, copy, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Barrier(copy)
    call MPI_Comm_free(copy)
  end subroutine
#endif
end module

program calls4
  use state
  implicit none
  integer :: at
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  other = 1 - rank
  do at = 1, items
    out(at) = 100 * rank + at - 1
  end do
  call persistent()
#ifndef EXTENDED
  call combined()
  call partitioned()
  call large()
  call communicators()
#endif
  call MPI_Finalize()
  if (rank == 0) write (*, '(A,I0)') 'sum ', total
end program
