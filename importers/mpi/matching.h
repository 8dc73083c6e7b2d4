// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the partners in an MPI run: which send each receive got and each probe found (FIFO per sender, receiver,
// communicator and tag, by posting), which calls form one collective, and in which of those the whole run meets.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "importers/common/importlog.h"
#include "importers/mpi/rank.h"
#include "importers/mpi/windows.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace longpole {

struct MpiPlace {  // the `index`-th send, receive or part of a rank
    std::uint32_t rank = 0xffffffffu;
    std::uint32_t index = 0;
    bool isValid() const { return rank != 0xffffffffu; }
    friend bool operator==(const MpiPlace&, const MpiPlace&) = default;
};

constexpr std::uint32_t noInstance = 0xffffffffu;
constexpr std::uint32_t noMember = 0xffffffffu;

// Which pairs of members are looked at where a member may wait for several others: a large run has no room for every
// pair.
enum class Pairing : std::uint8_t {
    None,  // nothing is looked for
    Last,  // only the last to arrive of those that a member waits for
    Each
};

// One collective call of all members that took part. If the members call different things its kind is None, and nothing
// depends on it.
struct MpiInstance {
    CollectiveKind kind = CollectiveKind::None;
    std::uint32_t comm = noComm;
    std::int32_t root = noRank;           // a world rank; noRank: no member knows
    std::uint32_t rootMember = noMember;  // the root's position among its members, if it is one
    std::uint32_t firstMember = 0;        // the first one of its members in MpiMatches::members
    std::uint32_t memberCount = 0;
    TimeNs latestBegin = minTime;  // the latest begin of its members: S_max
    TimeNs earliestEnd = maxTime;  // the earliest end of the calls that completed it: E_min
    std::uint32_t latest = 0;      // the position of the last to arrive among its members (ties: the lowest rank)
    std::uint32_t latestRank = 0;  // the rank and the call of that member
    std::uint32_t latestCall = 0;
    std::uint32_t latestGiver = noMember;  // the position of the last of those that sent anything
    std::uint32_t giverCount = 0;          // how many did, as far as is known
    bool isComplete = true;                // all of the communicator's members are there, and have left it if it blocks
    bool isSynchronizing = false;          // S_max <= E_min, and complete
    bool isGlobal = false;                 // a global synchronization point (docs/algorithms.md 1.2): splits the run
    Pairing pairing = Pairing::Each;
};

// Whether the bytes that are known of a member are those it receives, so that a member without any waits for nobody
// (unless all met).
constexpr bool receivesItsBytes(CollectiveKind kind)
{
    return kind == CollectiveKind::NToN || kind == CollectiveKind::OneToN;
}

// Whether members wait only for members that gave something: some gave nothing, and not all met, so nobody needed to
// wait for those.
constexpr bool waitsForGivers(const MpiInstance& instance)
{
    return instance.kind == CollectiveKind::NToN && !instance.isSynchronizing && instance.giverCount != 0
           && instance.giverCount < instance.memberCount;
}

struct MpiMatches {
    std::vector<std::vector<MpiPlace>> receiveOf;        // by rank, send: the receive that got it
    std::vector<std::vector<MpiPlace>> sendOf;           // by rank, receive
    std::vector<std::vector<MpiPlace>> probeOf;          // by rank, probe: the send that it found
    std::vector<std::vector<std::uint32_t>> instanceOf;  // by rank, collective part; noInstance: not a member
    std::vector<std::vector<std::uint32_t>> memberOf;    // by rank, collective part: row of `members`
    std::vector<MpiInstance> instances;                  // in order of (latestBegin, comm, number on it)
    std::vector<MpiPlace> members;                       // those of an instance by rank in the communicator
    // By communicator, then place of a member: the places of its sources (MpiCommunicator).
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> sources;
    std::vector<std::uint32_t> latestUpTo;  // by row of `members`, of kind Prefix only (empty if there is none):
                                            // row of the last to arrive among it and the members before it
    std::vector<WindowRow> windowRows;      // of all ranks, by rank and call
    std::vector<WindowFindings> windows;    // by rank

    // The rows of the members that the member in `row` of a neighbourhood call receives from.
    std::vector<std::uint32_t> sourceRows(const MpiInstance& instance, std::uint32_t row) const;
};

// What came before, where a part of a run is matched by itself. That part depends on nothing before it, but its calls
// are numbered on from there.
struct MpiBefore {
    std::vector<bool> hasCalls;  // by rank; a rank that is not in it had none
    // by communicator: how many collective calls all its members have made; missing: none
    std::vector<std::size_t> collectives;
    std::int64_t calls = 0;    // of all ranks
    std::int64_t sources = 0;  // what its collective calls took of what PairAllowance has
    std::int64_t pairs = 0;
    std::size_t collectivesOf(std::uint32_t comm) const { return comm < collectives.size() ? collectives[comm] : 0; }
};

// Matches the calls of all ranks. Counts as soft errors what has no partner, requests without an end, and collectives
// whose members call different things or are missing. A cancelled send is matched only if a receive would otherwise
// have no send: then it was freed, not cancelled. O(n + c log c) for c combinations of ranks, communicator and tag.
Result<MpiMatches> matchMpi(std::span<const MpiRank> ranks, const MpiRunNames& names, unsigned threads, ImportLog& log,
                            const Progress& progress, const MpiBefore& before = {});

}  // namespace longpole
