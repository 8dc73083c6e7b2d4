// SPDX-License-Identifier: GPL-3.0-or-later
// Branch B: tasks so fine that overhead around them costs much, or so coarse that processors wait for one.
#include "analysis/expert/nodes.h"

#include "analysis/statistics/profile.h"
#include "analysis/waiting/queuedtime.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

struct Fine {
    double factor = 0;         // mean grain / overhead per task
    double overheadShare = 0;  // of overhead and user time
    TimeNs perTask = 0;        // mean overhead per task
    TimeNs grain = 0;          // mean grain
};

// Grain against overhead. The time of writing the trace or of having it switched off does not count as overhead, as no
// grain size would change it.
Fine fineGrain(const TreeFacts& facts)
{
    TimeNs tracing = 0;
    for (const ProcessorId pe : facts.pes)
        if (const Processor* processor = facts.inputs.store.processor(pe))
            tracing += processor->flush + processor->untraced;
    const double user = double(facts.scope.usage.user);
    const double overhead = double(std::max<TimeNs>(0, facts.scope.usage.overhead - tracing));
    Fine fine;
    fine.factor = overhead > 0 ? user / overhead : 1e9;
    fine.overheadShare = user + overhead > 0 ? overhead / (user + overhead) : 0;
    fine.grain = facts.tasks > 0 ? facts.work / facts.tasks : 0;
    fine.perTask = fine.factor > 0 ? static_cast<TimeNs>(double(fine.grain) / fine.factor) : 0;
    return fine;
}

struct Coarse {
    std::vector<std::uint32_t> tasks{};  // longest first
    TimeNs longest = 0;
    EntryId entry = noEntry;
    TimeNs idle = 0;  // of the scope, while one of them ran
};

Coarse coarseGrain(const TreeFacts& facts)
{
    const ActivityGraph& graph = facts.inputs.graph;
    const Thresholds::Grainsize& limits = facts.inputs.thresholds.grainsize;
    const double least = std::min(limits.largestOfWork * double(facts.workPerProcessor()),
                                  limits.largestOfWindow * double(facts.scope.window.length()));
    Coarse coarse;
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        const TimeNs length = graph.duration[task];
        if (length <= coarse.longest && double(length) <= least) continue;
        if (facts.scope.inside({graph.begin[task], graph.end(task)}) == 0) continue;
        if (length > coarse.longest) coarse.entry = EntryId{graph.entry[task]};
        coarse.longest = std::max(coarse.longest, length);
        if (double(length) > least) coarse.tasks.push_back(task);
    }
    std::vector<TimeRange> ranges;
    for (const std::uint32_t task : coarse.tasks) ranges = united(ranges, {{graph.begin[task], graph.end(task)}});
    ranges = common(ranges, facts.scope.periods);
    const QueuedTime running(std::move(ranges));
    if (!coarse.tasks.empty())
        for (const std::vector<TimeRange>& pe : facts.inputs.idle)
            for (const TimeRange& idle : pe) coarse.idle += running.inside(idle);
    std::stable_sort(coarse.tasks.begin(), coarse.tasks.end(),
                     [&graph](std::uint32_t a, std::uint32_t b) { return graph.duration[a] > graph.duration[b]; });
    return coarse;
}

// Entry methods whose mean grain is too small, by the overhead around their tasks.
std::vector<ProfileLine> fineEntries(const std::vector<ProfileLine>& lines, const TreeFacts& facts, const Fine& fine)
{
    std::vector<ProfileLine> found;
    const auto isOwn = [&facts](EntryId id) {
        const Entry* entry = facts.inputs.store.entry(id);
        return entry != nullptr && entry->kind == EntryKind::User;
    };
    for (const ProfileLine& line : lines)
        if (line.count > 0 && isOwn(line.key.entry)
            && double(line.exclusive) / double(line.count)
                   < facts.inputs.thresholds.grainsize.overheadFactor * double(fine.perTask))
            found.push_back(line);
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    if (found.size() > 3) found.resize(3);
    return found;
}

Advice mergeAdvice(const TreeFacts& facts, const TreeNode& node, const std::vector<ProfileLine>& entries,
                   const Fine& fine)
{
    QStringList names;
    for (const ProfileLine& line : entries)
        names << tr("%1 (%2 tasks of %3 on average)")
                     .arg(nameOf(facts, line.key.entry), formatCount(line.count),
                          formatTime(line.exclusive / line.count));
    const QString what = entries.empty() ? tr("tasks") : nameOf(facts, entries.front().key.entry);
    Advice advice = adviceOf(facts, node, tr("Merge executions of %1 into fewer, longer ones").arg(what),
                             node.why % QLatin1Char(' ')
                                 % (entries.empty()
                                        ? tr("Fewer and longer tasks spread it over more work.")
                                        : tr("Most tasks are %1. %2 times fewer of them would bring overhead to %3 of "
                                             "the rest.")
                                              .arg(names.join(QStringLiteral(", ")))
                                              .arg(QString::number(facts.inputs.thresholds.grainsize.overheadFactor
                                                                       / std::max(fine.factor, 0.01),
                                                                   'g', 2),
                                                   formatShare(1 / facts.inputs.thresholds.grainsize.overheadFactor))));
    if (!entries.empty()) advice.entry = entries.front().key.entry;
    advice.sql = QStringLiteral(
        "SELECT entry.name, sum(count) AS tasks, sum(exclusive_ns) / sum(count) AS mean_ns FROM profile JOIN "
        "entry ON entry.id = profile.entry GROUP BY 1 HAVING tasks > 0 ORDER BY tasks DESC");
    return advice;
}

