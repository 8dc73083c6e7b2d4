// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/leftout.h"

#include "analysis/base/naming.h"
#include "analysis/facts/startup.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/noise/noisequestions.h"
#include "core/trace/format.h"

#include <QStringList>

#include <algorithm>

namespace longpole {

std::optional<LeftOut> leftOutOf(const CommandLine& line, PathMode mode)
{
    const QStringList without = line.value("without").split(QLatin1Char(','));
    const LeftOut found{without.contains(QLatin1String("interrupted")), without.contains(QLatin1String("startup"))};
    if (!found.interrupted || mode == PathMode::Work) return found;
    usageError(line.command,
               tr("--without interrupted goes with --mode work: the others are of the time as it passed"));
    return {};
}

Result<TimeRange> rangeWithout(Results& results, const LeftOut& leftOut, TimeRange range, const Progress& progress)
{
    if (!leftOut.startup) return range;
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph) return graph.error();
    const TimeRange start = findStartUp(**graph, results.store().info().range()).range;
    return start.isEmpty() ? range : TimeRange{std::clamp(start.end, range.begin, range.end), range.end};
}

QString leftOutText(const LeftOut& leftOut, const InterruptedTasks& tasks, TimeNs startUp, bool ofRanks)
{
    QStringList said;
    TimeNs lost = 0;
    for (const auto& [task, time] : tasks) lost = saturatingAdd(lost, time);
    if (leftOut.interrupted)
        said << tr("Interruptions of %1 are left out, %2 in the whole run.")
                    .arg(counted("%1 tasks", "%1 task", std::int64_t(tasks.size())), formatTime(lost));
    if (leftOut.startup && ofRanks) said << tr("No work path holds start-up of MPI; the elapsed path names it.");
    else if (leftOut.startup)
        said << (startUp > 0 ? tr("Start-up is left out: the first %1.").arg(formatTime(startUp))
                             : tr("The run has no start-up to leave out."));
    return said.join(QLatin1Char(' '));
}

Result<PathsLeft> pathsLeft(Results& results, const LeftOut& leftOut, TimeRange range, const Progress& progress)
{
    if (!leftOut.any()) return PathsLeft{range, {}};
    const Result<TimeRange> left = rangeWithout(results, leftOut, range, progress);
    if (!left) return left.error();
    const auto noise = results.ask(allNoise(), progress);
    if (!noise) return noise.error();
    return PathsLeft{*left, leftOutText(leftOut, interruptedTasks(**noise), left->begin - range.begin,
                                        results.store().words().ofRanks())};
}

std::vector<TimeRange> interruptedTimes(const Noise& noise)
{
    std::vector<TimeRange> times;
    for (const StretchedTask& task : noise.worst)
        if (task.isInterrupted) times.push_back({task.begin, saturatingAdd(task.begin, task.duration)});
    std::sort(times.begin(), times.end(), [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    std::vector<TimeRange> joined;
    for (const TimeRange& time : times) {
        if (joined.empty() || joined.back().end < time.begin) joined.push_back(time);
        else joined.back().end = std::max(joined.back().end, time.end);
    }
    return joined;
}

QString leftOutOfWaitsText(const LeftOut& leftOut, const InterruptedTasks& tasks)
{
    QStringList said;
    if (leftOut.interrupted)
        said << (tasks.empty() ? tr("No task was interrupted: no wait is left out.")
                               : tr("Waits while one of %1 was interrupted are left out.")
                                     .arg(counted("%1 tasks", "%1 task", std::int64_t(tasks.size()))));
    if (leftOut.startup) said << tr("No wait is in start-up or shut-down of MPI.");
    return said.join(QLatin1Char(' '));
}

}  // namespace longpole
