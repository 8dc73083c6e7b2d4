// SPDX-License-Identifier: GPL-3.0-or-later
// The collective calls at which the whole run meets (importers/mpi/synchronization.h): what crosses each candidate is
// added up over all processes.
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "distributed/matching/passes.h"
#include "importers/mpi/epochs.h"

#include <algorithm>

namespace longpole {
namespace {

// What begins in one epoch and ends in another, as differences; those of all processes add up.
class EpochDifferences {
public:
    explicit EpochDifferences(std::size_t candidates) : m_changes(candidates + 1, 0) {}

    void add(std::uint32_t a, std::uint32_t b)
    {
        if (a == b || std::max(a, b) >= m_changes.size()) return;
        ++m_changes[std::min(a, b)];
        --m_changes[std::max(a, b)];
    }
    // By candidate: whether something is pending across it.
    std::vector<bool> isCrossed(Transport& transport)
    {
        reduceValues(transport, std::span(m_changes),
                     [](std::int64_t& into, const std::int64_t& from) { into = saturatingAdd(into, from); });
        std::vector<bool> result;
        std::int64_t pending = 0;
        for (const std::int64_t change : m_changes) {
            pending = saturatingAdd(pending, change);
            result.push_back(pending != 0);
        }
        return result;
    }

private:
    std::vector<std::int64_t> m_changes;
};

// Tells the processes that host the receivers in which epoch their messages were sent.
void crossMessages(Transport& transport, const HostedRanks& hosted, const ReceivedSends& received,
                   const ExchangedPartners& partners, const std::vector<Epochs>& epochs, EpochDifferences& differences)
{
    std::vector<std::vector<std::uint32_t>> sent(static_cast<std::size_t>(transport.processes()));
    for (std::size_t local = 0; local < hosted.ranks.size(); ++local) {
        const std::vector<MpiSend>& sends = hosted.ranks[local].sends;
        for (std::size_t row = 0; row < sends.size(); ++row)
            if (partners.ranks[local].receivers[row].isValid())
                sent[static_cast<std::size_t>(hosted.hosting.hostOf(sends[row].to))].push_back(
                    epochs[local][sends[row].call]);
    }
    std::vector<Payload> packed;
    for (const std::vector<std::uint32_t>& rows : sent) {
        Packer packer;
        if (!rows.empty()) packer.put(rows);
        packed.push_back(packer.take());
    }
    transport.exchange(MatchingPass::TellEpochs, std::move(packed), [&](int from, Payload bytes) {
        Unpacker unpacker(bytes);
        const std::vector<std::uint32_t> rows = unpacker.values<std::uint32_t>();
        const std::vector<ReceivedSend>& of = received[static_cast<std::size_t>(from)];
        if (!unpacker.isWhole() || rows.size() != of.size()) return refuse(transport, from);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t completion = hosted.ranks[of[i].rank].receives[of[i].receive].completion;
            differences.add(rows[i], epochs[of[i].rank][completion]);
        }
    });
}

// From the first epoch in which a member calls or completes each call that this process owns to the last.
std::vector<CollectiveExtent> extentsOf(Transport& transport, const HostedRanks& hosted,
                                        const std::vector<OwnedCollective>& owned, const ExchangedPartners& partners,
                                        const std::vector<Epochs>& epochs)
{
    std::vector<CollectiveExtent> local(partners.collectives.size());
    for (std::size_t rank = 0; rank < hosted.ranks.size(); ++rank) {
        for (std::size_t row = 0; row < hosted.ranks[rank].collectives.size(); ++row) {
            const std::uint32_t place = partners.ranks[rank].parts[row].instance;
            if (place == noInstance) continue;
            const MpiCollectivePart& part = hosted.ranks[rank].collectives[row];
            const std::uint32_t called = epochs[rank][part.call];
            const std::uint32_t completed = part.completion == noCall ? called : epochs[rank][part.completion];
            local[place].first = std::min({local[place].first, called, completed});
            local[place].last = std::max({local[place].last, called, completed});
        }
    }
    std::vector<std::vector<CollectiveExtent>> told(static_cast<std::size_t>(transport.processes()));
    for (std::size_t place = 0; place < local.size(); ++place) {
        local[place].atOwner = partners.collectives[place].atOwner;
        told[static_cast<std::size_t>(partners.collectives[place].owner)].push_back(local[place]);
    }
    std::vector<Payload> packed;
    for (const std::vector<CollectiveExtent>& rows : told) {
        Packer packer;
        if (!rows.empty()) put(packer, rows);
        packed.push_back(packer.take());
    }
    std::vector<CollectiveExtent> extents(owned.size());
    transport.exchange(MatchingPass::TellExtents, std::move(packed), [&](int from, Payload bytes) {
        Unpacker unpacker(bytes);
        std::vector<CollectiveExtent> rows;
        take(unpacker, rows);
        for (const CollectiveExtent& row : rows) {
            if (row.atOwner >= extents.size()) return refuse(transport, from);
            extents[row.atOwner].first = std::min(extents[row.atOwner].first, row.first);
            extents[row.atOwner].last = std::max(extents[row.atOwner].last, row.last);
        }
        if (!unpacker.isWhole()) refuse(transport, from);
    });
    return extents;
}

}  // namespace

