// SPDX-License-Identifier: GPL-3.0-or-later
// Collective calls by communicator and number on it: blocks of instances are filled in parallel, then put in order.
#include "importers/mpi/collectives.h"

#include "core/base/parallel.h"
#include "importers/mpi/channels.h"

#include <map>

namespace longpole {
namespace {

constexpr std::size_t blockInstances = 4096;

// A communicator's members, or one rank of MPI_COMM_SELF, with the numbers of their parts in order.
struct Group {
    std::uint32_t comm = noComm;
    std::vector<std::uint32_t> ranks;
    std::vector<std::span<const std::uint32_t>> parts;  // by member
    std::vector<std::uint32_t> offsets;                 // of an instance's members from `firstMember`; one more
    std::size_t firstInstance = 0;
    std::size_t firstMember = 0;
    std::size_t instances() const { return offsets.size() - 1; }
};

struct Block {
    const Group* group = nullptr;
    std::size_t begin = 0;  // numbers on the communicator
    std::size_t end = 0;
    std::vector<std::size_t> mismatched;
};

// Regions that name the same MPI function get one number: "MPI_Bcast", "mpi_bcast_", "PMPI_Bcast".
std::vector<std::uint32_t> functionsOf(const MpiRunNames& names)
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

// Members of a communicator may have made different numbers of calls: an instance has only those that made its call.
void countInstances(Group& group)
{
    std::size_t most = 0;
    for (const auto parts : group.parts) most = std::max(most, parts.size());
    std::vector<std::uint32_t> ending(most + 1, 0);  // members whose last call is the one before
    for (const auto parts : group.parts) ++ending[parts.size()];
    auto members = static_cast<std::uint32_t>(group.parts.size());
    group.offsets.assign(1, 0);
    for (std::size_t number = 0; number < most; ++number) {
        members -= ending[number];
        group.offsets.push_back(group.offsets.back() + members);
    }
}

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

std::vector<Group> groupsOf(const MpiRunNames& names, const std::vector<MpiChannels>& calls)
{
    std::vector<Group> groups;
    const auto add = [&](std::uint32_t comm, std::vector<std::uint32_t> ranks) {
        Group group;
        group.comm = comm;
        group.ranks = std::move(ranks);
        for (const std::uint32_t rank : group.ranks) group.parts.push_back(calls[rank].rowsOf(MpiChannel{0, comm, 0}));
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
            for (std::uint32_t rank = 0; rank < calls.size(); ++rank) add(comm, {rank});
        } else {
            add(comm, existingOnce(communicator.members, calls.size()));
        }
    }
    return groups;
}

// Kinds in which members wait for data. If there is none nobody need wait: MPI leaves most such calls at once. Some
// meet all the same where all give to all.
bool waitsForData(CollectiveKind kind)
{
    return kind == CollectiveKind::OneToN || kind == CollectiveKind::NToOne || kind == CollectiveKind::Prefix
           || kind == CollectiveKind::NToN || kind == CollectiveKind::Neighbours;
}

// Adds a member to an instance; false if it calls something else than the others.
bool join(MpiInstance& instance, const MpiRank& rank, std::uint32_t world, const MpiCollectivePart& part,
          std::uint32_t row)
{
    const MpiCall& call = rank.calls[part.call];
    const bool isRooted = part.kind == CollectiveKind::OneToN || part.kind == CollectiveKind::NToOne;
    const bool isLatest = instance.memberCount == 0 || call.begin > instance.latestBegin
                          || (call.begin == instance.latestBegin && world < instance.latestRank);
    if (isLatest) {
        instance.latest = row;
        instance.latestRank = world;
        instance.latestCall = part.call;
        instance.latestBegin = call.begin;
    }
    if (part.completion != noCall)
        instance.earliestEnd = std::min(instance.earliestEnd, rank.calls[part.completion].end);
    if (part.completion == part.call || part.completion == noCall) instance.isComplete &= !call.isOpen;
    const bool isFirst = instance.memberCount++ == 0;
    if (isFirst) instance.kind = part.kind;
    const bool rootsDiffer = isRooted && instance.root != noRank && part.root != noRank && instance.root != part.root;
    if (isRooted && instance.root == noRank) instance.root = part.root;
    return instance.kind == part.kind && !rootsDiffer;
}

class Filler {
public:
    Filler(std::span<const MpiRank> ranks, const std::vector<std::uint32_t>& functions,
           std::vector<MpiInstance>& instances, std::vector<MpiPlace>& members)
        : m_ranks(ranks), m_functions(functions), m_instances(instances), m_members(members)
    {
    }

