// SPDX-License-Identifier: GPL-3.0-or-later
// Every part of a collective call goes to the process that owns the call, which puts its members' parts together; each
// process that hosts members hears what it is, where its own stand, and those members that they depend on
// (docs/algorithms.md 1.2).
#include "core/base/release.h"
#include "distributed/matching/passes.h"
#include "importers/mpi/channels.h"
#include "importers/mpi/collectives.h"
#include "importers/mpi/epochs.h"
#include "importers/mpi/waits.h"

#include <algorithm>
#include <map>
#include <numeric>
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

std::vector<std::vector<GivenPart>> partsOf(const Transport& transport, const HostedRanks& hosted, MatchingLogs& logs)
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
            for (std::uint32_t i = 0; position && i < rows.size(); ++i) {
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
std::vector<GivenPart> inOrder(std::vector<GivenPart>&& parts)
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
    for (const GivenPart& part : parts) ordered[next[groupOf(part).firstCall + part.number]++] = part;
    std::size_t first = 0;
    for (std::size_t call = 0; call < calls; ++call) {
        const auto begin = ordered.begin() + static_cast<std::ptrdiff_t>(std::exchange(first, next[call]));
        const auto end = ordered.begin() + static_cast<std::ptrdiff_t>(first);
        if (!std::is_sorted(begin, end, comesBefore)) std::sort(begin, end, comesBefore);
    }
    return ordered;
}

// All parts that came, those of a call together and by position.
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
    return inOrder(std::move(all));
}

// How often something was found, and where first.
struct FirstPlace {
    std::int64_t count = 0;
    CollectiveKey key;
    QString text;

    void add(const CollectiveKey& where) { key = count++ == 0 ? where : key; }
    void add(const FirstPlace& other)
    {
        if (other.count > 0 && (count == 0 || other.key < key)) {
            key = other.key;
            text = other.text;
        }
        count += other.count;
    }
    void put(Packer& packer) const
    {
        packer.put(count);
        packer.put(key);
        packer.put(text);
    }
    static FirstPlace from(Unpacker& unpacker)
    {
        FirstPlace place;
        place.count = unpacker.value<std::int64_t>();
        place.key = unpacker.value<CollectiveKey>();
        place.text = unpacker.text();
        return place;
    }
};

// The calls that this process owns.
class Owned {
public:
    Owned(const HostedRanks& hosted, std::vector<GivenPart>&& parts) : m_hosted(hosted), m_parts(std::move(parts))
    {
        const auto keyOf = [this](std::size_t part) -> const CollectiveKey& { return m_parts[part]; };
        std::size_t calls = 0;
        for (std::size_t i = 0; i < m_parts.size(); ++i)
            if (i == 0 || keyOf(i - 1) != keyOf(i)) ++calls;
        m_first.reserve(calls);
        m_collectives.reserve(calls);
        for (std::size_t first = 0; first < m_parts.size();) {
            std::size_t last = first + 1;
            while (last < m_parts.size() && keyOf(last) == keyOf(first)) ++last;
            fill(first, last);
            first = last;
        }
    }

    const std::vector<OwnedCollective>& collectives() const { return m_collectives; }
    std::vector<OwnedCollective>& collectives() { return m_collectives; }
    std::vector<OwnedCollective>&& take() { return std::move(m_collectives); }
    void forgetParts() { release(m_parts); }  // large, and told
    const FirstPlace& mismatched() const { return m_mismatched; }
    const FirstPlace& incomplete() const { return m_incomplete; }
    std::span<const GivenPart> partsOf(std::size_t i) const
    {
        return std::span(m_parts).subspan(m_first[i], m_collectives[i].instance.memberCount);
    }
    MemberPairs pairsOf(std::size_t i) const
    {
        const MpiInstance& instance = m_collectives[i].instance;
        return memberPairs(instance, partsOf(i)[instance.latest].hub != noPiece,
                           m_hosted.names.communicators[instance.comm].sources);
    }

private:
    std::size_t membersOf(std::uint32_t comm)
    {
        const MpiCommunicator& communicator = m_hosted.names.communicators[comm];
        if (communicator.isSelf) return 1;
        const auto [known, isNew] = m_sizes.try_emplace(comm);
        if (isNew) known->second = existingOnce(communicator.members, m_hosted.hosting.ranks()).size();
        return known->second;
    }

