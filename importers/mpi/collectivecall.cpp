// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpi/collectivecall.h"

#include "core/base/limits.h"
#include "importers/mpi/waits.h"

#include <algorithm>

namespace longpole {
namespace {

// Whether members of this kind wait only for data. Without data nobody needs to wait, and MPI mostly leaves such a call
// at once; where all give to all, the members of some calls meet all the same.
bool waitsForData(CollectiveKind kind)
{
    return kind == CollectiveKind::OneToN || kind == CollectiveKind::NToOne || kind == CollectiveKind::Prefix
           || kind == CollectiveKind::NToN || kind == CollectiveKind::Neighbours;
}

// Whether `a` arrived after `b`. Of members that arrive at the same time the one with the lowest rank counts as the
// latest.
bool isLater(const MpiMemberCall& a, const MpiMemberCall& b)
{
    return a.begin > b.begin || (a.begin == b.begin && a.rank < b.rank);
}

// Adds a member to an instance; false if it calls something else than the others.
bool join(MpiInstance& instance, const MpiMemberCall& member, const MpiMemberCall* latest)
{
    const bool isRooted = member.kind == CollectiveKind::OneToN || member.kind == CollectiveKind::NToOne;
    if (latest == nullptr || isLater(member, *latest)) {
        instance.latest = instance.memberCount;
        instance.latestRank = member.rank;
        instance.latestCall = member.call;
        instance.latestBegin = member.begin;
    }
    instance.earliestEnd = std::min(instance.earliestEnd, member.end);
    instance.isComplete &= member.hasLeft;
    const bool isFirst = instance.memberCount++ == 0;
    if (isFirst) instance.kind = member.kind;
    const bool rootsDiffer = isRooted && instance.root != noRank && member.root != noRank
                             && instance.root != member.root;
    if (isRooted && instance.root == noRank) instance.root = member.root;
    return instance.kind == member.kind && !rootsDiffer;
}

}  // namespace

std::vector<std::uint32_t> mpiFunctions(const MpiRunNames& names)
{
    std::map<QString, std::uint32_t> numbers;
    std::vector<std::uint32_t> functions;
    for (const MpiRegion& region : names.regions) {
        QString name = region.name.toLower();
        if (name.startsWith(QLatin1String("pmpi_"))) name.remove(0, 1);
        while (name.endsWith(u'_')) name.chop(1);
        functions.push_back(numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second);
    }
    return functions;
}

MpiMemberCall memberCallOf(const MpiRank& rank, std::uint32_t world, const MpiCollectivePart& part,
                           const std::vector<std::uint32_t>& functions)
{
    const MpiCall& call = rank.calls[part.call];
    const bool endsThere = part.completion == part.call || part.completion == noCall;
    MpiMemberCall member;
    member.rank = world;
    member.call = part.call;
    member.region = call.region;
    if (!part.isStarted && call.region < functions.size()) member.function = functions[call.region];
    member.root = part.root;
    member.begin = call.begin;
    if (part.completion != noCall) member.end = rank.calls[part.completion].end;
    member.moved = part.moved;
    member.kind = part.kind;
    member.hasLeft = !endsThere || !call.isOpen;
    return member;
}

bool fillInstance(std::span<const MpiMemberCall> members, std::size_t all, MpiInstance& instance)
{
    bool isSame = true;
    bool movesData = false;
    for (std::uint32_t position = 0; position < members.size(); ++position) {
        const MpiMemberCall& member = members[position];
        movesData |= member.moved != MpiMoved{};
        const bool isLastGiver = member.moved.sent > 0
                                 && (instance.giverCount++ == 0 || isLater(member, members[instance.latestGiver]));
        if (isLastGiver) instance.latestGiver = position;
        isSame &= join(instance, member, position == 0 ? nullptr : &members[instance.latest]);
        isSame &= member.kind == CollectiveKind::Lifetime || member.function == members[0].function;
    }
    instance.isComplete &= instance.memberCount == all;
    if (!isSame) instance.kind = CollectiveKind::None;
    instance.isComplete &= isSame;
    const bool hasMet = instance.isComplete && instance.latestBegin <= instance.earliestEnd;
    const bool isKept = movesData || (hasMet && instance.kind == CollectiveKind::NToN);
    if (!isKept && waitsForData(instance.kind)) instance.kind = CollectiveKind::Loose;
    for (std::uint32_t position = 0; position < instance.memberCount && instance.root != noRank; ++position) {
        if (static_cast<std::int64_t>(members[position].rank) == instance.root) instance.rootMember = position;
    }
    instance.isSynchronizing = hasMet && instance.kind != CollectiveKind::Neighbours;
    return isSame;
}

std::vector<std::uint32_t> sourcePositions(const std::map<std::uint32_t, std::vector<std::uint32_t>>& sources,
                                           const MpiInstance& instance, std::uint32_t position)
{
    std::vector<std::uint32_t> positions;
    const auto own = sources.find(position);
    if (own == sources.end() || !instance.isComplete) return positions;
    for (const std::uint32_t place : own->second)
        if (place < instance.memberCount) positions.push_back(place);
    return positions;
}

MemberPairs memberPairs(const MpiInstance& instance, bool hasHub,
                        const std::map<std::uint32_t, std::vector<std::uint32_t>>& sources)
{
    const std::int64_t members = instance.memberCount;
    MemberPairs wanted;
    switch (instance.kind) {
    case CollectiveKind::Neighbours:
        if (!instance.isComplete) return wanted;
        for (const auto& [position, own] : sources) {
            wanted.sources += std::ssize(own);
            if (own.size() <= mostPairedMembers) wanted.pairs += std::ssize(own);
        }
        return wanted;
    case CollectiveKind::Prefix: wanted.pairs = members * (members - 1) / 2; break;
    case CollectiveKind::Lifetime:
        if (!instance.isSynchronizing) return wanted;
        [[fallthrough]];
    case CollectiveKind::Barrier:
    case CollectiveKind::NToN:
        if (waitsForGivers(instance)) wanted.pairs = members * instance.giverCount;
        else if (!hasHub) wanted.pairs = members * (members - 1);
        break;
    default: break;
    }
    if (instance.memberCount > mostPairedMembers) wanted.pairs = 0;
    return wanted;
}

PairAllowance::PairAllowance(std::int64_t calls)
    : m_sources(limits::neighbours.of(calls)), m_pairs(limits::memberPairs.of(calls))
{
}

Pairing PairAllowance::next(const MemberPairs& wanted)
{
    const auto take = [](std::int64_t& left, std::int64_t count) {
        if (count > 0) left = count <= left ? left - count : -1;
        return count == 0 || left >= 0;
    };
    if (!take(m_sources, wanted.sources)) return Pairing::None;
    return take(m_pairs, wanted.pairs) ? Pairing::Each : Pairing::Last;
}

QString communicatorName(const MpiRunNames& names, std::uint32_t comm)
{
    if (comm < names.communicators.size() && !names.communicators[comm].name.isEmpty())
        return names.communicators[comm].name;
    return comm == noComm ? QStringLiteral("no communicator") : QStringLiteral("communicator %1").arg(comm);
}

QString memberText(const MpiRunNames& names, const MpiMemberCall& member)
{
    const QString name = member.region < names.regions.size() ? names.regions[member.region].name
                                                              : QStringLiteral("region %1").arg(member.region);
    if (member.root == noRank) return QStringLiteral("rank %1 calls %2").arg(QString::number(member.rank), name);
    return QStringLiteral("rank %1 calls %2 with root %3")
        .arg(QString::number(member.rank), name, QString::number(member.root));
}

QString mismatchText(const MpiRunNames& names, std::uint32_t comm, std::size_t number,
                     std::span<const MpiMemberCall> members)
{
    QString first, other;
    for (const MpiMemberCall& member : members) {
        const QString text = memberText(names, member);
        if (first.isEmpty()) first = text;
        else if (text.section(u' ', 2) != first.section(u' ', 2)) other = text;
        if (!other.isEmpty()) break;
    }
    return QStringLiteral("%1, collective call %2: %3, %4")
        .arg(communicatorName(names, comm), QString::number(number), first, other);
}

QString incompleteText(const MpiRunNames& names, std::uint32_t comm, std::size_t number, std::size_t members,
                       std::size_t all)
{
    return QStringLiteral("%1, collective call %2: %3 of %4 members")
        .arg(communicatorName(names, comm), QString::number(number), QString::number(members), QString::number(all));
}

QString strangerText(const MpiRunNames& names, std::uint32_t comm, const MpiMemberCall& member)
{
    return QStringLiteral("%1 on %2, of which it is no member")
        .arg(memberText(names, member), communicatorName(names, comm));
}

std::vector<std::uint32_t> latestUpTo(std::span<const MpiMemberCall> members)
{
    std::vector<std::uint32_t> result;
    std::uint32_t latest = 0;
    for (std::uint32_t position = 0; position < members.size(); ++position) {
        if (isLater(members[position], members[latest])) latest = position;
        result.push_back(latest);
    }
    return result;
}

}  // namespace longpole
