// SPDX-License-Identifier: GPL-3.0-or-later
// Makes MPI's names weak in every source of the library (the compiler's command line includes this file). The library
// then loads into any program: without MPI (mpirun, a shell), without Fortran, or one that loads MPI later (Python).
#ifndef LONGPOLE_RECORDER_WEAK_H
#define LONGPOLE_RECORDER_WEAK_H

#include "recorder/format/calls.h"

#ifndef __clang_analyzer__  // it complains of each name that a source does not declare

#define LP_PRAGMA(text) _Pragma(#text)
#define LP_WEAK(name) LP_PRAGMA(weak name)
#define LP_ROW(name, class, kind) LP_WEAK(PMPI_##name)
LP_CALLS(LP_ROW)
#undef LP_ROW
#define LP_ROW(name, class, kind) LP_WEAK(PMPIX_##name)
LP_COLLECTIVES_TO_START(LP_ROW)
#undef LP_ROW
#define LP_ROW(name, class, kind) LP_WEAK(PMPI_##name##_c) LP_WEAK(PMPI_I##name##_c)
LP_CALLS(LP_ROW)
#undef LP_ROW

#pragma weak PMPI_Allgather
#pragma weak PMPI_Comm_f2c
#pragma weak PMPI_Comm_get_parent
#pragma weak PMPI_Comm_group
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Comm_remote_group
#pragma weak PMPI_Comm_set_errhandler
#pragma weak PMPI_Comm_set_name
#pragma weak PMPI_Comm_size
#pragma weak PMPI_Comm_test_inter
#pragma weak PMPI_Cart_shift
#pragma weak PMPI_Cartdim_get
#pragma weak PMPI_Dist_graph_neighbors
#pragma weak PMPI_Dist_graph_neighbors_count
#pragma weak PMPI_Get_count
#pragma weak PMPI_Get_elements_x
#pragma weak PMPI_Get_library_version
#pragma weak PMPI_Graph_neighbors
#pragma weak PMPI_Graph_neighbors_count
#pragma weak PMPI_Group_f2c
#pragma weak PMPI_Group_free
#pragma weak PMPI_Group_incl
#pragma weak PMPI_Group_size
#pragma weak PMPI_Group_translate_ranks
#pragma weak PMPI_Message_f2c
#pragma weak PMPI_Op_create
#pragma weak PMPI_Op_free
#pragma weak PMPI_Query_thread
#pragma weak PMPI_Request_c2f
#pragma weak PMPI_Request_f2c
#pragma weak PMPI_Status_f2c
#pragma weak PMPI_Test_cancelled
#pragma weak PMPI_Topo_test
#pragma weak PMPI_Type_commit
#pragma weak PMPI_Type_contiguous
#pragma weak PMPI_Type_f2c
#pragma weak PMPI_Type_free
#pragma weak PMPI_Type_size
#pragma weak PMPI_Type_size_x
#pragma weak PMPI_Win_f2c

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