    void fill(std::size_t first, std::size_t last)
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

    const HostedRanks& m_hosted;
    std::vector<GivenPart> m_parts;
    std::vector<std::size_t> m_first;  // by collective: its first part
    std::vector<OwnedCollective> m_collectives;
    std::map<std::uint32_t, std::size_t> m_sizes;  // of communicators
    FirstPlace m_mismatched, m_incomplete;
};

void gatherLogs(Transport& transport, const Owned& owned, MatchingLogs& logs)
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

// The numbers that calls have in the run: process 0 puts them all in order. Sets how closely members are looked at.
std::vector<std::uint32_t> numbersOf(Transport& transport, const HostedRanks& hosted, Owned& owned)
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

// What one process is told.
struct Shown {
    std::vector<FoundCollective> found;
    std::vector<ShownMember> members;
    std::vector<PlacedPart> parts;
};

class Teller {
public:
    Teller(const HostedRanks& hosted, int processes, std::size_t ranksWithCalls)
        : m_hosted(hosted), m_ranksWithCalls(ranksWithCalls), m_shown(static_cast<std::size_t>(processes))
    {
    }

    void tell(const OwnedCollective& owned, std::uint32_t place, std::uint32_t number, std::span<const GivenPart> parts)
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

    std::vector<Payload> take()
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

private:
    static ShownMember memberAt(std::span<const GivenPart> parts, std::uint32_t position)
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

    // The positions of the members that waits and edges of a process' own ones look at (importers/mpi/waits.cpp,
    // edges.cpp), in order.
    std::vector<std::uint32_t> wantedBy(int process, const MpiInstance& instance, std::span<const GivenPart> parts,
                                        const std::vector<std::uint32_t>& own, const std::vector<std::uint32_t>& upTo)
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

    const HostedRanks& m_hosted;
    std::size_t m_ranksWithCalls;
    std::vector<Shown> m_shown;
    std::vector<bool> m_isWanted;  // by position; of the call that is looked at
};

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
        ExchangedPartners::Collective& collective = partners.collectives.emplace_back();
        collective.instance = one;
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
            if (!hosted.hosting.hosts(process, part.rank) || part.row >= partners.of(part.rank).parts.size())
                return false;
            partners.of(part.rank).parts[part.row] = {place, part.position, part.latestUpTo};
        }
    }
    return true;
}

}  // namespace

std::vector<OwnedCollective> matchParts(Transport& transport, const HostedRanks& hosted, ExchangedPartners& partners,
                                        MatchingLogs& logs)
{
    Owned owned(hosted, takeParts(transport, hosted, logs));
    gatherLogs(transport, owned, logs);
    const std::vector<std::uint32_t> numbers = numbersOf(transport, hosted, owned);
    const auto hasCalls = [](const MpiRank& rank) { return !rank.calls.empty(); };
    const auto ranksWithCalls = reduceOne(transport,
                                          static_cast<std::uint64_t>(std::count_if(hosted.ranks.begin(),
                                                                                   hosted.ranks.end(), hasCalls)),
                                          [](std::uint64_t& into, const std::uint64_t& from) { into += from; });
    Teller teller(hosted, transport.processes(), static_cast<std::size_t>(ranksWithCalls));
    for (std::uint32_t i = 0; i < numbers.size(); ++i)
        teller.tell(owned.collectives()[i], i, numbers[i], owned.partsOf(i));
    owned.forgetParts();
    transport.exchange(MatchingPass::ShowCollectives, teller.take(), [&](int from, Payload bytes) {
        if (!noteCollectives(hosted, transport.process(), from, std::move(bytes), partners)) refuse(transport, from);
    });
    return owned.take();
}

}  // namespace longpole
