// Finds the partners in an MPI run: which send each receive got (FIFO per sender, receiver, communicator and tag, by
// posting), which calls form one collective, and in which of those the whole run meets.
#pragma once

#include "core/progress.h"
#include "core/result.h"
#include "importers/importlog.h"
#include "importers/mpirank.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

struct MpiPlace {  // the `index`-th send, receive or part of a rank
    std::uint32_t rank = 0xffffffffu;
    std::uint32_t index = 0;
    bool isValid() const { return rank != 0xffffffffu; }
    friend bool operator==(const MpiPlace&, const MpiPlace&) = default;
};

// One collective call of all members that took part.
struct MpiInstance {
    CollectiveKind kind = CollectiveKind::None;
    std::uint32_t comm = noComm;
    std::int32_t root = noRank;
    std::uint32_t firstMember = 0;  // its members stand in MpiMatches::members from here on
    std::uint32_t memberCount = 0;
    TimeNs latestBegin = minTime;   // over its members: S_max
    TimeNs earliestEnd = maxTime;   // E_min
    std::uint32_t latest = 0;       // position in members of the last to arrive (ties: the lowest rank)
    bool isComplete = true;         // all of the communicator's members are there
    bool isSynchronizing = false;   // S_max <= E_min, and complete
    bool isGlobal = false;          // a global synchronization point (ALGORITHMS 1.2): splits the run
};

struct MpiMatches {
    std::vector<std::vector<MpiPlace>> receiveOf;   // by rank, send: the receive that got it
    std::vector<std::vector<MpiPlace>> sendOf;      // by rank, receive
    std::vector<std::vector<std::uint32_t>> instanceOf;  // by rank, collective part
    std::vector<MpiInstance> instances;             // in order of (latestBegin, comm, number on it)
    std::vector<MpiPlace> members;
};

// Counts what has no partner and collectives whose members call different things. O(n log n).
Result<MpiMatches> matchMpi(std::span<const MpiRank> ranks, std::span<const MpiCommunicator> communicators,
                            unsigned threads, ImportLog& log, const Progress& progress);

}  // namespace longpole
