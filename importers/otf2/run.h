// SPDX-License-Identifier: GPL-3.0-or-later
// An OTF2 archive's definitions, resolved to what events need: regions, communicators as world ranks, counters, calling
// contexts, and which rank each location belongs to.
#pragma once

#include "importers/mpi/source.h"
#include "importers/otf2/clock.h"
#include "importers/otf2/definitions.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace longpole {

constexpr std::uint32_t otf2None = 0xffffffffu;

// Maps a definition's number to its place in a list; the numbers are small with most writers.
class Otf2Index {
public:
    void add(std::uint64_t id, std::uint32_t place);
    // otf2None if there is no such definition.
    std::uint32_t operator[](std::uint64_t id) const
    {
        if (id < m_dense.size()) return m_dense[id];
        const auto found = m_sparse.find(id);
        return found == m_sparse.end() ? otf2None : found->second;
    }

private:
    std::vector<std::uint32_t> m_dense;
    std::map<std::uint64_t, std::uint32_t> m_sparse;  // ordered: ids are a stranger's, who knows where hashes collide
};

struct Otf2Region {
    bool isMpi = false;
    bool isSynchronous = false;   // MPI_Ssend, MPI_Issend ...
    bool isLifetime = false;      // MPI_Init, MPI_Finalize: collective on the world, whatever communicators they make
    bool isImplicitTask = false;  // what a thread of an OpenMP team does for it
};

// The world ranks of a group, by rank in the communicator; otf2None for a rank that is not known.
struct Otf2Group {
    std::vector<std::uint32_t> members;
    std::vector<std::uint32_t> sorted;  // the members sorted, for the first group of an inter-communicator
    bool hasWorldRanks = false;         // events of this group name world ranks already
    std::uint32_t worldRank(std::uint32_t rank) const;
};

struct Otf2Comm {
    std::uint32_t place = noComm;  // in MpiRunNames::communicators; noComm: not MPI's
    bool isSelf = false;
    bool isInter = false;
    std::shared_ptr<const Otf2Group> first;  // which communicators share
    std::shared_ptr<const Otf2Group> second;
    // The world rank of the communicator's `rank` as `own`, a world rank, sees it: in an inter-communicator a rank of
    // the other group. otf2None if there is none.
    std::uint32_t peer(std::uint32_t own, std::uint32_t rank) const;

private:
    bool isInFirst(std::uint32_t own) const;
};

struct Otf2Metric {
    std::uint32_t counter = 0;
    bool isRelative = false;  // values are differences, which are added up
    double scale = 1;
};

struct Otf2Context {
    std::uint32_t region = otf2None;
    std::uint32_t parent = otf2None;
    std::uint32_t depth = 1;
};

struct Otf2Location {
    std::uint64_t id = 0;
    std::uint64_t events = 0;  // as the writer counted them
    bool isDefined = true;     // false: a rank that only a communicator knows
};

struct Otf2Run {
    MpiRunNames names;
    Otf2Clock clock;
    TimeNs latest = std::numeric_limits<TimeNs>::max();  // times beyond it are damage
    std::vector<Otf2Location> locations;                 // in the order of names.locations
    std::vector<Otf2Region> regions;                     // in the order of names.regions
    Otf2Index regionIndex;
    std::vector<Otf2Comm> comms;
    Otf2Index commIndex;
    std::uint32_t world = noComm;                  // place in names.communicators of that of all ranks
    std::vector<std::vector<Otf2Metric>> metrics;  // the members of each class or instance
    Otf2Index metricIndex;
    std::vector<Otf2Context> contexts;
    Otf2Index contextIndex;
    std::uint32_t flushRegion = otf2None;                // of the time in which the recorder wrote its buffer
    std::uint32_t offRegion = otf2None;                  // of the time in which it was off
    std::optional<OTF2_AttributeRef> parallelId;         // of implicit tasks
    std::unordered_map<int, std::uint32_t> callRegions;  // region, by OTF2_CollectiveOp or Otf2LoneCall

    std::uint32_t rankOf(std::size_t location) const { return names.locations[location].rank; }
};

// MPI records outside of all MPI calls get calls of their own, of these kinds.
enum class Otf2LoneCall : int { Send = -1, Receive = -2, Isend = -3, Irecv = -4, Wait = -5, Nonblocking = -6 };

// Errors: more ranks, communicators or counters than the size of the archive can be.
Result<Otf2Run> resolveOtf2(const Otf2Definitions& definitions, const Otf2Archive& archive,
                            const Progress& progress = Progress());

}  // namespace longpole
