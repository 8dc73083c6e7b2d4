// SPDX-License-Identifier: GPL-3.0-or-later
// Collective calls by communicator and number on it: blocks of instances are filled in parallel, then put in order.
#include "importers/mpi/collectives.h"

#include "core/base/parallel.h"
#include "importers/mpi/channels.h"
#include "importers/mpi/collectivecall.h"

#include <map>

namespace longpole {
namespace {

constexpr std::size_t blockInstances = 4096;

// The members of a communicator that made collective calls on it, with the numbers of these calls in order.
// MPI_COMM_SELF has a group for each rank.
struct Group {
    std::uint32_t comm = noComm;
    std::size_t all = 0;  // members of the communicator
    std::vector<std::uint32_t> ranks;
    std::vector<std::span<const std::uint32_t>> parts;  // by member
    // by instance: where its members begin, counted from `firstMember`; one element more
    std::vector<std::uint32_t> offsets;
    std::size_t firstInstance = 0;
    std::size_t firstMember = 0;
    std::size_t instances() const { return offsets.size() - 1; }
};

struct Block {
    const Group* group = nullptr;
    std::size_t begin = 0;  // numbers of instances on the communicator: from begin up to end
    std::size_t end = 0;
    std::vector<std::size_t> mismatched;
};

// Members of a communicator may have made different numbers of calls: an instance has only those that made its call.
void countInstances(Group& group)
{
    std::size_t most = 0;
    for (const auto parts : group.parts) most = std::max(most, parts.size());
    std::vector<std::uint32_t> ending(most + 1, 0);  // by call: how many members made no call after the one before it
    for (const auto parts : group.parts) ++ending[parts.size()];
    auto members = static_cast<std::uint32_t>(group.parts.size());
    group.offsets.assign(1, 0);
    for (std::size_t number = 0; number < most; ++number) {
        members -= ending[number];
        group.offsets.push_back(group.offsets.back() + members);
    }
}

// The ranks that call on each communicator of one rank each: there may be as many of these as ranks.
std::map<std::uint32_t, std::vector<std::uint32_t>> callersOfSelf(const MpiRunNames& names,
                                                                  const std::vector<MpiChannels>& calls)
{
    std::map<std::uint32_t, std::vector<std::uint32_t>> callers;
    for (std::uint32_t rank = 0; rank < calls.size(); ++rank) {
        for (const MpiChannel& channel : calls[rank].channels) {
            if (channel.comm < names.communicators.size() && names.communicators[channel.comm].isSelf)
                callers[channel.comm].push_back(rank);
        }
    }
    return callers;
}

std::vector<Group> groupsOf(const MpiRunNames& names, const std::vector<MpiChannels>& calls)
{
    auto callers = callersOfSelf(names, calls);
    std::vector<Group> groups;
    const auto add = [&](std::uint32_t comm, const std::vector<std::uint32_t>& ranks) {
        Group group;
        group.comm = comm;
        group.all = ranks.size();
        for (const std::uint32_t rank : ranks) {
            const std::span<const std::uint32_t> parts = calls[rank].rowsOf(MpiChannel{0, comm, 0});
            if (parts.empty()) continue;
            group.ranks.push_back(rank);
            group.parts.push_back(parts);
        }
        countInstances(group);
        if (!groups.empty()) {
            group.firstInstance = groups.back().firstInstance + groups.back().instances();
            group.firstMember = groups.back().firstMember + groups.back().offsets.back();
        }
        if (group.instances() > 0) groups.push_back(std::move(group));
    };
    for (std::uint32_t comm = 0; comm < names.communicators.size(); ++comm) {
        const MpiCommunicator& communicator = names.communicators[comm];
        if (communicator.isSelf) {
            for (const std::uint32_t rank : callers[comm]) add(comm, {rank});
        } else {
            add(comm, existingOnce(communicator.members, calls.size()));
        }
    }
    return groups;
}

class Filler {
public:
    Filler(std::span<const MpiRank> ranks, const std::vector<std::uint32_t>& functions, MpiMatches& matches)
        : m_ranks(ranks), m_functions(functions), m_matches(matches)
    {
    }

    void fill(Block& block) const
    {
        std::vector<MpiMemberCall> calls;
        for (std::size_t number = block.begin; number < block.end; ++number) {
            const Group& group = *block.group;
            MpiInstance& instance = m_matches.instances[group.firstInstance + number];
            instance.comm = group.comm;
            instance.firstMember = static_cast<std::uint32_t>(group.firstMember + group.offsets[number]);
            callsOf(group, number, calls, std::span(m_matches.members).subspan(instance.firstMember));
            if (!fillInstance(calls, group.all, instance)) block.mismatched.push_back(number);
        }
    }

