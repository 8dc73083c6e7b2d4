// SPDX-License-Identifier: GPL-3.0-or-later
// One collective call from the parts of its members, wherever these were recorded (docs/algorithms.md 1.2).
#pragma once

#include "importers/mpi/matching.h"

#include <QString>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace longpole {

// A member's part of a collective call.
struct MpiMemberCall {
    std::uint32_t rank = 0;
    std::uint32_t call = noCall;
    std::uint32_t region = noRegion;  // of its call
    // number of its MPI function, see mpiFunctions(); noRegion: MPI_Start started it
    std::uint32_t function = noRegion;
    std::int32_t root = noRank;
    TimeNs begin = 0;
    TimeNs end = maxTime;  // of the call that completed it; maxTime: none did
    MpiMoved moved{};
    CollectiveKind kind = CollectiveKind::None;
    bool hasLeft = true;  // false: the rank never came back from the call
};

// By region: a number for each MPI function, whatever its regions are called ("MPI_Bcast", "mpi_bcast_", "PMPI_Bcast").
std::vector<std::uint32_t> mpiFunctions(const MpiRunNames& names);
MpiMemberCall memberCallOf(const MpiRank& rank, std::uint32_t world, const MpiCollectivePart& part,
                           const std::vector<std::uint32_t>& functions);

// Fills in all of the instance that follows from its members; the caller sets `comm` and `firstMember`. `members` are
// sorted by rank in the communicator, which has `all` members. False: the members call different functions; the kind is
// None then.
bool fillInstance(std::span<const MpiMemberCall> members, std::size_t all, MpiInstance& instance);

// Of a neighbourhood call: the positions of the members that the one at `position` receives from. `sources`: those of
// its communicator.
std::vector<std::uint32_t> sourcePositions(const std::map<std::uint32_t, std::vector<std::uint32_t>>& sources,
                                           const MpiInstance& instance, std::uint32_t position);

// How much of a PairAllowance one collective call takes.
struct MemberPairs {
    std::int64_t sources = 0;  // of a neighbourhood call's members
    std::int64_t pairs = 0;    // pairs of members with an edge between them
};
// `hasHub`: whether the call of the last member to arrive has a hub (MpiCall::hub). O(members).
MemberPairs memberPairs(const MpiInstance& instance, bool hasHub,
                        const std::map<std::uint32_t, std::vector<std::uint32_t>>& sources);

// Deals out limits::neighbours and limits::memberPairs to the collective calls of a run, in their order. From the first
// call on that would exceed a limit, no call gets any of it.
class PairAllowance {
public:
    explicit PairAllowance(std::int64_t calls);  // of all ranks
    Pairing next(const MemberPairs& wanted);

private:
    std::int64_t m_sources;
    std::int64_t m_pairs;
};

// "MPI_COMM_WORLD", or its number where it has no name.
QString communicatorName(const MpiRunNames& names, std::uint32_t comm);
// "rank 3 calls MPI_Bcast with root 0"
QString memberText(const MpiRunNames& names, const MpiMemberCall& member);
// "MPI_COMM_WORLD, collective call 12: rank 0 calls MPI_Bcast with root 0, rank 3 calls MPI_Barrier", of the first two
// that differ.
QString mismatchText(const MpiRunNames& names, std::uint32_t comm, std::size_t number,
                     std::span<const MpiMemberCall> members);
// "MPI_COMM_WORLD, collective call 12: 3 of 4 members"
QString incompleteText(const MpiRunNames& names, std::uint32_t comm, std::size_t number, std::size_t members,
                       std::size_t all);
// "rank 5 calls MPI_Barrier on row, of which it is no member"
QString strangerText(const MpiRunNames& names, std::uint32_t comm, const MpiMemberCall& member);
// Whether the instance lacks members that its kind would need.
constexpr bool lacksMembers(const MpiInstance& instance)
{
    return !instance.isComplete && instance.kind != CollectiveKind::None && instance.kind != CollectiveKind::Loose;
}

// By member: the position of the last to arrive among this member and all before it (of equal ones the lowest rank).
std::vector<std::uint32_t> latestUpTo(std::span<const MpiMemberCall> members);

}  // namespace longpole
