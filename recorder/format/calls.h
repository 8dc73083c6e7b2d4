// SPDX-License-Identifier: GPL-3.0-or-later
// The MPI calls that are recorded: the table that wrappers, storage and importer share. C and C++.
#ifndef LONGPOLE_RECORDER_CALLS_H
#define LONGPOLE_RECORDER_CALLS_H

// LP_CALL(name without MPI_, class, kind of collective). A row's number is its id in recordings: append only.
// clang-format off
#define LP_CALLS(LP_CALL) LP_MPI3_CALLS(LP_CALL) LP_COLLECTIVES_TO_START(LP_CALL) LP_MPI4_CALLS(LP_CALL)
#define LP_MPI3_CALLS(LP_CALL) \
    LP_CALL(Init, LIFETIME, LIFETIME) LP_CALL(Init_thread, LIFETIME, LIFETIME) \
    LP_CALL(Finalize, LIFETIME, LIFETIME) LP_CALL(Abort, LIFETIME, NONE) \
    LP_CALL(Send, SEND, NONE) LP_CALL(Bsend, SEND, NONE) LP_CALL(Ssend, SEND, NONE) LP_CALL(Rsend, SEND, NONE) \
    LP_CALL(Recv, RECEIVE, NONE) LP_CALL(Mrecv, RECEIVE, NONE) \
    LP_CALL(Sendrecv, SENDRECEIVE, NONE) LP_CALL(Sendrecv_replace, SENDRECEIVE, NONE) \
    LP_CALL(Probe, PROBE, NONE) LP_CALL(Mprobe, PROBE, NONE) LP_CALL(Iprobe, PROBE, NONE) LP_CALL(Improbe, PROBE, NONE) \
    LP_CALL(Isend, START_SEND, NONE) LP_CALL(Ibsend, START_SEND, NONE) LP_CALL(Issend, START_SEND, NONE) \
    LP_CALL(Irsend, START_SEND, NONE) LP_CALL(Irecv, START_RECEIVE, NONE) LP_CALL(Imrecv, START_RECEIVE, NONE) \
    LP_CALL(Send_init, PREPARE, NONE) LP_CALL(Bsend_init, PREPARE, NONE) LP_CALL(Ssend_init, PREPARE, NONE) \
    LP_CALL(Rsend_init, PREPARE, NONE) LP_CALL(Recv_init, PREPARE, NONE) \
    LP_CALL(Start, START, NONE) LP_CALL(Startall, START, NONE) LP_CALL(Request_free, COMPLETION, NONE) \
    LP_CALL(Wait, COMPLETION, NONE) LP_CALL(Waitall, COMPLETION, NONE) LP_CALL(Waitany, COMPLETION, NONE) \
    LP_CALL(Waitsome, COMPLETION, NONE) LP_CALL(Test, COMPLETION, NONE) LP_CALL(Testall, COMPLETION, NONE) \
    LP_CALL(Testany, COMPLETION, NONE) LP_CALL(Testsome, COMPLETION, NONE) LP_CALL(Cancel, OTHER, NONE) \
    LP_CALL(Request_get_status, COMPLETION, NONE) \
    LP_CALL(Barrier, COLLECTIVE, BARRIER) LP_CALL(Bcast, COLLECTIVE, ONE_TO_N) LP_CALL(Reduce, COLLECTIVE, N_TO_ONE) \
    LP_CALL(Allreduce, COLLECTIVE, N_TO_N) LP_CALL(Gather, COLLECTIVE, N_TO_ONE) LP_CALL(Gatherv, COLLECTIVE, N_TO_ONE) \
    LP_CALL(Scatter, COLLECTIVE, ONE_TO_N) LP_CALL(Scatterv, COLLECTIVE, ONE_TO_N) \
    LP_CALL(Allgather, COLLECTIVE, N_TO_N) LP_CALL(Allgatherv, COLLECTIVE, N_TO_N) \
    LP_CALL(Alltoall, COLLECTIVE, N_TO_N) LP_CALL(Alltoallv, COLLECTIVE, N_TO_N) LP_CALL(Alltoallw, COLLECTIVE, N_TO_N) \
    LP_CALL(Reduce_scatter, COLLECTIVE, N_TO_N) LP_CALL(Reduce_scatter_block, COLLECTIVE, N_TO_N) \
    LP_CALL(Scan, COLLECTIVE, PREFIX) LP_CALL(Exscan, COLLECTIVE, PREFIX) \
    LP_CALL(Neighbor_allgather, COLLECTIVE, NEIGHBOURS) LP_CALL(Neighbor_allgatherv, COLLECTIVE, NEIGHBOURS) \
    LP_CALL(Neighbor_alltoall, COLLECTIVE, NEIGHBOURS) LP_CALL(Neighbor_alltoallv, COLLECTIVE, NEIGHBOURS) \
    LP_CALL(Neighbor_alltoallw, COLLECTIVE, NEIGHBOURS) \
    LP_CALL(Ibarrier, START_COLLECTIVE, BARRIER) LP_CALL(Ibcast, START_COLLECTIVE, ONE_TO_N) \
    LP_CALL(Ireduce, START_COLLECTIVE, N_TO_ONE) LP_CALL(Iallreduce, START_COLLECTIVE, N_TO_N) \
    LP_CALL(Igather, START_COLLECTIVE, N_TO_ONE) LP_CALL(Igatherv, START_COLLECTIVE, N_TO_ONE) \
    LP_CALL(Iscatter, START_COLLECTIVE, ONE_TO_N) LP_CALL(Iscatterv, START_COLLECTIVE, ONE_TO_N) \
    LP_CALL(Iallgather, START_COLLECTIVE, N_TO_N) LP_CALL(Iallgatherv, START_COLLECTIVE, N_TO_N) \
    LP_CALL(Ialltoall, START_COLLECTIVE, N_TO_N) LP_CALL(Ialltoallv, START_COLLECTIVE, N_TO_N) \
    LP_CALL(Ialltoallw, START_COLLECTIVE, N_TO_N) LP_CALL(Ireduce_scatter, START_COLLECTIVE, N_TO_N) \
    LP_CALL(Ireduce_scatter_block, START_COLLECTIVE, N_TO_N) LP_CALL(Iscan, START_COLLECTIVE, PREFIX) \
    LP_CALL(Iexscan, START_COLLECTIVE, PREFIX) LP_CALL(Ineighbor_allgather, START_COLLECTIVE, NEIGHBOURS) \
    LP_CALL(Ineighbor_allgatherv, START_COLLECTIVE, NEIGHBOURS) LP_CALL(Ineighbor_alltoall, START_COLLECTIVE, NEIGHBOURS) \
    LP_CALL(Ineighbor_alltoallv, START_COLLECTIVE, NEIGHBOURS) LP_CALL(Ineighbor_alltoallw, START_COLLECTIVE, NEIGHBOURS) \
    LP_CALL(Comm_dup, COMMUNICATOR, N_TO_N) LP_CALL(Comm_dup_with_info, COMMUNICATOR, N_TO_N) \
    LP_CALL(Comm_idup, START_COMMUNICATOR, N_TO_N) LP_CALL(Comm_split, COMMUNICATOR, N_TO_N) \
    LP_CALL(Comm_split_type, COMMUNICATOR, N_TO_N) LP_CALL(Comm_create, COMMUNICATOR, N_TO_N) \
    LP_CALL(Comm_create_group, COMMUNICATOR, NONE) LP_CALL(Intercomm_create, COMMUNICATOR, NONE) \
    LP_CALL(Intercomm_merge, COMMUNICATOR, LOOSE) LP_CALL(Cart_create, COMMUNICATOR, N_TO_N) \
    LP_CALL(Graph_create, COMMUNICATOR, N_TO_N) LP_CALL(Dist_graph_create, COMMUNICATOR, N_TO_N) \
    LP_CALL(Dist_graph_create_adjacent, COMMUNICATOR, LOOSE) LP_CALL(Cart_sub, COMMUNICATOR, N_TO_N) \
    LP_CALL(Comm_free, COMMUNICATOR, LOOSE) LP_CALL(Comm_disconnect, COMMUNICATOR, LOOSE) \
    LP_CALL(Comm_spawn, COMMUNICATOR, LIFETIME) LP_CALL(Comm_spawn_multiple, COMMUNICATOR, LIFETIME) \
    LP_CALL(Comm_connect, COMMUNICATOR, LOOSE) LP_CALL(Comm_accept, COMMUNICATOR, LOOSE) \
    LP_CALL(Win_create, ONE_SIDED, LOOSE) LP_CALL(Win_allocate, ONE_SIDED, LOOSE) \
    LP_CALL(Win_allocate_shared, ONE_SIDED, LOOSE) LP_CALL(Win_create_dynamic, ONE_SIDED, LOOSE) \
    LP_CALL(Win_free, ONE_SIDED, LOOSE) LP_CALL(Win_fence, ONE_SIDED, LOOSE) \
    LP_CALL(Win_post, ONE_SIDED, NONE) LP_CALL(Win_start, ONE_SIDED, NONE) LP_CALL(Win_complete, ONE_SIDED, NONE) \
    LP_CALL(Win_wait, ONE_SIDED, NONE) LP_CALL(Win_test, ONE_SIDED, NONE) LP_CALL(Win_lock, ONE_SIDED, NONE) \
    LP_CALL(Win_lock_all, ONE_SIDED, NONE) LP_CALL(Win_unlock, ONE_SIDED, NONE) LP_CALL(Win_unlock_all, ONE_SIDED, NONE) \
    LP_CALL(Win_flush, ONE_SIDED, NONE) LP_CALL(Win_flush_all, ONE_SIDED, NONE) LP_CALL(Win_flush_local, ONE_SIDED, NONE) \
    LP_CALL(Win_flush_local_all, ONE_SIDED, NONE) LP_CALL(Win_sync, ONE_SIDED, NONE) \
    LP_CALL(Put, ONE_SIDED, NONE) LP_CALL(Get, ONE_SIDED, NONE) LP_CALL(Accumulate, ONE_SIDED, NONE) \
    LP_CALL(Get_accumulate, ONE_SIDED, NONE) LP_CALL(Fetch_and_op, ONE_SIDED, NONE) \
    LP_CALL(Compare_and_swap, ONE_SIDED, NONE) LP_CALL(Rput, ONE_SIDED, NONE) LP_CALL(Rget, ONE_SIDED, NONE) \
    LP_CALL(Raccumulate, ONE_SIDED, NONE) LP_CALL(Rget_accumulate, ONE_SIDED, NONE) \
    LP_CALL(File_open, IO, LOOSE) LP_CALL(File_close, IO, NONE) LP_CALL(File_set_view, IO, NONE) \
    LP_CALL(File_set_size, IO, NONE) LP_CALL(File_preallocate, IO, NONE) LP_CALL(File_sync, IO, NONE) \
    LP_CALL(File_read, IO, NONE) LP_CALL(File_read_all, IO, NONE) LP_CALL(File_read_at, IO, NONE) \
    LP_CALL(File_read_at_all, IO, NONE) LP_CALL(File_read_shared, IO, NONE) LP_CALL(File_read_ordered, IO, NONE) \
    LP_CALL(File_write, IO, NONE) LP_CALL(File_write_all, IO, NONE) LP_CALL(File_write_at, IO, NONE) \
    LP_CALL(File_write_at_all, IO, NONE) LP_CALL(File_write_shared, IO, NONE) LP_CALL(File_write_ordered, IO, NONE) \
    LP_CALL(File_iread, IO, NONE) LP_CALL(File_iread_all, IO, NONE) LP_CALL(File_iread_at, IO, NONE) \
    LP_CALL(File_iread_at_all, IO, NONE) LP_CALL(File_iread_shared, IO, NONE) LP_CALL(File_iwrite, IO, NONE) \
    LP_CALL(File_iwrite_all, IO, NONE) LP_CALL(File_iwrite_at, IO, NONE) LP_CALL(File_iwrite_at_all, IO, NONE) \
    LP_CALL(File_iwrite_shared, IO, NONE) LP_CALL(File_read_all_begin, IO, NONE) LP_CALL(File_read_all_end, IO, NONE) \
    LP_CALL(File_read_at_all_begin, IO, NONE) LP_CALL(File_read_at_all_end, IO, NONE) \
    LP_CALL(File_read_ordered_begin, IO, NONE) LP_CALL(File_read_ordered_end, IO, NONE) \
    LP_CALL(File_write_all_begin, IO, NONE) LP_CALL(File_write_all_end, IO, NONE) \
    LP_CALL(File_write_at_all_begin, IO, NONE) LP_CALL(File_write_at_all_end, IO, NONE) \
    LP_CALL(File_write_ordered_begin, IO, NONE) LP_CALL(File_write_ordered_end, IO, NONE) \
    LP_CALL(Buffer_detach, OTHER, NONE) \
    LP_CALL(File_delete, IO, NONE) LP_CALL(File_seek_shared, IO, NONE) LP_CALL(File_set_atomicity, IO, NONE) \
    LP_CALL(Comm_join, COMMUNICATOR, LOOSE)
