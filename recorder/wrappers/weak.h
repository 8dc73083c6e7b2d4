// SPDX-License-Identifier: GPL-3.0-or-later
// Makes MPI's names weak in every source of the library (the compiler's command line includes this file): pointers that
// are null until bind.c finds them. The library then loads into any program, however it is bound: without MPI (mpirun,
// a shell), without Fortran, or one that loads MPI later (Python).
#ifndef LONGPOLE_RECORDER_WEAK_H
#define LONGPOLE_RECORDER_WEAK_H

// The functions of MPI that the recorder calls itself. mpi.h, which comes later, declares the pointers by these macros.
// clang-format off
#define LP_DIRECT_CALLS(LP_ROW) \
    LP_ROW(Allgather) LP_ROW(Allgatherv) LP_ROW(Allreduce) LP_ROW(Alltoall) LP_ROW(Barrier) LP_ROW(Bcast) LP_ROW(Cancel) \
    LP_ROW(Cart_shift) LP_ROW(Cartdim_get) LP_ROW(Comm_create_group) LP_ROW(Comm_dup) LP_ROW(Comm_f2c) \
    LP_ROW(Comm_free) LP_ROW(Comm_get_parent) LP_ROW(Comm_group) LP_ROW(Comm_rank) LP_ROW(Comm_remote_group) \
    LP_ROW(Comm_set_errhandler) LP_ROW(Comm_set_name) LP_ROW(Comm_size) LP_ROW(Comm_split) LP_ROW(Comm_split_type) \
    LP_ROW(Comm_test_inter) LP_ROW(Dist_graph_neighbors) LP_ROW(Dist_graph_neighbors_count) LP_ROW(Gather) \
    LP_ROW(Gatherv) LP_ROW(Get_count) LP_ROW(Get_elements_x) LP_ROW(Get_library_version) LP_ROW(Graph_neighbors) \
    LP_ROW(Graph_neighbors_count) LP_ROW(Group_f2c) LP_ROW(Group_free) LP_ROW(Group_incl) LP_ROW(Group_size) \
    LP_ROW(Group_translate_ranks) LP_ROW(Ibarrier) LP_ROW(Ibcast) LP_ROW(Improbe) LP_ROW(Iprobe) LP_ROW(Irecv) \
    LP_ROW(Isend) LP_ROW(Issend) LP_ROW(Message_f2c) LP_ROW(Mrecv) LP_ROW(Op_create) LP_ROW(Op_free) \
    LP_ROW(Query_thread) LP_ROW(Recv) LP_ROW(Reduce) LP_ROW(Request_c2f) LP_ROW(Request_f2c) \
    LP_ROW(Request_get_status) LP_ROW(Send) LP_ROW(Sendrecv) LP_ROW(Status_f2c) LP_ROW(Test) LP_ROW(Test_cancelled) LP_ROW(Topo_test) LP_ROW(Type_commit) \
    LP_ROW(Type_contiguous) LP_ROW(Type_f2c) LP_ROW(Type_free) LP_ROW(Type_size) LP_ROW(Type_size_x) LP_ROW(Wait) \
    LP_ROW(Win_f2c)
// clang-format on

