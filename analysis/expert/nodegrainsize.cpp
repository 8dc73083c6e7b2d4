// SPDX-License-Identifier: GPL-3.0-or-later
// Branch B: tasks so fine that overhead around them costs much, or so coarse that processors wait for one.
#include "analysis/expert/nodes.h"

#include "analysis/expert/lossql.h"
#include "analysis/statistics/profile.h"
#include "analysis/waiting/queuedtime.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

struct Fine {
    double factor = 0;         // mean grain / overhead per task
    double overheadShare = 0;  // of overhead and user time
    TimeNs perTask = 0;        // mean overhead per task
    TimeNs grain = 0;          // mean grain
    TimeNs overhead = 0;       // of the scope, near tasks
};

// Grain against overhead near tasks. The time of writing the trace or of having it switched off does not count as
// overhead, as no grain size would change it.
Fine fineGrain(const TreeFacts& facts)
{
    const double user = double(facts.scope.usage.user);
    Fine fine;
    fine.overhead = std::max<TimeNs>(0, std::min(facts.overhead.near, facts.scope.usage.overhead - facts.tracing()));
    const double overhead = double(fine.overhead);
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
    TimeNs longerThan = 0;  // all of them are
    TimeNs idle = 0;        // of the scope, while one of them ran
};

Coarse coarseGrain(const TreeFacts& facts)
{
    const ActivityGraph& graph = facts.inputs.graph;
    const Thresholds::Grainsize& limits = facts.inputs.thresholds.grainsize;
    const double least = std::min(limits.largestOfWork * double(facts.workPerProcessor()),
                                  limits.largestOfWindow * double(facts.scope.window.length()));
    Coarse coarse{.longerThan = static_cast<TimeNs>(least)};
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        const TimeNs length = graph.duration[task];
        if (length <= coarse.longest && double(length) <= least) continue;
        if (facts.scope.inside({graph.begin[task], graph.end(task)}) == 0) continue;
        if (length > coarse.longest) coarse.entry = EntryId{graph.entry[task]};
        coarse.longest = std::max(coarse.longest, length);
        if (double(length) > least) coarse.tasks.push_back(task);
    }
    std::vector<TimeRange> ranges;
    for (const std::uint32_t task : coarse.tasks) ranges.push_back({graph.begin[task], graph.end(task)});
    std::sort(ranges.begin(), ranges.end());
    const QueuedTime running(common(united(ranges, {}), facts.scope.periods));
    if (!coarse.tasks.empty())
        for (const std::vector<TimeRange>& pe : facts.inputs.idle)
            for (const TimeRange& idle : pe) addSaturating(coarse.idle, running.inside(idle));
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

NodeWords fineWords(const TreeFacts& facts, const std::vector<ProfileLine>& entries, const Fine& fine)
{
    const QString what = entries.empty() ? QString() : nameOf(facts, entries.front().key.entry);
    NodeWords words{.verdict = tr("Tasks are too small: %1 of work costs %2 of overhead (%3 of both).")
                                   .arg(formatTime(fine.grain), formatTime(fine.perTask),
                                        formatShare(fine.overheadShare)),
                    .meaning = {},
                    .action = what.isEmpty() ? tr("Merge tasks into fewer, longer ones.")
                                             : tr("Merge %1 into fewer, longer tasks.").arg(what)};
    if (!entries.empty()) {
        const ProfileLine& most = entries.front();
        words.meaning = tr("Of such entry methods %1 has most tasks: %2 of %3 on average.")
                            .arg(what, formatCount(most.count), formatTime(most.exclusive / most.count));
        const double merged = std::ceil(facts.inputs.thresholds.grainsize.overheadFactor / std::max(fine.factor, 0.01));
        words.action += QLatin1Char(' ')
                        % tr("Were all tasks %1 times as long, the overhead would be %2 of both.")
                              .arg(formatCount(std::llround(merged)),
                                   formatShare(ratio(double(fine.perTask),
                                                     double(fine.perTask) + merged * double(fine.grain))));
    }
    return words;
}

NodeWords coarseWords(const TreeFacts& facts, const Coarse& coarse)
{
    const NamedEntry what = namedEntry(facts, coarse.entry);
    const double work = double(std::max<TimeNs>(facts.workPerProcessor(), 1));
    const QString meaning = tr("That is %1 of the work of a PE. PEs idled for %2 while tasks that long ran.")
                                .arg(formatShare(double(coarse.longest) / work), formatTime(coarse.idle));
    return {.verdict = (what.owner.isEmpty() ? tr("Tasks are too long: one of %1 runs for %2.")
                                             : tr("Tasks are too long: in one, the runtime runs %1 for %2."))
                           .arg(what.name, formatTime(coarse.longest)),
            .meaning = what.owner.isEmpty() ? meaning : what.owner % QLatin1Char(' ') % meaning,
            .action = tr("Split %1 into shorter tasks, so that other PEs can take some.").arg(what.name)};
}

std::vector<Evidence> longTaskEvidence(const TreeFacts& facts, const Coarse& coarse)
{
    const ActivityGraph& graph = facts.inputs.graph;
    std::vector<Evidence> found;
    for (const std::uint32_t task : coarse.tasks) {
        if (found.size() == mostShown) break;
        found.push_back(
            {.pe = ProcessorId{graph.pe[task]},
             .range = {graph.begin[task], graph.end(task)},
             .tasks = {graph.id(task)},
             .text = tr("%1 for %2").arg(nameOf(facts, EntryId{graph.entry[task]}), formatTime(graph.duration[task])),
             .time = graph.duration[task],
             .sql = QStringLiteral("SELECT task, end_ns - begin_ns AS time_ns FROM task WHERE task = '%1'")
                        .arg(toText(graph.id(task)))});
    }
    return found;
}

