// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about the critical path: how long its computation is, what the elapsed time went into, and which entry
// methods are on it.
#include "analysis/report/findings.h"

#include "analysis/report/pathtables.h"
#include "analysis/report/profiletables.h"
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
        .arg(counted(static_cast<std::int64_t>(path.steps.size()), tr("step"), tr("steps")),
             counted(static_cast<std::int64_t>(pes.size()), words.say(tr("PE"), tr("rank")),
                     words.say(tr("PEs"), tr("ranks"))));
}

// Says how much longer the path over messages can become by merges, with which the true length is at most that of
// `path`.
QString mergesSentence(const ActivityGraph& graph, const MergeInference& merges, const CriticalPath& path)
{
    if (graph.merges.empty() && merges.edges.empty())
        return tr("Dependencies that the trace does not name (merges) can only raise it; the trace suggests none.");
    return tr("Dependencies that a message does not carry (merges) can only raise it: with %1 it is at most %2, %3 of "
              "the run.")
        .arg(mergesInWords(graph.merges.size(), merges), formatTime(path.length),
             shareText(path.length, path.duration));
}

QString messagesSentence(Vocabulary words, const CriticalPath& path)
{
    return tr("The work path at edge level messages is %1 of computation (%2), %3 of the run. It is a lower bound: as "
              "long as these tasks take what they take and one starts the next, no schedule, placement or network "
              "finishes sooner, and all of them together gain at most %4.")
        .arg(formatTime(path.length), stepsAndPes(words, path), shareText(path.length, path.duration),
             shareText(path.duration - path.length, path.duration));
}

QString orderSentence(Vocabulary words, const CriticalPath& order, const CriticalPath& messages)
{
    return words
        .say(
            tr("The work path at edge level order, which keeps the order in which every PE ran its tasks, is %1 (%2), "
               "%3 of the run: a lower bound for this schedule on any network. The %4 between the two levels are what "
               "the order on the PEs adds: other tasks' computation, and merges that the order stands in for."),
            tr("The work path at edge level order, which keeps the order in which every rank ran its tasks, is %1 "
               "(%2), %3 of the run: a lower bound for this schedule on any network. The %4 between the two levels are "
               "what the order on the ranks adds: other tasks' computation, and merges that the order stands in for."))
        .arg(formatTime(order.length), stepsAndPes(words, order), shareText(order.length, order.duration),
             formatTime(order.length - messages.length));
}

// What to do about the largest part of the elapsed path besides computation. In a queue part the PE ran no task, since
// the walk would have gone on in it. `chain`: the length of the work path at edge level messages.
QString remedy(Vocabulary words, const PathParts& parts, bool isEstimated, TimeNs chain)
{
    const bool isBusy = parts.compute / 9 >= parts.sum() - parts.compute;
    if (isBusy && chain < parts.compute - parts.compute / 4)
        return words
            .say(tr("Computation sets the pace, but one chain of messages needs only %1 of it; the rest ran before the "
                    "chain's tasks on their PEs. Priorities for the chain, or another placement, are what to look at."),
                 tr("Computation sets the pace, but one chain of messages needs only %1 of it; the rest ran before the "
                    "chain's tasks on their ranks. Priorities for the chain, or another placement, are what to look "
                    "at."))
            .arg(shareText(chain, parts.compute));
    if (isBusy)
        return tr(
            "Computation sets the pace, and most of it is one chain of messages: only less work on the chain, or "
            "spreading that work, makes the run faster.");
    const TimeNs most = std::max({parts.queue, parts.network, parts.overhead, parts.unexplained});
    if (most == parts.queue && isEstimated)
        return words.say(
            tr("The largest rest is waiting, on PEs that ran nothing, for messages that by the least latency of "
               "their PEs should have been there: slow delivery, a scheduler slow to wake, or PEs that share a core "
               "are what to look at."),
            tr("The largest rest is waiting, on ranks that ran nothing, for messages that by the least latency of "
               "their ranks should have been there: slow delivery, a scheduler slow to wake, or ranks that share a "
               "core are what to look at."));
    if (most == parts.queue)
        return words.say(
            tr("The largest rest is messages that had arrived at PEs that ran nothing and yet started late: the "
               "scheduler, or PEs that share a core, are what to look at."),
            tr("The largest rest is messages that had arrived at ranks that ran nothing and yet started late: the "
               "scheduler, or ranks that share a core, are what to look at."));
    if (most == parts.network)
        return tr("The largest rest is messages under way: fewer, earlier or better placed ones are what to look at.");
    if (most == parts.overhead)
        return words.say(
            tr("The largest rest is time between tasks that waited on a PE busy with scheduling and packing: task "
               "size and the number of messages are what to look at."),
            tr("The largest rest is time between tasks that waited on a rank busy with scheduling and packing: task "
               "size and the number of messages are what to look at."));
    return tr("What the largest rest was waiting for, the trace does not say.");
}

bool restsOnEstimates(const CriticalPath& path)
{
    return std::any_of(path.steps.begin(), path.steps.end(),
                       [](const PathStep& step) { return step.part == PathPart::Queue && step.doubtful; });
}

QString elapsedSentence(Vocabulary words, const CriticalPath& path, const CriticalPath& messages)
{
    const PathParts& parts = path.parts;
    return tr("The elapsed path (edge level order) accounts for all of the %1: %2 computing, %3 in the network, %4 in "
              "the queue, %5 overhead, %6 unexplained. %7")
        .arg(formatTime(path.length), shareText(parts.compute, path.length), shareText(parts.network, path.length),
             shareText(parts.queue, path.length), shareText(parts.overhead, path.length),
             shareText(parts.unexplained, path.length), remedy(words, parts, restsOnEstimates(path), messages.length));
}

