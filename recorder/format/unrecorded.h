// SPDX-License-Identifier: GPL-3.0-or-later
// The MPI calls that are not recorded, and why. A * stands for any letters; names without MPI_. The test of the
// wrappers holds this against both MPIs' headers.
#ifndef LONGPOLE_RECORDER_UNRECORDED_H
#define LONGPOLE_RECORDER_UNRECORDED_H

struct lp_unrecorded {
    const char *why;
    const char *calls;
};

static const struct lp_unrecorded lp_unrecorded_calls[] = {
    {"Say what this rank knows already, or what it is to remember: nobody is waited for.",
     "*_c2f *_f2c *_c2f08 *_f082c *_f2f08 *_f082f Address Aint_* Attr_* Cart_coords Cart_get Cart_map Cart_rank "
     "Cart_shift Cartdim_get Comm_call_errhandler "
     "Comm_compare Comm_*_attr Comm_*_keyval Comm_*_errhandler Comm_get_info Comm_get_name Comm_get_parent Comm_group "
     "Comm_rank Comm_remote_* Comm_set_name Comm_size Comm_test_inter Dims_create Dist_graph_neighbors* Errhandler_* "
     "Error_* Add_error_* File_call_errhandler File_create_errhandler File_*et_errhandler File_get_* Finalized "
     "Get_address Get_count* Get_elements* Get_library_version Get_processor_name Get_version Graph_get Graph_map "
     "Graph_neighbors* Graphdims_get Group_* Info_* Initialized Is_thread_main Keyval_* Op_* Query_thread "
     "Register_datarep Session_*_errhandler Session_get_* Status_* Test_cancelled Topo_test Type_* Win_*_attr "
     "Win_*_keyval Win_*_errhandler Win_get_* Win_set_name Win_shared_query* Wtick Wtime"},
    {"Work in this rank's memory; their time is the program's own.",
     "Alloc_mem Buffer_attach* Free_mem Pack* Reduce_local* Unpack*"},
    {"Rarely matter: their time is the program's own, although others may take part.",
     "Close_port Comm_set_info File_seek File_set_info Grequest_* Lookup_name Open_port Publish_name Unpublish_name "
     "Win_attach Win_detach Win_set_info"},
    {"MPI's own tools interface.", "T_* DUP_FN Pcontrol"},
};

#endif
