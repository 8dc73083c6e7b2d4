// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/waiting/waitevidence.h"

#include "analysis/base/naming.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostEvidence = 20;
constexpr std::size_t mostTasks = 4;      // of one piece of evidence
constexpr std::size_t mostPassed = 4096;  // tasks of a window looked at for its words

}  // namespace

WaitEvidence::WaitEvidence(const TraceStore& store, const ActivityGraph& graph, const ProcessorIdle& idle,
                           const std::vector<CriticalWait>& waits)
    : m_store(store), m_graph(graph), m_windows(graph, idle), m_waits(waits), m_isCritical(graph.size())
{
    for (const CriticalWait& wait : waits) m_isCritical[wait.task] = true;
    std::map<EntryId, Blocker> byEntry;
    for (const CriticalWait& wait : waits) {
        const EntryId entry = runningBefore(wait);
        if (entry == noEntry) continue;
        Blocker& blocker = byEntry[entry];
        blocker.entry = entry;
        ++blocker.count;
        addSaturating(blocker.time, wait.wait.residual);
    }
    for (const auto& [entry, blocker] : byEntry) m_blockers.push_back(blocker);
    std::stable_sort(m_blockers.begin(), m_blockers.end(),
                     [](const Blocker& a, const Blocker& b) { return a.time > b.time; });
}

EntryId WaitEvidence::runningBefore(const CriticalWait& wait) const
{
    if (wait.wait.residual <= 0) return noEntry;
    const std::uint32_t running = m_windows.of(wait.task).running;
    return running == noTask ? noEntry : EntryId{m_graph.entry[running]};
}

QString WaitEvidence::waitSql(const CriticalWait& wait, const char* column) const
{
    return QStringLiteral("SELECT task, %1 AS time_ns FROM critical_wait WHERE task = '%2'")
        .arg(QLatin1String(column), toText(m_graph.id(wait.task)));
}

QString WaitEvidence::nameOf(std::uint32_t task) const { return nameOfEntry(m_store, EntryId{m_graph.entry[task]}); }

std::vector<const CriticalWait*> WaitEvidence::longest(const TimeOf& timeOf) const
{
    std::vector<std::pair<TimeNs, const CriticalWait*>> found;
    for (const CriticalWait& wait : m_waits)
        if (const TimeNs time = timeOf(wait); time > 0) found.emplace_back(time, &wait);
    const auto most = found.begin() + static_cast<std::ptrdiff_t>(std::min(mostEvidence, found.size()));
    std::partial_sort(found.begin(), most, found.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second->task < b.second->task;
    });
    std::vector<const CriticalWait*> waits;
    for (auto wait = found.begin(); wait != most; ++wait) waits.push_back(wait->second);
    return waits;
}

std::map<EntryId, std::pair<std::int64_t, TimeNs>> WaitEvidence::overtakers(const QueueWindow& window) const
{
    std::map<EntryId, std::pair<std::int64_t, TimeNs>> byEntry;
    const std::span<const std::uint32_t> tasks = m_windows.onProcessor(window.pe);
    for (std::size_t i = window.first; i < std::min(window.last, window.first + mostPassed); ++i) {
        if (m_isCritical[tasks[i]]) continue;
        auto& [count, time] = byEntry[EntryId{m_graph.entry[tasks[i]]}];
        ++count;
        addSaturating(time, m_windows.length(window.pe, i));
    }
    return byEntry;
}

std::vector<Evidence> WaitEvidence::idling(const TimeOf& timeOf) const
{
    std::vector<Evidence> evidence;
    for (const CriticalWait* const wait : longest(timeOf)) {
        const TimeNs begin = m_graph.begin[wait->task];
        evidence.push_back({.pe = ProcessorId{m_graph.pe[wait->task]},
                            .range = {begin - wait->idleBefore, begin},
                            .tasks = {m_graph.id(wait->task)},
                            .text = tr("PE %1 idled %2 until %3 started")
                                        .arg(m_graph.pe[wait->task])
                                        .arg(formatTime(wait->idleBefore), nameOf(wait->task)),
                            .time = wait->idleBefore,
                            .sql = waitSql(*wait, "idle_ns")});
    }
    return evidence;
}