// Names one task, if there is one, that makes up much of the path and took far longer than its entry method usually
// does.
QString outlier(const TraceStore& store, const CriticalPath& path)
{
    const auto longest = std::max_element(path.steps.begin(), path.steps.end(),
                                          [](const PathStep& a, const PathStep& b) { return a.weight < b.weight; });
    if (longest == path.steps.end() || longest->weight < path.length / 4) return {};
    TimeNs time = 0;
    std::int64_t count = 0;
    for (const ProfileRow& row : store.profile()) {
        if (row.entry != longest->entry) continue;
        time = saturatingAdd(time, row.exclusive);
        count += row.count;
    }
    if (count < 10 || longest->weight / 10 < time / count) return {};
    return store.words()
        .say(tr("One task, %1 of %2, is %3 of that path: %4 where its entry method takes %5 on average. Look at this "
                "one "
                "execution first; an interrupted process looks like that, too."),
             tr("One task, %1 of %2, is %3 of that path: %4 where its region takes %5 on average. Look at this one "
                "execution first; an interrupted process looks like that, too."))
        .arg(toText(longest->task), nameOfEntry(store, longest->entry), shareText(longest->weight, path.length),
             formatTime(longest->weight), formatTime(time / count));
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
    return tr("%1 stands out: %2 of the work path at edge level messages but only %3 of all user time. Work saved "
              "there shortens the path more than its cost suggests, until another path is the longest.")
        .arg(nameOfEntry(store, found->entry), formatShare(found->share), formatShare(found->busyShare));
}

TableData profileTable(const TraceStore& store, const QString& title, const CriticalPath& path)
{
    constexpr std::size_t mostRows = 12;
    return pathProfileTable(store).titled(title).data(entryShares(store, path), mostRows);
}

TableData longestSteps(const TraceStore& store, const CriticalPath& path)
{
    constexpr std::size_t mostRows = 10;
    std::vector<PathStep> longest(std::min(mostRows, path.steps.size()));
    std::partial_sort_copy(path.steps.begin(), path.steps.end(), longest.begin(), longest.end(),
                           [](const PathStep& a, const PathStep& b) {
                               return a.weight != b.weight ? a.weight > b.weight : a.begin < b.begin;
                           });
    const auto hasWeight = [](const PathStep& step) { return step.weight > 0; };
    longest.erase(std::find_if_not(longest.begin(), longest.end(), hasWeight), longest.end());
    TableData table = pathStepTable(store, path.length)
                          .only({"task", "entry", "begin_ns", "weight_ns", "share"})
                          .titled(tr("Longest steps of the work path at edge level messages"))
                          .data(longest);
    table.rowsOmitted = std::count_if(path.steps.begin(), path.steps.end(), hasWeight) - std::ssize(longest);
    return table;
}

JsonValue pathJson(const TraceStore& store, const CriticalPath& path)
{
    return {{"mode", name(path.mode)},
            {"edges", name(path.edges)},
            {"length_ns", path.length},
            {"duration_ns", path.duration},
            {"steps", path.steps.size()},
            {"to", path.to},
            {"profile", rowsJson(pathProfileTable(store), entryShares(store, path), &store)},
            {"parts", partsJson(path.parts)}};
}

Finding findCriticalPath(const AnalysisContext& context)
{
    Finding finding;
    const CriticalPath& messages = context.workAtMessages;
    if (messages.steps.empty() || messages.duration <= 0) {
        finding.notEvaluated = withoutEvents(context.store, tr("There is no path: the trace holds no executions."));
        return finding;
    }
    const Vocabulary words = context.store.words();
    finding.paragraphs << messagesSentence(words, messages) % QLatin1Char(' ')
                              % mergesSentence(context.graph, context.merges, context.workAtMerges);
    const QString oneTask = outlier(context.store, messages);
    if (!oneTask.isEmpty()) finding.paragraphs << oneTask;
    finding.paragraphs << orderSentence(words, context.workAtOrder, messages);
    finding.paragraphs << elapsedSentence(words, context.elapsed, messages);
    if (const QString sentence = standingOut(context.store, messages); oneTask.isEmpty() && !sentence.isEmpty())
        finding.paragraphs << sentence;
    finding.tables.push_back(profileTable(context.store,
                                          words.say(tr("Work path at edge level messages, by entry method"),
                                                    tr("Work path at edge level messages, by region")),
                                          messages));
    finding.tables.push_back(pathPartTable(context.store, context.elapsed.length).data(each(context.elapsed.parts)));
    finding.tables.push_back(profileTable(context.store,
                                          words.say(tr("Computing on the elapsed path, by entry method"),
                                                    tr("Computing on the elapsed path, by region")),
                                          context.elapsed));
    finding.tables.push_back(longestSteps(context.store, messages));
    finding.figures.push_back({.kind = FigureKind::Timeline,
                               .caption = tr("Timeline of the run; the work path at edge level messages is marked."),
                               .range = context.store.info().range(),
                               .pes = {},
                               .withPath = true});
    finding.json = {pathJson(context.store, messages), pathJson(context.store, context.workAtMerges),
                    pathJson(context.store, context.workAtOrder), pathJson(context.store, context.elapsed)};
    return finding;
}

}  // namespace

const Analysis criticalPathAnalysis{.id = "critical-path",
                                    .title = QT_TRANSLATE_NOOP("longpole", "The critical path"),
                                    .evaluate = findCriticalPath};

QString mergesInWords(std::size_t recorded, const MergeInference& inferred)
{
    const auto edges = [](std::int64_t count) { return counted(count, tr("merge edge"), tr("merge edges")); };
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
