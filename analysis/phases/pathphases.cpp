// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/pathphases.h"

#include "analysis/phases/primitiveroot.h"
#include "core/base/drawnhash.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace longpole {

namespace {

// The lower middle.
TimeNs median(std::vector<TimeNs> times)
{
    if (times.empty()) return 0;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

std::span<const std::uint32_t> rootOf(const Phase& phase) { return std::span(phase.pattern).first(phase.rootLength); }

PhasePiece pieceOf(const PathPhases& phases, std::size_t first, std::size_t last)
{
    return {first, last, phases.rangeOf(first, last)};
}

std::vector<PhasePiece> placesOf(const PathPhases& phases, std::span<const std::uint32_t> pattern,
                                 const Progress& progress)
{
    std::vector<PhasePiece> pieces;
    for (const std::size_t begin : occurrences(phases.searched.symbols, pattern)) {
        if (progress.isCancelled()) break;
        pieces.push_back(pieceOf(phases, begin, begin + pattern.size()));
    }
    return pieces;
}

// The longest gap between marks of one burst; 0 if marks do not come in bursts. Splits the logarithms of the gaps into
// two classes with the largest variance between them (Otsu), which have to lie far enough apart.
TimeNs longestGapInBurst(std::vector<TimeNs> gaps)
{
    constexpr double farApart = 30;
    std::sort(gaps.begin(), gaps.end());
    std::vector<double> sums{0};
    for (const TimeNs gap : gaps) sums.push_back(sums.back() + std::log(static_cast<double>(std::max<TimeNs>(1, gap))));
    double best = 0;
    TimeNs longest = 0;
    for (std::size_t i = 1; i < gaps.size(); ++i) {
        const auto below = static_cast<double>(i), above = static_cast<double>(gaps.size() - i);
        const double apart = (sums.back() - sums[i]) / above - sums[i] / below;
        if (below * above * apart * apart <= best) continue;
        best = below * above * apart * apart;
        longest = apart > std::log(farApart) ? gaps[i - 1] : 0;
    }
    return longest;
}

// Of runs of a mark those that begin an iteration: elements of an array on one PE each do it, one soon after the other,
// and only the first of such a burst counts.
std::vector<std::size_t> iterationBegins(const PathPhases& phases, const std::vector<std::size_t>& marks)
{
    std::vector<std::size_t> begins;
    std::vector<TimeNs> gaps;
    const auto timeOf = [&](std::size_t run) { return phases.rangeOf(run, run + 1).begin; };
    for (std::size_t i = 1; i < marks.size(); ++i) gaps.push_back(timeOf(marks[i]) - timeOf(marks[i - 1]));
    const TimeNs inBurst = longestGapInBurst(gaps);
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (i == 0 || inBurst == 0 || gaps[i - 1] > inBurst) begins.push_back(marks[i]);
    return begins;
}

// The logarithms of the distances between them.
std::vector<double> distances(const PathPhases& phases, const std::vector<std::size_t>& begins)
{
    std::vector<double> logarithms;
    for (std::size_t i = 1; i < begins.size(); ++i) {
        const TimeNs gap = phases.rangeOf(begins[i], begins[i] + 1).begin
                           - phases.rangeOf(begins[i - 1], begins[i]).begin;
        logarithms.push_back(std::log(static_cast<double>(std::max<TimeNs>(1, gap))));
    }
    return logarithms;
}

// Of each `turns`-th value from `first` on: the sum of the squares of what they differ from their mean.
double squaresOfTurn(const std::vector<double>& values, std::size_t first, std::size_t turns)
{
    double sum = 0, squares = 0, count = 0;
    for (std::size_t i = first; i < values.size(); i += turns) {
        sum += values[i];
        squares += values[i] * values[i];
        ++count;
    }
    return count > 0 ? std::max(0.0, squares - sum * sum / count) : 0;
}

// The variance of the logarithms of the distances between them: 0 if they are alike, however long.
double unevenness(const PathPhases& phases, const std::vector<std::size_t>& begins)
{
    const std::vector<double> values = distances(phases, begins);
    return squaresOfTurn(values, 0, 1) / static_cast<double>(std::max<std::size_t>(1, values.size()));
}

// How often an iteration has the mark: distances that are short and long by turns are parts of one, as of a program
// that comes to two barriers in each step. Turns have to explain nine tenths of the variance.
std::size_t marksOfIteration(const PathPhases& phases, const std::vector<std::size_t>& begins)
{
    constexpr std::size_t most = 8, fewest = 6;
    constexpr double leastVariance = 0.05, unexplained = 0.1;
    const std::vector<double> values = distances(phases, begins);
    const double all = squaresOfTurn(values, 0, 1);
    if (all < leastVariance * static_cast<double>(values.size())) return 1;
    for (std::size_t turns = 2; turns <= most && values.size() >= fewest * turns; ++turns) {
        double within = 0;
        for (std::size_t turn = 0; turn < turns; ++turn) within += squaresOfTurn(values, turn, turns);
        if (within <= unexplained * all) return turns;
    }
    return 1;
}

std::vector<std::size_t> marksOf(const PathPhases& phases, std::uint32_t mark)
{
    std::vector<std::size_t> marks;
    for (std::size_t run = 0; run < phases.searched.symbols.size(); ++run)
        if (phases.searched.symbols[run] == mark) marks.push_back(run);
    return marks;
}

std::uint32_t evenestMark(const PathPhases& phases, const Phase& phase, const Progress& progress)
{
    constexpr double muchMoreEven = 0.6;
    std::vector<std::uint32_t> order;  // as in the root
    std::unordered_map<std::uint32_t, std::vector<std::size_t>, DrawnHash> places;
    for (const std::uint32_t symbol : rootOf(phase))
        if (places.try_emplace(symbol).second) order.push_back(symbol);
    for (std::size_t run = 0; run < phases.searched.symbols.size(); ++run)
        if (const auto found = places.find(phases.searched.symbols[run]); found != places.end())
            found->second.push_back(run);
    std::uint32_t best = order.front();
    double least = std::numeric_limits<double>::infinity();
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return places[a].size() < places[b].size(); });
    for (const std::uint32_t symbol : order) {
        if (progress.isCancelled()) break;
        const double uneven = unevenness(phases, iterationBegins(phases, places[symbol]));
        if (least < std::numeric_limits<double>::infinity() && uneven > muchMoreEven * least - 1e-9) continue;
        least = uneven;
        best = symbol;
    }
    return best;
}