Advice splitAdvice(const TreeFacts& facts, const TreeNode& node, const Coarse& coarse)
{
    const QString what = nameOf(facts, coarse.entry);
    Advice advice = adviceOf(
        facts, node, tr("Split %1 into shorter tasks").arg(what),
        node.why % QLatin1Char(' ')
            % tr("%1 of idle time passed on other processors while tasks that long ran: in parts, others could "
                 "take some of it.")
                  .arg(formatTime(coarse.idle)));
    advice.entry = coarse.entry;
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.workPerProcessor());
    advice.sql = QStringLiteral(
                     "SELECT task, pe, begin_ns, end_ns, end_ns - begin_ns AS length_ns FROM task WHERE entry = %1 "
                     "ORDER BY length_ns DESC LIMIT 100")
                     .arg(index(coarse.entry));
    return advice;
}

}  // namespace

Result<Judged> judgeGrainsize(const TreeFacts& facts, TreeNode node)
{
    const Thresholds::Grainsize& limits = facts.inputs.thresholds.grainsize;
    const Fine fine = fineGrain(facts);
    const Coarse coarse = coarseGrain(facts);
    const double work = double(std::max<TimeNs>(facts.workPerProcessor(), 1));
    node.tests = {below(tr("user time over overhead: mean grain over overhead per task"), MetricKind::Ratio,
                        fine.factor, limits.overheadFactor, "grainsize.overhead_factor"),
                  above(tr("overhead, of overhead and user time"), MetricKind::Share, fine.overheadShare,
                        limits.overheadShare, "grainsize.overhead_share"),
                  above(tr("longest task, of the work per processor"), MetricKind::Share, double(coarse.longest) / work,
                        limits.largestOfWork, "grainsize.largest_of_work"),
                  above(tr("longest task, of the bad period"), MetricKind::Share,
                        double(coarse.longest) / double(std::max<TimeNs>(facts.scope.window.length(), 1)),
                        limits.largestOfWindow, "grainsize.largest_of_window")};
    const TimeNs fineLoss = node.tests[0].fired && node.tests[1].fired ? facts.scope.usage.overhead : 0;
    const TimeNs coarseLoss = (node.tests[2].fired || node.tests[3].fired) && facts.pes.size() > 1 ? coarse.idle : 0;
    const bool isCoarse = coarseLoss > fineLoss;
    node.severity = std::max(fineLoss, coarseLoss);
    if (isCoarse) node.parent = QStringLiteral("idle");
    node.why = tr("The mean task runs for %1 and costs %2 around it (%3 overhead); the longest runs for %4, %5 of the "
                  "work per "
                  "processor. Too fine takes the first two tests, too coarse one of the others.")
                   .arg(formatTime(fine.grain), formatTime(fine.perTask), formatShare(fine.overheadShare),
                        formatTime(coarse.longest), formatShare(double(coarse.longest) / work));
    settle(facts, node, node.severity > 0);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    Advice advice;
    if (isCoarse) {
        const ActivityGraph& graph = facts.inputs.graph;
        for (const std::uint32_t task : coarse.tasks) {
            if (node.evidence.size() == mostShown) break;
            node.evidence.push_back({.pe = ProcessorId{graph.pe[task]},
                                     .range = {graph.begin[task], graph.end(task)},
                                     .tasks = {graph.id(task)},
                                     .text = tr("%1 for %2")
                                                 .arg(nameOf(facts, EntryId{graph.entry[task]}),
                                                      formatTime(graph.duration[task]))});
        }
        advice = splitAdvice(facts, node, coarse);
    } else {
        const auto lines = profile(facts.inputs.store, ProfileBy::Entry, facts.progress);
        if (!lines) return lines.error();
        std::size_t worst = 0;
        for (std::size_t pe = 0; pe < facts.scope.perPe.size(); ++pe)
            if (facts.scope.perPe[pe].overhead > facts.scope.perPe[worst].overhead) worst = pe;
        node.evidence = {{.pe = facts.pes[worst],
                          .range = facts.scope.window,
                          .tasks = {},
                          .text = tr("most overhead: %1").arg(formatTime(facts.scope.perPe[worst].overhead))}};
        advice = mergeAdvice(facts, node, fineEntries(*lines, facts, fine), fine);
    }
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
