// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/matching/givenparts.h"

#include "importers/mpi/channels.h"
#include "importers/mpi/collectives.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace longpole {
namespace {

int ownerOf(const CollectiveKey& key, int processes)
{
    std::uint64_t mixed = (std::uint64_t{key.comm} << 32 | key.self) * 0x9e3779b97f4a7c15u + key.number;
    mixed = (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9u;
    return static_cast<int>((mixed ^ (mixed >> 32)) % static_cast<std::uint64_t>(processes));
}

// The positions of hosted ranks on the communicators.
class Positions {
public:
    Positions(const HostedRanks& hosted, int process) : m_hosted(hosted), m_process(process) {}

    // Nothing if the rank is no member.
    std::optional<std::uint32_t> of(std::uint32_t comm, std::uint32_t rank)
    {
        if (comm >= m_hosted.names.communicators.size()) return std::nullopt;
        if (m_hosted.names.communicators[comm].isSelf) return 0;
        const auto [known, isNew] = m_known.try_emplace(comm);
        if (isNew) {
            const std::vector<std::uint32_t> members = existingOnce(m_hosted.names.communicators[comm].members,
                                                                    m_hosted.hosting.ranks());
            for (std::uint32_t position = 0; position < members.size(); ++position)
                if (m_hosted.hosting.hosts(m_process, members[position]))
                    known->second.emplace(members[position], position);
        }
        const auto position = known->second.find(rank);
        return position == known->second.end() ? std::nullopt : std::optional(position->second);
    }

private:
    const HostedRanks& m_hosted;
    int m_process;
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> m_known;
};

void reportStranger(const HostedRanks& hosted, std::uint32_t number, std::span<const std::uint32_t> rows,
                    const MpiRank& rank, MatchingLogs& logs)
{
    if (rows.empty()) return;
    const MpiCollectivePart& part = rank.collectives[rows.front()];
    logs.strangers.addAt(IssueKind::MismatchedCollective,
                         strangerText(hosted.names, part.comm, memberCallOf(rank, number, part, {})),
                         static_cast<std::int64_t>(rows.size()));
}

std::vector<std::vector<GivenPart>> partsOf(Transport& transport, const HostedRanks& hosted, MatchingLogs& logs)
{
    std::vector<std::vector<GivenPart>> parts(static_cast<std::size_t>(transport.processes()));
    const std::vector<std::uint32_t> functions = mpiFunctions(hosted.names);
    const std::uint32_t first = hosted.hosting.first(transport.process());
    Positions positions(hosted, transport.process());
    for (std::size_t local = 0; local < hosted.ranks.size(); ++local) {
        const MpiRank& rank = hosted.ranks[local];
        const auto number = first + static_cast<std::uint32_t>(local);
        std::vector<std::uint32_t> strange;
        const MpiChannels calls = channelsOf(rank.collectives.size(), [&](std::size_t i) {
            return std::optional(MpiChannel{0, rank.collectives[i].comm, 0});
        });
        for (std::size_t channel = 0; channel < calls.channels.size(); ++channel) {
            const std::uint32_t comm = calls.channels[channel].comm;
            const std::span<const std::uint32_t> rows = calls.rowsOf(channel);
            const std::optional<std::uint32_t> position = positions.of(comm, number);
            if (!position) strange.insert(strange.end(), rows.begin(), rows.end());
            for (std::uint32_t i = 0; position && i < rows.size() && !transport.failed(); ++i) {
                transport.pulse();
                const MpiCollectivePart& part = rank.collectives[rows[i]];
                const MpiCall& call = rank.calls[part.call];
                GivenPart given;
                static_cast<CollectiveKey&>(given) = {comm, hosted.names.communicators[comm].isSelf ? number : 0, i};
                static_cast<MpiMemberCall&>(given) = memberCallOf(rank, number, part, functions);
                given.position = *position;
                given.row = rows[i];
                given.blocks = part.completion == part.call;
                given.sent = part.moved.sent;
                given.received = part.moved.received;
                given.piece = call.piece;
                given.hub = call.hub;
                if (local < hosted.begins.size() && call.piece != noPiece)
                    given.pieceBegin = hosted.begins[local].at(call.piece);
                parts[static_cast<std::size_t>(ownerOf(given, transport.processes()))].push_back(given);
            }
        }
        std::sort(strange.begin(), strange.end());
        reportStranger(hosted, number, strange, rank, logs);
    }
    return parts;
}

bool canBe(const GivenPart& part, const HostedRanks& hosted, int from)
{
    return part.comm < hosted.names.communicators.size() && hosted.hosting.hosts(from, part.rank)
           && part.kind <= CollectiveKind::Neighbours;
}

bool comesBefore(const GivenPart& a, const GivenPart& b)
{
    const CollectiveKey &keyA = a, &keyB = b;
    return keyA != keyB ? keyA < keyB : a.position < b.position;
}

// By call and position. Each rank counts its calls of a communicator from 0, so that places can be counted, too: parts
// are large, and moved once.
std::vector<GivenPart> inOrder(Transport& transport, std::vector<GivenPart>&& parts)
{
    struct Group {
        std::size_t parts = 0;
        std::size_t calls = 0;
        std::size_t firstCall = 0;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Group> groups;  // by communicator and its rank
    Group* group = nullptr;
    const CollectiveKey* last = nullptr;
    const auto groupOf = [&](const GivenPart& part) -> Group& {
        if (last == nullptr || last->comm != part.comm || last->self != part.self)
            group = &groups[{part.comm, part.self}];
        last = &part;
        return *group;
    };
    for (const GivenPart& part : parts) {
        Group& own = groupOf(part);
        ++own.parts;
        own.calls = std::max(own.calls, part.number + std::size_t{1});
    }
    std::size_t calls = 0;
    for (auto& [key, own] : groups) {
        if (own.calls > own.parts) {  // nobody counts so
            std::sort(parts.begin(), parts.end(), comesBefore);
            return std::move(parts);
        }
        own.firstCall = calls;
        calls += own.calls;
    }
    std::vector<std::size_t> next(calls + 1, 0);  // by call: where its next part goes
    for (const GivenPart& part : parts) ++next[groupOf(part).firstCall + part.number + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<GivenPart> ordered(parts.size());
    for (const GivenPart& part : parts) {
        transport.pulse();
        if (transport.failed()) return {};
        ordered[next[groupOf(part).firstCall + part.number]++] = part;
    }
    std::size_t first = 0;
    for (std::size_t call = 0; call < calls; ++call) {
        const auto begin = ordered.begin() + static_cast<std::ptrdiff_t>(std::exchange(first, next[call]));
        const auto end = ordered.begin() + static_cast<std::ptrdiff_t>(first);
        if (!std::is_sorted(begin, end, comesBefore)) std::sort(begin, end, comesBefore);
    }
    return ordered;
}

}  // namespace

std::vector<GivenPart> takeParts(Transport& transport, const HostedRanks& hosted, MatchingLogs& logs)
{
    std::vector<std::vector<GivenPart>> parts = partsOf(transport, hosted, logs);
    std::vector<GivenPart> all = std::move(parts[static_cast<std::size_t>(transport.process())]);  // stay here
    parts[static_cast<std::size_t>(transport.process())].clear();
    std::vector<Payload> packed;
    for (const std::vector<GivenPart>& rows : parts) {
        Packer packer;
        if (!rows.empty()) put(packer, rows);
        packed.push_back(packer.take());
    }
    transport.exchange(MatchingPass::GiveParts, std::move(packed), [&](int from, Payload bytes) {
        Unpacker unpacker(bytes);
        std::vector<GivenPart> rows;
        take(unpacker, rows);
        for (const GivenPart& row : rows)
            if (!canBe(row, hosted, from)) unpacker.refuse();
        if (!unpacker.isWhole()) return refuse(transport, from);
        all.insert(all.end(), rows.begin(), rows.end());
    });
    return inOrder(transport, std::move(all));
}

}  // namespace longpole
