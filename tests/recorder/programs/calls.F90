! SPDX-License-Identifier: GPL-3.0-or-later
! What calls.c does, call by call, in Fortran: with -DMPIF mpif.h, with -DF08 `use mpi_f08`, else `use mpi`.
#ifdef F08
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define ONE_STATUS type(MPI_Status)
#define MESSAGE type(MPI_Message)
#define DATATYPE type(MPI_Datatype)
#define GROUP type(MPI_Group)
#define WIN type(MPI_Win)
#define MPIFILE type(MPI_File)
#else
#define COMM integer
#define REQUEST integer
#define STATUS integer, dimension(MPI_STATUS_SIZE, 2)
#define ONE_STATUS integer, dimension(MPI_STATUS_SIZE)
#define MESSAGE integer
#define DATATYPE integer
#define GROUP integer
#define WIN integer
#define MPIFILE integer
#endif
#ifdef F08
#define ERR
#define STATUSES statuses(2)
#else
#define ERR , ierror
#define STATUSES statuses
#endif
module state
#ifdef F08
  use mpi_f08
#elif !defined(MPIF)
  use mpi
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
  integer, parameter :: items = 10
  integer :: rank, ranks, next, previous, ierror
  integer, save :: out(items), in(items), many(64 * items), far(64 * items), counts(64), places(64)
  integer(8) :: total = 0
