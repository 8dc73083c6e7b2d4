// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/matching/ownedcalls.h"

#include "importers/mpi/epochs.h"
#include "importers/mpi/waits.h"

#include <algorithm>

namespace longpole {

OwnedCalls::OwnedCalls(Transport& transport, const HostedRanks& hosted, std::vector<GivenPart>&& parts)
    : m_hosted(hosted), m_parts(std::move(parts))
{
    const auto keyOf = [this](std::size_t part) -> const CollectiveKey& { return m_parts[part]; };
    std::size_t calls = 0;
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        if (i == 0 || keyOf(i - 1) != keyOf(i)) ++calls;
    m_first.reserve(calls);
    m_collectives.reserve(calls);
    for (std::size_t first = 0; first < m_parts.size() && !transport.failed();) {
        transport.pulse();
        std::size_t last = first + 1;
        while (last < m_parts.size() && keyOf(last) == keyOf(first)) ++last;
        fill(first, last);
        first = last;
    }
}

MemberPairs OwnedCalls::pairsOf(std::size_t i) const
{
    const MpiInstance& instance = m_collectives[i].instance;
    return memberPairs(instance, partsOf(i)[instance.latest].hub != noPiece,
                       m_hosted.names.communicators[instance.comm].sources);
}

std::size_t OwnedCalls::membersOf(std::uint32_t comm)
{
    const MpiCommunicator& communicator = m_hosted.names.communicators[comm];
    if (communicator.isSelf) return 1;
    const auto [known, isNew] = m_sizes.try_emplace(comm);
    if (isNew) known->second = existingOnce(communicator.members, m_hosted.hosting.ranks()).size();
    return known->second;
}

void OwnedCalls::fill(std::size_t first, std::size_t last)
{
    const std::vector<MpiMemberCall> members(m_parts.begin() + static_cast<std::ptrdiff_t>(first),
                                             m_parts.begin() + static_cast<std::ptrdiff_t>(last));
    OwnedCollective owned;
    static_cast<CollectiveKey&>(owned) = m_parts[first];
    owned.instance.comm = owned.comm;
    owned.blocks = m_parts[first].blocks;
    const std::size_t all = membersOf(owned.comm);
    if (!fillInstance(members, all, owned.instance)) {
        m_mismatched.add(owned);
        if (m_mismatched.count == 1)
            m_mismatched.text = mismatchText(m_hosted.names, owned.comm, owned.number, members);
    }
    if (lacksMembers(owned.instance)) {
        m_incomplete.add(owned);
        if (m_incomplete.count == 1)
            m_incomplete.text = incompleteText(m_hosted.names, owned.comm, owned.number, members.size(), all);
    }
    m_first.push_back(first);
    m_collectives.push_back(owned);
}

void gatherLogs(Transport& transport, const OwnedCalls& owned, MatchingLogs& logs)
{
    Packer packer;
    owned.mismatched().put(packer);
    owned.incomplete().put(packer);
    FirstPlace mismatched, incomplete;
    for (const Payload& bytes : transport.gather(packer.take())) {
        Unpacker unpacker(bytes);
        mismatched.add(FirstPlace::from(unpacker));
        incomplete.add(FirstPlace::from(unpacker));
    }
    if (mismatched.count > 0)
        logs.collectives.addAt(IssueKind::MismatchedCollective, mismatched.text, mismatched.count);
    if (incomplete.count > 0)
        logs.collectives.addAt(IssueKind::IncompleteCollective, incomplete.text, incomplete.count);
}

std::vector<std::uint32_t> numbersOf(Transport& transport, const HostedRanks& hosted, OwnedCalls& owned)
{
    std::int64_t calls = 0;
    for (const MpiRank& rank : hosted.ranks) calls += std::ssize(rank.calls);
    std::vector<TimedCollective> mine;
    mine.reserve(owned.collectives().size());
    for (std::size_t i = 0; i < owned.collectives().size(); ++i) {
        const OwnedCollective& one = owned.collectives()[i];
        mine.push_back({{one.comm, one.self, one.number}, owned.pairsOf(i), one.instance.latestBegin});
    }
    Packer packer;
    packer.put(calls);
    put(packer, mine);
    struct Place {
        TimedCollective collective;
        std::size_t process;
        std::size_t row;
    };
    std::vector<Place> all;
    std::vector<std::vector<NumberedCollective>> numbers(static_cast<std::size_t>(transport.processes()));
    const std::vector<Payload> gathered = transport.gather(packer.take());
    calls = 0;
    for (std::size_t process = 0; process < gathered.size(); ++process) {
        Unpacker unpacker(gathered[process]);
        std::vector<TimedCollective> rows;
        calls = saturatingAdd(calls, std::max<std::int64_t>(unpacker.value<std::int64_t>(), 0));
        take(unpacker, rows);
        if (!unpacker.isWhole()) refuse(transport, static_cast<int>(process));
        numbers[process].resize(rows.size());
        for (std::size_t row = 0; row < rows.size(); ++row) all.push_back({rows[row], process, row});
    }
    std::sort(all.begin(), all.end(), [](const Place& a, const Place& b) {
        if (a.collective.latestBegin != b.collective.latestBegin)
            return a.collective.latestBegin < b.collective.latestBegin;
        const CollectiveKey &keyA = a.collective, &keyB = b.collective;
        return keyA < keyB;
    });
    PairAllowance allowance(calls);
    for (std::size_t number = 0; number < all.size(); ++number)
        numbers[all[number].process][all[number].row] = {static_cast<std::uint32_t>(number),
                                                         allowance.next(all[number].collective)};
    std::vector<Payload> back;
    for (const std::vector<NumberedCollective>& rows : numbers) {
        Packer answer;
        if (!rows.empty()) put(answer, rows);
        back.push_back(answer.take());
    }
    std::vector<NumberedCollective> told;
    transport.exchange(MatchingPass::NumberCollectives, std::move(back), [&](int from, Payload bytes) {
        Unpacker unpacker(bytes);
        take(unpacker, told);
        if (!unpacker.isWhole() || told.size() != owned.collectives().size()) refuse(transport, from);
    });
    told.resize(owned.collectives().size());
    std::vector<std::uint32_t> result;
    for (std::size_t i = 0; i < told.size(); ++i) {
        owned.collectives()[i].instance.pairing = std::min(told[i].pairing, Pairing::Each);
        result.push_back(told[i].number);
    }
    return result;
}

}  // namespace longpole
