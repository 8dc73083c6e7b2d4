// SPDX-License-Identifier: GPL-3.0-or-later
// What several processes answer about a run, as lines, to be compared with what is answered about its trace.
#pragma once

#include "analysis/mpi/waitstates.h"
#include "analysis/paths/criticalpath.h"
#include "distributed/recording/hostedtrace.h"

#include <QString>
#include <QStringList>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace longpole::tests {

inline QString taskText(TaskId task) { return QStringLiteral("%1:%2").arg(index(task.pe)).arg(task.index); }

inline QStringList pathLines(const CriticalPath& path)
{
    QStringList lines{QStringLiteral("%1 of %2, to %3, doubtful %4, parts %5")
                          .arg(path.length)
                          .arg(path.duration)
                          .arg(taskText(path.to))
                          .arg(path.doubtfulWeight)
                          .arg(path.parts.sum())};
    for (const PathStep& step : path.steps)
        lines << QStringLiteral("%1 on %2 in %3: %4 to %5, %6 by %7%8, part %9")
                     .arg(taskText(step.task))
                     .arg(index(step.pe))
                     .arg(index(step.entry))
                     .arg(step.begin)
                     .arg(step.end)
                     .arg(step.weight())
                     .arg(QLatin1String(name(step.edge)), step.doubtful ? QStringLiteral(", doubtful") : QString())
                     .arg(static_cast<int>(step.part));
    for (const PathProfileRow& row : path.profile)
        lines << QStringLiteral("entry %1: %2 times, %3, %4 %5")
                     .arg(index(row.entry))
                     .arg(row.count)
                     .arg(row.time)
                     .arg(row.share, 0, 'g', 17)
                     .arg(row.busyShare, 0, 'g', 17);
    return lines;
}

inline QStringList costLines(const std::vector<DelayCost>& costs)
{
    QStringList lines;
    for (const DelayCost& cost : costs)
        lines << QStringLiteral("%1 on %2: %3 and %4, at %5")
                     .arg(index(cost.entry))
                     .arg(cost.rank)
                     .arg(cost.direct)
                     .arg(cost.propagated)
                     .arg(cost.path);
    return lines;
}

inline QStringList causeLines(const WaitStates& waits)
{
    return costLines(waits.causes) + costLines(waits.causesByRank)
           + QStringList{QStringLiteral("without a cause: %1").arg(waits.unexplained)};
}

// The first difference, or nothing.
inline QString difference(const char* what, const QStringList& is, const QStringList& should)
{
    for (qsizetype i = 0; i < std::max(is.size(), should.size()); ++i)
        if (is.value(i) != should.value(i))
            return QStringLiteral("%1, line %2: '%3' instead of '%4'")
                .arg(QLatin1String(what))
                .arg(i)
                .arg(is.value(i), should.value(i));
    return {};
}

// A trace of the whole run as each process sees it that hosts some of its ranks.
inline HostedTrace hosted(const std::shared_ptr<const TraceStore>& store, const Hosting& hosting)
{
    HostedTrace trace;
    trace.store = store;
    trace.hosting = hosting;
    return trace;
}

// So many blocks of ranks, some of them empty.
inline Hosting drawnHosting(const TraceStore& store, int processes, std::uint32_t seed)
{
    const std::uint32_t ranks = store.processors().empty() ? 0 : index(store.processors().back().pe) + 1;
    std::mt19937 random(seed);
    std::vector<std::uint32_t> borders{0};
    for (int i = 1; i < processes; ++i) borders.push_back(static_cast<std::uint32_t>(random() % (ranks + 1)));
    borders.push_back(ranks);
    std::sort(borders.begin(), borders.end());
    return Hosting(std::move(borders));
}

}  // namespace longpole::tests