void findGlobals(Transport& transport, const HostedRanks& hosted, const ReceivedSends& received,
                 const std::vector<OwnedCollective>& owned, ExchangedPartners& partners)
{
    const auto hasCalls = [](const MpiRank& rank) { return !rank.calls.empty(); };
    const auto add = [](std::uint64_t& into, const std::uint64_t& from) { into += from; };
    const std::uint64_t ranksWithCalls = reduceOne(
        transport, static_cast<std::uint64_t>(std::count_if(hosted.ranks.begin(), hosted.ranks.end(), hasCalls)), add);
    const auto isCandidate = [&](const OwnedCollective& one) {
        return couldBeGlobal(one.instance, one.blocks, static_cast<std::size_t>(ranksWithCalls));
    };
    const std::uint64_t candidates = reduceOne(
        transport, static_cast<std::uint64_t>(std::count_if(owned.begin(), owned.end(), isCandidate)), add);
    if (candidates == 0 || transport.failed()) return;
    // Every rank has called each of them; no recording that this could be of would be read in a year.
    constexpr std::uint64_t mostCandidates = 1 << 26;
    if (candidates > mostCandidates)
        return transport.fail({tr("The processes told each other of %1 collective calls.").arg(candidates), {}, {}});

    EpochDifferences differences(static_cast<std::size_t>(candidates));
    const auto cross = [&](std::uint32_t a, std::uint32_t b) { differences.add(a, b); };
    std::vector<Epochs> epochs;
    for (std::size_t local = 0; local < hosted.ranks.size(); ++local) {
        const std::vector<ExchangedPartners::Part>& parts = partners.ranks[local].parts;
        epochs.push_back(epochsOf(
            hosted.ranks[local],
            [&](std::size_t part) {
                return parts[part].instance != noInstance && partners.collectives[parts[part].instance].isCandidate;
            },
            cross));
        crossRequests(hosted.ranks[local], epochs.back(), cross);
    }
    crossMessages(transport, hosted, received, partners, epochs, differences);
    crossWindows(transport, hosted, partners, epochs, cross);
    const std::vector<CollectiveExtent> extents = extentsOf(transport, hosted, owned, partners, epochs);
    for (std::size_t i = 0; i < owned.size(); ++i) {
        const CollectiveKind kind = owned[i].instance.kind;
        if (kind != CollectiveKind::None && kind != CollectiveKind::Loose) cross(extents[i].first, extents[i].last);
    }
    const std::vector<bool> isCrossed = differences.isCrossed(transport);
    // By owner and place there, which is how the processes of members know a call.
    std::vector<std::uint32_t> globals;
    for (std::uint32_t i = 0; i < owned.size(); ++i)
        if (isCandidate(owned[i]) && extents[i].first < isCrossed.size() && !isCrossed[extents[i].first])
            globals.push_back(i);
    Packer packer;
    packer.put(globals);
    Packer all;
    for (const Payload& bytes : transport.gather(packer.take())) all.put(Unpacker(bytes).values<std::uint32_t>());
    const Payload told = transport.broadcast(all.take());
    Unpacker unpacker(told);
    std::vector<std::vector<std::uint32_t>> byOwner;
    while (!unpacker.isAtEnd()) byOwner.push_back(unpacker.values<std::uint32_t>());
    for (ExchangedPartners::Collective& collective : partners.collectives) {
        const auto owner = static_cast<std::size_t>(collective.owner);
        collective.instance.isGlobal = owner < byOwner.size()
                                       && std::binary_search(byOwner[owner].begin(), byOwner[owner].end(),
                                                             collective.atOwner);
    }
}

}  // namespace longpole
