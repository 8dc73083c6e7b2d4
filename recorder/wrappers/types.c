// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the sizes of datatypes in each thread, as asking MPI for each message would cost as much as recording it.
#include "recorder/wrappers/comms.h"
#include "recorder/wrappers/handles.h"
#include "recorder/wrappers/scratch.h"

#include <stdatomic.h>
#include <string.h>

static atomic_uint epoch = 1;

static int64_t askedSize(MPI_Datatype type)
{
    int size = MPI_UNDEFINED;
    PMPI_Type_size(type, &size);
    if (size != MPI_UNDEFINED) return size;
    MPI_Count large = -1;
    PMPI_Type_size_x(type, &large);
    return large;
}

int64_t lp_bytes(int64_t count, MPI_Datatype type)
{
    if (count == 0 || type == MPI_DATATYPE_NULL) return 0;
    struct lp_scratch *scratch = lp_scratch(0);
    const unsigned now = atomic_load_explicit(&epoch, memory_order_acquire);
    if (scratch->epoch != now) {
        for (int at = 0; at < LP_TYPE_SIZES; ++at) scratch->sizes[at].size = -1;
        scratch->epoch = now;
    }
    const uint64_t at = lp_hash(LP_HANDLE(type)) >> 58;
    if (scratch->sizes[at].type != type || scratch->sizes[at].size < 0) {
        scratch->sizes[at].type = type;
        scratch->sizes[at].size = askedSize(type);
    }
    return scratch->sizes[at].size < 0 ? -1 : count * scratch->sizes[at].size;
}

void lp_forget_types(void) { atomic_fetch_add_explicit(&epoch, 1, memory_order_release); }
