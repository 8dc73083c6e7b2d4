// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/matching/callteller.h"

#include "core/base/release.h"
#include "importers/mpi/collectives.h"
#include "importers/mpi/epochs.h"
#include "importers/mpi/waits.h"

#include <algorithm>
#include <map>

namespace longpole {
namespace {

ShownMember memberAt(std::span<const GivenPart> parts, std::uint32_t position)
{
    const GivenPart& part = parts[position];
    ShownMember member;
    member.rank = part.rank;
    member.row = part.row;
    member.call = part.call;
    member.piece = part.piece;
    member.hub = part.hub;
    member.begin = part.begin;
    member.knownBegin = part.pieceBegin;
    member.bytes = part.sent;
    member.position = position;
    return member;
}

}  // namespace

void CallTeller::tell(const OwnedCollective& owned, std::uint32_t place, std::uint32_t number,
                      std::span<const GivenPart> parts)
{
    std::vector<std::uint32_t> upTo;
    if (owned.instance.kind == CollectiveKind::Prefix)
        upTo = latestUpTo(std::vector<MpiMemberCall>(parts.begin(), parts.end()));
    std::map<int, std::vector<std::uint32_t>> ownOf;  // by process: positions of its members
    for (std::uint32_t position = 0; position < parts.size(); ++position)
        ownOf[m_hosted.hosting.hostOf(parts[position].rank)].push_back(position);
    for (const auto& [process, own] : ownOf) {
        Shown& shown = m_shown[static_cast<std::size_t>(process)];
        FoundCollective found;
        static_cast<MpiInstance&>(found) = owned.instance;
        found.number = number;
        found.atOwner = place;
        found.isCandidate = couldBeGlobal(owned.instance, owned.blocks, m_ranksWithCalls);
        found.own = static_cast<std::uint32_t>(own.size());
        const std::vector<std::uint32_t> wanted = wantedBy(process, owned.instance, parts, own, upTo);
        found.shown = static_cast<std::uint32_t>(wanted.size());
        shown.found.push_back(found);
        for (const std::uint32_t position : wanted) shown.members.push_back(memberAt(parts, position));
        for (const std::uint32_t position : own)
            shown.parts.push_back({parts[position].rank, parts[position].row, position,
                                   upTo.empty() ? 0 : upTo[position]});
    }
}

std::vector<Payload> CallTeller::take()
{
    std::vector<Payload> packed;
    for (Shown& shown : m_shown) {
        Packer packer;
        if (!shown.found.empty()) {
            put(packer, shown.found);
            put(packer, shown.members);
            put(packer, shown.parts);
        }
        packed.push_back(packer.take());
        shown = {};
    }
    return packed;
}

std::vector<std::uint32_t> CallTeller::wantedBy(int process, const MpiInstance& instance,
                                                std::span<const GivenPart> parts, const std::vector<std::uint32_t>& own,
                                                const std::vector<std::uint32_t>& upTo)
{
    std::vector<std::uint32_t> wanted;
    if (m_isWanted.size() < parts.size()) m_isWanted.resize(parts.size());
    const auto want = [&](std::uint32_t position) {
        if (position >= parts.size() || m_isWanted[position]) return;
        m_isWanted[position] = true;
        wanted.push_back(position);
    };
    want(instance.latest);
    want(instance.rootMember);
    want(instance.latestGiver);
    const auto hosts = [&](std::uint32_t position) {
        return position < parts.size() && m_hosted.hosting.hosts(process, parts[position].rank);
    };
    const bool hasHub = parts[instance.latest].hub != noPiece;
    const bool isSmall = parts.size() <= mostPairedMembers && instance.pairing == Pairing::Each;
    const bool isPaired = instance.kind == CollectiveKind::Prefix || !hasHub || waitsForGivers(instance);
    const bool isRooted = instance.kind == CollectiveKind::NToOne && hosts(instance.rootMember);
    if ((hasHub && hosts(instance.latest)) || (isSmall && isPaired) || isRooted)
        for (std::uint32_t position = 0; position < parts.size(); ++position) want(position);
    for (const std::uint32_t position : own) {
        if (!upTo.empty()) want(upTo[position]);
        if (instance.kind != CollectiveKind::Neighbours || instance.pairing == Pairing::None) continue;
        for (const std::uint32_t source :
             sourcePositions(m_hosted.names.communicators[instance.comm].sources, instance, position))
            want(source);
    }
    for (const std::uint32_t position : wanted) m_isWanted[position] = false;
    std::sort(wanted.begin(), wanted.end());
    return wanted;
}

bool noteCollectives(const HostedRanks& hosted, int process, int from, Payload bytes, ExchangedPartners& partners)
{
    Unpacker unpacker(bytes);
    std::vector<FoundCollective> found;
    std::vector<ShownMember> members;
    std::vector<PlacedPart> parts;
    take(unpacker, found);
    take(unpacker, members);
    take(unpacker, parts);
    if (!unpacker.isWhole()) return false;
    release(bytes);
    if (partners.collectives.empty()) partners.collectives.reserve(found.size());
    std::size_t nextMember = 0;
    std::size_t nextPart = 0;
    for (const FoundCollective& one : found) {
        const auto place = static_cast<std::uint32_t>(partners.collectives.size());
        if (one.shown > members.size() - nextMember || one.own > parts.size() - nextPart) return false;
        if (one.comm >= hosted.names.communicators.size() || one.kind > CollectiveKind::Neighbours) return false;
        if (one.pairing > Pairing::Each) return false;
        if (one.memberCount > hosted.hosting.ranks()) return false;  // each rank is at most one of them
        ExchangedPartners::Collective& collective = partners.collectives.emplace_back();
        collective.instance = static_cast<const MpiInstance&>(one);
        collective.instance.firstMember = place;
        collective.number = one.number;
        collective.owner = from;
        collective.atOwner = one.atOwner;
        collective.isCandidate = one.isCandidate;
        const auto first = members.begin() + static_cast<std::ptrdiff_t>(nextMember);
        collective.members.assign(first, first + one.shown);
        nextMember += one.shown;
        for (std::uint32_t i = 0; i < one.own; ++i) {
            const PlacedPart& part = parts[nextPart++];
            if (!hosted.hosting.hosts(process, part.rank) || part.row >= partners.of(part.rank).parts.size()
                || part.position >= one.memberCount)
                return false;
            partners.of(part.rank).parts[part.row] = {place, part.position, part.latestUpTo};
        }
    }
    return true;
}

}  // namespace longpole