#define PMPI_Allgather (*lp_direct_Allgather)
#define PMPI_Allgatherv (*lp_direct_Allgatherv)
#define PMPI_Allreduce (*lp_direct_Allreduce)
#define PMPI_Alltoall (*lp_direct_Alltoall)
#define PMPI_Barrier (*lp_direct_Barrier)
#define PMPI_Bcast (*lp_direct_Bcast)
#define PMPI_Cancel (*lp_direct_Cancel)
#define PMPI_Cart_shift (*lp_direct_Cart_shift)
#define PMPI_Cartdim_get (*lp_direct_Cartdim_get)
#define PMPI_Comm_create_group (*lp_direct_Comm_create_group)
#define PMPI_Comm_dup (*lp_direct_Comm_dup)
#define PMPI_Comm_f2c (*lp_direct_Comm_f2c)
#define PMPI_Comm_free (*lp_direct_Comm_free)
#define PMPI_Comm_get_parent (*lp_direct_Comm_get_parent)
#define PMPI_Comm_group (*lp_direct_Comm_group)
#define PMPI_Comm_rank (*lp_direct_Comm_rank)
#define PMPI_Comm_remote_group (*lp_direct_Comm_remote_group)
#define PMPI_Comm_set_errhandler (*lp_direct_Comm_set_errhandler)
#define PMPI_Comm_set_name (*lp_direct_Comm_set_name)
#define PMPI_Comm_size (*lp_direct_Comm_size)
#define PMPI_Comm_split (*lp_direct_Comm_split)
#define PMPI_Comm_split_type (*lp_direct_Comm_split_type)
#define PMPI_Comm_test_inter (*lp_direct_Comm_test_inter)
#define PMPI_Dist_graph_neighbors (*lp_direct_Dist_graph_neighbors)
#define PMPI_Dist_graph_neighbors_count (*lp_direct_Dist_graph_neighbors_count)
#define PMPI_Gather (*lp_direct_Gather)
#define PMPI_Gatherv (*lp_direct_Gatherv)
#define PMPI_Get_count (*lp_direct_Get_count)
#define PMPI_Get_elements_x (*lp_direct_Get_elements_x)
#define PMPI_Get_library_version (*lp_direct_Get_library_version)
#define PMPI_Graph_neighbors (*lp_direct_Graph_neighbors)
#define PMPI_Graph_neighbors_count (*lp_direct_Graph_neighbors_count)
#define PMPI_Group_f2c (*lp_direct_Group_f2c)
#define PMPI_Group_free (*lp_direct_Group_free)
#define PMPI_Group_incl (*lp_direct_Group_incl)
#define PMPI_Group_size (*lp_direct_Group_size)
#define PMPI_Group_translate_ranks (*lp_direct_Group_translate_ranks)
#define PMPI_Ibarrier (*lp_direct_Ibarrier)
#define PMPI_Ibcast (*lp_direct_Ibcast)
#define PMPI_Improbe (*lp_direct_Improbe)
#define PMPI_Iprobe (*lp_direct_Iprobe)
#define PMPI_Irecv (*lp_direct_Irecv)
#define PMPI_Isend (*lp_direct_Isend)
#define PMPI_Issend (*lp_direct_Issend)
#define PMPI_Message_f2c (*lp_direct_Message_f2c)
#define PMPI_Mrecv (*lp_direct_Mrecv)
#define PMPI_Op_create (*lp_direct_Op_create)
#define PMPI_Op_free (*lp_direct_Op_free)
#define PMPI_Query_thread (*lp_direct_Query_thread)
#define PMPI_Recv (*lp_direct_Recv)
#define PMPI_Reduce (*lp_direct_Reduce)
#define PMPI_Request_c2f (*lp_direct_Request_c2f)
#define PMPI_Request_f2c (*lp_direct_Request_f2c)
#define PMPI_Request_get_status (*lp_direct_Request_get_status)
#define PMPI_Send (*lp_direct_Send)
#define PMPI_Sendrecv (*lp_direct_Sendrecv)
#define PMPI_Status_f2c (*lp_direct_Status_f2c)
#define PMPI_Test (*lp_direct_Test)
#define PMPI_Test_cancelled (*lp_direct_Test_cancelled)
#define PMPI_Topo_test (*lp_direct_Topo_test)
#define PMPI_Type_commit (*lp_direct_Type_commit)
#define PMPI_Type_contiguous (*lp_direct_Type_contiguous)
#define PMPI_Type_f2c (*lp_direct_Type_f2c)
#define PMPI_Type_free (*lp_direct_Type_free)
#define PMPI_Type_size (*lp_direct_Type_size)
#define PMPI_Type_size_x (*lp_direct_Type_size_x)
#define PMPI_Wait (*lp_direct_Wait)
#define PMPI_Win_f2c (*lp_direct_Win_f2c)

