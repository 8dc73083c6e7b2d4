// SPDX-License-Identifier: GPL-3.0-or-later
// The findings about utilization and about entry methods.
#include "analysis/base/naming.h"
#include "analysis/base/writtenrows.h"
#include "analysis/report/findings.h"

#include "analysis/report/profiletables.h"
#include "analysis/report/sumtables.h"
#include "analysis/statistics/profile.h"
#include "analysis/statistics/utilization.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr int stages = 100;
constexpr std::size_t mostStageRows = 32;

// Names the busiest and the least busy PE, and says what an even spread of the work would change.
QString imbalanceSentence(const TraceStore& store, const Utilization& usage)
{
    std::vector<std::size_t> there;  // of those whose events are missing nobody knows how busy they were
    for (std::size_t pe = 0; pe < usage.pes.size(); ++pe)
        if (!lacksLog(store, usage.pes[pe])) there.push_back(pe);
    if (there.size() < 2) return {};
    const auto userOf = [&usage](std::size_t pe) { return usage.perPe[pe].user; };
    const auto less = [&userOf](std::size_t a, std::size_t b) { return userOf(a) < userOf(b); };
    const auto [least, most] = std::minmax_element(there.begin(), there.end(), less);
    const TimeNs mean = usage.total.user / std::ssize(there);
    if (userOf(*most) - userOf(*least) <= mean / 100)
        return store.words()
            .say(tr("All PEs are busy for about the same time: %1."),
                 tr("All ranks are busy for about the same time: %1."))
            .arg(formatTime(mean));
    return store.words()
        .say(tr("PE %1 is busiest: %2, %3 times the mean; PE %4 is least busy: %5."),
             tr("Rank %1 is busiest: %2, %3 times the mean; rank %4 is least busy: %5."))
        .arg(index(usage.pes[*most]))
        .arg(formatTime(userOf(*most)))
        .arg(ratio(double(userOf(*most)), double(mean)), 0, 'f', 2)
        .arg(index(usage.pes[*least]))
        .arg(formatTime(userOf(*least)));
}

// What counts as overhead of processors without a log.
TimeNs timeOfMissing(const TraceStore& store, const Utilization& usage)
{
    TimeNs time = 0;
    for (std::size_t pe = 0; pe < usage.pes.size(); ++pe)
        if (lacksLog(store, usage.pes[pe])) addSaturating(time, usage.perPe[pe].overhead);
    return time;
}

// Says the longest stretch of stages in which less than half of the time was busy, start-up and shut-down aside.
QString slackStretch(const TraceStore& store, const Utilization& usage)
{
    const std::vector<TimeNs> start = startTimes(store, usage.stageEdges, usage.perStage);
    std::size_t bestFirst = 0, bestLast = 0, first = 0;
    for (std::size_t i = 0; i <= usage.perStage.size(); ++i) {
        const Usage stage = i < usage.perStage.size() ? usage.perStage[i] : Usage{};
        const bool isLow = stage.user < stage.sum() - stage.user && !isStarting(stage, i < start.size() ? start[i] : 0);
        if (isLow) continue;
        if (i - first > bestLast - bestFirst) {
            bestFirst = first;
            bestLast = i;
        }
        first = i + 1;
    }
    const std::size_t length = bestLast - bestFirst;
    if (length < 2 || 10 * length > 9 * usage.perStage.size()) return {};
    Usage sum;
    for (std::size_t i = bestFirst; i < bestLast; ++i) {
        addSaturating(sum.user, usage.perStage[i].user);
        addSaturating(sum.idle, usage.perStage[i].idle);
        addSaturating(sum.overhead, usage.perStage[i].overhead);
    }
    // Of the overview's bins, which stages may cut.
    return (usage.stagesAreExact
                ? tr("The longest stretch that is busy less than half of the time is from %1 to %2: %3 busy, %4 idle.")
                : tr(
                    "The longest stretch that is busy less than half of the time is from about %1 to %2: some %3 busy, "
                    "%4 idle."))
        .arg(formatTime(usage.stageEdges[bestFirst] - usage.run.begin),
             formatTime(usage.stageEdges[bestLast] - usage.run.begin), shareText(sum.user, sum.sum()),
             shareText(sum.idle, sum.sum()));
}

std::vector<ProcessorUsage> processorRows(const Utilization& usage)
{
    std::vector<ProcessorUsage> rows;
    for (std::size_t i = 0; i < usage.pes.size(); ++i) rows.push_back({.pe = usage.pes[i], .usage = usage.perPe[i]});
    return rows;
}

