// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/comparison.h"

#include "analysis/base/unknownbytes.h"
#include "analysis/expert/plausibility.h"
#include "analysis/replay/writtentrace.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace longpole {

namespace {

std::int64_t perProcessor(std::int64_t sum, const RunFigures& run)
{
    return run.info.processors > 0 ? sum / run.info.processors : 0;
}

std::vector<ComparedFigure> figuresOf(const RunFigures& a, const RunFigures& b)
{
    std::vector<ComparedFigure> figures;
    const auto add = [&](const char* id, Saying title, CellKind kind, auto get, bool isShare = false) {
        figures.push_back({id, a.info.vocabulary.say(title), kind, get(a), get(b), isShare});
    };
    add("duration", QT_TRANSLATE_NOOP("longpole", "duration"), CellKind::Time,
        [](const RunFigures& r) { return r.duration(); });
    if (a.work && b.work) {
        add("work_messages", QT_TRANSLATE_NOOP("longpole", "work path, messages"), CellKind::Time,
            [](const RunFigures& r) { return r.work->messages; });
        add("work_merges", QT_TRANSLATE_NOOP("longpole", "work path, merges"), CellKind::Time,
            [](const RunFigures& r) { return r.work->merges; });
        add("work_order", QT_TRANSLATE_NOOP("longpole", "work path, order"), CellKind::Time,
            [](const RunFigures& r) { return r.work->order; });
    }
    add(
        "user",
        {QT_TRANSLATE_NOOP("longpole", "busy, mean of a PE"), QT_TRANSLATE_NOOP("longpole", "busy, mean of a rank")},
        CellKind::Time, [](const RunFigures& r) { return perProcessor(r.usage.user, r); }, true);
    add(
        "idle",
        {QT_TRANSLATE_NOOP("longpole", "idle, mean of a PE"), QT_TRANSLATE_NOOP("longpole", "idle, mean of a rank")},
        CellKind::Time, [](const RunFigures& r) { return perProcessor(r.usage.idle, r); }, true);
    add(
        "overhead",
        {QT_TRANSLATE_NOOP("longpole", "overhead, mean of a PE"),
         QT_TRANSLATE_NOOP("longpole", "overhead, mean of a rank")},
        CellKind::Time, [](const RunFigures& r) { return perProcessor(r.usage.overhead, r); }, true);
    add("tasks", QT_TRANSLATE_NOOP("longpole", "tasks"), CellKind::Count,
        [](const RunFigures& r) { return r.info.tasks; });
    if (!a.info.isSummary() && !b.info.isSummary()) {
        add("messages", QT_TRANSLATE_NOOP("longpole", "messages"), CellKind::Count,
            [](const RunFigures& r) { return r.info.messages; });
        if (areBytesKnown(a.info) && areBytesKnown(b.info))
            add("bytes", QT_TRANSLATE_NOOP("longpole", "bytes sent"), CellKind::Bytes,
                [](const RunFigures& r) { return r.bytes; });
    }
    return figures;
}

QString nameOf(const TraceInfo& info) { return info.program.isEmpty() ? tr("a program without a name") : info.program; }

void noteRun(QStringList& notes, const RunFigures& run, QString label)
{
    if (!label.isEmpty()) label[0] = label[0].toUpper();  // it begins the sentence
    if (run.info.isSummary())
        notes << tr("%1 is a summary: it has no tasks and messages, so no paths, waits or iterations.").arg(label);
    if (saturatingMultiply(run.info.executionsUnmatched, 100) > run.info.tasks)
        notes << tr("%1: %2 of %3 tasks have no known message; its paths are that much less sure.")
                     .arg(label, formatCount(run.info.executionsUnmatched), formatCount(run.info.tasks));
    constexpr double mostWithout = 0.05;
    const CoreWaits waits = coreWaits(run.info);
    if (run.info.hasRanks() && run.info.cores > 0 && waits.share > mostWithout)
        notes << (waits.isMeasured
                      ? tr("%1: its ranks had no core for %2 of their time, which counts in its times.")
                      : tr("%1: its ranks had no core for about %2 of their time, which counts in its times."))
                     .arg(label, formatShare(waits.share));
}

QStringList notesOn(const RunFigures& a, const RunFigures& b, const MethodMatches& matches, const RunLabels& labels)
{
    QStringList notes;
    if (a.stamp == b.stamp && !a.stamp.isEmpty()) notes << tr("%1 and %2 are the same trace.").arg(labels.a, labels.b);
    if (a.info.program != b.info.program)
        notes << a.info.vocabulary
                     .say(tr("%1 is %2 and %3 is %4: entry methods are compared where their names are the same, %5 of "
                             "%6."),
                          tr("%1 is %2 and %3 is %4: regions are compared where their names are the same, %5 of %6."))
                     .arg(labels.a, nameOf(a.info), labels.b, nameOf(b.info),
                          formatCount(std::count_if(matches.begin(), matches.end(),
                                                    [](std::uint32_t m) { return m != noMethod; })),
                          formatCount(std::int64_t(matches.size())));
    if (a.info.processors != b.info.processors)
        notes << a.info.vocabulary
                     .say(
                         tr("%1 ran on %2 PEs and %3 on %4: usage and entry methods are compared by the mean of a PE."),
                         tr("%1 ran on %2 ranks and %3 on %4: usage and regions are compared by the mean of a rank."))
                     .arg(labels.a, formatCount(a.info.processors), labels.b, formatCount(b.info.processors));
    if (isReplayed(b.info))
        notes
            << tr("%1 is a replay and no run: that it gains what a replay predicted proves nothing yet.").arg(labels.b);
    for (const auto& [run, label] : {std::pair(&a, labels.a), std::pair(&b, labels.b)})
        if (run->cutLogs > 0)
            notes
                << tr("%1 is not whole: logs are missing, damaged or end too early (%2 of them at least). Its figures "
                      "are too small.")
                       .arg(label, formatCount(run->cutLogs));
    noteRun(notes, a, labels.a);
    noteRun(notes, b, labels.b);
    return notes;
}

void compareTimes(ComparedMethod& method, const Comparison& comparison)
{
    const auto timeOf = [&comparison](const std::optional<MethodFigures>& figures, const RunFigures& run) {
        const TimeNs time = figures ? figures->time : 0;
        return comparison.perProcessor ? perProcessor(time, run) : time;
    };
    method.timeA = timeOf(method.a, comparison.a);
    method.timeB = timeOf(method.b, comparison.b);
    method.change = saturatingSubtract(method.timeB, method.timeA);
}

// MPI calls have no code of their own to compare: what is known of them are waits.
bool isCallOnly(const std::optional<MethodFigures>& method)
{
    return !method
           || (method->time == 0 && method->messages == 0 && method->onWorkPath == 0 && method->onElapsedPath == 0
               && waitsOf(method) == 0);
}

std::vector<ComparedMethod> methodsOf(const Comparison& comparison, const MethodMatches& matches)
{
    std::vector<ComparedMethod> methods;
    std::vector<bool> matched(comparison.b.methods.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
        methods.push_back({.a = comparison.a.methods[i]});
        if (matches[i] == noMethod) continue;
        methods.back().b = comparison.b.methods[matches[i]];
        matched[matches[i]] = true;
    }
    for (std::size_t i = 0; i < matched.size(); ++i)
        if (!matched[i]) methods.push_back({.b = comparison.b.methods[i]});
    if (comparison.a.info.hasRanks() && comparison.b.info.hasRanks())
        std::erase_if(methods, [](const ComparedMethod& m) { return isCallOnly(m.a) && isCallOnly(m.b); });
    for (ComparedMethod& method : methods) compareTimes(method, comparison);
    const auto rank = [](const ComparedMethod& m) {
        return std::pair(std::abs(m.change), std::max(m.a ? m.a->time : 0, m.b ? m.b->time : 0));
    };
    std::stable_sort(methods.begin(), methods.end(),
                     [&rank](const ComparedMethod& a, const ComparedMethod& b) { return rank(a) > rank(b); });
    return methods;
}

TimeNs onPath(const std::optional<MethodFigures>& method) { return method ? method->onElapsedPath : 0; }

// Indices of the methods whose `size` is above zero, largest first.
std::vector<std::size_t> ranked(const std::vector<ComparedMethod>& methods, auto size)
{
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < methods.size(); ++i)
        if (size(methods[i]) > 0) found.push_back(i);
    std::stable_sort(found.begin(), found.end(),
                     [&](std::size_t a, std::size_t b) { return size(methods[a]) > size(methods[b]); });
    return found;
}