#ifndef __clang_analyzer__  // it complains of each name that a source does not declare
#define LP_PRAGMA(text) _Pragma(#text)
#define LP_WEAK(name) LP_PRAGMA(weak lp_direct_##name)
LP_DIRECT_CALLS(LP_WEAK)  // each source that includes mpi.h has them: they are one
#endif

// Objects of MPI (Open MPI's constants are addresses): pointers to them, which bind.c finds. mpi.h declares the
// pointers by these macros.
#define ompi_mpi_byte (*lp_ompi_mpi_byte)
#define ompi_mpi_char (*lp_ompi_mpi_char)
#define ompi_mpi_comm_null (*lp_ompi_mpi_comm_null)
#define ompi_mpi_comm_self (*lp_ompi_mpi_comm_self)
#define ompi_mpi_comm_world (*lp_ompi_mpi_comm_world)
#define ompi_mpi_datatype_null (*lp_ompi_mpi_datatype_null)
#define ompi_mpi_errors_are_fatal (*lp_ompi_mpi_errors_are_fatal)
#define ompi_mpi_errors_return (*lp_ompi_mpi_errors_return)
#define ompi_mpi_group_null (*lp_ompi_mpi_group_null)
#define ompi_mpi_info_null (*lp_ompi_mpi_info_null)
#define ompi_mpi_int (*lp_ompi_mpi_int)
#define ompi_mpi_int64_t (*lp_ompi_mpi_int64_t)
#define ompi_mpi_long_long_int (*lp_ompi_mpi_long_long_int)
#define ompi_mpi_op_land (*lp_ompi_mpi_op_land)
#define ompi_mpi_op_max (*lp_ompi_mpi_op_max)
#define ompi_mpi_op_min (*lp_ompi_mpi_op_min)
#define ompi_mpi_op_sum (*lp_ompi_mpi_op_sum)
#define ompi_mpi_uint64_t (*lp_ompi_mpi_uint64_t)
#define ompi_message_no_proc (*lp_ompi_message_no_proc)
#define ompi_message_null (*lp_ompi_message_null)
#define ompi_request_null (*lp_ompi_request_null)
#define MPI_F_STATUS_IGNORE (*lp_MPI_F_STATUS_IGNORE)
#define MPI_F_STATUSES_IGNORE (*lp_MPI_F_STATUSES_IGNORE)
#define MPI_F08_STATUS_IGNORE (*lp_MPI_F08_STATUS_IGNORE)
#define MPI_F08_STATUSES_IGNORE (*lp_MPI_F08_STATUSES_IGNORE)

// clang-format off
#define LP_OMPI_OBJECTS(LP_OBJECT) \
    LP_OBJECT(mpi_byte) LP_OBJECT(mpi_char) LP_OBJECT(mpi_comm_null) LP_OBJECT(mpi_comm_self) \
    LP_OBJECT(mpi_comm_world) LP_OBJECT(mpi_datatype_null) LP_OBJECT(mpi_errors_are_fatal) LP_OBJECT(mpi_errors_return) \
    LP_OBJECT(mpi_group_null) LP_OBJECT(mpi_info_null) LP_OBJECT(mpi_int) \
    LP_OBJECT(mpi_int64_t) LP_OBJECT(mpi_long_long_int) LP_OBJECT(mpi_op_land) LP_OBJECT(mpi_op_max) \
    LP_OBJECT(mpi_op_min) LP_OBJECT(mpi_op_sum) \
    LP_OBJECT(mpi_uint64_t) LP_OBJECT(message_no_proc) LP_OBJECT(message_null) LP_OBJECT(request_null)
// clang-format on

#endif
