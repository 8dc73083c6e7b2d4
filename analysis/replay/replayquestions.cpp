// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for the model once, and replays it.
#include "analysis/replay/replayquestions.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/replay/model.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

#include <utility>

namespace longpole {

namespace {

std::int64_t bytesOfQuestion(const ReplayQuestion& question)
{
    return bytesOf(question.priorities.entries) + bytesOf(question.priorities.tasks) + bytesOf(question.factors)
           + bytesOf(question.shorter);
}

}  // namespace

Result<std::shared_ptr<const ReplayModel>> ReplayModelQuestion::compute(Results& results,
                                                                        const Progress& progress) const
{
    if (const Result<> run = requireRun(results.store()); !run) return run.error();
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph.ok()) return graph.error();
    auto merges = results.ask(MergesQuestion{}, progress);
    if (!merges.ok()) return merges.error();
    const std::int64_t wanted = 45 * static_cast<std::int64_t>((*graph)->size());
    // The model needs the room more than those who may ask for the merges again.
    if (results.bytes() + wanted > results.capacity()) results.letGo(MergesQuestion{});
    results.makeRoomFor(wanted);
    return replayModel(results.store(), *graph, std::move(*merges), progress);
}

std::int64_t ReplayModelQuestion::bytes(const ReplayModel& model)
{
    std::int64_t sum = bytesOf(model.traits) + model.delay.bytes() + model.gap.bytes() + bytesOf(model.usualGap)
                       + bytesOf(model.startUpEnd) + bytesOf(model.bySize) + bytesOf(model.firstSend)
                       + bytesOf(model.sends) + model.isFollowed.bytes() + bytesOf(model.follower)
                       + bytesOf(model.joins.joins) + bytesOf(model.joins.members) + bytesOf(model.joins.targets)
                       + bytesOf(model.joins.ofTask) + bytesOf(model.pools.requests) + bytesOf(model.pools.firstRequest)
                       + bytesOf(model.pools.poolOf) + bytesOf(model.pools.isPiece) + bytesOf(model.merges)
                       + bytesOf(model.merged) + bytesOf(model.afterMerges) + bytesOf(model.mergesLeft)
                       + bytesOf(model.discipline.rankOf) + bytesOf(model.discipline.order);
    sum += bytesOf(model.forwarded) + bytesOf(model.forwarding)
           + static_cast<std::int64_t>(model.isForwarded.size() / 8);
    for (const ForwardedBroadcast& broadcast : model.forwarded) sum += bytesOf(broadcast.targets);
    return sum;
}

Result<std::shared_ptr<const Prediction>> PredictionQuestion::compute(Results& results, const Progress& progress) const
{
    const auto model = results.ask(ReplayModelQuestion{}, progress);
    if (!model.ok()) return model.error();
    return sharedAnswer(predict(**model, replay, progress));
}

std::int64_t PredictionQuestion::bytes(const Prediction& prediction) const
{
    return static_cast<std::int64_t>(sizeof(prediction)) + bytesOfQuestion(replay);
}

Result<std::shared_ptr<const ReplayedRun>> ReplayedRunQuestion::compute(Results& results,
                                                                        const Progress& progress) const
{
    const auto model = results.ask(ReplayModelQuestion{}, progress);
    if (!model.ok()) return model.error();
    return sharedAnswer(longpole::replay(**model, replay, ArrivalReading::Likely, progress));
}

std::int64_t ReplayedRunQuestion::bytes(const ReplayedRun& run) const
{
    return bytesOf(run.begin) + bytesOf(run.length) + bytesOf(run.pe) + bytesOf(run.source) + bytesOf(run.offset)
           + bytesOfQuestion(replay);
}

}  // namespace longpole