    void fill(Block& block) const
    {
        for (std::size_t number = block.begin; number < block.end; ++number) {
            if (!fill(*block.group, number)) block.mismatched.push_back(number);
        }
    }

private:
    std::uint32_t functionOf(const MpiRank& rank, const MpiCollectivePart& part) const
    {
        if (part.isStarted) return noRegion;
        const std::uint32_t region = rank.calls[part.call].region;
        return region < m_functions.size() ? m_functions[region] : noRegion;
    }

    // Of givers that begin at once the one of the lowest rank is the latest.
    void noteGiver(MpiInstance& instance, std::span<const MpiPlace> members, std::uint32_t row) const
    {
        const auto begin = [&](const MpiPlace& place) {
            const MpiRank& rank = m_ranks[place.rank];
            return rank.calls[rank.collectives[place.index].call].begin;
        };
        if (instance.giverCount++ != 0) {
            const MpiPlace& latest = members[instance.latestGiver];
            const TimeNs by = begin(members[row]) - begin(latest);
            if (by < 0 || (by == 0 && latest.rank < members[row].rank)) return;
        }
        instance.latestGiver = row;
    }

    bool fill(const Group& group, std::size_t number) const
    {
        MpiInstance& instance = m_instances[group.firstInstance + number];
        instance.comm = group.comm;
        instance.firstMember = static_cast<std::uint32_t>(group.firstMember + group.offsets[number]);
        const auto members = std::span(m_members).subspan(instance.firstMember);
        bool isSame = true;
        bool movesData = false;
        std::uint32_t function = noRegion;
        for (std::size_t i = 0; i < group.ranks.size(); ++i) {
            if (group.parts[i].size() <= number) continue;
            const MpiRank& rank = m_ranks[group.ranks[i]];
            const MpiCollectivePart& part = rank.collectives[group.parts[i][number]];
            const std::uint32_t row = instance.memberCount;
            movesData |= part.moved != MpiMoved{};
            members[row] = {group.ranks[i], group.parts[i][number]};
            if (part.moved.sent > 0) noteGiver(instance, members, row);
            if (row == 0) function = functionOf(rank, part);
            isSame &= join(instance, rank, group.ranks[i], part, row);
            isSame &= part.kind == CollectiveKind::Lifetime || functionOf(rank, part) == function;
        }
        instance.isComplete &= instance.memberCount == group.ranks.size();
        if (!isSame) instance.kind = CollectiveKind::None;
        instance.isComplete &= isSame;
        const bool hasMet = instance.isComplete && instance.latestBegin <= instance.earliestEnd;
        const bool isKept = movesData || (hasMet && instance.kind == CollectiveKind::NToN);
        if (!isKept && waitsForData(instance.kind)) instance.kind = CollectiveKind::Loose;
        for (std::uint32_t row = 0; row < instance.memberCount && instance.root != noRank; ++row) {
            if (static_cast<std::int64_t>(members[row].rank) == instance.root) instance.rootMember = row;
        }
        instance.isSynchronizing = hasMet && instance.kind != CollectiveKind::Neighbours;
        return isSame;
    }

