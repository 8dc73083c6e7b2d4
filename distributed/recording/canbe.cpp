// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/recording/canbe.h"

#include "recorder/format/calls.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {
namespace {

bool areBelow(const std::vector<std::uint32_t>& numbers, std::size_t end)
{
    return std::all_of(numbers.begin(), numbers.end(), [end](std::uint32_t number) { return number < end; });
}

// Below `end`, or what stands for none.
bool areBelowOr(const std::vector<std::uint32_t>& numbers, std::size_t end, std::uint32_t none)
{
    return std::all_of(numbers.begin(), numbers.end(),
                       [end, none](std::uint32_t number) { return number < end || number == none; });
}

bool canBe(const MpiCommunicator& comm, std::uint32_t ranks)
{
    return areBelow(comm.members, ranks)
           && std::all_of(comm.sources.begin(), comm.sources.end(), [&comm](const auto& each) {
                  return each.first < comm.members.size() && areBelow(each.second, comm.members.size());
              });
}

bool isEnded(std::span<const char> text) { return std::find(text.begin(), text.end(), '\0') != text.end(); }

}  // namespace

bool canBe(const MpiRunNames& names)
{
    for (const MpiCommunicator& comm : names.communicators)
        if (!canBe(comm, names.ranks)) return false;
    if (names.locations.size() < names.ranks) return false;
    for (std::uint32_t i = 0; i < names.locations.size(); ++i) {
        const MpiLocation& location = names.locations[i];
        const bool isRank = location.kind == TrackKind::Rank;
        if (isRank != (i < names.ranks) || location.rank >= names.ranks || (isRank && location.rank != i)) return false;
    }
    for (std::uint32_t i = 0; i < names.callPaths.size(); ++i)
        if (names.callPaths[i].id != i + 1 || names.callPaths[i].parent > i) return false;
    return true;
}

bool canBe(const RecordingRegions& regions, const MpiRunNames& names)
{
    const std::size_t end = names.regions.size();
    return regions.calls.size() == LP_CALL_COUNT + 1 && areBelow(regions.calls, end)
           && areBelow({regions.own, regions.off, regions.unnamed}, end)
           && std::all_of(regions.calls.begin(), regions.calls.end(),
                          [&names](std::uint32_t call) { return names.regions[call].kind == MpiRegionKind::Mpi; })
           && (!regions.hasPolls || !names.counters.empty());
}

bool canBe(const RecordingNumbers& numbers, const MpiRunNames& names)
{
    return areBelowOr(numbers.comms, names.communicators.size(), noComm)
           && areBelowOr({numbers.world}, names.communicators.size(), noComm)
           && areBelowOr(numbers.regions, names.regions.size(), noRegion)
           && areBelow(numbers.stacks, names.callPaths.size() + 1);
}

bool canBe(const RecordedRank& rank)
{
    const lp_header& header = rank.header;
    if (!isEnded(header.host) || !isEnded(header.boot_id) || !isEnded(header.library) || !isEnded(header.program)
        || !isEnded(header.command_line))
        return false;
    return std::all_of(rank.comms.begin(), rank.comms.end(), [](const RecordedComm& comm) {
        return isPossibleSize(comm.head)
               && (comm.head.stride != 0 || comm.members.size() == static_cast<std::size_t>(comm.head.size));
    });
}

bool canBe(const MpiLocationResult& result, const MpiLayout& layout)
{
    if (result.records < 0 || (result.hasEvents && result.first > result.last)) return false;
    for (const std::uint32_t region : result.syncRegions)
        if (!layout.isRegion(region)) return false;
    if (!result.pieces) return true;
    const std::vector<ProfileRow>& profile = result.pieces->profile;
    return std::all_of(profile.begin(), profile.end(), [&layout](const ProfileRow& row) {
        return layout.isEntry(row.entry) && index(row.pe) < layout.ranks() && row.count >= 0;
    });
}

}  // namespace longpole
