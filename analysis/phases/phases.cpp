// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/phases.h"

#include "analysis/phases/bestrepeat.h"
#include "analysis/phases/primitiveroot.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

using Symbols = std::span<const std::uint32_t>;

// What is left of the string: each gap where instances were is one symbol of its own, which nothing can repeat.
struct Rest {
    std::vector<std::uint32_t> symbols{};  // below `alphabet`
    std::vector<std::uint32_t> offsets{};  // in the whole string
    std::uint32_t alphabet = 0;
};

// Replaces the symbols by their ranks among those that occur.
Rest wholeString(Symbols symbols)
{
    Rest rest{{symbols.begin(), symbols.end()}, std::vector<std::uint32_t>(symbols.size()), 0};
    for (std::size_t i = 0; i < symbols.size(); ++i) rest.offsets[i] = static_cast<std::uint32_t>(i);
    if (symbols.empty()) return rest;
    std::vector<std::uint32_t> different;
    constexpr std::size_t few = 1 << 16;  // bytes of text and ids of entry methods are below it
    if (*std::max_element(symbols.begin(), symbols.end()) < few) {
        std::vector<bool> seen(few);
        for (const std::uint32_t symbol : symbols) seen[symbol] = true;
        for (std::uint32_t symbol = 0; symbol < few; ++symbol)
            if (seen[symbol]) different.push_back(symbol);
    } else {
        different = rest.symbols;
        std::sort(different.begin(), different.end());
        different.erase(std::unique(different.begin(), different.end()), different.end());
    }
    for (std::uint32_t& symbol : rest.symbols)
        symbol = static_cast<std::uint32_t>(std::lower_bound(different.begin(), different.end(), symbol)
                                            - different.begin());
    rest.alphabet = static_cast<std::uint32_t>(different.size());
    return rest;
}

Rest without(const Rest& rest, const BestRepeat& found)
{
    Rest left{{}, {}, rest.alphabet};
    std::size_t next = 0;
    const auto copyTo = [&](std::size_t end) {
        for (; next < end; ++next) {
            left.symbols.push_back(rest.symbols[next]);
            left.offsets.push_back(rest.offsets[next]);
        }
    };
    std::size_t covered = 0;
    for (const std::int32_t place : found.places) {
        const auto begin = static_cast<std::size_t>(place);
        if (begin > covered || covered == 0) {
            copyTo(begin);
            left.symbols.push_back(left.alphabet++);
            left.offsets.push_back(rest.offsets[begin]);
        }
        covered = begin + static_cast<std::size_t>(found.length);
        next = covered;
    }
    copyTo(rest.symbols.size());
    return left;
}

// Most strings need far less. Those of long periods with few differences would need more: their best repeat is found
// early, the proof that none is better takes long. Above five million symbols there is less for each, as every place
// that is looked at then is a cache miss; short strings get what takes no noticeable time.
std::int64_t usualBudget(std::size_t length)
{
    constexpr std::int64_t atOnce = 2'000'000;
    return std::max(atOnce, static_cast<std::int64_t>(length) * (length > 5'000'000 ? 25 : 120));
}

// What it costs to read a string before its first place is looked at, in places.
std::int64_t readingCost(std::size_t length) { return 12 * static_cast<std::int64_t>(length); }

Phase phaseOf(Symbols symbols, const Rest& rest, const BestRepeat& found)
{
    Phase phase{.score = found.score, .proven = found.proven};
    for (const std::int32_t place : found.places) phase.begins.push_back(rest.offsets[static_cast<std::size_t>(place)]);
    const Symbols pattern = symbols.subspan(phase.begins.front(), static_cast<std::size_t>(found.length));
    phase.pattern.assign(pattern.begin(), pattern.end());
    phase.rootLength = rootLength(pattern);
    phase.rootInstances = disjointOccurrences(symbols, pattern.first(phase.rootLength));
    return phase;
}

}  // namespace

Result<FoundPhases> phases(Symbols symbols, const PhaseOptions& options, const Progress& progress)
{
    if (options.support < 2) return Error{tr("A phase occurs at least twice"), QString(), QString()};
    if (symbols.size() > static_cast<std::size_t>(longestPhaseString))
        return Error{tr("A sequence of %1 steps is too long: at most %2 are searched")
                         .arg(formatCount(std::int64_t(symbols.size())), formatCount(longestPhaseString)),
                     QString(), tr("Choose a part of the run, or collapse runs")};
    FoundPhases found;
    std::vector<Phase>& list = found.phases;
    Rest rest = wholeString(symbols);
    std::int64_t budget = options.budget.value_or(usualBudget(symbols.size()));
    while (list.size() < options.count && static_cast<std::int64_t>(rest.symbols.size()) >= options.support) {
        if (!list.empty()) {
            budget -= readingCost(rest.symbols.size());
            found.isComplete = budget > 0;
            if (!found.isComplete) break;
        }
        const auto best = bestRepeat(rest.symbols, rest.alphabet, {options.support, options.overlapping, budget},
                                     progress);
        if (!best) return best.error();
        if (best->length == 0) break;
        list.push_back(phaseOf(symbols, rest, *best));
        budget = std::max<std::int64_t>(0, budget - best->work);
        if (list.size() < options.count) rest = without(rest, *best);
        progress.report(static_cast<double>(list.size()) / static_cast<double>(options.count));
    }
    return found;
}

CollapsedRuns everySymbol(Symbols symbols)
{
    CollapsedRuns runs{{symbols.begin(), symbols.end()}, std::vector<std::size_t>(symbols.size() + 1)};
    std::iota(runs.begins.begin(), runs.begins.end(), std::size_t{0});
    return runs;
}

CollapsedRuns collapsed(Symbols symbols)
{
    CollapsedRuns runs;
    const auto goesOn = [symbols](std::size_t i) { return i > 0 && symbols[i] == symbols[i - 1]; };
    std::size_t count = 0;
    for (std::size_t i = 0; i < symbols.size(); ++i) count += !goesOn(i);
    runs.symbols.reserve(count);
    runs.begins.reserve(count + 1);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        if (goesOn(i)) continue;
        if (i > 0) runs.begins.push_back(i);
        runs.symbols.push_back(symbols[i]);
    }
    if (!symbols.empty()) runs.begins.push_back(symbols.size());
    return runs;
}

}  // namespace longpole