    std::span<const MpiRank> m_ranks;
    const std::vector<std::uint32_t>& m_functions;
    std::vector<MpiInstance>& m_instances;
    std::vector<MpiPlace>& m_members;
};

QString nameOf(const MpiRunNames& names, const MpiCall& call)
{
    return call.region < names.regions.size() ? names.regions[call.region].name
                                              : QStringLiteral("region %1").arg(call.region);
}

QString callText(const MpiRunNames& names, const MpiRank& rank, std::uint32_t world, const MpiCollectivePart& part)
{
    const QString name = nameOf(names, rank.calls[part.call]);
    if (part.root == noRank) return QStringLiteral("rank %1 calls %2").arg(QString::number(world), name);
    return QStringLiteral("rank %1 calls %2 with root %3")
        .arg(QString::number(world), name, QString::number(part.root));
}

// "MPI_COMM_WORLD, collective call 12: rank 0 calls MPI_Bcast with root 0, rank 3 calls MPI_Barrier"
QString mismatchText(std::span<const MpiRank> ranks, const MpiRunNames& names, const Group& group, std::size_t number)
{
    QString first, other;
    for (std::size_t i = 0; i < group.ranks.size() && other.isEmpty(); ++i) {
        if (group.parts[i].size() <= number) continue;
        const std::uint32_t world = group.ranks[i];
        const QString text = callText(names, ranks[world], world, ranks[world].collectives[group.parts[i][number]]);
        if (first.isEmpty()) first = text;
        else if (text.section(u' ', 2) != first.section(u' ', 2)) other = text;
    }
    return QStringLiteral("%1, collective call %2: %3, %4")
        .arg(communicatorName(names, group.comm), QString::number(number), first, other);
}

void reportMismatches(std::span<const MpiRank> ranks, const MpiRunNames& names, const std::vector<Block>& blocks,
                      ImportLog& log)
{
    for (const Block& block : blocks) {
        if (block.mismatched.empty()) continue;
        log.addAt(IssueKind::MismatchedCollective, mismatchText(ranks, names, *block.group, block.mismatched.front()),
                  static_cast<std::int64_t>(block.mismatched.size()));
    }
}

void reportIncomplete(const MpiRunNames& names, const std::vector<Group>& groups,
                      const std::vector<MpiInstance>& instances, ImportLog& log)
{
    for (const Group& group : groups) {
        std::size_t first = 0;
        std::int64_t count = 0;
        for (std::size_t number = 0; number < group.instances(); ++number) {
            const MpiInstance& instance = instances[group.firstInstance + number];
            const bool isLoose = instance.kind == CollectiveKind::None || instance.kind == CollectiveKind::Loose;
            if (instance.isComplete || isLoose) continue;
            if (count++ == 0) first = number;
        }
        if (count == 0) continue;
        const MpiInstance& instance = instances[group.firstInstance + first];
        log.addAt(IssueKind::IncompleteCollective,
                  QStringLiteral("%1, collective call %2: %3 of %4 members")
                      .arg(communicatorName(names, group.comm), QString::number(first),
                           QString::number(instance.memberCount), QString::number(group.ranks.size())),
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

void findLatestUpTo(const MpiInstance& instance, std::span<const MpiRank> ranks, MpiMatches& matches)
{
    const auto begin = [&](std::uint32_t row) {
        const MpiRank& rank = ranks[matches.members[row].rank];
        return rank.calls[rank.collectives[matches.members[row].index].call].begin;
    };
    std::uint32_t latest = instance.firstMember;
    for (std::uint32_t row = instance.firstMember; row < instance.firstMember + instance.memberCount; ++row) {
        const bool isLater = begin(row) > begin(latest)
                             || (begin(row) == begin(latest)
                                 && matches.members[row].rank < matches.members[latest].rank);
        if (isLater) latest = row;
        matches.latestUpTo[row] = latest;
    }
}

// Sets instanceOf and memberOf: the way from a part to its instance.
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
                  QStringLiteral("%1 on %2, of which it is no member")
                      .arg(callText(names, ranks[rank], rank, part), communicatorName(names, part.comm)),
                  std::count(first, instanceOf.end(), noInstance));
    }
}

}  // namespace

QString communicatorName(const MpiRunNames& names, std::uint32_t comm)
{
    if (comm < names.communicators.size() && !names.communicators[comm].name.isEmpty())
        return names.communicators[comm].name;
    return comm == noComm ? QStringLiteral("no communicator") : QStringLiteral("communicator %1").arg(comm);
}

std::vector<std::uint32_t> MpiMatches::sourceRows(const MpiInstance& instance, std::uint32_t row) const
{
    std::vector<std::uint32_t> rows;
    const auto known = sources.find(instance.comm);
    if (known == sources.end() || !instance.isComplete) return rows;
    const auto own = known->second.find(row - instance.firstMember);
    if (own == known->second.end()) return rows;
    for (const std::uint32_t place : own->second)
        if (place < instance.memberCount) rows.push_back(instance.firstMember + place);
    return rows;
}

void matchCollectives(std::span<const MpiRank> ranks, const MpiRunNames& names, unsigned threads, MpiMatches& matches,
                      ImportLog& log, const Progress& progress)
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
    const std::vector<std::uint32_t> functions = functionsOf(names);
    const Filler filler(ranks, functions, matches.instances, matches.members);
    parallelFor(
        blocks.size(),
        [&](std::size_t i) {
            if (!progress.isCancelled()) filler.fill(blocks[i]);
        },
        threads);
    if (progress.isCancelled()) return;
    reportMismatches(ranks, names, blocks, log);
    reportIncomplete(names, groups, matches.instances, log);
    sortByTime(matches.instances);
    link(ranks, threads, matches);
    reportStrangers(ranks, names, matches, log);
}

}  // namespace longpole