void rankPaths(Comparison& comparison)
{
    const auto& methods = comparison.methods;
    comparison.entered = ranked(methods, [](const ComparedMethod& m) { return onPath(m.a) == 0 ? onPath(m.b) : 0; });
    comparison.left = ranked(methods, [](const ComparedMethod& m) { return onPath(m.b) == 0 ? onPath(m.a) : 0; });
    comparison.waitsGained = ranked(methods, [](const ComparedMethod& m) { return waitsOf(m.b) - waitsOf(m.a); });
    comparison.waitsLost = ranked(methods, [](const ComparedMethod& m) { return waitsOf(m.a) - waitsOf(m.b); });
}

QString gainText(double gain)
{
    return gain < 0 ? tr("a loss of %1").arg(formatShare(-gain)) : tr("a gain of %1").arg(formatShare(gain));
}

AdviceOutcome outcomeOf(const Prediction& prediction, double gained)
{
    if (gained < prediction.gainLow) return AdviceOutcome::Less;
    return gained > prediction.gainHigh ? AdviceOutcome::More : AdviceOutcome::AsPredicted;
}

// A replay that gains what a replay predicted has confirmed nothing.
QString predictedText(const Prediction& prediction, AdviceOutcome outcome, const QString& measured, bool isReplay)
{
    const QString low = formatShare(prediction.gainLow), high = formatShare(prediction.gainHigh);
    const QString verdict = outcome == AdviceOutcome::Less   ? tr("less than predicted")
                            : outcome == AdviceOutcome::More ? tr("more than predicted")
                            : isReplay                       ? tr("which is the prediction once more")
                                                             : tr("as predicted");
    return tr("Predicted: %1 of the duration. %2, %3.")
        .arg(low == high ? low : tr("%1 to %2").arg(low, high), measured, verdict);
}

