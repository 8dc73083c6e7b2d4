// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of MPI ranks, drawn as text or made at random, as matching and wait states take them.
#pragma once

#include "importers/mpi/rank.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace longpole {

struct MpiRun {
    MpiRunNames names;
    std::vector<MpiRank> ranks;

    std::uint32_t addCommunicator(const QString& name, std::vector<std::uint32_t> members, bool isSelf = false);
    std::uint32_t region(const QString& name);  // its number, in order of first use
    // Adds the next call of a rank, whose pieces and hub get the next numbers.
    std::uint32_t addCall(std::uint32_t rank, const QString& name, TimeNs begin, TimeNs end);
};

CollectiveKind kindOf(const QString& name);  // "MPI_Ibcast": OneToN

// One line per rank, its calls in order, each as "NAME begin-end": "Send>1 2-9" to rank 1, "Recv<0#3@1 2-9" with tag 3
// on communicator 1, "Bcast^2 ..." with root 2, "Irecv<0=a ..." starts request a, "Waitall:a,b ..." completes, "!a"
// after that cancels; "Barrier@1"; "Probe<0#3 2-9" found
// a message, "Test:a~ 2-9" begins with a loop of failed polls; an end of "?" leaves the call open until 1000.
// Communicator 0 is the world, 1 the first two ranks, 2 MPI_COMM_SELF. Ssend is synchronous.
MpiRun drawnRun(const QStringList& lines);

// Supersteps of messages in any order and mode, then a collective call; now and then something is missing or wrong.
MpiRun randomRun(std::uint32_t seed);

// The same run with other rank numbers, rank r as order[r], or with all times moved.
MpiRun permuted(const MpiRun& run, const std::vector<std::uint32_t>& order);
MpiRun shifted(const MpiRun& run, TimeNs by);

}  // namespace longpole
