// SPDX-License-Identifier: GPL-3.0-or-later
// What a member sends is spread over those that it sends to. That is linear in the bytes, so calls on one communicator
// with the same root are added up before.
#include "analysis/statistics/collectivetraffic.h"

#include "core/base/wide.h"
#include "core/store/rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

// Calls that are spread alike.
struct Group {
    std::int64_t comm;
    std::int64_t root;  // -1: all give to all
    bool isScan;        // to members of higher rank
    friend bool operator<(const Group& a, const Group& b)
    {
        return std::tie(a.comm, a.root, a.isScan) < std::tie(b.comm, b.root, b.isScan);
    }
};
struct Moved {
    std::int64_t sent = 0;
    std::int64_t received = 0;
};
using Members = std::map<std::uint32_t, Moved>;  // by rank

class CollectiveBytes {
public:
    CollectiveBytes(const TraceStore& store, std::vector<ProcessorId> pes) : m_store(store), m_pes(std::move(pes))
    {
        std::sort(m_pes.begin(), m_pes.end());
        for (const Region& region : store.regions())
            if (region.kind == RegionKind::MpiCall && region.name.contains(QLatin1String("scan"), Qt::CaseInsensitive))
                m_scans.insert(region.id);
    }

    Result<> read(TimeRange range, const Progress& progress)
    {
        constexpr std::uint32_t fields = MpiRow::Begin | MpiRow::Region | MpiRow::Communicator | MpiRow::Peer
                                         | MpiRow::Bytes | MpiRow::Sent | MpiRow::Instance | MpiRow::Flags;
        for (const Track& track : m_store.tracks()) {
            if (!track.pe || m_store.chunks(ChunkKind::MpiCall, track.id).empty()) continue;
            auto calls = m_store.rows<MpiRow>(track.id, fields, {.progress = &progress});
            for (const MpiRow& call : calls) {
                const bool isInside = range.isEmpty() || range.contains(call.begin());
                const bool isOfCall = call.instance() && (call.flags() & MpiCallFlag::Completes) == 0;
                if (!isInside || !isOfCall || call.bytes() == 0) continue;
                Moved& moved = m_groups[{call.communicator().value_or(-1), call.peer().value_or(-1),
                                         m_scans.contains(call.region())}][index(*track.pe)];
                moved.sent = saturatingAdd(moved.sent, call.sent());
                moved.received = saturatingAdd(moved.received, call.bytes() - call.sent());
            }
            if (const Result<> done = calls.result(); !done) return done;
        }
        return Unit{};
    }

    std::vector<CommCell> cells()
    {
        for (const auto& [group, members] : m_groups) spread(group, members);
        std::vector<CommCell> cells;
        for (const auto& [ends, bytes] : m_pairs)
            if (bytes > 0) cells.push_back({.from = ends.first, .to = ends.second, .bytes = bytes});
        return cells;
    }

private:
    bool isChosen(std::uint32_t rank) const
    {
        return m_pes.empty() || std::binary_search(m_pes.begin(), m_pes.end(), ProcessorId{rank});
    }
    void add(std::uint32_t from, std::uint32_t to, std::int64_t bytes)
    {
        if (from == to || bytes <= 0 || !isChosen(from) || !isChosen(to)) return;
        std::int64_t& sum = m_pairs[{from, to}];
        sum = saturatingAdd(sum, bytes);
    }

    void spread(const Group& group, const Members& members)
    {
        if (group.root >= 0) {
            const auto root = static_cast<std::uint32_t>(group.root);
            for (const auto& [rank, moved] : members) {
                if (rank == root) continue;
                add(root, rank, moved.received);
                add(rank, root, moved.sent);
            }
            return;
        }
        for (auto from = members.begin(); from != members.end(); ++from) evenly(group, members, from);
    }
    // What a member sends, over the others in proportion to what they receive: they need not take part in all of these
    // calls, and with a neighbourhood's or an Alltoallv's unequal counts that is as near as what is recorded comes.
    void evenly(const Group& group, const Members& members, Members::const_iterator from)
    {
        const auto begin = group.isScan ? std::next(from) : members.begin();
        std::int64_t all = 0;
        for (auto to = begin; to != members.end(); ++to)
            if (to != from) all = saturatingAdd(all, weight(group, to->second));
        std::int64_t left = from->second.sent;
        for (auto to = begin; to != members.end() && all > 0; ++to) {
            if (to == from) continue;
            const std::int64_t share = weight(group, to->second);
            const auto part = static_cast<std::int64_t>(Wide(left) * share / all);
            add(from->first, to->first, part);
            left -= part;
            all -= share;
        }
    }
    static std::int64_t weight(const Group& group, const Moved& moved) { return group.isScan ? 1 : moved.received; }

    const TraceStore& m_store;
    std::vector<ProcessorId> m_pes;
    std::set<RegionId> m_scans;
    std::map<Group, Members> m_groups;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> m_pairs;
};

}  // namespace

Result<std::vector<CommCell>> collectiveTraffic(const TraceStore& store, TimeRange range,
                                                const std::vector<ProcessorId>& pes, const Progress& progress)
{
    CollectiveBytes traffic(store, pes);
    if (Result<> read = traffic.read(range, progress); !read) return read.error();
    return traffic.cells();
}

}  // namespace longpole
