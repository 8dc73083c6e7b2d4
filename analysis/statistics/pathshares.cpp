// SPDX-License-Identifier: GPL-3.0-or-later
// Sums parts of tasks by who executed them.
#include "analysis/statistics/pathshares.h"

#include "analysis/graph/attribution.h"
#include "analysis/graph/taskwindow.h"
#include "analysis/mpi/callpairs.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/rows.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace longpole {

namespace {

struct Part {
    std::uint32_t task;
    TimeRange range;
};

struct ExecutionSum {
    std::int64_t count = 0;
    TimeNs time = 0;
    TimeNs most = -1;  // in one piece, by `longest`
    TaskId longest{};
};

// Sums executions that are told in order of their ids, so that of each PE one chunk after the other is read.
class SumBy {
public:
    SumBy(const TraceStore& store, const ActivityGraph& graph, ProfileBy by) : m_store(store), m_graph(graph), m_by(by)
    {
        for (const Entry& entry : store.entries()) m_chares.emplace(index(entry.id), entry.chareId);
    }

    void add(const Part& part)
    {
        const std::uint32_t task = part.task;
        ++of(task, m_graph.taskIndex[task], m_graph.entry[task]).count;
        attributeToExecutions(
            m_graph, task, part.range,
            [&](std::uint32_t taskIndex, std::uint32_t entry, TimeNs time) {
                if (time > 0) addTime(of(task, taskIndex, entry), {ProcessorId{m_graph.pe[task]}, taskIndex}, time);
            },
            [&](std::uint32_t taskIndex, std::uint32_t entry) { ++of(task, taskIndex, entry).count; });
    }

    const std::optional<Error>& error() const { return m_error; }
    const std::map<ProfileKey, ExecutionSum>& sums() const { return m_sums; }

private:
    static void addTime(ExecutionSum& sum, TaskId execution, TimeNs time)
    {
        addSaturating(sum.time, time);
        if (time <= sum.most) return;
        sum.most = time;
        sum.longest = execution;
    }

    ExecutionSum& of(std::uint32_t task, std::uint32_t taskIndex, std::uint32_t entry)
    {
        ProfileKey key;
        switch (m_by) {
        case ProfileBy::Entry: key.entry = EntryId{entry}; break;
        case ProfileBy::Pe: key.pe = ProcessorId{m_graph.pe[task]}; break;
        case ProfileBy::Calls: readCalls({ProcessorId{m_graph.pe[task]}, taskIndex}, key); break;
        case ProfileBy::Object: readIndex({ProcessorId{m_graph.pe[task]}, taskIndex}, key); [[fallthrough]];
        case ProfileBy::Chare:
            if (const auto chare = m_chares.find(entry); chare != m_chares.end()) key.chare = chare->second;
            break;
        }
        return m_sums[key];
    }

    void readCalls(TaskId task, ProfileKey& key)
    {
        const Processor* processor = m_store.processor(task.pe);
        if (processor == nullptr) return;
        if (!m_pairs || task.pe != m_pe) m_pairs.emplace(m_store, processor->track);
        m_pe = task.pe;
        const Result<CallPair> pair = m_pairs->of(task.index);
        if (pair) key.objectIndex = {pair->before, pair->after};
        else if (!m_error) m_error = pair.error();
    }

    void readIndex(TaskId task, ProfileKey& key)
    {
        const Processor* processor = m_store.processor(task.pe);
        if (processor == nullptr) return;
        if (!m_tasks || task.pe != m_pe) m_tasks.emplace(m_store, processor->track, TaskRow::Object);
        m_pe = task.pe;
        const Result<const TaskRow*> row = m_tasks->find(task.index);
        if (!row && !m_error) m_error = row.error();
        if (row && *row != nullptr) key.objectIndex = (*row)->objectIndex();
    }

