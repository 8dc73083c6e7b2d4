// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/matching/exchangedpartners.h"

#include "importers/mpi/collectivecall.h"

#include <algorithm>

namespace longpole {

MpiPartner ExchangedPartners::member(const MpiInstance& instance, std::uint32_t position) const
{
    const std::vector<ShownMember>& members = collectives[instance.firstMember].members;
    const auto found = std::lower_bound(members.begin(), members.end(), position,
                                        [](const ShownMember& member, std::uint32_t p) { return member.position < p; });
    return found != members.end() && found->position == position ? static_cast<const MpiPartner&>(*found)
                                                                 : MpiPartner{};
}

std::vector<std::uint32_t> ExchangedPartners::sourcesOf(std::uint32_t rank, std::uint32_t part) const
{
    const MpiInstance& instance = *instanceOf(rank, part);
    return sourcePositions(names->communicators[instance.comm].sources, instance, positionOf(rank, part));
}

}  // namespace longpole
