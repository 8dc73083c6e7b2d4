// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/disjointplaces.h"

#include <algorithm>
#include <limits>

namespace longpole {

namespace {

constexpr std::int64_t squared(std::int32_t length) { return std::int64_t{length} * length; }

template <typename Take>
void forEachDisjoint(std::span<const std::int32_t> places, std::int32_t length, Take take)
{
    std::int64_t free = std::numeric_limits<std::int64_t>::min();
    for (const std::int32_t place : places)
        if (place >= free) {
            take(place);
            free = std::int64_t{place} + length;
        }
}

struct LengthSearch {
    std::span<const std::int32_t> places;
    std::int64_t support;
    std::int64_t& work;
    LengthChoice best;

    // Lengths [from, to], of which none has more than `most` pieces.
    void look(std::int32_t from, std::int32_t to, std::int64_t most)
    {
        if (from > to) return;
        const std::int64_t span = std::int64_t{places.back()} - places.front();
        most = std::min(most, span / from + 1);
        if (most < support || std::min(most * squared(to), (span + to) * to) <= best.score) return;
        const std::int32_t middle = from + (to - from) / 2;
        const DisjointCount found = countDisjoint(places, middle);
        work += static_cast<std::int64_t>(places.size());
        const std::int32_t same = std::min(found.leastStep, to);
        const std::int64_t score = found.count * squared(same);
        if (found.count >= support && score > best.score) best = {same, found.count, score};
        look(same + 1, to, found.count);
        look(from, middle - 1, most);
    }
};

}  // namespace

DisjointCount countDisjoint(std::span<const std::int32_t> places, std::int32_t length)
{
    DisjointCount found{0, std::numeric_limits<std::int32_t>::max()};
    std::int32_t before = 0;
    forEachDisjoint(places, length, [&](std::int32_t place) {
        if (found.count++ > 0) found.leastStep = std::min(found.leastStep, place - before);
        before = place;
    });
    return found;
}

std::vector<std::int32_t> disjointPlaces(std::span<const std::int32_t> places, std::int32_t length)
{
    std::vector<std::int32_t> taken;
    forEachDisjoint(places, length, [&](std::int32_t place) { taken.push_back(place); });
    return taken;
}

LengthChoice bestLength(std::span<const std::int32_t> places, std::int32_t shortest, std::int32_t longest,
                        std::int64_t support, std::int64_t score, std::int64_t& work)
{
    if (places.empty()) return {};
    LengthSearch search{places, support, work, {0, 0, score}};
    search.look(shortest, longest, static_cast<std::int64_t>(places.size()));
    return search.best.length > 0 ? search.best : LengthChoice{};
}

}  // namespace longpole