TableData processorTable(const TraceStore& store, const Utilization& usage)
{
    std::vector<ProcessorUsage> rows = processorRows(usage);
    Table<ProcessorUsage> table = usageTable(store).only({"pe", "user_ns", "idle_ns", "overhead_ns", "user_share"});
    if (rows.size() > mostStageRows) {
        std::stable_sort(rows.begin(), rows.end(),
                         [](const ProcessorUsage& a, const ProcessorUsage& b) { return a.usage.user > b.usage.user; });
        table.title = store.words().say(tr("Time per PE, busiest first"), tr("Time per rank, busiest first"));
    }
    return table.data(rows, mostStageRows);
}

JsonValue utilizationJson(const TraceStore& store, const Utilization& usage)
{
    const auto pes = usageTable(store).only({"user_ns", "idle_ns", "overhead_ns", "pe"});
    const auto parts = pes.only({"user_ns", "idle_ns", "overhead_ns"});
    std::vector<ProcessorUsage> perStage;
    for (const Usage& stage : usage.perStage) perStage.push_back({.usage = stage});
    return {{"total", rowJson(parts, {.usage = usage.total}, nullptr)},
            {"pes", rowsJson(pes, processorRows(usage), nullptr)},
            {"stage_edges_ns", usage.stageEdges},
            {"stages", rowsJson(parts, perStage, nullptr)},
            {"stages_exact", usage.stagesAreExact}};
}

// What of them is busy time, most of it first: MPI calls are none of an MPI run's.
std::vector<ProfileLine> busyLines(std::vector<ProfileLine> lines)
{
    for (ProfileLine& line : lines) line.exclusive -= line.inMpi;
    std::erase_if(lines, [](const ProfileLine& line) { return line.exclusive <= 0; });
    std::stable_sort(lines.begin(), lines.end(),
                     [](const ProfileLine& a, const ProfileLine& b) { return a.exclusive > b.exclusive; });
    return lines;
}

std::vector<ProfileLine> linesOfTasks(std::vector<ProfileLine> lines)
{
    std::erase_if(lines, [](const ProfileLine& line) { return line.key.isOutside; });
    return lines;
}

QString sizeSentence(Vocabulary words, const std::vector<ProfileLine>& lines, TimeNs busy)
{
    std::size_t most = 0;
    TimeNs sum = 0;
    while (most < lines.size() && sum < busy - busy / 10) sum = saturatingAdd(sum, lines[most++].exclusive);
    const ProfileLine& first = lines.front();
    return tr("%1 costs most: %2 of all busy time, in %3 of %4 on average.")
               .arg(first.name, shareText(first.exclusive, busy),
                    words.say(counted("%1 tasks", "%1 task", first.count),
                              counted("%1 pieces", "%1 piece", first.count)),
                    formatTime(first.count > 0 ? first.exclusive / first.count : 0))
           % QLatin1Char(' ')
           % (most == 1
                  ? words.say(tr("%1 of %2 entry methods makes up %3 of it."),
                              tr("%1 of %2 regions makes up %3 of it."))
                  : words.say(tr("%1 of %2 entry methods make up %3 of it."), tr("%1 of %2 regions make up %3 of it.")))
                 .arg(most)
                 .arg(lines.size())
                 .arg(shareText(sum, busy));
}

// Says how much time went into entry methods whose tasks are so short that scheduling and messages matter.
QString grainSentence(const std::vector<ProfileLine>& lines, const TraceInfo& info)
{
    constexpr TimeNs fine = 10'000;
    TimeNs time = 0;
    std::int64_t count = 0;
    for (const ProfileLine& line : lines) {
        if (line.count == 0 || line.exclusive / line.count >= fine) continue;
        addSaturating(time, line.exclusive);
        addSaturating(count, line.count);
    }
    if (saturatingMultiply(count, 2) < info.tasks) return {};
    const QString sizes = info.vocabulary
                              .say(tr("%1 of the tasks are of entry methods below %2 on average, %3 of busy time."),
                                   tr("%1 of the tasks are of regions below %2 on average, %3 of busy time."))
                              .arg(formatShare(ratio(double(count), double(info.tasks))), formatTime(fine),
                                   shareText(time, info.busy));
    // A rank schedules nothing and sends no message for a task.
    return info.hasRanks() ? sizes
                           : sizes % QLatin1Char(' ')
                                 % tr("Where overhead is high, fewer and larger tasks are the first thing to try.");
}

TableData entryTable(const TraceStore& store, const std::vector<ProfileLine>& lines)
{
    constexpr std::size_t shown = 15;
    Table<ProfileLine> table = withNames(profileTable(store))
                                   .only({"entry", "count", "exclusive_ns", "share", "mean_ns", "messages", "bytes"})
                                   .titled(store.words().say(tr("Entry methods by exclusive time"),
                                                             tr("Regions by exclusive time")));
    return table.data(lines, shown);
}

