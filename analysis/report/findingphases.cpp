// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about repeated phases of the critical path: how long iterations took, and which took unusually long.
#include "analysis/base/naming.h"
#include "analysis/report/findings.h"

#include "analysis/phases/phasequestions.h"
#include "analysis/report/phasetables.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostNames = 6;

QString patternText(const TraceStore& store, const Phase& phase)
{
    QStringList names;
    for (std::size_t i = 0; i < std::min(phase.rootLength, mostNames); ++i)
        names << nameOfEntry(store, EntryId{phase.pattern[i]});
    if (phase.rootLength > mostNames) names << tr("%1 more").arg(phase.rootLength - mostNames);
    return names.join(tr(", "));
}

struct PathIterations {
    std::vector<TimeRange> spans{};
    InstanceDurations durations{};
};

// One entry method again and again counts as one symbol.
QString longestRunSentence(const TraceStore& store, const std::vector<PathStep>& steps)
{
    constexpr std::int64_t fewest = 6;
    std::int64_t longest = 0, run = 0;
    EntryId entry = noEntry;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        run = i > 0 && steps[i].entry == steps[i - 1].entry ? run + 1 : 1;
        if (run <= longest) continue;
        longest = run;
        entry = steps[i].entry;
    }
    if (longest < fewest) return {};
    return tr("%1 occurs on it %2 times in a row.").arg(nameOfEntry(store, entry), formatCount(longest));
}

// "1 000 iterations, 1.919 ms each at the median; two are slow."
QString iterationSentence(const Phase& phase, const PathIterations& iterations)
{
    constexpr std::size_t fewest = 6;
    if (phase.rounds.empty() && iterations.spans.size() < fewest)
        return tr("A pattern occurs %1 times on the critical path, but not evenly enough to tell iterations.")
            .arg(formatCount(std::int64_t(phase.rootInstances)));
    const auto slow = std::int64_t(iterations.durations.slow.size());
    const bool areMany = slow > std::ssize(iterations.spans) / 4;
    const QString text = tr("%1, %2 each at the median")
                             .arg(counted("%1 iterations", "%1 iteration", std::int64_t(iterations.spans.size())),
                                  formatTime(iterations.durations.median));
    if (slow == 0) return text % tr("; none is slow.");
    if (!areMany) return text % counted("; %1 are slow.", "; one is slow.", slow);
    TimeNs least = maxTime;
    for (const std::size_t number : iterations.durations.slow)
        least = std::min(least, iterations.spans[number].length());
    return text % tr("; %1 take %2 or more.").arg(formatCount(slow), formatTime(least));
}

QString repeatsSentence(const TraceStore& store, const Phase& phase)
{
    return tr("What repeats on the critical path: %1.").arg(patternText(store, phase))
           % (phase.proven ? QString() : QString(QLatin1Char(' ') % tr("Another pattern may cover more of it.")));
}

TableData slowTable(const TraceStore& store, const PathIterations& iterations)
{
    constexpr std::size_t mostRows = 10;
    std::vector<PhaseSpan> slow = phaseSpans(iterations.spans);
    std::erase_if(slow, [](const PhaseSpan& span) { return !span.isSlow; });
    return phaseSpanTable(store)
        .only({"number", "begin_ns", "duration_ns"})
        .renamed("number", "iteration")
        .renamed("duration_ns", "time_ns")
        .titled(tr("Iterations that took longer than the median and three times the spread"))
        .data(slow, mostRows);
}

JsonValue phaseJson(const TraceStore& store, const Phase& phase, const PathIterations& iterations)
{
    constexpr std::size_t mostListed = 1000;  // a root that repeats nothing may be as long as the path
    JsonValue pattern = JsonValue::array();
    for (std::size_t i = 0; i < std::min(phase.rootLength, mostListed); ++i)
        pattern.push_back(entryJson(store, EntryId{phase.pattern[i]}));
    const auto spans = phaseSpanTable(store).only({"begin_ns", "end_ns"});
    return {{"root", pattern},
            {"root_length", phase.rootLength},
            {"score", phase.score},
            {"proven", phase.proven},
            {"median_ns", iterations.durations.median},
            {"spread_ns", iterations.durations.spread},
            {"iterations", rowsJson(spans, phaseSpans(iterations.spans), nullptr)}};
}

Finding findPhases(const AnalysisContext& context)
{
    Finding finding;
    if (context.workAtMerges.steps.empty()) {
        finding.notEvaluated = withoutEvents(context.store, tr("There is no path: the trace holds no tasks."));
        return finding;
    }
    const auto asked = context.results.ask(PathPhasesQuestion{.path = {.edges = EdgeLevel::Merges},
                                                              .phases = {.options = {.count = 1}}},
                                           context.progress);
    if (!asked) {
        finding.notEvaluated = asked.error().what;
        return finding;
    }
    const std::shared_ptr<const PathPhases>& phases = *asked;
    if (phases->phases.empty()) {
        finding.paragraphs << context.store.words().say(
            tr("No sequence of different entry methods occurs six times or more on the critical path."),
            tr("No sequence of different regions occurs six times or more on the critical path."));
        if (const QString run = longestRunSentence(context.store, context.workAtMerges.steps); !run.isEmpty())
            finding.paragraphs.back() += QLatin1Char(' ') % run;
        return finding;
    }
    const Phase& phase = phases->phases.front();
    PathIterations iterations{.spans = rangesOf(phasePieces(*phases, phase, PhaseCut::Iterations))};
    iterations.durations = instanceDurations(iterations.spans);
    finding.paragraphs << iterationSentence(phase, iterations);
    finding.appendix.paragraphs
        << repeatsSentence(context.store, phase)
        << tr("The spread (median absolute deviation) is %1.").arg(formatTime(iterations.durations.spread));
    if (!iterations.durations.slow.empty()) finding.appendix.tables.push_back(slowTable(context.store, iterations));
    finding.json = phaseJson(context.store, phase, iterations);
    return finding;
}

}  // namespace

const Analysis phasesAnalysis{.id = "phases",
                              .title = QT_TRANSLATE_NOOP("longpole", "What repeats"),
                              .evaluate = findPhases};

}  // namespace longpole
