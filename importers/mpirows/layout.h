// SPDX-License-Identifier: GPL-3.0-or-later
// How the things of an MPI run are numbered in its trace: tracks, regions, and entry methods, which are regions and the
// code between calls.
#pragma once

#include "core/trace/trace.h"
#include "core/trace/trackids.h"
#include "importers/mpi/callkind.h"
#include "importers/mpi/source.h"
#include "importers/mpi/waits.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// Whether a trace's bins are made, too: tiles and entry bins, from which it is drawn.
enum class MpiBins : std::uint8_t { Made, LeftOut };

// Region and entry method r is region r of the run; communicators and counters follow as regions, then the entry
// methods of code outside of all regions. All ids depend on the names alone, so that locations can be read at once.
class MpiLayout {
public:
    explicit MpiLayout(const MpiRunNames& names, MpiBins bins = MpiBins::Made);

    const MpiRunNames& names() const { return m_names; }
    std::uint32_t ranks() const { return m_names.ranks; }
    bool hasBins() const { return m_bins == MpiBins::Made; }
    // Bins that a rank's tiles may have to spare while they grow: those of all ranks together stay near a million.
    std::int64_t spareBins() const;
    bool isRegion(std::uint32_t region) const { return region < m_names.regions.size(); }
    MpiRegionKind kind(std::uint32_t region) const { return m_names.regions[region].kind; }
    MpiCallKind call(std::uint32_t region) const { return m_calls[region]; }
    std::span<const MpiCompletion> completions() const { return m_completions; }  // by region
    // Whether every member of such a call waits in it for all. Then the call has a hub: a task without length at its
    // begin. What only begins there goes on before the others have come.
    bool hasHub(std::uint32_t region) const;

    // Whether the run has regions in which threads wait for devices.
    bool hasDeviceSyncs() const { return m_hasDeviceSyncs; }

    bool isOfAllRanks(std::uint32_t comm) const { return comm < m_isOfAllRanks.size() && m_isOfAllRanks[comm]; }

    RegionId communicator(std::uint32_t comm) const;
    RegionId counter(std::uint32_t counter) const;

    // The entry method of code outside of all regions, by the call or region before and behind it (noRegion: none).
    // Between two calls it is the pair; else the region that is left, or the one that is entered, names it.
    EntryId between(std::uint32_t before, std::uint32_t next) const;
    bool isEntry(EntryId entry) const;
    bool isOwnWork(std::uint32_t region) const { return m_names.regions[region].isOwnWork; }
    QString name(EntryId entry) const;
    QString group(EntryId entry) const;
    EntryKind kind(EntryId entry) const;

    TrackId track(std::size_t location) const { return m_tracks[location]; }
    TrackId rankTrack(std::uint32_t rank) const { return processorTrack(rank); }
    // Hosts in the order of the locations. A run that names none has one without a name.
    const std::vector<QString>& hosts() const { return m_hosts; }
    std::uint32_t hostOf(std::uint32_t rank) const { return m_hostOf[rank]; }

private:
    QString callName(std::uint32_t number) const;

    const MpiRunNames& m_names;
    const MpiBins m_bins;
    std::vector<MpiCallKind> m_calls;          // by region
    std::vector<MpiCompletion> m_completions;  // by region
    std::vector<std::uint32_t> m_callNumbers;  // by region: its number among the calls; noRegion: it is none
    std::vector<std::uint32_t> m_callRegions;  // by that number
    std::vector<TrackId> m_tracks;             // by location
    std::vector<QString> m_hosts;
    std::vector<std::uint32_t> m_hostOf;  // by rank
    std::vector<bool> m_isOfAllRanks;     // by communicator
    bool m_hasDeviceSyncs = false;
    std::uint32_t m_firstAfter = 0;   // entry methods "after" a region, by region
    std::uint32_t m_firstBefore = 0;  // "before" one
    std::uint32_t m_firstPair = 0;    // by number of the call before, then of the one behind; 0: none
};

}  // namespace longpole
