// SPDX-License-Identifier: GPL-3.0-or-later
// The functions behind our wrappers: MPI's PMPI names, or the next tool's MPI names where another tool follows us.
#ifndef LONGPOLE_RECORDER_NEXT_H
#define LONGPOLE_RECORDER_NEXT_H

#include "recorder/format/calls.h"

#include <mpi.h>

#include <stdbool.h>

typedef void lp_function_t(void);
extern lp_function_t *lp_next[LP_CALL_COUNT];

// What a wrapper of MPI_name calls.
#define LP_NEXT(name) ((__typeof__(&PMPI_##name))lp_next[LP_##name])
// A name that programs see.
#define LP_EXPORT __attribute__((visibility("default")))

// To be called before MPI_Init where MPI was not there when the library was loaded, and now is.
void lp_bind_late(void);
// Finds other tools, before MPI_Init's work. Null, or a text for the recording.
const char *lp_find_tools(void);

#endif
