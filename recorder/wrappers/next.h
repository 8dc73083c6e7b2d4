// SPDX-License-Identifier: GPL-3.0-or-later
// The functions behind our wrappers: MPI's PMPI names, or the next tool's MPI names where another tool follows us.
#ifndef LONGPOLE_RECORDER_NEXT_H
#define LONGPOLE_RECORDER_NEXT_H

#include "recorder/format/calls.h"

#include <mpi.h>

#include <stdbool.h>

typedef void lp_function_t(void);
extern lp_function_t *lp_next[LP_CALL_COUNT];

// The function that a wrapper of MPI_name calls.
#define LP_NEXT(name) ((__typeof__(&PMPI_##name))lp_next[LP_##name])
// For a function that programs see.
#define LP_EXPORT __attribute__((visibility("default")))

// To be called before MPI_Init if MPI was not there when the library was loaded.
void lp_bind_late(void);
// Finds other tools; to be called before MPI_Init does its work. Null, or a text for the recording.
const char *lp_find_tools(void);

#endif
