// Makes MPI's names weak in every source of the library (it is included by the compiler's command line): the library then
// loads into any program, one without MPI (mpirun, a shell) or without Fortran among them.
#ifndef LONGPOLE_RECORDER_WEAK_H
#define LONGPOLE_RECORDER_WEAK_H

#include "calls.h"

#define LP_PRAGMA(text) _Pragma(#text)
#define LP_WEAK(name) LP_PRAGMA(weak name)
#define LP_ROW(name, class, kind) LP_WEAK(PMPI_##name)
LP_CALLS(LP_ROW)
#undef LP_ROW

#pragma weak PMPI_Allgather
#pragma weak PMPI_Buffer_attach
#pragma weak PMPI_Comm_c2f
#pragma weak PMPI_Comm_f2c
#pragma weak PMPI_Comm_get_attr
#pragma weak PMPI_Comm_get_name
#pragma weak PMPI_Comm_get_parent
#pragma weak PMPI_Comm_group
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Comm_remote_group
#pragma weak PMPI_Comm_remote_size
#pragma weak PMPI_Comm_set_errhandler
#pragma weak PMPI_Comm_set_name
#pragma weak PMPI_Comm_size
#pragma weak PMPI_Comm_test_inter
#pragma weak PMPI_Cartdim_get
#pragma weak PMPI_Dist_graph_neighbors_count
#pragma weak PMPI_Finalized
#pragma weak PMPI_Get_count
#pragma weak PMPI_Get_elements_x
#pragma weak PMPI_Get_library_version
#pragma weak PMPI_Get_processor_name
#pragma weak PMPI_Graph_neighbors_count
#pragma weak PMPI_Group_free
#pragma weak PMPI_Group_incl
#pragma weak PMPI_Group_size
#pragma weak PMPI_Group_translate_ranks
#pragma weak PMPI_Initialized
#pragma weak PMPI_Message_f2c
#pragma weak PMPI_Op_create
#pragma weak PMPI_Op_free
#pragma weak PMPI_Pcontrol
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
#pragma weak PMPI_Wtime

// Constants that are addresses (Open MPI), and what Fortran's constants are told by.
#pragma weak MPI_F_STATUS_IGNORE
#pragma weak MPI_F_STATUSES_IGNORE
#pragma weak MPI_F08_STATUS_IGNORE
#pragma weak MPI_F08_STATUSES_IGNORE
#pragma weak mpi_fortran_status_ignore_
#pragma weak mpi_fortran_statuses_ignore_
#pragma weak ompi_message_no_proc
#pragma weak ompi_message_null
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_char
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_double
#pragma weak ompi_mpi_errors_return
#pragma weak ompi_mpi_group_null
#pragma weak ompi_mpi_info_null
#pragma weak ompi_mpi_int
#pragma weak ompi_mpi_int32_t
#pragma weak ompi_mpi_int64_t
#pragma weak ompi_mpi_long
#pragma weak ompi_mpi_long_long_int
#pragma weak ompi_mpi_op_land
#pragma weak ompi_mpi_op_max
#pragma weak ompi_mpi_op_min
#pragma weak ompi_mpi_op_sum
#pragma weak ompi_mpi_uint32_t
#pragma weak ompi_mpi_uint64_t
#pragma weak ompi_mpi_unsigned
#pragma weak ompi_mpi_win_null
#pragma weak ompi_request_null

#endif
