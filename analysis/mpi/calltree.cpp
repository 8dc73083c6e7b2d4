// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/calltree.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/chunkscan.h"
#include "analysis/mpi/delaycosts.h"
#include "core/base/translate.h"
#include "core/store/rows.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace longpole {

namespace {

using TimeOfPath = std::map<std::uint32_t, TimeNs>;

// The time of tasks, by the function in which they ran.
Result<TimeOfPath> computation(const TraceStore& store, const Progress& progress)
{
    std::vector<TimeOfPath> ranks(rankCount(store));
    const TimeRange run = store.info().range();
    const CommonCallers callers(store);
    const Result<> read = scanProcessors(
        processorsToScan(store, {}, false), progress, [&](std::size_t, const Processor& processor) -> Result<> {
            const Result<RankPaths> paths = RankPaths::read(store, callers, index(processor.pe));
            if (!paths) return paths.error();
            TimeOfPath& times = ranks[index(processor.pe)];
            auto tasks = store.rows<TaskRow>(processor.track, TaskRow::Range, {.progress = &progress});
            for (const TaskRow& task : tasks) {
                const TimeNs time = overlap(task.range(), run);
                if (time > 0) addSaturating(times[paths->ofTask(task.index())], time);
            }
            return tasks.result();
        });
    if (!read) return read.error();
    TimeOfPath all;
    for (const TimeOfPath& rank : ranks)
        for (const auto& [path, time] : rank) addSaturating(all[path], time);
    return all;
}

class TreeBuilder {
public:
    explicit TreeBuilder(const TraceStore& store) : m_store(store) {}

    void addComputation(const TimeOfPath& times)
    {
        for (const auto& [path, time] : times) {
            addSaturating(function(path).exclusive, time);
            addSaturating(function(path).inclusive, time);
        }
    }

    void addCalls(const std::vector<MpiSiteSums>& sites)
    {
        for (const MpiSiteSums& site : sites) {
            CallTreeRow& row = m_calls[{site.path, site.call}];
            row.path = site.path;
            row.call = site.call;
            addSaturating(row.count, site.sums.calls);
            addSaturating(row.inclusive, site.sums.time);
            addSaturating(row.exclusive, site.sums.time);
            addSaturating(row.wait, site.sums.wait());
            addSaturating(row.bytes, site.sums.bytes);
            function(functionOf(m_store, site.path));
        }
    }

    void addCriticalPath(const CriticalPath& path)
    {
        TaskPaths paths(m_store);
        for (const PathStep& step : path.steps) addSaturating(function(paths.of(step.task)).onPath, step.weight());
    }

    // Costs of functions and of places; where one place made several calls, to the one that took most time.
    void addCauses(const DelayCosts& costs)
    {
        for (const DelayCost& cost : costs.byEntry) {
            const std::uint32_t path = index(cost.entry);
            const CallPath* const at = m_store.callPath(path);
            CallTreeRow* row = at != nullptr && at->isPlace ? longestCall(path) : nullptr;
            if (row == nullptr) row = &function(functionOf(m_store, path));
            row->cause = saturatingAdd(row->cause, cost.sum());
        }
    }

    CallTree build()
    {
        for (const auto& [key, call] : m_calls) addTo(function(functionOf(m_store, call.path)), call);
        // Callers have smaller numbers.
        for (auto row = m_functions.rbegin(); row != m_functions.rend(); ++row) {
            const std::uint32_t caller = callerOf(row->first);
            if (caller != noCallPath) addTo(m_functions.at(caller), row->second);
        }
        std::map<std::uint32_t, std::vector<const CallTreeRow*>> below;
        std::vector<const CallTreeRow*> roots;
        for (const auto& [path, row] : m_functions)
            (callerOf(path) != noCallPath ? below[callerOf(path)] : roots).push_back(&row);
        for (const auto& [key, call] : m_calls) below[functionOf(m_store, call.path)].push_back(&call);
        CallTree tree;
        for (const CallTreeRow* root : roots) addTo(tree.total, *root);
        list(std::move(roots), below, tree.rows);
        return tree;
    }

private:
    std::uint32_t callerOf(std::uint32_t path) const
    {
        const CallPath* const at = m_store.callPath(path);
        return at != nullptr ? functionOf(m_store, at->parent) : noCallPath;
    }