contains
  subroutine take(values, number)
    integer, intent(in) :: values(*), number
    integer :: at
    do at = 1, number
      total = total + at * int(values(at), 8)
    end do
  end subroutine

  subroutine blocking()
    character, save :: buffer(4096)
    character :: detached(4096)
    integer :: bytes
    ONE_STATUS :: status
    call MPI_Sendrecv(out, items, MPI_INTEGER, next, 1, in, items, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    call take(in, items)
    call MPI_Sendrecv_replace(in, 4, MPI_INTEGER, previous, 2, next, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    call take(in, 4)
    if (mod(rank, 2) == 0) then
      call MPI_Send(out, 3, MPI_INTEGER, next, 3, MPI_COMM_WORLD ERR)
      call MPI_Buffer_attach(buffer, 4096 ERR)
      call MPI_Bsend(out, 4, MPI_INTEGER, next, 4, MPI_COMM_WORLD ERR)
      call detach(bytes)
      call MPI_Ssend(out, 5, MPI_INTEGER, next, 5, MPI_COMM_WORLD ERR)
      call MPI_Send(out, 0, MPI_INTEGER, next, 6, MPI_COMM_WORLD ERR)
    else
      call MPI_Recv(in, items, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
      call MPI_Recv(in, items, MPI_INTEGER, previous, 4, MPI_COMM_WORLD, status ERR)
      call MPI_Recv(in, items, MPI_INTEGER, previous, MPI_ANY_TAG, MPI_COMM_WORLD, status ERR)
      call take(in, items)
      call MPI_Recv(in, items, MPI_INTEGER, previous, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    end if
    call MPI_Send(out, 3, MPI_INTEGER, MPI_PROC_NULL, 7, MPI_COMM_WORLD ERR)
    call MPI_Recv(in, 3, MPI_INTEGER, MPI_PROC_NULL, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    call MPI_Send(out, 2, MPI_INTEGER, rank, 8, MPI_COMM_WORLD ERR)
    call MPI_Recv(in, 2, MPI_INTEGER, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
  end subroutine

  subroutine detach(bytes)
#ifdef F08
    use, intrinsic :: iso_c_binding
    type(c_ptr) :: detached
#else
    character :: detached(64)
#endif
    integer :: bytes
    call MPI_Buffer_detach(detached, bytes ERR)
  end subroutine

  subroutine probing()
    MESSAGE :: message
    REQUEST :: request
    logical :: flag
    integer :: tag
    do tag = 10, 13
      call MPI_Send(out, tag - 8, MPI_INTEGER, next, tag, MPI_COMM_WORLD ERR)
    end do
    call MPI_Probe(previous, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    call MPI_Recv(in, items, MPI_INTEGER, previous, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE ERR)
    end do
    call MPI_Recv(in, items, MPI_INTEGER, previous, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
    call MPI_Mprobe(previous, 12, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE ERR)
    call MPI_Mrecv(in, items, MPI_INTEGER, message, MPI_STATUS_IGNORE ERR)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(previous, 13, MPI_COMM_WORLD, flag, message, MPI_STATUS_IGNORE ERR)
    end do
    call MPI_Imrecv(in, items, MPI_INTEGER, message, request ERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE ERR)
    call take(in, items)
  end subroutine

  subroutine start_pair(tag, receive, send)
    integer, intent(in) :: tag
    REQUEST :: receive, send
    call MPI_Irecv(in, items, MPI_INTEGER, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, receive ERR)
    call MPI_Isend(out, 6, MPI_INTEGER, next, tag, MPI_COMM_WORLD, send ERR)
  end subroutine

  subroutine requests()
    REQUEST :: pair(2), send
    STATUS :: STATUSES
    logical :: flag
    integer :: at, done, indices(2)
    call start_pair(20, pair(1), pair(2))
    call MPI_Waitall(2, pair, MPI_STATUSES_IGNORE ERR)
    call take(in, 6)
    call start_pair(21, pair(1), pair(2))
    call MPI_Waitall(2, pair, statuses ERR)
    call MPI_Irecv(in, items, MPI_INTEGER, previous, 22, MPI_COMM_WORLD, pair(1) ERR)
    call MPI_Issend(out, 7, MPI_INTEGER, next, 22, MPI_COMM_WORLD, send ERR)
    call MPI_Wait(pair(1), MPI_STATUS_IGNORE ERR)
    call MPI_Wait(send, MPI_STATUS_IGNORE ERR)
    call start_pair(23, pair(2), send)
    pair(1) = MPI_REQUEST_NULL
    call MPI_Waitany(2, pair, at, MPI_STATUS_IGNORE ERR)
    total = total + at - 1
    call MPI_Waitany(2, pair, at, MPI_STATUS_IGNORE ERR)
    call MPI_Wait(send, MPI_STATUS_IGNORE ERR)
    call start_pair(24, pair(2), send)
    call MPI_Waitsome(2, pair, done, indices, MPI_STATUSES_IGNORE ERR)
    total = total + done + indices(1) - 1
    call MPI_Wait(send, MPI_STATUS_IGNORE ERR)
    call start_pair(25, pair(1), send)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(pair(1), flag, MPI_STATUS_IGNORE ERR)
    end do
    call MPI_Wait(send, MPI_STATUS_IGNORE ERR)
    call start_pair(26, pair(1), pair(2))
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(2, pair, flag, MPI_STATUSES_IGNORE ERR)
    end do
    call start_pair(27, pair(2), send)
    flag = .false.
    do while (.not. flag)
      call MPI_Testany(2, pair, at, flag, MPI_STATUS_IGNORE ERR)
    end do
    total = total + at - 1
    call MPI_Wait(send, MPI_STATUS_IGNORE ERR)
    call start_pair(28, pair(2), send)
    done = 0
    do while (done == 0)
      call MPI_Testsome(2, pair, done, indices, MPI_STATUSES_IGNORE ERR)
    end do
    call MPI_Wait(send, MPI_STATUS_IGNORE ERR)
    call MPI_Irecv(in, items, MPI_INTEGER, MPI_PROC_NULL, 29, MPI_COMM_WORLD, pair(1) ERR)
    call MPI_Isend(out, items, MPI_INTEGER, MPI_PROC_NULL, 29, MPI_COMM_WORLD, pair(2) ERR)
    call MPI_Waitall(2, pair, MPI_STATUSES_IGNORE ERR)
    call MPI_Irecv(in, items, MPI_INTEGER, next, 30, MPI_COMM_WORLD, pair(1) ERR)
    call MPI_Cancel(pair(1) ERR)
    call MPI_Wait(pair(1), MPI_STATUS_IGNORE ERR)
    call start_pair(31, pair(1), send)
    call MPI_Request_free(send ERR)
    call MPI_Wait(pair(1), MPI_STATUS_IGNORE ERR)
    call take(in, 6)
  end subroutine

  subroutine persistent()
    REQUEST :: pair(2)
    integer :: round
    call MPI_Recv_init(in, items, MPI_INTEGER, previous, 40, MPI_COMM_WORLD, pair(1) ERR)
    call MPI_Send_init(out, 8, MPI_INTEGER, next, 40, MPI_COMM_WORLD, pair(2) ERR)
    do round = 1, 3
      call MPI_Startall(2, pair ERR)
      call MPI_Waitall(2, pair, MPI_STATUSES_IGNORE ERR)
      call take(in, 8)
    end do
    call MPI_Start(pair(1) ERR)
    call MPI_Start(pair(2) ERR)
    call MPI_Wait(pair(2), MPI_STATUS_IGNORE ERR)
    call MPI_Wait(pair(1), MPI_STATUS_IGNORE ERR)
    call MPI_Request_free(pair(1) ERR)
    call MPI_Request_free(pair(2) ERR)
  end subroutine

  subroutine collectives(comm, root)
    COMM, intent(in) :: comm
    integer, intent(in) :: root
    integer :: members, me, at
    call MPI_Comm_size(comm, members ERR)
    call MPI_Comm_rank(comm, me ERR)
    do at = 1, members
      counts(at) = 2
      places(at) = 2 * (at - 1)
    end do
    call MPI_Barrier(comm ERR)
    call MPI_Bcast(in, 5, MPI_INTEGER, root, comm ERR)
    call MPI_Reduce(out, in, 5, MPI_INTEGER, MPI_SUM, root, comm ERR)
    call MPI_Allreduce(out, in, 6, MPI_INTEGER, MPI_SUM, comm ERR)
    call MPI_Allreduce(MPI_IN_PLACE, in, 3, MPI_INTEGER, MPI_MAX, comm ERR)
    call take(in, 6)
    call MPI_Gather(out, 2, MPI_INTEGER, many, 2, MPI_INTEGER, root, comm ERR)
    call MPI_Gatherv(out, 2, MPI_INTEGER, many, counts, places, MPI_INTEGER, root, comm ERR)
    call MPI_Scatter(many, 2, MPI_INTEGER, in, 2, MPI_INTEGER, root, comm ERR)
    call MPI_Scatterv(many, counts, places, MPI_INTEGER, in, 2, MPI_INTEGER, root, comm ERR)
    call MPI_Allgather(out, 2, MPI_INTEGER, many, 2, MPI_INTEGER, comm ERR)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, 2, MPI_INTEGER, comm ERR)
    call MPI_Allgatherv(out, 2, MPI_INTEGER, many, counts, places, MPI_INTEGER, comm ERR)
    call take(many, 2 * members)
    call MPI_Alltoall(many, 2, MPI_INTEGER, far, 2, MPI_INTEGER, comm ERR)
    call MPI_Alltoallv(many, counts, places, MPI_INTEGER, far, counts, places, MPI_INTEGER, comm ERR)
    call MPI_Reduce_scatter(many, in, counts, MPI_INTEGER, MPI_SUM, comm ERR)
    call MPI_Reduce_scatter_block(many, in, 2, MPI_INTEGER, MPI_SUM, comm ERR)
    call MPI_Scan(out, in, 3, MPI_INTEGER, MPI_SUM, comm ERR)
    call MPI_Exscan(out, in, 3, MPI_INTEGER, MPI_SUM, comm ERR)
  end subroutine

  subroutine started_collectives(comm)
    COMM, intent(in) :: comm
    REQUEST :: request
    integer :: members
    call MPI_Comm_size(comm, members ERR)
    call MPI_Ibarrier(comm, request ERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE ERR)
    call MPI_Ibcast(in, 5, MPI_INTEGER, 0, comm, request ERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE ERR)
    call MPI_Iallreduce(out, in, 6, MPI_INTEGER, MPI_SUM, comm, request ERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE ERR)
    call MPI_Ireduce(out, in, 6, MPI_INTEGER, MPI_SUM, members - 1, comm, request ERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE ERR)
    call MPI_Iallgather(out, 2, MPI_INTEGER, many, 2, MPI_INTEGER, comm, request ERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE ERR)
    call MPI_Igatherv(out, 2, MPI_INTEGER, many, counts, places, MPI_INTEGER, 0, comm, request ERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE ERR)
    call MPI_Ialltoall(many, 2, MPI_INTEGER, far, 2, MPI_INTEGER, comm, request ERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE ERR)
    call MPI_Iscan(out, in, 3, MPI_INTEGER, MPI_SUM, comm, request ERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE ERR)
  end subroutine

  subroutine communicators()
    COMM :: copy, later, half, node, created, grouped, grid, line, across, merged, graph
    GROUP :: world, pair
    REQUEST :: request
    integer :: sizes(2), me, color, root
    logical :: periodic(2), remain(2)
    sizes = [2, ranks / 2]
    periodic = [.true., .false.]
    remain = [.false., .true.]
    call MPI_Comm_dup(MPI_COMM_WORLD, copy ERR)
    call MPI_Comm_set_name(copy, 'copy of world' ERR)
    call MPI_Comm_idup(copy, later, request ERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE ERR)
    call collectives(later, ranks - 1)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half ERR)
    call MPI_Sendrecv(out, 3, MPI_INTEGER, 0, 50, in, 3, MPI_INTEGER, MPI_ANY_SOURCE, 50, MPI_COMM_SELF, MPI_STATUS_IGNORE ERR)
    call MPI_Bcast(in, 4, MPI_INTEGER, 0, half ERR)
    color = 1
    if (rank == 0) color = MPI_UNDEFINED
    call MPI_Comm_split(MPI_COMM_WORLD, color, rank, created ERR)
    if (created /= MPI_COMM_NULL) then
      call MPI_Barrier(created ERR)
      call MPI_Comm_free(created ERR)
    end if
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, node ERR)
    call MPI_Comm_group(MPI_COMM_WORLD, world ERR)
    call MPI_Group_incl(world, 2, [0, 1], pair ERR)
    call MPI_Comm_create(MPI_COMM_WORLD, pair, created ERR)
    if (created /= MPI_COMM_NULL) then
      call MPI_Comm_create_group(MPI_COMM_WORLD, pair, 51, grouped ERR)
      call MPI_Barrier(grouped ERR)
      call MPI_Comm_free(grouped ERR)
      call MPI_Comm_free(created ERR)
    end if
    call MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, .false., grid ERR)
    call MPI_Neighbor_allgather(out, 2, MPI_INTEGER, many, 2, MPI_INTEGER, grid ERR)
    call MPI_Neighbor_alltoall(many, 1, MPI_INTEGER, far, 1, MPI_INTEGER, grid ERR)
    call MPI_Cart_sub(grid, remain, line ERR)
    call MPI_Barrier(line ERR)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [previous], [1], 1, [next], [1], MPI_INFO_NULL, .false., graph ERR)
    call MPI_Neighbor_allgather(out, 2, MPI_INTEGER, many, 2, MPI_INTEGER, graph ERR)
    call take(many, 2)
    call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, merge(ranks - 2, ranks - 1, mod(rank, 2) == 1), 52, across ERR)
    call MPI_Comm_rank(half, me ERR)
    call MPI_Sendrecv(out, 3, MPI_INTEGER, me, 53, in, 3, MPI_INTEGER, me, 53, across, MPI_STATUS_IGNORE ERR)
    call MPI_Barrier(across ERR)
    root = MPI_PROC_NULL
    if (rank == ranks - 2) root = MPI_ROOT
    if (mod(rank, 2) == 1) root = 0
    call MPI_Bcast(in, 3, MPI_INTEGER, root, across ERR)
    call MPI_Intercomm_merge(across, mod(rank, 2) == 1, merged ERR)
    call MPI_Allreduce(out, in, 2, MPI_INTEGER, MPI_SUM, merged ERR)
    call take(in, 2)
    call MPI_Group_free(pair ERR)
    call MPI_Group_free(world ERR)
    call MPI_Comm_free(merged ERR)
    call MPI_Comm_free(across ERR)
    call MPI_Comm_free(graph ERR)
    call MPI_Comm_free(line ERR)
    call MPI_Comm_free(grid ERR)
    call MPI_Comm_free(node ERR)
    call MPI_Comm_free(half ERR)
    call MPI_Comm_free(later ERR)
    call MPI_Comm_free(copy ERR)
  end subroutine

  subroutine types()
    DATATYPE :: type
    integer :: length
    do length = 1, 3
      call MPI_Type_contiguous(length, MPI_INTEGER, type ERR)
      call MPI_Type_commit(type ERR)
      call MPI_Sendrecv(out, 2, type, next, 60, in, 2, type, previous, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERR)
      call MPI_Type_free(type ERR)
    end do
    call take(in, 6)
  end subroutine

  subroutine window_and_file(path)
    character(len=*), intent(in) :: path
    integer, save, asynchronous :: memory(items)
    WIN :: window
    MPIFILE :: file
    GROUP :: all
    integer(MPI_ADDRESS_KIND) :: bytes
    integer(MPI_OFFSET_KIND) :: place
    memory = 0
    bytes = 4 * items
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window ERR)
    call MPI_Win_fence(0, window ERR)
    bytes = 0
    call MPI_Put(out, 3, MPI_INTEGER, next, bytes, 3, MPI_INTEGER, window ERR)
    call MPI_Win_fence(0, window ERR)
    call MPI_Comm_group(MPI_COMM_WORLD, all ERR)
    call MPI_Win_post(all, 0, window ERR)
    call MPI_Win_start(all, 0, window ERR)
    call MPI_Win_complete(window ERR)
    call MPI_Win_wait(window ERR)
    call MPI_Group_free(all ERR)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window ERR)
    call MPI_Win_unlock(next, window ERR)
    call MPI_Win_free(window ERR)
    call take(memory, 3)
    place = 40 * rank
    call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file ERR)
    call MPI_File_write_at(file, place, out, items, MPI_INTEGER, MPI_STATUS_IGNORE ERR)
    call MPI_File_sync(file ERR)
    call MPI_File_read_at(file, place, in, items, MPI_INTEGER, MPI_STATUS_IGNORE ERR)
    call MPI_File_close(file ERR)
    call take(in, items)
  end subroutine
end module

program main
  use state
  implicit none
  character(len=1000) :: path
  integer :: provided, at
  integer(8) :: all
  call get_command_argument(1, path)
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided ERR)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank ERR)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks ERR)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  do at = 1, items
    out(at) = 100 * rank + at - 1
  end do
  call blocking()
  call probing()
  call requests()
  call persistent()
  call collectives(MPI_COMM_WORLD, 0)
  call started_collectives(MPI_COMM_WORLD)
  call communicators()
  call types()
  call window_and_file(trim(path))
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD ERR)
  call MPI_Pcontrol(1)
  all = 0
  call MPI_Reduce(total, all, 1, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD ERR)
  if (rank == 0) write (*, '(a, i0)') 'sum ', all
  call MPI_Finalize(ierror)
end program
