// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/schemeadvice.h"

#include "analysis/base/naming.h"
#include "analysis/scheduling/schedulingwords.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double usableWidth = 0.25;  // of Prediction::isUsable

const PathEntry* entryOf(const SchemeContext& context, EntryId id)
{
    const auto& entries = context.found.entries;
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const PathEntry& e) { return e.entry == id; });
    return found == entries.end() ? nullptr : &*found;
}

void doubt(Advice& advice, double factor, const QString& why)
{
    advice.confidence *= std::clamp(factor, 0.05, 1.0);
    advice.doubts << why;
}

void doubtPath(Advice& advice, const SchemeContext& context)
{
    const double doubtful = ratio(double(context.path.doubtfulWeight), double(context.path.length));
    if (doubtful > 0.01)
        doubt(advice, 1 - doubtful / 2,
              tr("%1 of the critical path rests on edges that were repaired or inferred.").arg(formatShare(doubtful)));
}

void doubtPrediction(Advice& advice, const Prediction& prediction, const SchemeContext& context)
{
    const double width = prediction.gainHigh - prediction.gainLow;
    const double estimated = context.found.estimatedShare;
    if (estimated > 0)
        doubt(advice, 1 - 0.4 * width / usableWidth,
              tr("%1 of these waits rest on estimated arrival times; the prediction spans what they leave open.")
                  .arg(formatShare(estimated)));
    else if (width > 0.02)
        doubt(advice, 1 - 0.4 * width / usableWidth, tr("The prediction spans %1.").arg(formatShare(width)));
    const double error = prediction.baselineError;
    if (std::abs(error) > 0.02)
        doubt(advice, 1 - std::min(0.5, 3 * std::abs(error)),
              tr("The replay of the run as it was takes %1 %2 than recorded.")
                  .arg(formatShare(std::abs(error)), error > 0 ? tr("longer") : tr("less")));
}

std::vector<Evidence> evidenceOf(const std::vector<EntryId>& entries, const SchemeContext& context, TimeRange& range)
{
    const WaitEvidence::TimeOf timeOf = [&](const CriticalWait& wait) {
        const EntryId entry{context.graph.entry[wait.task]};
        const bool isOurs = std::find(entries.begin(), entries.end(), entry) != entries.end();
        return isOurs ? wait.wait.overtaken : 0;
    };
    range = context.evidence.range(timeOf);
    return context.evidence.overtaken(timeOf);
}

QString namesOf(const std::vector<EntryId>& entries, const TraceStore& store)
{
    QStringList names;
    for (const EntryId entry : entries) names << nameOfEntry(store, entry);
    return listed(names);
}

QString idOf(const PriorityScheme& scheme, const TraceStore& store)
{
    if (!scheme.byEntry()) return QStringLiteral("prioritize_objects:") + schemeWords(scheme, store);
    QStringList ids;
    for (const EntryId entry : scheme.entries) ids << QLatin1Char('E') + QString::number(index(entry));
    return QStringLiteral("prioritize:") + ids.join(QLatin1Char('+'));
}

// "of 120 tasks of chain_hop 20 are on the critical path"; what overtook them.
QString overtakenVerdict(const PriorityScheme& scheme, const Advice& advice, const SchemeContext& context)
{
    const EntryId behind = context.evidence.mainOvertaker(scheme.entries.size() == 1 ? advice.entry : noEntry);
    const QString names = namesOf(scheme.entries, context.store);
    return behind == noEntry ? tr("Critical tasks of %1 were overtaken for %2.").arg(names, formatTime(advice.over))
                             : tr("Critical tasks of %1 were overtaken for %2, mostly by %3.")
                                   .arg(names, formatTime(advice.over), nameOfEntry(context.store, behind));
}

QString purityText(const PathEntry& entry)
{
    return tr("%1 of its %2 tasks are critical (%3 of its time).")
        .arg(formatCount(entry.criticalCount), formatCount(entry.count), formatShare(entry.purity()));
}

QString residualText(const Advice& advice)
{
    return tr("Another %1 went to the rest of running tasks, which priorities don't change.")
        .arg(formatTime(advice.residual));
}

QString overtakenMeaning(const PriorityScheme& scheme, const Advice& advice, const SchemeContext& context)
{
    QStringList sentences;
    if (!scheme.byEntry())
        for (const Separation& selected : scheme.selected)
            sentences << tr("%1 hold %2 of the critical time of %3, and %4 of its other time.")
                             .arg(words(selected, context.store), formatShare(selected.covered),
                                  nameOfEntry(context.store, selected.entry), formatShare(selected.others));
    else if (scheme.entries.size() == 1) sentences << purityText(*entryOf(context, advice.entry));
    if (advice.entryClass == EntryClass::Mixed && scheme.byEntry())
        sentences << tr("It does other work as well; the replay says that a priority pays all the same.");
    if (advice.residual > 0) sentences << residualText(advice);
    return sentences.join(QLatin1Char(' '));
}

QString priorityAction(const PriorityScheme& scheme, const SchemeContext& context)
{
    if (!scheme.byEntry())
        return tr("Prioritize the messages to %1, if you know these objects beforehand.")
            .arg(schemeWords(scheme, context.store));
    return tr("Send its messages with CkEntryOptions: setPriority(%1) and setQueueing(CK_QUEUEING_IFIFO).")
               .arg(highPriority)
           % QLatin1Char(' ') % tr("Smaller numbers run first; all other messages have 0.");
}

