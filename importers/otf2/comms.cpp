// SPDX-License-Identifier: GPL-3.0-or-later
// Resolves communicators of an OTF2 archive to world ranks: from communicator to group to locations.
#include "core/base/limits.h"
#include "core/base/translate.h"
#include "importers/mpi/collectives.h"
#include "importers/otf2/resolve.h"

#include <algorithm>
#include <numeric>

namespace longpole {
namespace {

using Group = Otf2Definitions::Group;

std::shared_ptr<Otf2Group> resolveGroup(const Group& group, const Otf2Ranks& ranks)
{
    auto resolved = std::make_shared<Otf2Group>();
    resolved->hasWorldRanks = (group.flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
    resolved->members.reserve(group.members.size());
    for (const std::uint64_t member : group.members) {
        const bool isLocation = group.type == OTF2_GROUP_TYPE_LOCATIONS || group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
        const bool isRank = !isLocation && member < ranks.count;
        resolved->members.push_back(isLocation ? ranks.ofLocation(member)
                                               : (isRank ? static_cast<std::uint32_t>(member) : otf2None));
    }
    return resolved;
}

bool isOfMpi(const Group& group)
{
    return group.paradigm == OTF2_PARADIGM_MPI && group.type != OTF2_GROUP_TYPE_REGIONS
           && group.type != OTF2_GROUP_TYPE_METRIC;
}

// World ranks that exist, each once, in the communicator's order; both groups' of an inter-communicator.
std::vector<std::uint32_t> membersOf(const Otf2Comm& comm, std::uint32_t ranks)
{
    std::vector<std::uint32_t> members = comm.first->members;
    if (comm.isInter) members.insert(members.end(), comm.second->members.begin(), comm.second->members.end());
    return existingOnce(members, ranks);
}

class CommResolver {
public:
    CommResolver(const Otf2Definitions& definitions, const Otf2Ranks& ranks, Otf2Run& run);
    Result<> resolve();

private:
    // A group's place; otf2None if it is not MPI's.
    std::uint32_t placeOf(OTF2_GroupRef group) const;
    const std::shared_ptr<Otf2Group>& resolved(std::uint32_t place);
    Otf2Comm resolveComm(const Otf2Definitions::Comm& definition);

    const Otf2Definitions& m_definitions;
    const Otf2Ranks& m_ranks;
    Otf2Run& m_run;
    Otf2Index m_index;                                 // of groups
    std::vector<std::shared_ptr<Otf2Group>> m_groups;  // by place; null until a communicator has it
};

CommResolver::CommResolver(const Otf2Definitions& definitions, const Otf2Ranks& ranks, Otf2Run& run)
    : m_definitions(definitions), m_ranks(ranks), m_run(run), m_groups(definitions.groups.size())
{
    for (std::uint32_t i = 0; i < definitions.groups.size(); ++i) m_index.add(definitions.groups[i].id, i);
}

std::uint32_t CommResolver::placeOf(OTF2_GroupRef group) const
{
    const std::uint32_t place = m_index[group];
    return place != otf2None && isOfMpi(m_definitions.groups[place]) ? place : otf2None;
}

const std::shared_ptr<Otf2Group>& CommResolver::resolved(std::uint32_t place)
{
    if (!m_groups[place]) m_groups[place] = resolveGroup(m_definitions.groups[place], m_ranks);
    return m_groups[place];
}

Otf2Comm CommResolver::resolveComm(const Otf2Definitions::Comm& definition)
{
    Otf2Comm comm;
    const std::uint32_t first = placeOf(definition.group);
    if (first == otf2None) return comm;
    comm.isSelf = m_definitions.groups[first].type == OTF2_GROUP_TYPE_COMM_SELF;
    comm.first = resolved(first);
    const std::uint32_t second = placeOf(definition.second);
    if (second != otf2None) {
        comm.isInter = true;
        comm.second = resolved(second);
        Otf2Group& group = *m_groups[first];
        if (group.sorted.empty()) {
            group.sorted = group.members;
            std::sort(group.sorted.begin(), group.sorted.end());
        }
    }
    comm.place = static_cast<std::uint32_t>(m_run.names.communicators.size());
    return comm;
}

Result<> CommResolver::resolve()
{
    const std::int64_t bytes = m_run.names.info.sourceBytes;
    const std::int64_t most = limits::otf2Members.of(bytes);
    std::int64_t members = 0;
    for (const Otf2Definitions::Comm& definition : m_definitions.comms) {
        Otf2Comm comm = resolveComm(definition);
        if (comm.place != noComm) {
            members += static_cast<std::int64_t>(comm.first->members.size());
            if (comm.isInter) members += static_cast<std::int64_t>(comm.second->members.size());
            if (members > most)
                return impossibleFigure(tr("The archive's communicators have %1 members and more").arg(members),
                                        limits::otf2Members, bytes, m_run.names.info.source);
            m_run.names.communicators.push_back({m_definitions.name(definition.name), membersOf(comm, m_ranks.count),
                                                 comm.isSelf});
        }
        m_run.commIndex.add(definition.id, static_cast<std::uint32_t>(m_run.comms.size()));
        m_run.comms.push_back(std::move(comm));
    }
    return Unit{};
}

// Finds the communicator of all ranks in order. Of several the one named MPI_COMM_WORLD counts; an archive without any
// gets one.
void resolveWorld(const Otf2Ranks& ranks, Otf2Run& run)
{
    if (ranks.ofMpi == 0) return;
    MpiCommunicator world{QStringLiteral("MPI_COMM_WORLD"), std::vector<std::uint32_t>(ranks.ofMpi), false};
    std::iota(world.members.begin(), world.members.end(), 0u);
    std::vector<MpiCommunicator>& known = run.names.communicators;
    for (std::uint32_t i = 0; i < known.size(); ++i) {
        if (known[i].members != world.members) continue;
        if (run.world == noComm || known[i].name == world.name) run.world = i;
    }
    if (run.world != noComm) return;
    run.world = static_cast<std::uint32_t>(known.size());
    known.push_back(world);
}

}  // namespace

std::uint32_t Otf2Group::worldRank(std::uint32_t rank) const
{
    if (hasWorldRanks) return rank;
    return rank < members.size() ? members[rank] : otf2None;
}

bool Otf2Comm::isInFirst(std::uint32_t own) const
{
    return !isInter || std::binary_search(first->sorted.begin(), first->sorted.end(), own);
}

std::uint32_t Otf2Comm::peer(std::uint32_t own, std::uint32_t rank) const
{
    if (isSelf) return rank == 0 ? own : otf2None;
    return (isInter && isInFirst(own) ? *second : *first).worldRank(rank);
}

Result<> resolveOtf2Comms(const Otf2Definitions& definitions, const Otf2Ranks& ranks, Otf2Run& run)
{
    if (const Result<> resolved = CommResolver(definitions, ranks, run).resolve(); !resolved) return resolved;
    resolveWorld(ranks, run);
    return Unit{};
}

}  // namespace longpole
