// SPDX-License-Identifier: GPL-3.0-or-later
// The functions behind our wrappers: MPI's PMPI names, or the next tool's MPI names where another tool follows us.
#ifndef LONGPOLE_RECORDER_NEXT_H
#define LONGPOLE_RECORDER_NEXT_H

#include "recorder/format/calls.h"

#include <mpi.h>

#include <stdatomic.h>
#include <stdbool.h>

// Persistent collectives are MPI 4's; Open MPI 4 has them as an extension, with names of its own.
#if MPI_VERSION >= 4
#define LP_HAS_MPI4
#define LP_HAS_COLLECTIVES_TO_START
#define LP_TO_START(name) MPI_##name
#define LP_NEXT_TO_START(name) PMPI_##name
#define LP_PREFIX_TO_START "MPI_"
#else
#if defined OPEN_MPI && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define LP_HAS_COLLECTIVES_TO_START
#endif
#define LP_TO_START(name) MPIX_##name
#define LP_NEXT_TO_START(name) PMPIX_##name
#define LP_PREFIX_TO_START "MPIX_"
#endif

typedef void lp_function_t(void);
extern lp_function_t *lp_next[LP_CALL_COUNT];  // filled by bind.c

// The function that a wrapper of MPI_name calls.
#define LP_NEXT(name) ((__typeof__(&PMPI_##name))lp_next[LP_##name])
// The function behind ours by this name of MPI's own, PMPI_X or pmpi_x_: the next tool's MPI_X, or MPI's. For what has
// no row in lp_next.
lp_function_t *lp_behind(const char *own);
#define LP_BEHIND(own) ((__typeof__(&own))LP_BEHIND_ONCE(#own))
#define LP_BEHIND_ONCE(own) \
    ({ \
        static _Atomic(lp_function_t *) found; \
        lp_function_t *function = atomic_load_explicit(&found, memory_order_relaxed); \
        if (!function) atomic_store_explicit(&found, function = lp_behind(own), memory_order_relaxed); \
        function; \
    })
// For a function that programs see.
#define LP_EXPORT __attribute__((visibility("default")))

// To be called before MPI_Init if MPI was not there when the library was loaded.
void lp_bind_late(void);
// Whether what the recorder itself needs of MPI is there.
bool lp_can_record(void);
// Finds other tools, the first time that it is called: before MPI_Init does its work where that can be. Null, or a text
// for the recording.
const char *lp_find_tools(void);

#endif