QString titleOf(const PriorityScheme& scheme, const TraceStore& store)
{
    if (scheme.byEntry()) return tr("Give %1 a higher priority").arg(namesOf(scheme.entries, store));
    return tr("Prioritize the messages to %1").arg(schemeWords(scheme, store));
}

}  // namespace

QString schemeWords(const PriorityScheme& scheme, const TraceStore& store)
{
    if (scheme.byEntry()) return namesOf(scheme.entries, store);
    QStringList parts;
    for (const Separation& selected : scheme.selected)
        if (const QString part = words(selected, store); !parts.contains(part)) parts << part;
    return listed(parts);
}

Advice priorityAdvice(const PriorityScheme& scheme, const Prediction& prediction, const SchemeContext& context)
{
    Advice advice;
    advice.id = idOf(scheme, context.store);
    advice.kind = scheme.byEntry() ? QStringLiteral("prioritize") : QStringLiteral("prioritize_objects");
    advice.node = QStringLiteral("scheduling");
    advice.title = titleOf(scheme, context.store);
    for (const EntryId id : scheme.entries) {
        const PathEntry& entry = *entryOf(context, id);
        addSaturating(advice.over, entry.wait.overtaken);
        addSaturating(advice.residual, entry.wait.residual);
        addSaturating(advice.idle, entry.idleBefore);
    }
    if (scheme.entries.size() == 1) {
        advice.entry = scheme.entries.front();
        advice.entryClass = entryOf(context, advice.entry)->entryClass;
    }
    advice.bound = context.found.bound;
    advice.estimate = std::min(context.bound.estimate(advice.over), context.found.bound);
    advice.prediction = prediction;
    const double gain = std::max(0.0, (prediction.gainLow + prediction.gainHigh) / 2);
    const double processorTime = static_cast<double>(context.graph.run.length()) * context.graph.processors;
    advice.severity = static_cast<TimeNs>(gain * processorTime);
    advice.evidence = evidenceOf(scheme.entries, context, advice.range);
    advice.sql = overtakenSql(scheme.entries);
    advice.verdict = overtakenVerdict(scheme, advice, context);
    advice.meaning = overtakenMeaning(scheme, advice, context);
    advice.action = priorityAction(scheme, context);
    advice.confidence = 0.95;  // messages take as long as they did, and tasks do
    doubtPrediction(advice, prediction, context);
    doubtPath(advice, context);
    if (!scheme.byEntry()) doubt(advice, 0.5, tr("Which objects are critical may only be known after the run."));
    return advice;
}

std::optional<Advice> splitAdvice(const SchemeContext& context)
{
    const auto& blockers = context.evidence.blockers();
    const auto blocker = std::find_if(blockers.begin(), blockers.end(), [&](const WaitEvidence::Blocker& b) {
        const Entry* const entry = context.store.entry(b.entry);
        return entry != nullptr && entry->kind == EntryKind::User;
    });
    const QueueWait& wait = context.found.wait;
    const double threshold = context.thresholds.scheduling.overtaking * double(context.graph.run.length());
    if (blocker == blockers.end() || double(blocker->time) < threshold || wait.residual <= wait.overtaken) return {};
    const WaitEvidence::TimeOf timeOf = [&](const CriticalWait& w) {
        return context.evidence.runningBefore(w) == blocker->entry ? w.wait.residual : 0;
    };
    const QString name = nameOfEntry(context.store, blocker->entry);
    Advice advice;
    advice.id = QStringLiteral("split:E%1").arg(index(blocker->entry));
    advice.kind = QStringLiteral("split");
    advice.node = QStringLiteral("scheduling");
    advice.title = tr("Split %1 into smaller tasks").arg(name);
    advice.entry = blocker->entry;
    if (const PathEntry* const onPath = entryOf(context, blocker->entry)) advice.entryClass = onPath->entryClass;
    advice.residual = blocker->time;
    advice.bound = context.found.bound;
    advice.estimate = std::min(context.bound.estimate(blocker->time), context.found.bound);
    advice.severity = saturatingMultiply(*advice.estimate, context.graph.processors);
    advice.evidence = context.evidence.residual(timeOf);
    advice.range = context.evidence.range(timeOf);
    advice.sql = blockedSql(blocker->entry);
    advice.verdict = counted("%1 critical tasks waited %2 for the rest of a running %3.",
                             "%1 critical task waited %2 for the rest of a running %3.", blocker->count)
                         .arg(formatTime(blocker->time), name);
    advice.meaning = tr("A priority does not help there: a running task is not interrupted.");
    advice.action = tr("Split %1 into tasks that send themselves on, or send it later or elsewhere.").arg(name);
    doubt(advice, 0.6, tr("The replay cannot split tasks: the saving is a limit."));
    if (context.found.estimatedShare > 0)
        doubt(advice, 1 - 0.2 * context.found.estimatedShare,
              tr("%1 of these waits rest on estimated arrival times.").arg(formatShare(context.found.estimatedShare)));
    doubtPath(advice, context);
    return advice;
}

}  // namespace longpole
