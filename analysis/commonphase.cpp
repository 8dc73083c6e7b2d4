#include "analysis/commonphase.h"

#include "core/format.h"

#include <algorithm>
#include <map>
#include <utility>

namespace longpole {

namespace {

using Symbols = std::vector<std::uint32_t>;

// Begins of the disjoint occurrences, leftmost first (Knuth, Morris, Pratt).
std::vector<std::size_t> occurrences(const Symbols& text, const Symbols& pattern)
{
    std::vector<std::size_t> fallback(pattern.size() + 1, 0), found;
    for (std::size_t i = 1, k = 0; i < pattern.size(); ++i) {
        while (k > 0 && pattern[i] != pattern[k]) k = fallback[k];
        if (pattern[i] == pattern[k]) ++k;
        fallback[i + 1] = k;
    }
    for (std::size_t i = 0, k = 0; i < text.size(); ++i) {
        while (k > 0 && text[i] != pattern[k]) k = fallback[k];
        if (text[i] == pattern[k]) ++k;
        if (k < pattern.size()) continue;
        found.push_back(i + 1 - k);
        k = 0;
    }
    return found;
}

Symbols translated(const Symbols& symbols, const MethodMatches& matches)
{
    Symbols other;
    for (const std::uint32_t symbol : symbols) other.push_back(matches[symbol]);
    return other;
}

bool isKnown(const Symbols& symbols) { return std::find(symbols.begin(), symbols.end(), noMethod) == symbols.end(); }

// Entry methods that occur once in the pattern; best those that occur equally often in both runs, then most rarely
// beside it, then the first.
std::optional<std::uint32_t> anchorOf(const Symbols& pattern, const Symbols& a, const Symbols& b)
{
    std::optional<std::uint32_t> best;
    std::pair<bool, std::ptrdiff_t> bestRank{};
    for (const std::uint32_t symbol : pattern) {
        if (std::count(pattern.begin(), pattern.end(), symbol) != 1) continue;
        const std::ptrdiff_t inA = std::count(a.begin(), a.end(), symbol), inB = std::count(b.begin(), b.end(), symbol);
        const std::pair<bool, std::ptrdiff_t> rank{inA != inB, inA + inB};
        if (best && !(rank < bestRank)) continue;
        best = symbol;
        bestRank = rank;
    }
    return best;
}

Iterations iterationsOf(const PathString& path, const Symbols& text, const Symbols& pattern,
                        std::optional<std::uint32_t> anchor)
{
    Iterations iterations;
    if (anchor) {
        std::optional<TimeNs> begin;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != *anchor) continue;
            if (begin) iterations.spans.push_back({*begin, path.parts[i].begin});
            begin = path.parts[i].begin;
        }
    } else {
        for (const std::size_t at : occurrences(text, pattern))
            iterations.spans.push_back({path.parts[at].begin, path.parts[at + pattern.size() - 1].end});
    }
    iterations.durations = instanceDurations(iterations.spans);
    return iterations;
}

QString briefName(const MethodFigures& method) { return entryName({.name = method.name, .chare = method.chare}); }

}  // namespace

MethodMatches matchMethods(const std::vector<MethodFigures>& a, const std::vector<MethodFigures>& b)
{
    std::map<std::pair<QString, QString>, std::uint32_t> byName;
    for (std::size_t i = 0; i < b.size(); ++i) byName[{b[i].chare, b[i].name}] = static_cast<std::uint32_t>(i);
    MethodMatches matches(a.size(), noMethod);
    std::vector<bool> taken(b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        if (const auto found = byName.find({a[i].chare, a[i].name}); found != byName.end()) {
            matches[i] = found->second;
            taken[found->second] = true;
        }
    std::map<QString, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> left;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (matches[i] == noMethod) left[briefName(a[i])].first.push_back(i);
    for (std::size_t i = 0; i < b.size(); ++i)
        if (!taken[i]) left[briefName(b[i])].second.push_back(i);
    for (const auto& [name, both] : left)
        if (both.first.size() == 1 && both.second.size() == 1)
            matches[both.first.front()] = static_cast<std::uint32_t>(both.second.front());
    return matches;
}

std::optional<CommonPhase> commonPhase(const RunFigures& a, const RunFigures& b, const MethodMatches& inB,
                                       std::size_t support)
{
    MethodMatches inA(b.methods.size(), noMethod);
    for (std::size_t i = 0; i < inB.size(); ++i)
        if (inB[i] != noMethod) inA[inB[i]] = static_cast<std::uint32_t>(i);
    const Symbols& textA = a.path.symbols;
    const Symbols textB = translated(b.path.symbols, inA);
    std::vector<Symbols> candidates = a.patterns;
    for (const Symbols& pattern : b.patterns) candidates.push_back(translated(pattern, inA));

    std::optional<CommonPhase> best;
    std::size_t bestScore = 0;
    for (const Symbols& pattern : candidates) {
        if (pattern.empty() || !isKnown(pattern)) continue;
        const std::size_t countA = occurrences(textA, pattern).size(), countB = occurrences(textB, pattern).size();
        if (std::min(countA, countB) < support) continue;
        const std::size_t score = std::min(countA, countB) * pattern.size() * pattern.size();
        if (score <= bestScore) continue;
        bestScore = score;
        best = CommonPhase{.pattern = pattern, .instancesA = countA, .instancesB = countB};
    }
    if (!best) return {};
    best->anchor = anchorOf(best->pattern, textA, textB);
    best->a = iterationsOf(a.path, textA, best->pattern, best->anchor);
    best->b = iterationsOf(b.path, textB, best->pattern, best->anchor);
    return best;
}

}  // namespace longpole