QString boundedText(const Advice& advice, TimeNs gained, const QString& measured)
{
    if (isReplayed(advice)) return advice.effect % QLatin1Char(' ') % measured % QLatin1Char('.');
    const auto limit = limitOf(advice);
    if (!limit) return tr("Nothing was predicted. %1.").arg(measured);
    const QString more = gained > *limit ? tr(" That is more: something else changed as well.") : QString();
    return tr("It could save at most %1; there was no predicted saving. %2.").arg(formatTime(*limit), measured) + more;
}

AdviceCheck check(const Advice& advice, const Comparison& comparison)
{
    const bool isReplay = isReplayed(comparison.b.info);
    const QString measured = (isReplay ? tr("The replay took %1 instead of %2: %3") : tr("B took %1 instead of %2: %3"))
                                 .arg(formatTime(comparison.b.duration()), formatTime(comparison.a.duration()),
                                      gainText(comparison.gained()));
    AdviceCheck checked{.advice = advice};
    if (isReplay && !(advice.replay && isReplayedWith(comparison.b.info, advice.replayWords))) {
        checked.isOfAnother = true;
        checked.text = tr("%1. That replay changes something else.").arg(measured);
        return checked;
    }
    // Other replays are of the best that the advice could do, which is no promise.
    if (isReplayed(advice) && advice.isOfScheduling()) {
        checked.outcome = outcomeOf(*advice.prediction, comparison.gained());
        checked.text = predictedText(*advice.prediction, checked.outcome, measured, isReplay);
    } else {
        checked.text = boundedText(advice, -comparison.durationChange(), measured);
    }
    if (comparison.isWithinSpread().value_or(false))
        checked.text += tr(" The change is smaller than the spread of the iterations.");
    return checked;
}

}  // namespace

const char* name(AdviceOutcome outcome)
{
    switch (outcome) {
    case AdviceOutcome::AsPredicted: return "as_predicted";
    case AdviceOutcome::Less: return "less";
    case AdviceOutcome::More: return "more";
    case AdviceOutcome::NotPredicted: break;
    }
    return "not_predicted";
}

double Comparison::gained() const { return a.duration() > 0 ? 1 - double(b.duration()) / double(a.duration()) : 0; }

std::optional<bool> Comparison::isWithinSpread() const
{
    if (!phase) return {};
    const InstanceDurations &first = phase->a.durations, &second = phase->b.durations;
    return std::abs(second.median - first.median) <= std::max(first.spread, second.spread);
}

Comparison compare(RunFigures a, RunFigures b, const std::vector<Advice>& advice, const RunLabels& labels)
{
    Comparison comparison{.a = std::move(a), .b = std::move(b)};
    comparison.perProcessor = comparison.a.info.processors != comparison.b.info.processors;
    const MethodMatches matches = matchMethods(comparison.a.methods, comparison.b.methods);
    comparison.notes = notesOn(comparison.a, comparison.b, matches, labels);
    comparison.figures = figuresOf(comparison.a, comparison.b);
    comparison.phase = commonPhase(comparison.a, comparison.b, matches);
    comparison.methods = methodsOf(comparison, matches);
    rankPaths(comparison);
    // Another program or machine, or a run that is cut, says nothing about advice.
    const bool isAnswer = comparison.a.info.program == comparison.b.info.program && !comparison.perProcessor
                          && !comparison.a.info.isSummary() && !comparison.b.info.isSummary()
                          && comparison.a.cutLogs == 0 && comparison.b.cutLogs == 0;
    for (const Advice& given : advice)
        if (isAnswer) comparison.advice.push_back(check(given, comparison));
    return comparison;
}

std::optional<double> relativeChange(double a, double b)
{
    if (a == 0) return {};
    return b / a - 1;
}

TimeNs waitsOf(const std::optional<MethodFigures>& method)
{
    return method ? saturatingAdd(method->queued, method->inFlight) : 0;
}

}  // namespace longpole
