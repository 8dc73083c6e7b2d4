// SPDX-License-Identifier: GPL-3.0-or-later
// A largest matching of ranks and cores. Cores that a search in vain has reached are lost to all later ranks: whoever
// has one of them can give it up only for another of them. So no more searches than cores are made in vain.
#include "importers/recording/cores.h"

#include <bit>
#include <vector>

namespace longpole {
namespace {

constexpr std::size_t mostCores = 64 * coreWords;
constexpr std::size_t nobody = SIZE_MAX;

// Takes one core of `from` out of it that is in none of the others; mostCores: there is none.
std::size_t takeOne(const CoreSet& from, const CoreSet& without)
{
    for (std::size_t word = 0; word < coreWords; ++word)
        if (const std::uint64_t left = from[word] & ~without[word]; left != 0)
            return 64 * word + static_cast<std::size_t>(std::countr_zero(left));
    return mostCores;
}

void insert(CoreSet& set, std::size_t core) { set[core / 64] |= std::uint64_t{1} << core % 64; }

class Matching {
public:
    explicit Matching(std::span<const CoreSet> ranks) : m_ranks(ranks) { m_owner.fill(nobody); }

    // Gives the rank a core, if others can move to other cores of theirs.
    bool add(std::size_t rank)
    {
        CoreSet seen = m_lost;
        std::array<std::size_t, mostCores> from{};  // the core whose owner would move to this one
        std::vector<std::size_t> reached;
        const auto reach = [&](std::size_t who, std::size_t by) {
            for (std::size_t core = takeOne(m_ranks[who], seen); core != mostCores;
                 core = takeOne(m_ranks[who], seen)) {
                insert(seen, core);
                from[core] = by;
                reached.push_back(core);
            }
        };
        reach(rank, mostCores);
        for (std::size_t next = 0; next < reached.size();) {  // it grows meanwhile
            const std::size_t core = reached[next++];
            if (m_owner[core] == nobody) {
                move(core, rank, from);
                return true;
            }
            reach(m_owner[core], core);
        }
        m_lost = seen;
        return false;
    }

private:
    void move(std::size_t core, std::size_t rank, const std::array<std::size_t, mostCores>& from)
    {
        for (std::size_t by = from[core]; by != mostCores; core = by, by = from[core]) m_owner[core] = m_owner[by];
        m_owner[core] = rank;
    }

    std::span<const CoreSet> m_ranks;
    std::array<std::size_t, mostCores> m_owner{};
    CoreSet m_lost{};
};

}  // namespace

std::int64_t ranksAtOnce(std::span<const CoreSet> ranks)
{
    Matching matching(ranks);
    std::int64_t count = 0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) count += matching.add(rank);
    return count;
}

}  // namespace longpole
