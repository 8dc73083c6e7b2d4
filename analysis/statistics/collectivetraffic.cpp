// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes are linear in what the calls say, so calls of one kind on one communicator are added up before they are spread.
#include "analysis/statistics/collectivetraffic.h"

#include "core/store/rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

enum class Spread : std::uint8_t { FromRoot, ToRoot, Reduced, Gathered, Exchanged, Scattered, Scan, Exscan };

struct SpreadOfName {
    std::string_view part;
    Spread spread;
};
// The first that a call's name holds, in lower case and without "MPI_": "allgather" before "gather".
constexpr std::array spreads = {
    SpreadOfName{"neighbor", Spread::FromRoot},  // not counted
    SpreadOfName{"bcast", Spread::FromRoot},    SpreadOfName{"reduce_scatter", Spread::Scattered},
    SpreadOfName{"scatter", Spread::FromRoot},  SpreadOfName{"allgather", Spread::Gathered},
    SpreadOfName{"gather", Spread::ToRoot},     SpreadOfName{"allreduce", Spread::Reduced},
    SpreadOfName{"reduce", Spread::ToRoot},     SpreadOfName{"alltoall", Spread::Exchanged},
    SpreadOfName{"exscan", Spread::Exscan},     SpreadOfName{"scan", Spread::Scan},
};

std::optional<Spread> spreadOf(const QString& name)
{
    const QByteArray call = name.toLower().toUtf8();
    const std::string_view text(call.constData(), static_cast<std::size_t>(call.size()));
    for (const SpreadOfName& known : spreads) {
        if (text.find(known.part) == std::string_view::npos) continue;
        return known.part == "neighbor" ? std::nullopt : std::optional(known.spread);
    }
    return std::nullopt;
}

// Calls that are spread alike, with the bytes that each member recorded.
struct Group {
    std::int64_t comm;
    Spread spread;
    std::int64_t root;
    friend bool operator<(const Group& a, const Group& b)
    {
        return std::tie(a.comm, a.spread, a.root) < std::tie(b.comm, b.spread, b.root);
    }
};
using Members = std::map<std::uint32_t, std::int64_t>;  // bytes by rank

class CollectiveBytes {
public:
    CollectiveBytes(const TraceStore& store, const std::vector<ProcessorId>& pes)
        : m_store(store), m_isOtf2(store.info().format == otf2Format), m_pes(pes)
    {
        std::sort(m_pes.begin(), m_pes.end());
        for (const Region& region : store.regions()) {
            if (region.kind == RegionKind::MpiCall)
                if (const auto spread = spreadOf(region.name)) m_spreads.emplace(region.id, *spread);
            if (region.kind == RegionKind::Communicator) m_sizes.emplace(index(region.id), region.number);
        }
    }

    Result<> read(TimeRange range, const Progress& progress)
    {
        constexpr std::uint32_t fields = MpiRow::Begin | MpiRow::Region | MpiRow::Communicator | MpiRow::Peer
                                         | MpiRow::Bytes | MpiRow::Flags;
        for (const Track& track : m_store.tracks()) {
            if (!track.pe || m_store.chunks(ChunkKind::MpiCall, track.id).empty()) continue;
            auto calls = m_store.rows<MpiRow>(track.id, fields, {.progress = &progress});
            for (const MpiRow& call : calls) {
                const bool isInside = range.isEmpty() || range.contains(call.begin());
                const auto spread = m_spreads.find(call.region());
                if (!isInside || spread == m_spreads.end() || (call.flags() & MpiCallFlag::Collective) == 0) continue;
                std::int64_t& bytes = m_groups[{call.communicator().value_or(-1), spread->second,
                                                call.peer().value_or(-1)}][index(*track.pe)];
                bytes = saturatingAdd(bytes, call.bytes());
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
        if (group.spread == Spread::FromRoot || group.spread == Spread::ToRoot) {
            if (group.root < 0) return;
            const auto root = static_cast<std::uint32_t>(group.root);
            for (const auto& [rank, bytes] : members)
                group.spread == Spread::FromRoot ? add(root, rank, bytes) : add(rank, root, bytes);
            return;
        }
        const bool isUpwards = group.spread == Spread::Scan || group.spread == Spread::Exscan;
        for (const auto& [from, bytes] : members) {
            const std::int64_t part = partOf(group, members, bytes);
            for (const auto& [to, theirs] : members)
                if (!isUpwards || from < to) add(from, to, part);
        }
    }

    // What a member sends to each other one. A recording has the bytes of one argument, an OTF2 archive those that the
    // member sent and received, as Score-P counts them.
    std::int64_t partOf(const Group& group, const Members& members, std::int64_t bytes) const
    {
        const auto size = m_sizes.find(static_cast<std::uint32_t>(group.comm));
        const std::int64_t known = size != m_sizes.end() ? size->second : 0;
        const std::int64_t n = std::max<std::int64_t>({known, static_cast<std::int64_t>(members.size()), 1});
        switch (group.spread) {
        case Spread::Reduced: return m_isOtf2 ? bytes / 2 : bytes;
        case Spread::Exchanged: return bytes / (m_isOtf2 ? 2 * n : n);
        case Spread::Scattered: return bytes / (m_isOtf2 ? n + 1 : n);
        case Spread::Scan: return m_isOtf2 ? bytes / n : bytes;
        case Spread::Exscan: return m_isOtf2 ? bytes / std::max<std::int64_t>(n - 1, 1) : bytes;
        case Spread::Gathered: break;
        case Spread::FromRoot:
        case Spread::ToRoot: return bytes;
        }
        if (!m_isOtf2) return bytes / n;
        // Each member recorded n times its own part and once those of all.
        std::int64_t all = 0;
        for (const auto& [rank, recorded] : members) all = saturatingAdd(all, recorded);
        return std::max<std::int64_t>(0, (bytes - all / (2 * n)) / n);
    }

    const TraceStore& m_store;
    const bool m_isOtf2;
    std::vector<ProcessorId> m_pes;
    std::map<RegionId, Spread> m_spreads;
    std::map<std::uint32_t, std::int64_t> m_sizes;  // of communicators
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
