// SPDX-License-Identifier: GPL-3.0-or-later
// What an MPI call depends on and what depends on it, told by its name, whichever tool recorded it.
#pragma once

#include <QByteArrayView>

#include <cstdint>

namespace longpole {

// How the members of a collective call depend on each other (docs/algorithms.md 1.2).
enum class CollectiveKind : std::uint8_t {
    None,
    Barrier,     // as NToN; a pattern of its own
    NToN,        // Allreduce, Allgather(v), Alltoall(v, w), Reduce_scatter(_block)
    OneToN,      // Bcast, Scatter(v): from the root
    NToOne,      // Reduce, Gather(v): to the root
    Prefix,      // Scan, Exscan
    Lifetime,    // MPI_Init, MPI_Init_thread, MPI_Finalize, what makes communicators and windows, and fences: a barrier
                 // where the times allow it, else nothing
    Loose,       // collective by the standard, but no data dependency is assumed (MPI_Comm_free, I/O)
    Neighbours,  // Neighbor_allgather(v), Neighbor_alltoall(v, w): from the rank's neighbours in the topology
};

struct MpiCallKind {
    CollectiveKind collective = CollectiveKind::None;
    bool isNonBlocking = false;     // MPI_I... with a request; not the probes
    bool completes = false;         // Wait and Test calls
    bool isMatchedReceive = false;  // MPI_Mrecv, MPI_Imrecv
    bool isInit = false;            // MPI_Init, MPI_Init_thread, MPI_Session_init: what is before its end is start-up
    bool isFinalize = false;        // MPI_Finalize, MPI_Session_finalize: what is after its begin is shut-down
};

// Of "MPI_Allreduce", "mpi_allreduce_", "PMPI_Iallreduce" ...; a call that is not known has no dependencies.
MpiCallKind mpiCallKind(QByteArrayView name);
// Whether a region of this name is an MPI call: MPI_ and a capital letter (any case for Fortran's names).
bool isMpiName(QByteArrayView name);

}  // namespace longpole