Finding findUtilization(const AnalysisContext& context)
{
    Finding finding;
    const Result<Utilization> usage = utilization(context.store, stages, context.progress);
    if (!usage || usage->perPe.empty() || usage->total.sum() <= 0) {
        finding.notEvaluated = usage ? tr("The trace holds no time.") : toText(usage.error());
        return finding;
    }
    const Usage& total = usage->total;
    const bool hasRanks = context.store.info().hasRanks();
    const auto share = [&total](TimeNs time) { return shareText(time, total.sum()); };
    const TimeNs startAndStop = saturatingAdd(context.store.info().startup, context.store.info().shutdown);
    const TimeNs missing = timeOfMissing(context.store, *usage);
    QString text = hasRanks ? tr("Ranks are %1 busy, %2 idle, %3 in start-up and shut-down, %4 in MPI otherwise.")
                                  .arg(share(total.user), share(total.idle), share(startAndStop),
                                       share(std::max<TimeNs>(0, total.overhead - startAndStop - missing)))
                            : tr("PEs are %1 busy, %2 idle, %3 overhead.")
                                  .arg(share(total.user), share(total.idle),
                                       share(std::max<TimeNs>(0, total.overhead - missing)));
    if (missing > 0)
        text += QLatin1Char(' ')
                % context.store.words()
                      .say(tr("%1 is the time of PEs that are not in the trace."),
                           tr("%1 is the time of ranks that are not in the trace."))
                      .arg(share(missing));
    finding.paragraphs << text;
    if (!hasRanks)
        finding.appendix.paragraphs << tr("Overhead is the scheduler, packing, and whatever the trace does not cover.");
    if (const QString sentence = imbalanceSentence(context.store, *usage); total.user > 0 && !sentence.isEmpty())
        finding.paragraphs << sentence;
    if (const QString stretch = slackStretch(context.store, *usage); !stretch.isEmpty()) finding.paragraphs << stretch;
    finding.appendix.tables.push_back(processorTable(context.store, *usage));
    finding.figures.push_back(
        {.kind = FigureKind::UtilizationOverTime,
         .caption = context.store.words().say(tr("Busy, idle and overhead time over the run, all PEs together."),
                                              tr("Busy, idle and overhead time over the run, all ranks together.")),
         .range = usage->run,
         .pes = {},
         .withPath = false});
    finding.figures.push_back({.kind = FigureKind::UtilizationPerProcessor,
                               .caption = context.store.words().say(tr("Busy, idle and overhead time per PE."),
                                                                    tr("Busy, idle and overhead time per rank.")),
                               .range = usage->run,
                               .pes = {},
                               .withPath = false});
    finding.json = utilizationJson(context.store, *usage);
    return finding;
}

Finding findEntries(const AnalysisContext& context)
{
    Finding finding;
    Result<std::vector<ProfileLine>> lines = profile(context.store, ProfileBy::Entry, context.progress);
    if (!lines || lines->empty()) {
        finding.notEvaluated = lines ? context.store.words().say(tr("No entry method was executed."),
                                                                 tr("No region was executed."))
                                     : toText(lines.error());
        return finding;
    }
    const TraceInfo& info = context.store.info();
    const std::vector<ProfileLine> busy = info.hasRanks() ? busyLines(*lines) : linesOfTasks(*lines);
    if (!busy.empty()) finding.paragraphs << sizeSentence(context.store.words(), busy, info.busy);
    const QString grain = grainSentence(busy, info);
    if (!grain.isEmpty()) finding.paragraphs << grain;
    finding.appendix.tables.push_back(entryTable(context.store, *lines));
    finding.json = [store = context.results.sharedStore(),
                    all = std::make_shared<const std::vector<ProfileLine>>(std::move(*lines))](JsonText& text) {
        const auto table = profileTable(*store).only({"entry", "count", "time_ns", "exclusive_ns", "share", "messages",
                                                      "bytes"});
        writeRows(text, table, *all, store.get());
    };
    return finding;
}

}  // namespace

const Analysis utilizationAnalysis{.id = "utilization",
                                   .title = QT_TRANSLATE_NOOP("longpole", "Utilization"),
                                   .evaluate = findUtilization};

const Analysis entriesAnalysis{.id = "entries",
                               .title = {QT_TRANSLATE_NOOP("longpole", "Entry methods that cost most"),
                                         QT_TRANSLATE_NOOP("longpole", "Regions that cost most")},
                               .evaluate = findEntries};

}  // namespace longpole
