// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/runfigures.h"

#include "analysis/base/chunkscan.h"
#include "analysis/phases/phasequestions.h"
#include "analysis/results/bytesof.h"
#include "analysis/waiting/idlequestions.h"
#include "core/base/drawnhash.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/rows.h"
#include "core/trace/issues.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace longpole {

namespace {

constexpr int tenths = 10;

// The figures of each entry method of a run, found by its id.
class Methods {
public:
    explicit Methods(const TraceStore& store) : m_store(store)
    {
        for (const ProfileRow& row : store.profile()) {
            if (row.count == 0 && row.exclusive == 0 && row.messages == 0) continue;
            MethodFigures& method = of(row.entry);
            addSaturating(method.count, row.count);
            method.time = saturatingAdd(method.time, row.exclusive);
            addSaturating(method.messages, row.messages);
            method.bytes = saturatingAdd(method.bytes, row.bytes);
        }
    }

    MethodFigures& of(EntryId entry)
    {
        const auto [place, isNew] = m_places.try_emplace(index(entry), m_methods.size());
        if (isNew) {
            const Entry* known = m_store.entry(entry);
            m_methods.push_back({.chare = known ? known->chare : QString(),
                                 .name = known ? known->name : QString(),
                                 .entry = entry,
                                 .kind = known ? known->kind : EntryKind::User});
        }
        return m_methods[place->second];
    }