// Persistent collectives: of MPI 4, and in Open MPI 4 with MPIX_ before.
#define LP_COLLECTIVES_TO_START(LP_CALL) \
    LP_CALL(Barrier_init, PREPARE, BARRIER) LP_CALL(Bcast_init, PREPARE, ONE_TO_N) \
    LP_CALL(Reduce_init, PREPARE, N_TO_ONE) LP_CALL(Allreduce_init, PREPARE, N_TO_N) \
    LP_CALL(Gather_init, PREPARE, N_TO_ONE) LP_CALL(Gatherv_init, PREPARE, N_TO_ONE) \
    LP_CALL(Scatter_init, PREPARE, ONE_TO_N) LP_CALL(Scatterv_init, PREPARE, ONE_TO_N) \
    LP_CALL(Allgather_init, PREPARE, N_TO_N) LP_CALL(Allgatherv_init, PREPARE, N_TO_N) \
    LP_CALL(Alltoall_init, PREPARE, N_TO_N) LP_CALL(Alltoallv_init, PREPARE, N_TO_N) \
    LP_CALL(Alltoallw_init, PREPARE, N_TO_N) LP_CALL(Reduce_scatter_init, PREPARE, N_TO_N) \
    LP_CALL(Reduce_scatter_block_init, PREPARE, N_TO_N) LP_CALL(Scan_init, PREPARE, PREFIX) \
    LP_CALL(Exscan_init, PREPARE, PREFIX) LP_CALL(Neighbor_allgather_init, PREPARE, NEIGHBOURS) \
    LP_CALL(Neighbor_allgatherv_init, PREPARE, NEIGHBOURS) LP_CALL(Neighbor_alltoall_init, PREPARE, NEIGHBOURS) \
    LP_CALL(Neighbor_alltoallv_init, PREPARE, NEIGHBOURS) LP_CALL(Neighbor_alltoallw_init, PREPARE, NEIGHBOURS)