    // Collects the members' parts of one instance, and where they are.
    void callsOf(const Group& group, std::size_t number, std::vector<MpiMemberCall>& calls,
                 std::span<MpiPlace> places) const
    {
        calls.clear();
        for (std::size_t i = 0; i < group.ranks.size(); ++i) {
            if (group.parts[i].size() <= number) continue;
            const std::uint32_t row = group.parts[i][number];
            const MpiRank& rank = m_ranks[group.ranks[i]];
            if (!places.empty()) places[calls.size()] = {group.ranks[i], row};
            calls.push_back(memberCallOf(rank, group.ranks[i], rank.collectives[row], m_functions));
        }
    }

private:
    std::span<const MpiRank> m_ranks;
    const std::vector<std::uint32_t>& m_functions;
    MpiMatches& m_matches;
};

void reportMismatches(const Filler& filler, const MpiRunNames& names, const MpiBefore& before,
                      const std::vector<Block>& blocks, ImportLog& log)
{
    std::vector<MpiMemberCall> calls;
    for (const Block& block : blocks) {
        if (block.mismatched.empty()) continue;
        const std::size_t first = block.mismatched.front();
        filler.callsOf(*block.group, first, calls, {});
        const std::uint32_t comm = block.group->comm;
        log.addAt(IssueKind::MismatchedCollective, mismatchText(names, comm, before.collectivesOf(comm) + first, calls),
                  static_cast<std::int64_t>(block.mismatched.size()));
    }
}

void reportIncomplete(const MpiRunNames& names, const MpiBefore& before, const std::vector<Group>& groups,
                      const std::vector<MpiInstance>& instances, ImportLog& log)
{
    for (const Group& group : groups) {
        std::size_t first = 0;
        std::int64_t count = 0;
        for (std::size_t number = 0; number < group.instances(); ++number) {
            if (!lacksMembers(instances[group.firstInstance + number])) continue;
            if (count++ == 0) first = number;
        }
        if (count == 0) continue;
        const MpiInstance& instance = instances[group.firstInstance + first];
        log.addAt(IssueKind::IncompleteCollective,
                  incompleteText(names, group.comm, before.collectivesOf(group.comm) + first, instance.memberCount,
                                 group.all),
                  count);
    }
}

std::vector<Block> blocksOf(const std::vector<Group>& groups)
{
    std::vector<Block> blocks;
    for (const Group& group : groups) {
        for (std::size_t begin = 0; begin < group.instances(); begin += blockInstances)
            blocks.push_back({&group, begin, std::min(group.instances(), begin + blockInstances), {}});
    }
    return blocks;
}

void sortByTime(std::vector<MpiInstance>& instances)
{
    const auto isBefore = [](const MpiInstance& a, const MpiInstance& b) { return a.latestBegin < b.latestBegin; };
    if (!std::is_sorted(instances.begin(), instances.end(), isBefore))
        std::stable_sort(instances.begin(), instances.end(), isBefore);
}

void allowPairs(std::span<const MpiRank> ranks, const MpiBefore& before, MpiMatches& matches)
{
    static const std::map<std::uint32_t, std::vector<std::uint32_t>> none;
    std::int64_t calls = before.calls;
    for (const MpiRank& rank : ranks) calls += std::ssize(rank.calls);
    PairAllowance allowance(calls);
    allowance.next({before.sources, before.pairs});
    for (MpiInstance& instance : matches.instances) {
        const bool hasHub = ranks[instance.latestRank].calls[instance.latestCall].hub != noPiece;
        const auto known = matches.sources.find(instance.comm);
        instance.pairing = allowance.next(memberPairs(instance, hasHub,
                                                      known == matches.sources.end() ? none : known->second));
    }
}

void findLatestUpTo(const MpiInstance& instance, std::span<const MpiRank> ranks, MpiMatches& matches)
{
    std::vector<MpiMemberCall> calls;
    for (std::uint32_t row = instance.firstMember; row < instance.firstMember + instance.memberCount; ++row) {
        const MpiPlace& place = matches.members[row];
        const MpiRank& rank = ranks[place.rank];
        calls.push_back(memberCallOf(rank, place.rank, rank.collectives[place.index], {}));
    }
    const std::vector<std::uint32_t> latest = latestUpTo(calls);
    for (std::uint32_t position = 0; position < latest.size(); ++position)
        matches.latestUpTo[instance.firstMember + position] = instance.firstMember + latest[position];
}

// Sets instanceOf and memberOf, which lead from a rank's part to its instance.
void link(std::span<const MpiRank> ranks, unsigned threads, MpiMatches& matches)
{
    const auto isPrefix = [](const MpiInstance& instance) { return instance.kind == CollectiveKind::Prefix; };
    if (std::any_of(matches.instances.begin(), matches.instances.end(), isPrefix))
        matches.latestUpTo.resize(matches.members.size());
    const std::size_t blocks = (matches.instances.size() + blockInstances - 1) / blockInstances;
    parallelFor(
        blocks,
        [&](std::size_t block) {
            const std::size_t end = std::min(matches.instances.size(), (block + 1) * blockInstances);
            for (std::size_t number = block * blockInstances; number < end; ++number) {
                const MpiInstance& instance = matches.instances[number];
                for (std::uint32_t row = 0; row < instance.memberCount; ++row) {
                    const MpiPlace& place = matches.members[instance.firstMember + row];
                    matches.instanceOf[place.rank][place.index] = static_cast<std::uint32_t>(number);
                    matches.memberOf[place.rank][place.index] = instance.firstMember + row;
                }
                if (isPrefix(instance)) findLatestUpTo(instance, ranks, matches);
            }
        },
        threads);
}

// Counts calls on communicators of which the caller is no member.
void reportStrangers(std::span<const MpiRank> ranks, const MpiRunNames& names, const MpiMatches& matches,
                     ImportLog& log)
{
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
        const std::vector<std::uint32_t>& instanceOf = matches.instanceOf[rank];
        const auto first = std::find(instanceOf.begin(), instanceOf.end(), noInstance);
        if (first == instanceOf.end()) continue;
        const MpiCollectivePart& part = ranks[rank].collectives[static_cast<std::size_t>(first - instanceOf.begin())];
        log.addAt(IssueKind::MismatchedCollective,
                  strangerText(names, part.comm, memberCallOf(ranks[rank], rank, part, {})),
                  std::count(first, instanceOf.end(), noInstance));
    }
}

}  // namespace