    // With a row for each function around it.
    CallTreeRow& function(std::uint32_t path)
    {
        const auto [row, isNew] = m_functions.try_emplace(path);
        if (!isNew) return row->second;
        row->second.path = path;
        for (std::uint32_t caller = callerOf(path); caller != noCallPath; caller = callerOf(caller))
            if (!m_functions.try_emplace(caller, CallTreeRow{.path = caller}).second) break;
        return row->second;
    }

    CallTreeRow* longestCall(std::uint32_t path)
    {
        CallTreeRow* longest = nullptr;
        for (auto call = m_calls.lower_bound({path, RegionId{0}}); call != m_calls.end() && call->first.first == path;
             ++call)
            if (longest == nullptr || call->second.inclusive > longest->inclusive) longest = &call->second;
        return longest;
    }

    static void addTo(CallTreeRow& caller, const CallTreeRow& row)
    {
        addSaturating(caller.count, row.count);
        caller.inclusive = saturatingAdd(caller.inclusive, row.inclusive);
        caller.wait = saturatingAdd(caller.wait, row.wait);
        caller.bytes = saturatingAdd(caller.bytes, row.bytes);
        caller.onPath = saturatingAdd(caller.onPath, row.onPath);
        caller.cause = saturatingAdd(caller.cause, row.cause);
    }

    static void list(std::vector<const CallTreeRow*> roots,
                     std::map<std::uint32_t, std::vector<const CallTreeRow*>>& below, std::vector<CallTreeRow>& rows)
    {
        const auto isShorter = [](const CallTreeRow* a, const CallTreeRow* b) {
            return std::tuple(a->inclusive, b->path, b->call) < std::tuple(b->inclusive, a->path, a->call);
        };
        std::vector<std::pair<const CallTreeRow*, int>> open;  // the next one last
        const auto push = [&](std::vector<const CallTreeRow*>& siblings, int depth) {
            std::sort(siblings.begin(), siblings.end(), isShorter);
            for (const CallTreeRow* row : siblings) open.emplace_back(row, depth);
        };
        push(roots, 0);
        while (!open.empty()) {
            const auto [row, depth] = open.back();
            open.pop_back();
            rows.push_back(*row);
            rows.back().depth = depth;
            if (!row->call) push(below[row->path], depth + 1);
        }
    }

    const TraceStore& m_store;
    std::map<std::uint32_t, CallTreeRow> m_functions;
    std::map<std::pair<std::uint32_t, RegionId>, CallTreeRow> m_calls;
};

}  // namespace

Result<> requireCallPaths(const TraceStore& store)
{
    if (const Result<> ranks = requireRanks(store); !ranks) return ranks;
    if (!store.callPaths().empty()) return Unit{};
    return Error{tr("The trace has no call stacks: nobody recorded them."), store.path(),
                 tr("Record the program with 'longpole record', which keeps them unless --stack is 0.")};
}

Result<CallTree> callTree(const TraceStore& store, const CriticalPath& path, const Progress& progress)
{
    const Result<TimeOfPath> times = computation(store, progress);
    if (!times) return times.error();
    const auto sites = mpiSites(store, progress);
    if (!sites) return sites.error();
    auto records = waitRecords(store, progress, WaitCodes::CallPaths);
    if (!records) return records.error();
    const auto costs = delayCosts(std::move(*records), WaitChoice({}, store.info().range()), progress);
    if (!costs) return costs.error();
    TreeBuilder builder(store);
    builder.addComputation(*times);
    builder.addCalls(*sites);
    builder.addCriticalPath(path);
    builder.addCauses(*costs);
    return builder.build();
}

}  // namespace longpole