#define LP_MPI4_CALLS(LP_CALL) \
    LP_CALL(Isendrecv, START_SENDRECEIVE, NONE) LP_CALL(Isendrecv_replace, START_SENDRECEIVE, NONE) \
    LP_CALL(Psend_init, PREPARE, NONE) LP_CALL(Precv_init, PREPARE, NONE) LP_CALL(Pready, START, NONE) \
    LP_CALL(Pready_range, START, NONE) LP_CALL(Pready_list, START, NONE) LP_CALL(Parrived, OTHER, NONE) \
    LP_CALL(Comm_idup_with_info, START_COMMUNICATOR, N_TO_N) LP_CALL(Session_init, LIFETIME, LIFETIME) \
    LP_CALL(Session_finalize, LIFETIME, LIFETIME) LP_CALL(Comm_create_from_group, COMMUNICATOR, N_TO_N) \
    LP_CALL(Intercomm_create_from_groups, COMMUNICATOR, N_TO_N)
// clang-format on

enum lp_call_id {
#define LP_ROW(name, class, kind) LP_##name,
    LP_CALLS(LP_ROW)
#undef LP_ROW
        LP_CALL_COUNT
};

// What the fields of a call's record mean (recording.h).
enum lp_call_class {
    LP_CLASS_LIFETIME,
    LP_CLASS_SEND,           // peer, tag, bytes: sent
    LP_CLASS_RECEIVE,        // peer, tag, bytes: received, as the status has them
    LP_CLASS_SENDRECEIVE,    // sent; peer2, tag2, bytes2: received
    LP_CLASS_PROBE,          // peer, tag, bytes: of the message that was found
    LP_CLASS_START_SEND,     // sent; request
    LP_CLASS_START_RECEIVE,  // peer and tag as asked for (LP_NO_RANK, -1: any), bytes: at most; request
    LP_CLASS_PREPARE,        // of a persistent request; nothing is sent yet. Collective: as COLLECTIVE, comm: its own
    LP_CLASS_START,          // of persistent requests: each is among the completions, LP_SEND_STARTED ...
    LP_CLASS_START_SENDRECEIVE,   // as SENDRECEIVE, but bytes2: at most; request: of the receive
    LP_CLASS_COMPLETION,          // what it completed is in the completions
    LP_CLASS_COLLECTIVE,          // peer: root; bytes: sent to others, bytes2: received from others, by what it means
    LP_CLASS_START_COLLECTIVE,    // the same; request
    LP_CLASS_COMMUNICATOR,        // collective on comm, which made or freed another; made of groups alone: on itself
    LP_CLASS_START_COMMUNICATOR,  // the same; request
    LP_CLASS_ONE_SIDED,           // comm of the window, tag: which window made on it, from 1, 0: unknown, negative: an
                                  // exclusive lock; peer: target; bytes of the origin. Post, Start: LP_EPOCH_PEER
    LP_CLASS_IO,                  // bytes
    LP_CLASS_OTHER
};

// Kinds of the collective classes, with the values of longpole::CollectiveKind. LP_KIND_NONE in these classes: not all
// members of comm take part.
enum lp_collective_kind {
    LP_KIND_NONE,
    LP_KIND_BARRIER,
    LP_KIND_N_TO_N,
    LP_KIND_ONE_TO_N,
    LP_KIND_N_TO_ONE,
    LP_KIND_PREFIX,
    LP_KIND_LIFETIME,
    LP_KIND_LOOSE,
    LP_KIND_NEIGHBOURS
};

#endif
