// SPDX-License-Identifier: GPL-3.0-or-later
// Greedy joining of chains.
#include "analysis/projection/affinityorder.h"

#include "core/base/timerange.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

struct Pair {
    std::int64_t bytes = 0, deliveries = 0;
    std::size_t a = 0, b = 0;
};

std::vector<Pair> strongestFirst(std::span<const CommCell> cells, std::span<const ProcessorId> pes)
{
    std::map<std::uint32_t, std::size_t> places;
    for (std::size_t i = 0; i < pes.size(); ++i) places[index(pes[i])] = i;
    std::map<std::pair<std::size_t, std::size_t>, Pair> pairs;
    for (const CommCell& cell : cells) {
        const auto from = places.find(cell.from), to = places.find(cell.to);
        if (from == places.end() || to == places.end() || from == to) continue;
        const auto ends = std::minmax(from->second, to->second);
        Pair& pair = pairs[ends];
        pair = {saturatingAdd(pair.bytes, cell.deliveredBytes), saturatingAdd(pair.deliveries, cell.deliveries),
                ends.first, ends.second};
    }
    std::vector<Pair> sorted;
    sorted.reserve(pairs.size());
    for (const auto& [ends, pair] : pairs) sorted.push_back(pair);
    std::sort(sorted.begin(), sorted.end(), [](const Pair& x, const Pair& y) {
        return std::tuple(y.bytes, y.deliveries, x.a, x.b) < std::tuple(x.bytes, x.deliveries, y.a, y.b);
    });
    return sorted;
}

}  // namespace

std::vector<std::size_t> affinityOrder(std::span<const CommCell> cells, std::span<const ProcessorId> pes)
{
    const std::size_t none = pes.size();
    std::vector<std::array<std::size_t, 2>> neighbours(pes.size(), {none, none});
    std::vector<std::size_t> chain(pes.size());
    std::iota(chain.begin(), chain.end(), std::size_t{0});
    const auto chainOf = [&chain](std::size_t at) {
        while (chain[at] != at) at = chain[at] = chain[chain[at]];
        return at;
    };
    for (const Pair& pair : strongestFirst(cells, pes)) {
        const std::size_t a = chainOf(pair.a), b = chainOf(pair.b);
        if (a == b || neighbours[pair.a][1] != none || neighbours[pair.b][1] != none) continue;
        neighbours[pair.a][neighbours[pair.a][0] == none ? 0 : 1] = pair.b;
        neighbours[pair.b][neighbours[pair.b][0] == none ? 0 : 1] = pair.a;
        chain[std::max(a, b)] = std::min(a, b);
    }
    std::vector<std::size_t> order;
    std::vector<bool> placed(pes.size(), false);
    for (std::size_t first = 0; first < pes.size(); ++first) {
        if (placed[first] || neighbours[first][1] != none) continue;  // an end of a chain, or alone
        for (std::size_t at = first, before = none; at != none;) {
            placed[at] = true;
            order.push_back(at);
            const auto& next = neighbours[at];
            const std::size_t to = next[0] != before && next[0] != none ? next[0] : next[1] != before ? next[1] : none;
            before = std::exchange(at, to);
        }
    }
    return order;
}

}  // namespace longpole
