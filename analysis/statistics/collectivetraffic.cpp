// SPDX-License-Identifier: GPL-3.0-or-later
// What a member sends is spread over those that it sends to. That is linear in the bytes, so calls on one communicator
// with the same root are added up before.
#include "analysis/statistics/collectivetraffic.h"

#include "analysis/base/filebytes.h"
#include "core/base/limits.h"
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
struct Member {
    std::uint32_t rank = 0;
    Moved moved{};
};
using Members = std::vector<Member>;  // by rank

// What of `left` goes to one who has `share` of `all`.
std::int64_t partOf(std::int64_t left, std::int64_t share, std::int64_t all)
{
    std::int64_t product = 0;  // nearly always fits in 64 bits, which are divided much faster
    if (!__builtin_mul_overflow(left, share, &product)) return product / all;
    return static_cast<std::int64_t>(Wide(left) * share / all);
}

class CollectiveBytes {
public:
    CollectiveBytes(const TraceStore& store, const CommRequest& request)
        : m_store(store), m_pes(request.pes), m_byNode(request.by == CommBy::Node)
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
                Members& members = m_groups[{call.communicator().value_or(-1), call.peer().value_or(-1),
                                             m_scans.contains(call.region())}];
                if (members.empty() || members.back().rank != index(*track.pe)) members.push_back({index(*track.pe)});
                Moved& moved = members.back().moved;
                moved.sent = saturatingAdd(moved.sent, call.sent());
                moved.received = saturatingAdd(moved.received, saturatingSubtract(call.bytes(), call.sent()));
            }
            if (const Result<> done = calls.result(); !done) return done;
        }
        for (auto& [group, members] : m_groups) addUp(members);
        return Unit{};
    }

    // Nothing if there are too many.
    Result<std::optional<std::vector<CommCell>>> cells(const Progress& progress)
    {
        const std::vector<Sender> senders = findSenders();
        if (senders.empty() && !m_groups.empty()) return std::optional<std::vector<CommCell>>();
        for (auto first = senders.begin(); first != senders.end();) {
            const std::uint32_t from = first->rank;
            for (; first != senders.end() && first->rank == from; ++first) {
                if (progress.isCancelled()) return cancelledError();
                if (isChosen(from)) spread(*first);
            }
            addPairs(from);
            if (std::int64_t(m_cells.size() + m_nodes.size()) > limits::collectivePairs.of(fileBytes(m_store)))
                return std::optional<std::vector<CommCell>>();
        }
        for (const auto& [ends, bytes] : m_nodes)
            m_cells.push_back({.from = ends.first, .to = ends.second, .bytes = bytes});
        return std::optional(std::move(m_cells));
    }

