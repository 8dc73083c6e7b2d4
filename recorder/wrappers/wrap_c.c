// SPDX-License-Identifier: GPL-3.0-or-later
// The wrappers of MPI's C calls.
#include "recorder/wrappers/wrap_c.h"

#define CALL(Name, lower, UPPER, note, ...) WRAP(Name, note, NOTHING, __VA_ARGS__)
#define BUFFERS(Name, lower, UPPER, note, ...) WRAP(Name, note, NOTHING, __VA_ARGS__)
#define TEXT(n, Name, lower, UPPER, note, ...) WRAP(Name, note, NOTHING, __VA_ARGS__)
#define COLLECTIVE(Name, lower, UPPER, note, ...) \
    WRAP(Name, note, NO_REQUEST, __VA_ARGS__) \
    WRAP(I##lower, note, NOTHING, __VA_ARGS__, (REQUEST, request))
#define BARRIER COLLECTIVE
#define COUNTED CALL
#define FIXED CALL

#include "recorder/wrappers/wrappers.def"

LP_EXPORT int MPI_Type_free(MPI_Datatype *type)
{
    lp_forget_types();
    return LP_BEHIND(PMPI_Type_free)(type);
}

LP_EXPORT int MPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    const int64_t begin = lp_begin_call(LP_CALL_COUNT, false);
    const int result = LP_BEHIND(PMPI_Comm_set_name)(comm, name);
    if (begin >= 0 && result == MPI_SUCCESS) lp_named_comm(comm, name);
    lp_end_call();
    return result;
}
