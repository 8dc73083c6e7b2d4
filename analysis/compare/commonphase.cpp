// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/commonphase.h"

#include "analysis/phases/primitiveroot.h"
#include "core/base/timerange.h"
#include "core/trace/format.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace longpole {

namespace {

using Symbols = std::vector<std::uint32_t>;

Symbols translated(const Symbols& symbols, const MethodMatches& matches)
{
    Symbols other;
    for (const std::uint32_t symbol : symbols) other.push_back(matches[symbol]);
    return other;
}

bool isKnown(const Symbols& symbols) { return std::find(symbols.begin(), symbols.end(), noMethod) == symbols.end(); }

// A path of one run, with its symbols translated to those of the other.
PathPhases pathOf(const MethodPath& path, const MethodMatches& matches)
{
    PathPhases phases{.path = path.path, .searched = path.searched};
    phases.searched.symbols = translated(path.searched.symbols, matches);
    return phases;
}

Iterations iterationsOf(const PathPhases& path, const Symbols& pattern)
{
    const Phase phase{.pattern = pattern, .rootLength = 1, .mark = pattern.front()};
    Iterations iterations{.spans = rangesOf(phasePieces(path, phase, PhaseCut::Iterations))};
    iterations.durations = instanceDurations(iterations.spans);
    return iterations;
}

// The symbols of the pattern, first those that occur least often on the two paths.
Symbols rarestFirst(const Symbols& pattern, const PathPhases& a, const PathPhases& b)
{
    Symbols symbols;
    std::map<std::uint32_t, std::ptrdiff_t> often;
    for (const std::uint32_t symbol : pattern)
        if (often.try_emplace(symbol, 0).second) symbols.push_back(symbol);
    for (const PathPhases* path : {&a, &b})
        for (const std::uint32_t symbol : path->searched.symbols)
            if (const auto found = often.find(symbol); found != often.end()) ++found->second;
    std::stable_sort(symbols.begin(), symbols.end(),
                     [&often](std::uint32_t x, std::uint32_t y) { return often[x] < often[y]; });
    return symbols;
}

void cutIterations(CommonPhase& phase, const PathPhases& a, const PathPhases& b)
{
    constexpr std::size_t tried = 8;
    const Symbols pattern = phase.pattern, marks = rarestFirst(pattern, a, b);
    for (std::size_t i = std::min(tried, marks.size()); i-- > 0;) {  // the best comes last
        Symbols rotated = pattern;
        std::rotate(rotated.begin(), std::find(rotated.begin(), rotated.end(), marks[i]), rotated.end());
        CommonPhase cut = phase;
        cut.pattern = rotated;
        cut.a = iterationsOf(a, rotated);
        cut.b = iterationsOf(b, rotated);
        if (cut.isSameCount() || phase.a.spans.empty() || !phase.isSameCount()) phase = std::move(cut);
    }
}

// What a's and b's own patterns share, the longest of that; it counts iterations that both have.
std::optional<CommonPhase> sharedLoop(const MethodPath& a, const MethodPath& b, const PathPhases& pathB,
                                      const MethodMatches& inA, const std::vector<MethodFigures>& methods,
                                      std::size_t support)
{
    std::optional<CommonPhase> best;
    for (const Symbols& ofA : a.patterns)
        for (const Symbols& ofB : b.patterns) {
            const Symbols other = translated(ofB, inA);
            std::set<std::uint32_t> left(other.begin(), other.end());
            CommonPhase phase;
            for (const std::uint32_t symbol : ofA)
                if (methods[symbol].kind == EntryKind::User && left.erase(symbol) > 0) phase.pattern.push_back(symbol);
            if (phase.pattern.empty() || (best && best->pattern.size() >= phase.pattern.size())) continue;
            cutIterations(phase, {.path = a.path, .searched = a.searched}, pathB);
            if (phase.isSameCount() && phase.a.spans.size() >= support) best = std::move(phase);
        }
    return best;
}

// The best pattern on one kind of path.
std::optional<CommonPhase> phaseOf(const MethodPath& a, const MethodPath& b, const MethodMatches& inA,
                                   const std::vector<MethodFigures>& methods, std::size_t support)
{
    constexpr std::size_t leastLength = 2;  // a single entry method, of reductions for example, is no phase
    const PathPhases pathB = pathOf(b, inA);
    std::vector<Symbols> candidates = a.patterns;
    for (const Symbols& pattern : b.patterns) candidates.push_back(translated(pattern, inA));
    std::optional<CommonPhase> best;
    std::size_t bestScore = 0;
    for (const Symbols& pattern : candidates) {
        if (pattern.size() < leastLength || !isKnown(pattern)) continue;
        const std::size_t countA = occurrences(a.searched.symbols, pattern).size();
        const std::size_t countB = occurrences(pathB.searched.symbols, pattern).size();
        const std::size_t score = std::min(countA, countB) * pattern.size() * pattern.size();
        if (std::min(countA, countB) < support || score <= bestScore) continue;
        bestScore = score;
        best = CommonPhase{.pattern = pattern, .instancesA = countA, .instancesB = countB};
    }
    if (!best) return sharedLoop(a, b, pathB, inA, methods, support);
    cutIterations(*best, {.path = a.path, .searched = a.searched}, pathB);
    return best;
}

// The first phases of both runs, if they are the same loop: most of their entry methods are the same. Then an iteration
// is what `longpole phases` says it is, in both.
std::optional<CommonPhase> sameLoop(const RunFigures& a, const RunFigures& b, const MethodMatches& inA)
{
    constexpr double most = 0.5;
    if (a.phase.iterations.empty() || b.phase.iterations.empty()) return {};
    const std::set<std::uint32_t> ofA(a.phase.pattern.begin(), a.phase.pattern.end());
    const Symbols other = translated(b.phase.pattern, inA);
    std::set<std::uint32_t> both(other.begin(), other.end()), all = ofA;
    all.insert(both.begin(), both.end());
    std::erase_if(both, [&ofA](std::uint32_t symbol) { return !ofA.contains(symbol); });
    if (double(both.size()) <= most * double(all.size())) return {};
    CommonPhase phase{.pattern = a.phase.pattern, .instancesA = a.phase.instances, .instancesB = b.phase.instances};
    phase.a = {.spans = a.phase.iterations, .durations = instanceDurations(a.phase.iterations)};
    phase.b = {.spans = b.phase.iterations, .durations = instanceDurations(b.phase.iterations)};
    return phase;
}

// The share of the run that lies in iterations, in the run where that is less.
double covered(const std::optional<CommonPhase>& phase, const RunFigures& a, const RunFigures& b)
{
    const auto share = [](const Iterations& iterations, const RunFigures& run) {
        TimeNs sum = 0;
        for (const TimeRange& span : iterations.spans) addSaturating(sum, span.length());
        return run.duration() > 0 ? double(sum) / double(run.duration()) : 0;
    };
    return phase ? std::min(share(phase->a, a), share(phase->b, b)) : 0;
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
    if (auto same = sameLoop(a, b, inA)) return same;
    constexpr double better = 1.05;  // the elapsed path must cover so much more, as it depends more on chance
    auto work = phaseOf(a.workAtMessages, b.workAtMessages, inA, a.methods, support);
    auto elapsed = phaseOf(a.elapsedPath, b.elapsedPath, inA, a.methods, support);
    if (elapsed) elapsed->path = PathMode::Elapsed;
    // A pattern that both repeat exactly says more than entry methods that their loops share.
    const auto isExact = [](const std::optional<CommonPhase>& phase) { return phase && phase->instancesA > 0; };
    if (isExact(work) != isExact(elapsed)) return isExact(work) ? work : elapsed;
    if (!work || covered(elapsed, a, b) > better * covered(work, a, b)) return elapsed;
    return work;
}

}  // namespace longpole