    // The figures by chare and name; entry methods that share both are added up. The places that m_places keeps become
    // indices of the result.
    std::vector<MethodFigures> sorted()
    {
        std::vector<std::size_t> order(m_methods.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        const auto key = [this](std::size_t i) {
            return std::tie(m_methods[i].chare, m_methods[i].name, m_methods[i].entry);
        };
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
        std::vector<MethodFigures> methods;
        std::vector<std::size_t> place(order.size());
        for (const std::size_t from : order) {
            const MethodFigures& method = m_methods[from];
            if (!methods.empty() && methods.back().chare == method.chare && methods.back().name == method.name)
                addTo(methods.back(), method);
            else methods.push_back(method);
            place[from] = methods.size() - 1;
        }
        for (auto& [entry, at] : m_places) at = place[at];
        return methods;
    }

    // Of an entry method that of() has been asked for.
    std::uint32_t placeOf(std::uint32_t entry) const { return static_cast<std::uint32_t>(m_places.at(entry)); }

private:
    static void addTo(MethodFigures& sum, const MethodFigures& method)
    {
        addSaturating(sum.count, method.count);
        sum.time = saturatingAdd(sum.time, method.time);
        addSaturating(sum.messages, method.messages);
        sum.bytes = saturatingAdd(sum.bytes, method.bytes);
        addSaturating(sum.onWorkPath, method.onWorkPath);
        addSaturating(sum.onElapsedPath, method.onElapsedPath);
        addSaturating(sum.queued, method.queued);
        addSaturating(sum.inFlight, method.inFlight);
    }

    const TraceStore& m_store;
    std::vector<MethodFigures> m_methods;
    std::unordered_map<std::uint32_t, std::size_t, DrawnHash> m_places;  // by entry id
};

// Adds the time that messages of the path's tasks were in flight and in queues, within the run.
void addWaits(Methods& methods, const ActivityGraph& graph, const CriticalPath& path, RunFigures& run)
{
    TaskId last{};
    for (const PathStep& step : path.steps) {
        const std::uint32_t task = graph.find(step.task);
        if (task == noTask || graph.id(task) == last) continue;
        last = graph.id(task);
        if (graph.received(task) == minTime) continue;
        const TimeNs received = std::max(graph.received(task), graph.run.begin);
        const TimeNs sent = graph.sent(task) == minTime ? minTime : std::max(graph.sent(task), graph.run.begin);
        MethodFigures& method = methods.of(EntryId{graph.entry[task]});
        const TimeNs queued = std::max<TimeNs>(0, graph.begin[task] - received);
        const TimeNs inFlight = sent == minTime ? 0 : std::max<TimeNs>(0, received - sent);
        addSaturating(method.queued, queued);
        addSaturating(method.inFlight, inFlight);
        addSaturating(run.queued, queued);
        addSaturating(run.inFlight, inFlight);
        if ((graph.flags[task] & ActivityGraph::Estimated) != 0)
            addSaturating(run.estimated, saturatingAdd(queued, inFlight));
    }
}

void addPaths(Methods& methods, const RunPaths& paths, RunFigures& run)
{
    run.work = {paths.workAtMessages->length, paths.workAtMerges->length, paths.workAtOrder->length};
    run.elapsed = paths.elapsed->parts;
    for (const PathProfileRow& row : paths.workAtMessages->profile)
        addSaturating(methods.of(row.entry).onWorkPath, row.time);
    for (const PathProfileRow& row : paths.elapsed->profile)
        addSaturating(methods.of(row.entry).onElapsedPath, row.time);
    // Those that took no time are in no profile.
    for (const auto& path : {paths.workAtMessages, paths.elapsed})
        for (const std::uint32_t entry : pathString(*path).symbols) methods.of(EntryId{entry});
}

using Pattern = std::vector<std::uint32_t>;

Pattern rootOf(const Phase& phase)
{
    return {phase.pattern.begin(), phase.pattern.begin() + static_cast<std::ptrdiff_t>(phase.rootLength)};
}

// A long pattern may itself consist of turns of a loop: then the body of that loop, if its turns are nearly all of the
// pattern; else the pattern.
Result<Pattern> loopIn(Pattern pattern, const Progress& progress)
{
    constexpr std::int64_t leastTurns = 3;
    constexpr double nearlyAll = 0.8;
    while (pattern.size() > 1) {
        const auto found = phases(pattern, {.support = leastTurns, .count = 1}, progress);
        if (!found) return found.error();
        if (found->phases.empty()) break;
        const Phase& inner = found->phases.front();
        Pattern root = rootOf(inner);
        const double covered = double(inner.rootInstances) * double(root.size());
        if (root.size() == pattern.size() || covered < nearlyAll * double(pattern.size())) break;
        pattern = std::move(root);
    }
    return pattern;
}

// The path as a string, without patterns if it is too long to look for them.
Result<MethodPath> methodPath(const CriticalPath& path, const Methods& methods, const Progress& progress)
{
    constexpr std::size_t tried = 3;
    MethodPath string{.path = pathString(path)};
    for (std::uint32_t& symbol : string.path.symbols) symbol = methods.placeOf(symbol);
    string.searched = collapsed(string.path.symbols);
    if (string.searched.symbols.size() > static_cast<std::size_t>(longestPhaseString)) return string;
    const auto found = phases(string.searched.symbols, {.count = tried}, progress);
    if (!found) return found.error();
    for (const Phase& phase : found->phases) {
        auto pattern = loopIn(rootOf(phase), progress);
        if (!pattern) return pattern.error();
        if (std::find(string.patterns.begin(), string.patterns.end(), *pattern) == string.patterns.end())
            string.patterns.push_back(std::move(*pattern));
    }
    return string;
}

OwnPhase ownPhase(const PathPhases& found, const Methods& methods)
{
    if (found.phases.empty()) return OwnPhase{};
    const Phase& phase = found.phases.front();
    OwnPhase own{.instances = static_cast<std::size_t>(std::max<std::int64_t>(phase.rootInstances, 0)),
                 .iterations = rangesOf(phasePieces(found, phase, PhaseCut::Iterations))};
    std::vector<std::uint32_t> root(phase.pattern.begin(),
                                    phase.pattern.begin() + static_cast<std::ptrdiff_t>(phase.rootLength));
    if (const auto mark = std::find(root.begin(), root.end(), phase.mark); mark != root.end())
        std::rotate(root.begin(), mark, root.end());
    for (const std::uint32_t entry : root) own.pattern.push_back(methods.placeOf(entry));
    return own;
}

// The bytes of all creations, also of those outside of any task.
Result<std::int64_t> bytesSent(const TraceStore& store, const Progress& progress)
{
    std::int64_t sum = 0;
    for (const Processor* processor : processorsToScan(store, {}, true)) {
        auto messages = store.rows<MessageRow>(processor->track, MessageRow::Bytes, {.progress = &progress});
        for (const MessageRow& message : messages) sum = saturatingAdd(sum, message.bytes());
        if (const Result<> read = messages.result(); !read) return read.error();
    }
    return sum;
}

}  // namespace

Result<std::shared_ptr<const RunFigures>> RunFiguresQuestion::compute(Results& results, const Progress& progress) const
{
    if (results.store().info().isPart()) return requireEvents(results.store()).error();
    if (const Result<> run = requireRun(results.store()); !run) return run.error();
    const auto asked = results.ask(RunPathsQuestion{}, progress);
    if (!asked) return asked.error();
    const RunPaths& paths = **asked;
    const TraceStore& store = results.store();
    const auto usage = utilization(store, tenths, progress);
    if (!usage) return usage.error();
    RunFigures run{.info = store.info(), .stamp = store.stamp(), .usage = usage->total, .tenths = usage->perStage};
    for (const Issue& issue : store.issues())
        if (lacksEvents(issue.kind)) {
            // Of records and parts nobody knows in how many logs they lie.
            const bool isOfLogs = issue.kind != issueIdentifier(IssueKind::MalformedRecord)
                                  && issue.kind != issueIdentifier(IssueKind::DamagedRecording);
            run.cutLogs = std::max(run.cutLogs, isOfLogs ? std::min(issue.count, store.info().processors) : 1);
        }
    Methods methods(store);
    std::shared_ptr<const PathPhases> phases;
    const bool hasTasks = paths.graph && paths.graph->size() > 0;
    if (hasTasks) {
        addPaths(methods, paths, run);
        addWaits(methods, *paths.graph, *paths.workAtMessages, run);
        const auto labels = results.ask(IdleLabelsQuestion{}, progress);
        if (!labels) return labels.error();
        run.idle = (*labels)->total;
        // As the question's defaults are those of `longpole phases`, it says as many iterations.
        const auto found = results.ask(PathPhasesQuestion{.path = {.edges = EdgeLevel::Merges}}, progress);
        if (!found) return found.error();
        phases = *found;
        for (const Phase& phase : phases->phases)
            for (const std::uint32_t entry : phase.pattern) methods.of(EntryId{entry});
    }
    run.methods = methods.sorted();
    if (phases) run.phase = ownPhase(*phases, methods);
    const auto bytes = bytesSent(store, progress);
    if (!bytes) return bytes.error();
    run.bytes = *bytes;
    auto work = methodPath(*paths.workAtMessages, methods, progress);
    if (!work) return work.error();
    auto elapsed = methodPath(*paths.elapsed, methods, progress);
    if (!elapsed) return elapsed.error();
    run.workAtMessages = std::move(*work);
    run.elapsedPath = std::move(*elapsed);
    if (progress.isCancelled()) return cancelledError();
    return std::make_shared<const RunFigures>(std::move(run));
}

std::int64_t RunFiguresQuestion::bytes(const RunFigures& figures)
{
    std::int64_t sum = bytesOf(figures.tenths) + bytesOf(figures.methods) + bytesOf(figures.phase.pattern)
                       + bytesOf(figures.phase.iterations);
    for (const MethodPath* path : {&figures.workAtMessages, &figures.elapsedPath})
        sum += bytesOf(path->path.symbols) + bytesOf(path->searched.symbols) + bytesOf(path->patterns);
    return sum;
}

}  // namespace longpole