std::vector<std::uint32_t> existingOnce(const std::vector<std::uint32_t>& members, std::size_t ranks)
{
    std::vector<std::uint32_t> kept;
    std::vector<bool> isKnown(ranks, false);
    for (const std::uint32_t rank : members) {
        if (rank >= ranks || isKnown[rank]) continue;
        isKnown[rank] = true;
        kept.push_back(rank);
    }
    return kept;
}

std::vector<std::uint32_t> MpiMatches::sourceRows(const MpiInstance& instance, std::uint32_t row) const
{
    const auto known = sources.find(instance.comm);
    if (known == sources.end()) return {};
    std::vector<std::uint32_t> rows = sourcePositions(known->second, instance, row - instance.firstMember);
    for (std::uint32_t& position : rows) position += instance.firstMember;
    return rows;
}

void matchCollectives(std::span<const MpiRank> ranks, const MpiRunNames& names, const MpiBefore& before,
                      unsigned threads, MpiMatches& matches, ImportLog& log, const Progress& progress)
{
    std::vector<MpiChannels> calls(ranks.size());
    matches.instanceOf.resize(ranks.size());
    matches.memberOf.resize(ranks.size());
    parallelFor(
        ranks.size(),
        [&](std::size_t rank) {
            const std::vector<MpiCollectivePart>& parts = ranks[rank].collectives;
            matches.instanceOf[rank].assign(parts.size(), noInstance);
            matches.memberOf[rank].assign(parts.size(), 0);
            calls[rank] = channelsOf(parts.size(), [&](std::size_t i) {
                return std::optional(MpiChannel{0, parts[i].comm, 0});
            });
        },
        threads);
    for (std::uint32_t comm = 0; comm < names.communicators.size(); ++comm)
        if (!names.communicators[comm].sources.empty()) matches.sources[comm] = names.communicators[comm].sources;
    const std::vector<Group> groups = groupsOf(names, calls);
    if (!groups.empty()) {
        matches.instances.resize(groups.back().firstInstance + groups.back().instances());
        matches.members.resize(groups.back().firstMember + groups.back().offsets.back());
    }
    std::vector<Block> blocks = blocksOf(groups);
    const std::vector<std::uint32_t> functions = mpiFunctions(names);
    const Filler filler(ranks, functions, matches);
    parallelFor(
        blocks.size(),
        [&](std::size_t i) {
            if (!progress.isCancelled()) filler.fill(blocks[i]);
        },
        threads);
    if (progress.isCancelled()) return;
    reportMismatches(filler, names, before, blocks, log);
    reportIncomplete(names, before, groups, matches.instances, log);
    sortByTime(matches.instances);
    allowPairs(ranks, before, matches);
    link(ranks, threads, matches);
    reportStrangers(ranks, names, matches, log);
}

}  // namespace longpole
