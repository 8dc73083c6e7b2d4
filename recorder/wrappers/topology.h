// SPDX-License-Identifier: GPL-3.0-or-later
// The neighbours of this rank in a communicator with a topology: from whom its neighbourhood calls receive, and to whom
// they send.
#ifndef LONGPOLE_RECORDER_TOPOLOGY_H
#define LONGPOLE_RECORDER_TOPOLOGY_H

#include <mpi.h>

struct lp_neighbours {
    int sources, targets;
    int *ranks;  // in the communicator, maybe MPI_PROC_NULL: first the sources, then the targets; to be freed
};

// Asks MPI, which knows without communication. All zero for a communicator without a topology.
struct lp_neighbours lp_find_neighbours(MPI_Comm comm);

#endif