std::vector<Evidence> overheadEvidence(const TreeFacts& facts)
{
    std::size_t worst = 0;
    for (std::size_t pe = 1; pe < facts.pes.size(); ++pe)
        if (facts.usageIn(facts.scope.window, pe).overhead > facts.usageIn(facts.scope.window, worst).overhead)
            worst = pe;
    return {{.pe = facts.pes[worst],
             .range = facts.scope.window,
             .text = tr("%1 of overhead").arg(formatTime(facts.usageIn(facts.scope.window, worst).overhead))}};
}

}  // namespace

QString awayText(const TreeFacts& facts)
{
    constexpr double much = 0.25;
    const OverheadPlaces& places = facts.overhead;
    const double all = double(places.near + places.away);
    if (facts.inputs.graph.hasRanks || double(places.away) <= much * all || !facts.isFollowed(places.away)) return {};
    return places.inStartUp > 0 ? tr("%1 of overhead lies away from tasks, %2 of that in start-up.")
                                      .arg(formatTime(places.away), formatTime(places.inStartUp))
                                : tr("%1 of overhead lies away from tasks.").arg(formatTime(places.away));
}

Result<Judged> judgeGrainsize(const TreeFacts& facts, TreeNode node)
{
    const Thresholds::Grainsize& limits = facts.inputs.thresholds.grainsize;
    const Fine fine = fineGrain(facts);
    const Coarse coarse = coarseGrain(facts);
    const double work = double(std::max<TimeNs>(facts.workPerProcessor(), 1));
    node.tests = {below(tr("busy time over overhead near tasks"), MetricKind::Ratio, fine.factor, limits.overheadFactor,
                        "grainsize.overhead_factor"),
                  above(tr("overhead near tasks, of that and busy time"), MetricKind::Share, fine.overheadShare,
                        limits.overheadShare, "grainsize.overhead_share"),
                  above(tr("longest task, of the work per PE"), MetricKind::Share, double(coarse.longest) / work,
                        limits.largestOfWork, "grainsize.largest_of_work"),
                  above(tr("longest task, of the slow stretch that lost most"), MetricKind::Share,
                        double(coarse.longest) / double(std::max<TimeNs>(facts.scope.window.length(), 1)),
                        limits.largestOfWindow, "grainsize.largest_of_window")};
    const TimeNs fineLoss = node.tests[0].fired && node.tests[1].fired ? fine.overhead : 0;
    const TimeNs coarseLoss = (node.tests[2].fired || node.tests[3].fired) && facts.pes.size() > 1 ? coarse.idle : 0;
    const bool isCoarse = coarseLoss > fineLoss;
    node.severity = std::max(fineLoss, coarseLoss);
    if (isCoarse) node.parent = QStringLiteral("idle");
    if (node.severity == 0) {
        node.why = tr("Task sizes are fine: the mean is %1, the longest %2; overhead is %3.")
                       .arg(formatTime(fine.grain), formatTime(coarse.longest), formatShare(fine.overheadShare));
        const auto& others = facts.inputs.scheduling.advice;
        if (std::ranges::any_of(others, [](const Advice& one) { return one.kind == QLatin1String("split"); }))
            node.why += QLatin1Char(' ') % tr("But critical tasks wait for the rest of longer ones: see E.");
        if (const QString text = awayText(facts); !text.isEmpty()) node.why += QLatin1Char(' ') % text;
        settle(facts, node, false);
        return Judged{std::move(node), {}};
    }
    if (!isCoarse && !facts.isFollowed(node.severity) && facts.overhead.away > facts.overhead.near) {
        node.why = tr("Overhead near tasks is %1 of the run's PE-time: too small to matter.")
                       .arg(formatShare(facts.share(node.severity)));
        if (const QString text = awayText(facts); !text.isEmpty()) node.why += QLatin1Char(' ') % text;
        settle(facts, node, false);
        return Judged{std::move(node), {}};
    }
    const auto lines = profile(facts.inputs.store, ProfileBy::Entry, facts.progress);
    if (!lines) return lines.error();
    const std::vector<ProfileLine> entries = fineEntries(*lines, facts, fine);
    const NodeWords words = isCoarse ? coarseWords(facts, coarse) : fineWords(facts, entries, fine);
    node.why = whyOf(words);
    settle(facts, node, true);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = isCoarse ? longTaskEvidence(facts, coarse) : overheadEvidence(facts);
    const QString what = isCoarse          ? namedEntry(facts, coarse.entry).name
                         : entries.empty() ? tr("tasks")
                                           : nameOf(facts, entries.front().key.entry);
    Advice advice = isCoarse ? adviceOf(facts, node, tr("Split %1 into shorter tasks").arg(what), words,
                                        LossSql(facts).besideLongTasks(coarse.longerThan).text())
                             : adviceOf(facts, node, tr("Merge tasks of %1 into fewer, longer ones").arg(what), words,
                                        LossSql(facts)
                                            .overhead()
                                            .counting(node.severity, facts.scope.usage.overhead,
                                                      "the rest is not near tasks, or the writing of the trace")
                                            .text());
    if (isCoarse) {
        advice.entry = coarse.entry;
        advice.bound = std::max<TimeNs>(0, facts.duration - facts.workPerProcessor());
    } else if (!entries.empty()) {
        advice.entry = entries.front().key.entry;
    }
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
