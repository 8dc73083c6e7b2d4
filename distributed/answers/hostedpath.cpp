// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/hostedpath.h"

#include "analysis/base/callpaths.h"
#include "analysis/paths/pathprofile.h"
#include "analysis/whatif/zeroing.h"
#include "core/base/release.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "distributed/answers/workwalk.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/cancelled.h"

#include <algorithm>
#include <optional>

namespace longpole {
namespace {

std::vector<HostedStep> ownSteps(const WorkPass& pass, const TraceStore& store, std::vector<WalkedTask> walked)
{
    sortOldestFirst(walked);
    std::optional<TaskPaths> functions;
    if (!store.callPaths().empty()) functions.emplace(store);
    std::vector<HostedStep> steps;
    steps.reserve(walked.size());
    for (const WalkedTask& task : walked) {
        const HostedTasks& tasks = pass.ranks()[task.rank - pass.firstRank()].tasks;
        const std::uint32_t row = tasks.rowOf(task.task);
        steps.push_back({task.segment, task.number, task.rank, row, tasks.entry[task.task], tasks.begin[task.task],
                         task.length, static_cast<std::uint8_t>(task.edge), task.isDoubtful,
                         functions ? functions->of({ProcessorId{task.rank}, row}) : noCallPath});
    }
    return steps;
}

template <typename Visit>
auto withColumns(Visit visit)
{
    return visit(&HostedStep::segment, &HostedStep::number, &HostedStep::rank, &HostedStep::task, &HostedStep::entry,
                 &HostedStep::begin, &HostedStep::length, &HostedStep::edge, &HostedStep::isDoubtful,
                 &HostedStep::function);
}

}  // namespace

std::size_t rowsIn(std::span<const Payload> tables, std::size_t columns)
{
    std::size_t rows = 0;
    for (const Payload& bytes : tables)
        if (!bytes.empty()) rows += Unpacker(bytes).count(columns);
    return rows;
}

std::vector<HostedStep> gatheredSteps(Transport& transport, std::vector<HostedStep> own)
{
    Packer packer;
    withColumns([&](auto... columns) { packer.putTable(own, columns...); });
    release(own);
    std::vector<Payload> parts = transport.gather(packer.take());
    std::vector<HostedStep> all;
    all.reserve(rowsIn(parts, withColumns([](auto... columns) { return sizeof...(columns); })));
    for (Payload& bytes : parts) {
        Unpacker unpacker(bytes);
        const auto steps = withColumns([&](auto... columns) { return unpacker.table<HostedStep>(columns...); });
        if (!unpacker.isWhole())
            transport.fail(Error{tr("The path did not arrive whole from another process."), QString(), QString()});
        release(bytes);
        all.insert(all.end(), steps.begin(), steps.end());
    }
    sortOldestFirst(all);
    return all;
}

std::vector<EntrySum> gatheredShares(Transport& transport, const NestedShares& own)
{
    Packer packer;
    packer.putTable(own.sums(), &EntrySum::entry, &EntrySum::count, &EntrySum::time);
    std::vector<EntrySum> all;
    for (const Payload& bytes : transport.gather(packer.take())) {
        Unpacker unpacker(bytes);
        const auto sums = unpacker.table<EntrySum>(&EntrySum::entry, &EntrySum::count, &EntrySum::time);
        if (!unpacker.isWhole())
            transport.fail(Error{tr("The path did not arrive whole from another process."), QString(), QString()});
        all.insert(all.end(), sums.begin(), sums.end());
    }
    return all;
}

HostedPath joinedPath(const TraceStore& store, const std::vector<HostedStep>& steps,
                      const std::vector<EntrySum>& shares)
{
    HostedPath found;
    CriticalPath& path = found.path;
    path.edges = EdgeLevel::Order;
    path.duration = store.info().range().length();
    ActivityGraph graph = graphOfEntries(store);
    for (const HostedStep& step : steps) {
        graph.taskIndex.push_back(step.task);
        graph.entry.push_back(step.entry);
    }
    PathProfile profile(graph);
    path.steps.reserve(steps.size());
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
        const HostedStep& step = steps[i];
        path.steps.push_back({.task = {ProcessorId{step.rank}, step.task},
                              .pe = ProcessorId{step.rank},
                              .entry = EntryId{step.entry},
                              .begin = step.begin,
                              .end = step.begin + step.length,
                              .edge = static_cast<PathEdge>(step.edge),
                              .doubtful = step.isDoubtful});
        if (step.isDoubtful) addSaturating(path.doubtfulWeight, step.length);
        addSaturating(path.length, step.length);
        profile.add(i, {step.begin, step.begin + step.length});
        if (!store.callPaths().empty()) found.functions.push_back(step.function);
    }
    for (const EntrySum& share : shares) profile.add(EntryId{share.entry}, share.count, share.time);
    if (!steps.empty()) path.to = path.steps.back().task;
    path.parts.compute = path.length;
    if (!steps.empty()) path.profile = profile.rows();
    return found;
}

ActivityGraph graphOfEntries(const TraceStore& store)
{
    ActivityGraph graph;
    std::uint32_t entries = 0;
    for (const Entry& entry : store.entries()) entries = std::max(entries, index(entry.id) + 1);
    graph.exclusiveByEntry.resize(std::min(entries, mostIds), 0);
    for (const ProfileRow& row : store.profile())
        if (index(row.entry) < graph.exclusiveByEntry.size())
            graph.exclusiveByEntry[index(row.entry)] = saturatingAdd(graph.exclusiveByEntry[index(row.entry)],
                                                                     row.exclusive);
    return graph;
}

Result<HostedPath> hostedWorkPath(WorkPass& pass, const TraceStore& store, const Progress& progress)
{
    const WhatIf asItIs{.entries = {}, .factor = {1, 1}};
    const LaneFactors factors(std::span(&asItIs, 1));
    if (const Result<> ran = pass.run(factors, 1, true); !ran) return ran.error();
    Transport& transport = pass.transport();
    std::vector<WalkedTask> walked;
    LeavingRanks leaving;
    const auto keep = [&walked](const WalkedTask& task) { walked.push_back(task); };
    if (!walkBack(pass, leaving, keep)) {
        walked.clear();
        walkBack(pass, leaving, keep);
    }
    NestedShares nested;
    for (const WalkedTask& task : walked) {
        const WorkPass::Rank& rank = pass.ranks()[task.rank - pass.firstRank()];
        nested.add(rank.tasks.nested.get(), task.task, rank.tasks.entry[task.task],
                   pass.partOf(rank, task.task, task.length));
    }
    std::vector<HostedStep> own = ownSteps(pass, store, std::move(walked));
    failIfCancelled(transport, progress);
    const std::vector<HostedStep> all = gatheredSteps(transport, std::move(own));
    const std::vector<EntrySum> shares = gatheredShares(transport, nested);
    if (transport.failed()) return transport.failure();
    if (!transport.isRoot()) return HostedPath{};
    return joinedPath(store, all, shares);
}

}  // namespace longpole
