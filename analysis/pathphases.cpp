#include "analysis/pathphases.h"

#include "analysis/primitiveroot.h"

#include <algorithm>
#include <cmath>
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

std::span<const std::uint32_t> rootOf(const Phase& phase)
{
    return std::span(phase.pattern).first(phase.rootLength);
}

PhasePiece pieceOf(const PathPhases& phases, std::size_t first, std::size_t last)
{
    return {first, last, phases.rangeOf(first, last)};
}

std::vector<PhasePiece> placesOf(const PathPhases& phases, std::span<const std::uint32_t> pattern)
{
    std::vector<PhasePiece> pieces;
    for (const std::size_t begin : occurrences(phases.searched.symbols, pattern))
        pieces.push_back(pieceOf(phases, begin, begin + pattern.size()));
    return pieces;
}

// The gap that parts those within bursts from those between them, where there are bursts: the split of the logarithms
// into two classes with the largest variance between them (Otsu), if the classes are far enough apart.
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

// Runs of the mark that begin an iteration: elements of an array on one PE each do it, one soon after the other, and
// only the first of such a burst counts.
std::vector<std::size_t> iterationBegins(const PathPhases& phases, std::uint32_t mark)
{
    const CollapsedRuns& searched = phases.searched;
    std::vector<std::size_t> marks, begins;
    for (std::size_t run = 0; run < searched.symbols.size(); ++run)
        if (searched.symbols[run] == mark) marks.push_back(run);
    std::vector<TimeNs> gaps;
    const auto timeOf = [&](std::size_t run) { return phases.rangeOf(run, run + 1).begin; };
    for (std::size_t i = 1; i < marks.size(); ++i) gaps.push_back(timeOf(marks[i]) - timeOf(marks[i - 1]));
    const TimeNs inBurst = longestGapInBurst(gaps);
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (i == 0 || inBurst == 0 || gaps[i - 1] > inBurst) begins.push_back(marks[i]);
    return begins;
}

std::vector<PhasePiece> iterations(const PathPhases& phases, const Phase& phase)
{
    const CollapsedRuns& searched = phases.searched;
    const std::vector<std::size_t> begins = iterationBegins(phases, iterationMark(phases, phase));
    std::vector<PhasePiece> pieces;
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
        pieces.push_back(pieceOf(phases, begins[i], begins[i + 1]));
        const TimeNs next = phases.rangeOf(begins[i + 1], begins[i + 1] + 1).begin;  // no time between two is left out
        pieces.back().range.end = std::max(pieces.back().range.begin, next);
    }
    if (begins.empty()) return pieces;
    const std::unordered_set<std::uint32_t> own(phase.pattern.begin(), phase.pattern.end());
    std::size_t end = begins.back();
    while (end < searched.symbols.size() && own.contains(searched.symbols[end])) ++end;
    pieces.push_back(pieceOf(phases, begins.back(), end));
    return pieces;
}

}  // namespace

PathString pathString(const CriticalPath& path)
{
    PathString string;
    const PathStep* before = nullptr;
    for (const PathStep& step : path.steps) {
        if (step.part != PathPart::Compute) continue;
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
    answer.phases = std::move(found->phases);
    answer.isComplete = found->isComplete;
    return answer;
}

std::uint32_t iterationMark(const PathPhases& phases, const Phase& phase)
{
    std::unordered_map<std::uint32_t, std::size_t> counts;
    for (const std::uint32_t symbol : rootOf(phase)) counts[symbol] = 0;
    for (const std::uint32_t symbol : phases.searched.symbols)
        if (const auto found = counts.find(symbol); found != counts.end()) ++found->second;
    const auto rarer = [&counts](std::uint32_t a, std::uint32_t b) { return counts[a] < counts[b]; };
    return *std::min_element(rootOf(phase).begin(), rootOf(phase).end(), rarer);
}

std::vector<PhasePiece> phasePieces(const PathPhases& phases, const Phase& phase, PhaseCut cut)
{
    if (cut == PhaseCut::Iterations) return iterations(phases, phase);
    if (cut == PhaseCut::Repeats && phase.rootLength < phase.pattern.size()) return placesOf(phases, rootOf(phase));
    std::vector<PhasePiece> pieces;
    for (const std::size_t begin : phase.begins) pieces.push_back(pieceOf(phases, begin, begin + phase.pattern.size()));
    return pieces;
}

std::vector<PhasePiece> exactIterations(const PathPhases& phases, const Phase& phase)
{
    if (phase.rootLength == phase.pattern.size()) return phasePieces(phases, phase, PhaseCut::Repeats);
    std::vector<std::uint32_t> root(rootOf(phase).begin(), rootOf(phase).end());
    std::rotate(root.begin(), std::find(root.begin(), root.end(), iterationMark(phases, phase)), root.end());
    return placesOf(phases, root);
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
