// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about the critical path: how long its computation is, what the elapsed time went into, and which entry
// methods are on it.
#include "analysis/base/naming.h"
#include "analysis/base/writtenrows.h"
#include "analysis/report/findings.h"

#include "analysis/graph/programentry.h"
#include "analysis/paths/runpaths.h"
#include "analysis/report/pathtables.h"
#include "analysis/report/profiletables.h"
#include "analysis/statistics/efficiencyquestions.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <set>

namespace longpole {

namespace {

QString stepsAndPes(Vocabulary words, const CriticalPath& path)
{
    std::set<ProcessorId> pes;
    for (const PathStep& step : path.steps) pes.insert(step.pe);
    return tr("%1 on %2")
        .arg(counted("%1 steps", "%1 step", static_cast<std::int64_t>(path.steps.size())),
             countedProcessors(words, static_cast<std::int64_t>(pes.size())));
}

constexpr std::size_t mostSteps = 64;  // that are looked at: the longest of a path

std::vector<PathStep> longestOf(const CriticalPath& path, std::size_t most)
{
    std::vector<PathStep> longest(std::min(most, path.steps.size()));
    std::partial_sort_copy(path.steps.begin(), path.steps.end(), longest.begin(), longest.end(),
                           [](const PathStep& a, const PathStep& b) {
                               return a.weight() != b.weight() ? a.weight() > b.weight() : a.begin < b.begin;
                           });
    return longest;
}

// What the path is as long as at least, once its tasks are not interrupted: for that time the longest were surely not
// running.
TimeNs leastLength(const TraceStore& store, const ProcessorTime* cpu, const CriticalPath& path)
{
    TimeNs least = path.length;
    if (cpu == nullptr || cpu->notRunning == 0) return least;
    for (const PathStep& step : longestOf(path, mostSteps)) {
        if (cpu->isSleeping(step.entry)) continue;
        const auto task = store.task(step.task);
        if (task && task->cpu) least -= std::min(step.weight(), cpu->notRunningOf(task->exclusive, *task->cpu));
    }
    return std::max<TimeNs>(0, least);
}

// The message chain is a lower limit, which dependencies that no message carries can raise up to `merges`. Of each the
// length without interruptions.
QString limitSentence(TimeNs chain, TimeNs interrupted, TimeNs merges, TimeNs duration)
{
    QString text = tr("This work needs at least %1 (%2 of the run), however it is scheduled.")
                       .arg(formatTime(chain), shareText(chain, duration));
    if (interrupted > 0)
        text += QLatin1Char(' ') % tr("Not in it are %1 for which its tasks had no core.").arg(formatTime(interrupted));
    if (merges > chain)
        text += QLatin1Char(' ')
                % tr("With inferred dependencies the limit may be up to %1 (%2).")
                      .arg(formatTime(merges), shareText(merges, duration));
    return text;
}

// What a faster network can save: no more than the run lasts beyond the path at level order, or beyond the work,
// start-up and shut-down on the elapsed path. Of ranks, what they wait for their threads is no matter of the network
// either.
TimeNs savedByNetwork(const AnalysisContext& context, TimeNs order)
{
    const PathParts& parts = context.elapsed.parts;
    TimeNs saved = std::min(context.workAtOrder.duration - order,
                            context.elapsed.duration - parts.compute - parts.startup);
    if (context.store.info().hasRanks()) {  // of PEs the ideal time is the path at level order
        const auto asked = context.results.ask(EfficiencyQuestion{}, context.progress);
        if (asked && (*asked)->ideal > 0) saved = std::min(saved, (*asked)->range.length() - (*asked)->ideal);
    }
    return std::max<TimeNs>(0, saved);
}

// `order`: the length of the path at that level, without interruptions.
QString orderSentence(const AnalysisContext& context, TimeNs order)
{
    const Vocabulary words = context.store.words();
    const TimeNs duration = context.workAtOrder.duration;
    const QString limit = shareText(order, duration);
    if (context.store.processors().size() < 2)
        return words
            .say(tr("With the PE's task order kept, the limit is %1 (%2)."),
                 tr("With the rank's order kept, the limit is %1 (%2)."))
            .arg(formatTime(order), limit);
    const TimeNs saved = savedByNetwork(context, order);
    QString text =
        words
            .say(tr("With each PE's task order kept, the limit is %1 (%2), and a faster network alone saves at "
                    "most %3."),
                 tr("With each rank's order kept, the limit is %1 (%2), and a faster network alone saves at "
                    "most %3."))
            .arg(formatTime(order), limit, shareText(saved, duration));
    const TimeNs unknown = std::min(saved, context.elapsed.parts.unexplained);
    if (unknown > saved / 2)
        text += QLatin1Char(' ')
                % tr("For %1 the trace does not say what was waited for.").arg(shareText(unknown, duration));
    return text;
}

// What to do about the largest part of the elapsed path besides computation. In a queue part the PE ran no task, since
// the walk would have gone on in it. `chain`: the length of the message chain.
QString remedy(Vocabulary words, const PathParts& parts, bool isEstimated, bool lacksCores, TimeNs chain,
               bool hasMessages)
{
    const bool isBusy = parts.compute / 9 >= parts.sum() - parts.startup - parts.compute;
    if (isBusy && chain < parts.compute - parts.compute / 4)
        return words
            .say(tr("Work sets the pace. Of the path's work, %1, one message chain needs only %2: the rest ran before "
                    "it on its PEs."),
                 tr("Work sets the pace. Of the path's work, %1, one message chain needs only %2: the rest ran before "
                    "it on its ranks."))
            .arg(formatTime(parts.compute), formatTime(chain));
    if (isBusy)
        return hasMessages ? tr("Work on one message chain sets the pace: shorten it, or spread it.")
                           : tr("Work sets the pace: shorten it, or spread it.");
    if (parts.startup >= parts.sum() - parts.startup)
        return tr("Most of it is start-up and shut-down, which a longer run pays once as well.");
    const TimeNs most = std::max({parts.queue, parts.network, parts.overhead, parts.unexplained});
    if (most == parts.queue && isEstimated)
        return words.say(tr("The largest rest is idle PEs whose messages should have arrived: slow delivery, or PEs "
                            "that share a core."),
                         tr("The largest rest is idle ranks whose messages should have arrived: slow delivery, or "
                            "ranks that share a "
                            "core."));
    if (most == parts.queue)
        return words.say(tr("The largest rest is messages that had arrived at idle PEs, yet started late."),
                         tr("The largest rest is messages that had arrived at idle ranks, yet were taken late."));
    if (most == parts.network && lacksCores)
        return words.say(
            tr("The largest rest is messages in transit, or PEs without a core that should have taken them."),
            tr("The largest rest is messages in transit, or ranks without a core that should have sent or "
               "taken them."));
    if (most == parts.network) return tr("The largest rest is messages in transit: send fewer, earlier, or less far.");
    if (most == parts.overhead)
        return words.say(
            tr("The largest rest is overhead between tasks: look at task size and the number of messages."),
            tr("The largest rest is time in MPI and in barriers of threads."));
    return tr("What the largest rest was waiting for, the trace does not say.");
}

bool restsOnEstimates(const CriticalPath& path)
{
    return std::any_of(path.steps.begin(), path.steps.end(),
                       [](const PathStep& step) { return step.part == PathPart::Queue && step.doubtful; });
}

QString elapsedSentence(Vocabulary words, const CriticalPath& path, const CriticalPath& messages, bool lacksCores,
                        bool hasMessages)
{
    const PathParts& parts = path.parts;
    const auto share = [&path](TimeNs time) { return shareText(time, path.length); };
    const QString remedyText = remedy(words, parts, restsOnEstimates(path), lacksCores, messages.length, hasMessages);
    if (words.ofRanks())
        return tr("The elapsed path, %1: %2 work, %3 network, %4 in MPI and barriers, %5 start-up and shut-down, %6 "
                  "unexplained. %7")
            .arg(formatTime(path.length), share(parts.compute), share(parts.network), share(parts.overhead),
                 share(parts.startup), share(parts.unexplained), remedyText);
    return tr("The elapsed path is all of the %1: %2 work, %3 network, %4 queue, %5 overhead, %6 unexplained. %7")
        .arg(formatTime(path.length), share(parts.compute), share(parts.network), share(parts.queue),
             share(parts.overhead), share(parts.unexplained), remedyText);
}

// Names one task, if there is one, that makes up much of the path and took far longer than its entry method usually
// does.
QString outlier(const TraceStore& store, const ProcessorTime* cpu, const CriticalPath& path)
{
    const auto longest = std::max_element(path.steps.begin(), path.steps.end(),
                                          [](const PathStep& a, const PathStep& b) { return a.weight() < b.weight(); });
    if (longest == path.steps.end() || longest->weight() < path.length / 4) return {};
    if (cpu != nullptr && !cpu->isSleeping(longest->entry))
        if (const auto task = store.task(longest->task); task && task->cpu)
            if (const TimeNs notRunning = cpu->notRunningOf(task->exclusive, *task->cpu); notRunning > 0)
                return store.words()
                    .say(tr("Task %1, %2 of this path, was not running for at least %3: no claim rests on it."),
                         tr("Task %1, %2 of this path, was not running for at least %3: no claim rests on it."))
                    .arg(toText(longest->task), formatTime(longest->weight()), formatTime(notRunning));
    // A region of ranks is in pieces, as calls divide it: their mean says nothing.
    if (store.words().ofRanks()) return {};
    const auto task = store.task(longest->task);
    if (!task) return {};
    TimeNs time = 0;
    std::int64_t count = 0;
    for (const ProfileRow& row : store.profile()) {
        if (row.entry != longest->entry) continue;
        time = saturatingAdd(time, row.exclusive);
        addSaturating(count, row.count);
    }
    // Both without what is nested in tasks.
    if (count < 10 || task->exclusive / 10 < time / count) return {};
    return tr("Look at task %1: %2, %3 times its method's mean. It may have been interrupted.")
        .arg(toText(longest->task), formatTime(task->exclusive),
             formatCount(task->exclusive / std::max<TimeNs>(1, time / count)));
}

// Names an entry method, if there is one, whose share of the path is clearly larger than its share of all work.
QString standingOut(const TraceStore& store, const CriticalPath& path)
{
    const PathProfileRow* found = nullptr;
    for (const PathProfileRow& row : path.profile)
        if (row.share >= 0.05 && row.share >= 1.5 * row.busyShare
            && (found == nullptr || row.share - row.busyShare > found->share - found->busyShare))
            found = &row;
    if (found == nullptr) return {};
    return tr("%1 stands out: %2 of the message chain, but only %3 of all busy time.")
        .arg(nameWithOwner(store, found->entry), formatShare(found->share), formatShare(found->busyShare));
}

TableData profileTable(const TraceStore& store, const QString& title, const CriticalPath& path)
{
    constexpr std::size_t mostRows = 12;
    return pathProfileTable(store).titled(title).data(entryShares(store, path), mostRows);
}

TableData longestSteps(const TraceStore& store, const CriticalPath& path)
{
    constexpr std::size_t mostRows = 10;
    std::vector<PathStep> longest = longestOf(path, mostRows);
    const auto hasWeight = [](const PathStep& step) { return step.weight() > 0; };
    longest.erase(std::find_if_not(longest.begin(), longest.end(), hasWeight), longest.end());
    const auto steps = pathStepTable(store, path.length);
    TableData table = (store.callPaths().empty()
                           ? steps.only({"task", "entry", "begin_ns", "weight_ns", "share"})
                           : steps.only({"task", "entry", "where", "begin_ns", "weight_ns", "share"}))
                          .titled(tr("Longest steps of the message chain"))
                          .data(longest);
    table.rowsOmitted = std::count_if(path.steps.begin(), path.steps.end(), hasWeight) - std::ssize(longest);
    return table;
}

void writePath(JsonText& text, const TraceStore& store, const CriticalPath& path)
{
    text.beginObject();
    text.member("mode", name(path.mode));
    text.member("edges", name(path.edges));
    text.member("length_ns", path.length);
    text.member("duration_ns", path.duration);
    text.member("steps", path.steps.size());
    text.member("to", path.to);
    text.key("profile");
    writeRows(text, pathProfileTable(store), entryShares(store, path), &store);
    text.member("parts", partsJson(path.parts));
    text.endObject();
}

Finding findCriticalPath(const AnalysisContext& context)
{
    Finding finding;
    const CriticalPath& messages = context.workAtMessages;
    if (messages.steps.empty() || messages.duration <= 0) {
        finding.notEvaluated = withoutEvents(context.store, tr("There is no path: the trace holds no tasks."));
        return finding;
    }
    const Vocabulary words = context.store.words();
    const ProcessorTime* cpu = context.expert != nullptr ? &context.expert->health.processorTime : nullptr;
    const auto least = [&context](const CriticalPath& path) { return lengthUninterrupted(context, path); };
    finding.paragraphs << limitSentence(least(messages), messages.length - least(messages), least(context.workAtMerges),
                                        messages.duration);
    const QString oneTask = outlier(context.store, cpu, messages);
    if (!oneTask.isEmpty()) finding.paragraphs << oneTask;
    finding.paragraphs << orderSentence(context, least(context.workAtOrder));
    const bool lacksCores = context.expert != nullptr
                            && std::any_of(context.expert->health.checks.begin(), context.expert->health.checks.end(),
                                           [](const Check& check) {
                                               return check.id == CheckId::ProcessorTime
                                                      && check.level == CheckLevel::Failed;
                                           });
    finding.paragraphs << elapsedSentence(words, context.elapsed, messages, lacksCores,
                                          context.store.info().messages > 0);
    if (const QString sentence = standingOut(context.store, messages); oneTask.isEmpty() && !sentence.isEmpty())
        finding.paragraphs << sentence;
    finding.appendix.paragraphs << tr("The message chain (edges messages) has %1.").arg(stepsAndPes(words, messages))
                                << tr("The scheduled path (edges order) has %1, and takes %2 more.")
                                       .arg(stepsAndPes(words, context.workAtOrder),
                                            formatTime(context.workAtOrder.length - messages.length));
    if (!context.store.info().isPart())
        finding.appendix.paragraphs << tr("Dependencies besides messages (edges merges): %1.")
                                           .arg(mergesInWords(context.graph.merges.size(), context.merges));
    std::vector<TableData>& tables = finding.appendix.tables;
    tables.push_back(profileTable(context.store,
                                  words.say(tr("The message chain, by entry method"),
                                            tr("The message chain, by region")),
                                  messages));
    tables.push_back(pathPartTable(context.store, context.elapsed.length).data(spoken(context.elapsed.parts, words)));
    tables.push_back(profileTable(context.store,
                                  words.say(tr("Work on the elapsed path, by entry method"),
                                            tr("Work on the elapsed path, by region")),
                                  context.elapsed));
    tables.push_back(longestSteps(context.store, messages));
    finding.figures.push_back({.kind = FigureKind::Timeline,
                               .caption = tr("Timeline of the run; the scheduled path is marked."),
                               .range = context.store.info().range(),
                               .pes = {},
                               .withPath = true});
    // The same answer, which whoever asked for the findings holds.
    if (const auto asked = context.results.ask(RunPathsQuestion{}, context.progress))
        finding.json = [store = context.results.sharedStore(), paths = *asked](JsonText& text) {
            text.beginList();
            for (const auto& path : {paths->workAtMessages, paths->workAtMerges, paths->workAtOrder, paths->elapsed})
                writePath(text, *store, *path);
            text.endList();
        };
    return finding;
}

}  // namespace

const Analysis criticalPathAnalysis{.id = "critical-path",
                                    .title = QT_TRANSLATE_NOOP("longpole", "The critical path"),
                                    .evaluate = findCriticalPath};

TimeNs lengthUninterrupted(const AnalysisContext& context, const CriticalPath& path)
{
    return leastLength(context.store, context.expert != nullptr ? &context.expert->health.processorTime : nullptr,
                       path);
}

QString mergesInWords(std::size_t recorded, const MergeInference& inferred)
{
    const auto edges = [](std::int64_t count) { return counted("%1 merge edges", "%1 merge edge", count); };
    const std::int64_t known = static_cast<std::int64_t>(recorded);
    const std::int64_t guessed = inferred.buffered + inferred.reductions;
    if (guessed == 0) return known == 0 ? tr("no merge edges") : tr("%1 that the program recorded").arg(edges(known));
    const QString kinds = tr("%1 of buffered messages, %2 of reductions")
                              .arg(formatCount(inferred.buffered), formatCount(inferred.reductions));
    if (known == 0) return tr("%1 inferred from the trace (%2)").arg(edges(guessed), kinds);
    return tr("%1 that the program recorded and %2 inferred from the trace (%3)")
        .arg(edges(known), formatCount(guessed), kinds);
}

}  // namespace longpole