std::vector<std::uint32_t> alphabetOf(std::span<const std::uint32_t> symbols)
{
    std::vector<std::uint32_t> alphabet;
    std::unordered_set<std::uint32_t, DrawnHash> known;
    for (const std::uint32_t symbol : symbols)
        if (known.insert(symbol).second) alphabet.push_back(symbol);
    return alphabet;
}

// What of the path lies in each round, which may be nothing.
std::vector<PhasePiece> roundPieces(const PathPhases& phases, const Phase& phase, const Progress& progress)
{
    const std::size_t runs = phases.searched.symbols.size();
    std::vector<PhasePiece> pieces;
    std::size_t run = 0;
    for (const TimeRange& round : phase.rounds) {
        if (progress.isCancelled()) break;
        PhasePiece piece{.range = round};
        while (run < runs && phases.rangeOf(run, run + 1).begin < round.begin) ++run;
        piece.first = run;
        while (run < runs && phases.rangeOf(run, run + 1).begin < round.end) ++run;
        piece.last = run;
        pieces.push_back(piece);
    }
    return pieces;
}

std::vector<PhasePiece> iterations(const PathPhases& phases, const Phase& phase, const Progress& progress)
{
    if (!phase.rounds.empty()) return roundPieces(phases, phase, progress);
    const CollapsedRuns& searched = phases.searched;
    std::vector<std::size_t> begins;
    const std::vector<std::size_t> marked = iterationBegins(phases, marksOf(phases, phase.mark));
    for (std::size_t i = 0; i < marked.size(); i += phase.marksEach) begins.push_back(marked[i]);
    std::vector<PhasePiece> pieces;
    for (std::size_t i = 0; i + 1 < begins.size() && !progress.isCancelled(); ++i) {
        pieces.push_back(pieceOf(phases, begins[i], begins[i + 1]));
        const TimeNs next = phases.rangeOf(begins[i + 1], begins[i + 1] + 1).begin;  // no time between two is left out
        pieces.back().range.end = std::max(pieces.back().range.begin, next);
    }
    if (begins.empty()) return pieces;
    const std::unordered_set<std::uint32_t, DrawnHash> own(phase.pattern.begin(), phase.pattern.end());
    std::size_t end = begins.back();
    while (end < searched.symbols.size() && own.contains(searched.symbols[end])) ++end;
    pieces.push_back(pieceOf(phases, begins.back(), end));
    return pieces;
}

}  // namespace