std::vector<Evidence> WaitEvidence::overtaken(const TimeOf& timeOf) const
{
    std::vector<Evidence> evidence;
    for (const CriticalWait* const wait : longest(timeOf)) {
        const QueueWindow window = m_windows.of(wait->task);
        Evidence found{.pe = ProcessorId{window.pe},
                       .range = {window.arrived, m_graph.begin[wait->task]},
                       .tasks = {},
                       .text = {},
                       .time = wait->wait.overtaken,
                       .sql = waitSql(*wait, "overtaken_ns")};
        const auto byEntry = overtakers(window);
        const auto worst = std::max_element(byEntry.begin(), byEntry.end(), [](const auto& a, const auto& b) {
            return a.second.second < b.second.second;
        });
        found.tasks.push_back(m_graph.id(wait->task));
        const std::span<const std::uint32_t> tasks = m_windows.onProcessor(window.pe);
        for (std::size_t i = window.first; i < window.last && found.tasks.size() < mostTasks; ++i)
            if (!m_isCritical[tasks[i]]) found.tasks.push_back(m_graph.id(tasks[i]));
        const QString waited = tr("%1 waited %2").arg(nameOf(wait->task), formatTime(found.range.length()));
        found.text = worst == byEntry.end()
                         ? waited
                         : tr("%1, overtaken for %2 of it, mostly by %3 %4")
                               .arg(waited, formatTime(wait->wait.overtaken), formatCount(worst->second.first),
                                    nameOfEntry(m_store, worst->first));
        evidence.push_back(std::move(found));
    }
    return evidence;
}

std::vector<Evidence> WaitEvidence::residual(const TimeOf& timeOf) const
{
    std::vector<Evidence> evidence;
    for (const CriticalWait* const wait : longest(timeOf)) {
        const QueueWindow window = m_windows.of(wait->task);
        if (window.running == noTask) continue;
        evidence.push_back({.pe = ProcessorId{window.pe},
                            .range = {window.arrived, m_graph.begin[wait->task]},
                            .tasks = {m_graph.id(wait->task), m_graph.id(window.running)},
                            .text = tr("%1 waited %2 for the rest of a %3 of %4")
                                        .arg(nameOf(wait->task), formatTime(window.rest), nameOf(window.running),
                                             formatTime(m_graph.duration[window.running])),
                            .time = wait->wait.residual,
                            .sql = waitSql(*wait, "residual_ns")});
    }
    return evidence;
}

EntryId WaitEvidence::mainOvertaker(EntryId entry) const
{
    std::map<EntryId, TimeNs> sums;
    const auto behind = [&](const CriticalWait& wait) {
        return entry == noEntry || m_graph.entry[wait.task] == index(entry) ? wait.wait.overtaken : 0;
    };
    for (const CriticalWait* const wait : longest(behind))
        for (const auto& [overtaker, sum] : overtakers(m_windows.of(wait->task)))
            addSaturating(sums[overtaker], sum.second);
    const auto most = std::max_element(sums.begin(), sums.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == sums.end() ? noEntry : most->first;
}

TimeRange WaitEvidence::range(const TimeOf& timeOf) const
{
    TimeRange hull{maxTime, minTime};
    for (const CriticalWait& wait : m_waits) {
        if (timeOf(wait) <= 0) continue;
        hull.begin = std::min(hull.begin, m_windows.of(wait.task).arrived);
        hull.end = std::max(hull.end, m_graph.end(wait.task));
    }
    return hull.begin == maxTime ? m_graph.run : hull;
}

QString overtakenSql(const std::vector<EntryId>& entries)
{
    QStringList ids;
    for (const EntryId entry : entries) ids << QString::number(index(entry));
    return QStringLiteral(
               "SELECT task, pe, begin_ns, overtaken_ns + residual_ns + self_ns + overhead_ns AS wait_ns,\n"
               "  overtaken_ns AS lost_ns\n"
               "FROM critical_wait WHERE entry IN (%1) AND overtaken_ns > 0 ORDER BY lost_ns DESC, task")
        .arg(ids.join(QStringLiteral(", ")));
}

QString blockedSql(EntryId blocker)
{
    return QStringLiteral(
               "SELECT task, pe, begin_ns, overtaken_ns + residual_ns + self_ns + overhead_ns AS wait_ns,\n"
               "  running, residual_ns AS lost_ns\n"
               "FROM critical_wait WHERE running_entry = %1 AND residual_ns > 0 ORDER BY lost_ns DESC, task")
        .arg(index(blocker));
}

}  // namespace longpole
