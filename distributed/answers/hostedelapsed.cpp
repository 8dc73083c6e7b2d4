// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/hostedelapsed.h"

#include "analysis/base/callpaths.h"
#include "analysis/paths/elapsedsteps.h"
#include "analysis/paths/pathprofile.h"
#include "core/base/release.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "distributed/answers/elapsedwalk.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/cancelled.h"

#include <algorithm>
#include <optional>

namespace longpole {
namespace {

// A step as it travels to process 0.
struct ElapsedStep {
    std::uint32_t segment = 0, attempt = 0;
    std::uint64_t number = 0;
    std::uint32_t rank = 0, task = 0, entry = 0;
    TimeNs begin = 0, length = 0;
    std::uint8_t part = 0, edge = 0;
    bool isDoubtful = false;
    TimeNs counted = -1;
    std::uint32_t function = 0;
};

template <typename Visit>
auto withStepColumns(Visit visit)
{
    return visit(&ElapsedStep::segment, &ElapsedStep::attempt, &ElapsedStep::number, &ElapsedStep::rank,
                 &ElapsedStep::task, &ElapsedStep::entry, &ElapsedStep::begin, &ElapsedStep::length, &ElapsedStep::part,
                 &ElapsedStep::edge, &ElapsedStep::isDoubtful, &ElapsedStep::counted, &ElapsedStep::function);
}

// A run of equal records has a step for each of them: what has been copied is let go at once, here and below.
Payload packedSteps(const TraceStore& store, std::vector<ElapsedWalkStep>&& walked)
{
    std::optional<TaskPaths> functions;
    if (!store.callPaths().empty()) functions.emplace(store);
    std::vector<ElapsedStep> steps;
    steps.reserve(walked.size());
    for (const ElapsedWalkStep& one : walked)
        steps.push_back({one.segment, one.attempt, one.number, index(one.step.pe), one.step.task.index,
                         index(one.step.entry), one.step.begin, one.step.weight(),
                         static_cast<std::uint8_t>(one.step.part), static_cast<std::uint8_t>(one.step.edge),
                         one.step.doubtful, one.counted, functions ? functions->of(one.step.task) : noCallPath});
    release(walked);
    Packer packer;
    withStepColumns([&](auto... columns) { packer.putTable(steps, columns...); });
    return packer.take();
}

bool isRight(const ElapsedStep& step)
{
    return step.part <= static_cast<std::uint8_t>(PathPart::Startup)
           && step.edge <= static_cast<std::uint8_t>(PathEdge::InferredMerge);
}

// Those of the walks that count, oldest first. Empty: something is damaged.
std::optional<std::vector<ElapsedStep>> joinedSteps(std::vector<Payload>&& parts, const ElapsedWalk& walk)
{
    const auto counts = [&walk](const ElapsedStep& step) {
        return step.segment < walk.attempts.size() && step.attempt == walk.attempts[step.segment];
    };
    std::vector<ElapsedStep> all;
    all.reserve(rowsIn(parts, withStepColumns([](auto... columns) { return sizeof...(columns); })));
    for (Payload& bytes : parts) {
        Unpacker unpacker(bytes);
        auto steps = withStepColumns([&](auto... columns) { return unpacker.table<ElapsedStep>(columns...); });
        if (!unpacker.isWhole() || !std::all_of(steps.begin(), steps.end(), isRight)) return {};
        release(bytes);
        std::erase_if(steps, [&counts](const ElapsedStep& step) { return !counts(step); });
        all.insert(all.end(), steps.begin(), steps.end());
    }
    sortOldestFirst(all);
    return all;
}

// What executions nested in other ones have of a walk's steps.
struct ElapsedShare {
    std::uint32_t segment = 0, attempt = 0;
    std::uint32_t entry = 0;
    std::int64_t count = 0;
    TimeNs time = 0;
};

Payload packedShares(const ElapsedWalk& walk)
{
    std::vector<ElapsedShare> shares;
    for (const auto& [which, nested] : walk.shares)
        for (const EntrySum& sum : nested.sums())
            shares.push_back({which.first, which.second, sum.entry, sum.count, sum.time});
    Packer packer;
    packer.putTable(shares, &ElapsedShare::segment, &ElapsedShare::attempt, &ElapsedShare::entry, &ElapsedShare::count,
                    &ElapsedShare::time);
    return packer.take();
}

// Those of the walks that count. Empty: something is damaged.
std::optional<std::vector<ElapsedShare>> joinedShares(const std::vector<Payload>& parts, const ElapsedWalk& walk)
{
    std::vector<ElapsedShare> all;
    for (const Payload& bytes : parts) {
        Unpacker unpacker(bytes);
        const auto shares = unpacker.table<ElapsedShare>(&ElapsedShare::segment, &ElapsedShare::attempt,
                                                         &ElapsedShare::entry, &ElapsedShare::count,
                                                         &ElapsedShare::time);
        if (!unpacker.isWhole()) return {};
        for (const ElapsedShare& share : shares)
            if (share.segment < walk.attempts.size() && share.attempt == walk.attempts[share.segment])
                all.push_back(share);
    }
    return all;
}

HostedPath pathOf(const TraceStore& store, const std::vector<ElapsedStep>& steps,
                  const std::vector<ElapsedShare>& shares, TaskId to)
{
    HostedPath found;
    CriticalPath& path = found.path;
    path.mode = PathMode::Elapsed;
    path.edges = EdgeLevel::Order;
    path.to = to;
    path.duration = store.info().range().length();
    ActivityGraph graph = graphOfEntries(store);
    for (const ElapsedStep& step : steps) {
        graph.taskIndex.push_back(step.task);
        graph.entry.push_back(step.entry);
    }
    PathProfile profile(graph);
    path.steps.reserve(steps.size());
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
        const ElapsedStep& step = steps[i];
        const auto part = static_cast<PathPart>(step.part);
        path.steps.push_back({.task = {ProcessorId{step.rank}, step.task},
                              .pe = ProcessorId{step.rank},
                              .entry = EntryId{step.entry},
                              .begin = step.begin,
                              .end = step.begin + step.length,
                              .part = part,
                              .edge = static_cast<PathEdge>(step.edge),
                              .doubtful = step.isDoubtful});
        addSaturating(partOf(path.parts, part), step.length);
        if (step.isDoubtful) addSaturating(path.doubtfulWeight, step.length);
        if (step.counted >= 0) profile.add(i, {step.begin, step.begin + step.counted});
        if (!store.callPaths().empty()) found.functions.push_back(step.function);
    }
    for (const ElapsedShare& share : shares) profile.add(EntryId{share.entry}, share.count, share.time);
    if (steps.empty()) path.parts.unexplained = path.duration;
    else path.profile = profile.rows();
    path.length = path.parts.sum();
    return found;
}

}  // namespace

Result<HostedPath> hostedElapsedPath(const WorkPass& pass, const TraceStore& store, const Progress& progress)
{
    Transport& transport = pass.transport();
    Result<ElapsedWalk> walk = walkElapsed(pass, store);
    if (!walk) return walk.error();
    failIfCancelled(transport, progress);
    std::vector<Payload> parts = transport.gather(packedSteps(store, std::move(walk->steps)));
    const std::vector<Payload> nested = transport.gather(packedShares(*walk));
    if (transport.failed()) return transport.failure();
    if (!transport.isRoot()) return HostedPath{};
    const auto steps = joinedSteps(std::move(parts), *walk);
    const auto shares = joinedShares(nested, *walk);
    HostedPath found = steps && shares ? pathOf(store, *steps, *shares, walk->to) : HostedPath{};
    // Of the parts none may be missing, and none be there twice.
    if (!steps || found.path.length != found.path.duration) {
        transport.fail(Error{tr("The path did not arrive whole from another process."), QString(), QString()});
        return transport.failure();
    }
    return found;
}

}  // namespace longpole