PathString pathString(const CriticalPath& path)
{
    PathString string;
    const auto isOnCpu = [](const PathStep& step) { return step.part == PathPart::Compute; };
    const auto most = static_cast<std::size_t>(std::count_if(path.steps.begin(), path.steps.end(), isOnCpu));
    string.symbols.reserve(most);
    string.tasks.reserve(most);
    string.parts.reserve(most);
    const PathStep* before = nullptr;
    for (const PathStep& step : path.steps) {
        if (!isOnCpu(step)) continue;
        // A nested execution splits the one around it.
        const bool goesOn = before && before->task == step.task && before->entry == step.entry;
        if (goesOn) {
            string.parts.back().end = std::max(string.parts.back().end, step.end);
        } else {
            string.symbols.push_back(index(step.entry));
            string.tasks.push_back(step.task);
            string.parts.push_back({step.begin, step.end});
        }
        before = &step;
    }
    return string;
}

Result<PathPhases> pathPhases(const CriticalPath& path, const PhaseQuestion& question, const Progress& progress)
{
    PathPhases answer{.path = pathString(path)};
    answer.searched = question.collapse ? collapsed(answer.path.symbols) : everySymbol(answer.path.symbols);
    auto found = phases(answer.searched.symbols, question.options, progress);
    if (!found) return found.error();
    answer.alphabet = alphabetOf(answer.searched.symbols);
    answer.phases = std::move(found->phases);
    answer.isComplete = found->isComplete;
    markIterations(answer, progress);
    if (progress.isCancelled()) return cancelledError();
    return answer;
}

void markIterations(PathPhases& phases, const Progress& progress)
{
    for (Phase& phase : phases.phases) {
        phase.mark = evenestMark(phases, phase, progress);
        phase.marksEach = marksOfIteration(phases, iterationBegins(phases, marksOf(phases, phase.mark)));
    }
}

std::vector<PhasePiece> phasePieces(const PathPhases& phases, const Phase& phase, PhaseCut cut,
                                    const Progress& progress)
{
    if (cut == PhaseCut::Iterations) return iterations(phases, phase, progress);
    if (cut == PhaseCut::Repeats && phase.rootLength < phase.pattern.size())
        return placesOf(phases, rootOf(phase), progress);
    std::vector<PhasePiece> pieces;
    for (const std::size_t begin : phase.begins) pieces.push_back(pieceOf(phases, begin, begin + phase.pattern.size()));
    return pieces;
}

std::vector<PhasePiece> exactIterations(const PathPhases& phases, const Phase& phase, const Progress& progress)
{
    if (phase.rootLength == phase.pattern.size()) return phasePieces(phases, phase, PhaseCut::Repeats, progress);
    std::vector<std::uint32_t> root(rootOf(phase).begin(), rootOf(phase).end());
    std::rotate(root.begin(), std::find(root.begin(), root.end(), phase.mark), root.end());
    return placesOf(phases, root, progress);
}

std::vector<TimeRange> rangesOf(std::span<const PhasePiece> pieces)
{
    std::vector<TimeRange> ranges;
    for (const PhasePiece& piece : pieces) ranges.push_back(piece.range);
    return ranges;
}

InstanceDurations instanceDurations(std::span<const TimeRange> instances)
{
    std::vector<TimeNs> durations, deviations;
    for (const TimeRange& instance : instances) durations.push_back(instance.length());
    InstanceDurations found{.median = median(durations)};
    for (const TimeNs duration : durations)
        deviations.push_back(std::max(duration, found.median) - std::min(duration, found.median));
    found.spread = median(deviations);
    const TimeNs limit = saturatingAdd(found.median, saturatingMultiply(found.spread, 3));
    for (std::size_t i = 0; i < durations.size(); ++i)
        if (durations[i] > limit) found.slow.push_back(i);
    return found;
}

}  // namespace longpole