private:
    // Who sends something in the calls of a group: a member to the root or to all, or the root.
    struct Sender {
        std::uint32_t rank = 0;
        const Group* group = nullptr;
        const Members* members = nullptr;
        Members::const_iterator own{};  // end: it is the root
    };

    // One row for each rank, whose calls may lie on tracks of several threads.
    static void addUp(Members& members)
    {
        std::stable_sort(members.begin(), members.end(),
                         [](const Member& a, const Member& b) { return a.rank < b.rank; });
        Members sums;
        for (const Member& member : members) {
            if (sums.empty() || sums.back().rank != member.rank) {
                sums.push_back(member);
                continue;
            }
            Moved& sum = sums.back().moved;
            sum = {saturatingAdd(sum.sent, member.moved.sent), saturatingAdd(sum.received, member.moved.received)};
        }
        members = std::move(sums);
    }

    // By rank; none if what they send has too many parts.
    std::vector<Sender> findSenders() const
    {
        std::vector<Sender> senders;
        std::int64_t parts = 0;
        for (const auto& [group, members] : m_groups) {
            const auto size = std::int64_t(members.size());
            parts += group.root >= 0 ? 2 * size : size * size;
            if (parts > limits::collectiveParts.of(fileBytes(m_store))) return {};
            const auto root = static_cast<std::uint32_t>(group.root);
            if (group.root >= 0) senders.push_back({root, &group, &members, members.end()});
            for (auto own = members.begin(); own != members.end(); ++own)
                if (group.root < 0 || own->rank != root) senders.push_back({own->rank, &group, &members, own});
        }
        std::stable_sort(senders.begin(), senders.end(),
                         [](const Sender& a, const Sender& b) { return a.rank < b.rank; });
        return senders;
    }

    bool isChosen(std::uint32_t rank) const
    {
        return m_pes.empty() || std::binary_search(m_pes.begin(), m_pes.end(), ProcessorId{rank});
    }

    void spread(const Sender& sender)
    {
        if (sender.group->root < 0) return evenly(sender);
        const auto root = static_cast<std::uint32_t>(sender.group->root);
        if (sender.own != sender.members->end()) return add(sender.rank, root, sender.own->moved.sent);
        for (const Member& member : *sender.members) add(root, member.rank, member.moved.received);
    }
    void add(std::uint32_t from, std::uint32_t to, std::int64_t bytes)
    {
        if (from == to || bytes <= 0 || to >= mostIds) return;
        if (to >= m_sent.size()) m_sent.resize(to + std::size_t{1}, 0);
        if (m_sent[to] == 0) {
            if (!isChosen(to)) return;
            m_receivers.push_back(to);
        }
        m_sent[to] = saturatingAdd(m_sent[to], bytes);
    }
    // What a member sends, over the others in proportion to what they receive: they need not take part in all of these
    // calls, and with a neighbourhood's or an Alltoallv's unequal counts that is as near as what is recorded comes.
    void evenly(const Sender& sender)
    {
        const Group& group = *sender.group;
        const auto begin = group.isScan ? std::next(sender.own) : sender.members->begin();
        const auto end = sender.members->end();
        std::int64_t left = sender.own->moved.sent, all = 0;
        for (auto to = begin; to != end && left > 0; ++to)
            if (to != sender.own) all = saturatingAdd(all, weight(group, to->moved));
        for (auto to = begin; to != end && all > 0 && left > 0; ++to) {
            if (to == sender.own) continue;
            const std::int64_t share = weight(group, to->moved);
            const std::int64_t part = partOf(left, share, all);
            add(sender.rank, to->rank, part);
            left -= part;
            all -= share;
        }
    }
    // All that a rank sends.
    void addPairs(std::uint32_t from)
    {
        std::sort(m_receivers.begin(), m_receivers.end());
        for (const std::uint32_t to : m_receivers)
            m_cells.push_back({.from = from, .to = to, .bytes = std::exchange(m_sent[to], 0)});
        m_receivers.clear();
        if (!m_byNode) return;
        for (const CommCell& cell : m_cells) {
            std::int64_t& sum = m_nodes[{nodeOf(cell.from), nodeOf(cell.to)}];
            sum = saturatingAdd(sum, cell.bytes);
        }
        m_cells.clear();
    }
    std::uint32_t nodeOf(std::uint32_t rank) const
    {
        const Processor* const processor = m_store.processor(ProcessorId{rank});
        return processor != nullptr ? processor->node : 0;
    }
    static std::int64_t weight(const Group& group, const Moved& moved) { return group.isScan ? 1 : moved.received; }

    const TraceStore& m_store;
    std::vector<ProcessorId> m_pes;
    bool m_byNode;
    std::set<RegionId> m_scans;
    std::map<Group, Members> m_groups;
    std::vector<std::int64_t> m_sent;        // by rank: what the rank that is looked at has sent to it
    std::vector<std::uint32_t> m_receivers;  // those with more than 0
    std::vector<CommCell> m_cells;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> m_nodes;
};

}  // namespace

Result<std::optional<std::vector<CommCell>>> collectiveTraffic(const TraceStore& store, const CommRequest& request,
                                                               const Progress& progress)
{
    CollectiveBytes traffic(store, request);
    if (Result<> read = traffic.read(request.range, progress); !read) return read.error();
    return traffic.cells(progress);
}

}  // namespace longpole
