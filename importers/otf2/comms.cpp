// SPDX-License-Identifier: GPL-3.0-or-later
// Resolves communicators of an OTF2 archive to world ranks: from communicator to group to locations.
#include "importers/otf2/resolve.h"

#include <algorithm>
#include <numeric>

namespace longpole {
namespace {

using Group = Otf2Definitions::Group;

Otf2Group resolveGroup(const Group& group, const Otf2Ranks& ranks)
{
    Otf2Group resolved;
    resolved.hasWorldRanks = (group.flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
    resolved.members.reserve(group.members.size());
    for (const std::uint64_t member : group.members) {
        const bool isLocation = group.type == OTF2_GROUP_TYPE_LOCATIONS || group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
        const bool isRank = !isLocation && member < ranks.count;
        resolved.members.push_back(isLocation ? ranks.ofLocation(member)
                                              : (isRank ? static_cast<std::uint32_t>(member) : otf2None));
    }
    return resolved;
}

bool isOfMpi(const Group* group)
{
    return group != nullptr && group->paradigm == OTF2_PARADIGM_MPI && group->type != OTF2_GROUP_TYPE_REGIONS
           && group->type != OTF2_GROUP_TYPE_METRIC;
}

// World ranks that exist, in the communicator's order; both groups' of an inter-communicator.
std::vector<std::uint32_t> membersOf(const Otf2Comm& comm)
{
    std::vector<std::uint32_t> members = comm.first.members;
    members.insert(members.end(), comm.second.members.begin(), comm.second.members.end());
    std::erase(members, otf2None);
    return members;
}

Otf2Comm resolveComm(const Otf2Definitions& definitions, const Otf2Definitions::Comm& definition,
                     const Otf2Ranks& ranks)
{
    Otf2Comm comm;
    const Group* first = Otf2Definitions::find(definitions.groups, definition.group);
    if (!isOfMpi(first)) return comm;
    comm.isSelf = first->type == OTF2_GROUP_TYPE_COMM_SELF;
    comm.first = resolveGroup(*first, ranks);
    const Group* second = Otf2Definitions::find(definitions.groups, definition.second);
    if (isOfMpi(second)) {
        comm.isInter = true;
        comm.second = resolveGroup(*second, ranks);
        comm.first.sorted = comm.first.members;
        std::sort(comm.first.sorted.begin(), comm.first.sorted.end());
    }
    comm.place = 0;  // the caller numbers it
    return comm;
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
    return !isInter || std::binary_search(first.sorted.begin(), first.sorted.end(), own);
}

std::uint32_t Otf2Comm::peer(std::uint32_t own, std::uint32_t rank) const
{
    if (isSelf) return rank == 0 ? own : otf2None;
    return (isInter && isInFirst(own) ? second : first).worldRank(rank);
}

void resolveOtf2Comms(const Otf2Definitions& definitions, const Otf2Ranks& ranks, Otf2Run& run)
{
    for (const Otf2Definitions::Comm& definition : definitions.comms) {
        Otf2Comm comm = resolveComm(definitions, definition, ranks);
        if (comm.place != noComm) {
            comm.place = static_cast<std::uint32_t>(run.names.communicators.size());
            run.names.communicators.push_back({definitions.text(definition.name), membersOf(comm), comm.isSelf});
        }
        run.commIndex.add(definition.id, static_cast<std::uint32_t>(run.comms.size()));
        run.comms.push_back(std::move(comm));
    }
    resolveWorld(ranks, run);
}

}  // namespace longpole