    const TraceStore& m_store;
    const ActivityGraph& m_graph;
    ProfileBy m_by;
    std::map<std::uint32_t, ChareId> m_chares;  // by entry id
    std::map<ProfileKey, ExecutionSum> m_sums;
    std::optional<RowSeeker<TaskRow>> m_tasks;  // of m_pe
    std::optional<CallPairs> m_pairs;           // of m_pe
    ProcessorId m_pe{};
    std::optional<Error> m_error;
};

// The parts of tasks that compute on the path, by id.
std::vector<Part> partsOf(const ActivityGraph& graph, const CriticalPath& path)
{
    std::vector<Part> parts;
    parts.reserve(path.steps.size());
    for (const PathStep& step : path.steps)
        if (step.part == PathPart::Compute) parts.push_back({graph.find(step.task), {step.begin, step.end}});
    std::sort(parts.begin(), parts.end(), [&graph](const Part& a, const Part& b) {
        return std::tie(graph.pe[a.task], a.range.begin, a.task) < std::tie(graph.pe[b.task], b.range.begin, b.task);
    });
    return parts;
}

Result<BusyTimes> busyInRange(const TraceStore& store, const ActivityGraph& graph, TimeRange range, ProfileBy by,
                              const Progress& progress)
{
    const TaskWindow window = taskWindow(graph, range);
    SumBy sums(store, graph, by);
    for (std::size_t pe = 0; pe < graph.byProcessor.size(); ++pe) {
        const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
        auto task = std::partition_point(tasks.begin(), tasks.end(),
                                         [&](std::uint32_t t) { return graph.begin[t] < window.range.begin; });
        if (task != tasks.begin()) --task;  // it may reach in
        for (; task != tasks.end() && graph.begin[*task] <= window.range.end; ++task)
            if (window.contains(*task)) sums.add({*task, window.inside(*task)});
        if (progress.isCancelled()) return cancelledError();
        progress.report(static_cast<double>(pe + 1) / static_cast<double>(graph.byProcessor.size()));
    }
    if (sums.error()) return *sums.error();
    BusyTimes busy;
    for (const auto& [key, sum] : sums.sums()) busy.emplace(key, sum.time);
    return busy;
}

}  // namespace

Result<BusyTimes> busyTimes(const TraceStore& store, const ActivityGraph& graph, TimeRange range, ProfileBy by,
                            const Progress& progress)
{
    if (!range.isEmpty()) return busyInRange(store, graph, range, by, progress);
    const Result<std::vector<ProfileLine>> lines = profile(store, by, progress);
    if (!lines.ok()) return lines.error();
    BusyTimes busy;
    for (const ProfileLine& line : *lines) busy.emplace(line.key, line.exclusive);
    return busy;
}

Result<std::vector<PathShare>> pathShares(const TraceStore& store, const ActivityGraph& graph, const CriticalPath& path,
                                          ProfileBy by, const BusyTimes& busy, const Progress& progress)
{
    SumBy sums(store, graph, by);
    const std::vector<Part> parts = partsOf(graph, path);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        constexpr std::size_t some = 4096;
        if (i % some == 0 && progress.isCancelled()) return cancelledError();
        sums.add(parts[i]);
    }
    if (sums.error()) return *sums.error();
    TimeNs all = 0;
    for (const auto& [key, time] : busy) all = saturatingAdd(all, time);
    const auto shareOf = [](TimeNs part, TimeNs whole) {
        return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
    };
    std::vector<PathShare> shares;
    for (const auto& [key, sum] : sums.sums()) {
        const auto known = busy.find(key);
        shares.push_back({.key = key,
                          .name = profileName(store, by, key),
                          .count = sum.count,
                          .time = sum.time,
                          .share = shareOf(sum.time, path.parts.compute),
                          .busyShare = known != busy.end() ? shareOf(known->second, all) : 0.0,
                          .longest = sum.longest});
    }
    std::sort(shares.begin(), shares.end(),
              [](const PathShare& a, const PathShare& b) { return std::tie(b.time, a.key) < std::tie(a.time, b.key); });
    return shares;
}

}  // namespace longpole
