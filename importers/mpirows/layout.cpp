// SPDX-License-Identifier: GPL-3.0-or-later
// Numbering by formula: pairs of calls are a square as wide as there are MPI calls among the regions.
#include "importers/mpirows/layout.h"

#include "core/store/tiles.h"

#include <algorithm>
#include <map>

namespace longpole {
namespace {

constexpr std::size_t mostPaired = 1024;  // calls; with more of them code is named after the call before it

}  // namespace

MpiLayout::MpiLayout(const MpiRunNames& names, MpiBins bins)
    : m_names(names), m_bins(bins), m_completions(mpiCompletions(names)), m_hostOf(names.ranks)
{
    const auto regions = static_cast<std::uint32_t>(names.regions.size());
    for (const MpiRegion& region : names.regions) {
        const bool isCall = region.kind == MpiRegionKind::Mpi;
        m_calls.push_back(isCall ? mpiCallKind(region.name.toUtf8()) : MpiCallKind{});
        m_callNumbers.push_back(isCall ? static_cast<std::uint32_t>(m_callRegions.size()) + 1 : noRegion);
        m_hasDeviceSyncs = m_hasDeviceSyncs || region.sync == MpiSyncKind::Device;
        if (isCall) m_callRegions.push_back(static_cast<std::uint32_t>(m_calls.size()) - 1);
    }
    for (const MpiCommunicator& comm : names.communicators)
        m_isOfAllRanks.push_back(comm.members.size() == names.ranks);
    m_firstAfter = regions + static_cast<std::uint32_t>(names.communicators.size() + names.counters.size());
    m_firstBefore = m_firstAfter + regions;
    m_firstPair = m_firstBefore + regions;

    std::map<QString, std::uint32_t> hosts;
    std::uint32_t lanes = 0;
    for (const MpiLocation& location : names.locations) {
        m_tracks.push_back(location.kind == TrackKind::Rank ? rankTrack(location.rank)
                                                            : laneTrack(names.ranks, lanes++));
        if (location.kind != TrackKind::Rank || location.rank >= names.ranks) continue;
        const auto [host, isNew] = hosts.emplace(location.host, static_cast<std::uint32_t>(m_hosts.size()));
        m_hostOf[location.rank] = host->second;
        if (isNew) m_hosts.push_back(location.host);
    }
    if (m_hosts.empty()) m_hosts.emplace_back();
}

std::int64_t MpiLayout::spareBins() const
{
    constexpr std::int64_t ofAll = std::int64_t{1} << 20, fewest = 2048;
    return std::clamp(ofAll / std::max<std::int64_t>(ranks(), 1), fewest, TileBuilder::spareBins);
}

bool MpiLayout::hasHub(std::uint32_t region) const
{
    if (m_calls[region].isNonBlocking) return false;
    switch (m_calls[region].collective) {
    case CollectiveKind::Barrier:
    case CollectiveKind::NToN:
    case CollectiveKind::Lifetime: return true;
    default: return false;
    }
}

RegionId MpiLayout::communicator(std::uint32_t comm) const
{
    return RegionId{static_cast<std::uint32_t>(m_names.regions.size()) + comm};
}

RegionId MpiLayout::counter(std::uint32_t counter) const
{
    return RegionId{static_cast<std::uint32_t>(m_names.regions.size() + m_names.communicators.size()) + counter};
}

EntryId MpiLayout::between(std::uint32_t before, std::uint32_t next) const
{
    const auto number = [this](std::uint32_t region) { return region == noRegion ? 0 : m_callNumbers[region]; };
    const std::uint32_t from = number(before);
    if (from == noRegion) return EntryId{m_firstAfter + before};
    const std::uint32_t to = number(next);
    if (to == noRegion) return EntryId{m_firstBefore + next};
    if (m_callRegions.size() > mostPaired && before != noRegion) return EntryId{m_firstAfter + before};
    if (m_callRegions.size() > mostPaired && next != noRegion) return EntryId{m_firstBefore + next};
    return EntryId{m_firstPair + from * (static_cast<std::uint32_t>(m_callRegions.size()) + 1) + to};
}

QString MpiLayout::callName(std::uint32_t number) const { return m_names.regions[m_callRegions[number - 1]].name; }

bool MpiLayout::isEntry(EntryId entry) const
{
    const std::uint64_t id = index(entry), numbers = m_callRegions.size() + 1;
    return isRegion(index(entry)) || (id >= m_firstAfter && id < m_firstPair + numbers * numbers);
}

QString MpiLayout::name(EntryId entry) const
{
    const std::uint32_t id = index(entry);
    if (isRegion(id)) return m_names.regions[id].name;
    if (id < m_firstBefore) return QStringLiteral("after %1").arg(m_names.regions[id - m_firstAfter].name);
    if (id < m_firstPair) return QStringLiteral("before %1").arg(m_names.regions[id - m_firstBefore].name);
    const auto width = static_cast<std::uint32_t>(m_callRegions.size()) + 1;
    const std::uint32_t from = (id - m_firstPair) / width;
    const std::uint32_t to = (id - m_firstPair) % width;
    if (from == 0 && to == 0) return QStringLiteral("outside MPI");
    if (from == 0) return QStringLiteral("before %1").arg(callName(to));
    if (to == 0) return QStringLiteral("after %1").arg(callName(from));
    return QStringLiteral("%1 to %2").arg(callName(from), callName(to));
}

QString MpiLayout::group(EntryId entry) const
{
    return isRegion(index(entry)) ? m_names.regions[index(entry)].group : QStringLiteral("code between calls");
}

EntryKind MpiLayout::kind(EntryId entry) const
{
    if (!isRegion(index(entry)) || kind(index(entry)) == MpiRegionKind::User) return EntryKind::User;
    return EntryKind::System;
}

}  // namespace longpole
