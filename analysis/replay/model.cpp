// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/model.h"

#include "analysis/base/bigarray.h"
#include "analysis/graph/buffermerges.h"
#include "analysis/graph/builder.h"
#include "analysis/graph/reductionmerges.h"
#include "analysis/graph/taskobjects.h"
#include "analysis/paths/elapseddelays.h"
#include "analysis/replay/arrivals.h"
#include "analysis/replay/broadcasts.h"
#include "analysis/replay/consequences.h"
#include "analysis/replay/runnoise.h"
#include "analysis/replay/startup.h"
#include "core/base/drawnhash.h"
#include "core/base/freedmemory.h"
#include "core/base/release.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/store/rows.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace longpole {

namespace {

constexpr std::size_t looksPerReport = std::size_t{1} << 14;

// What each task's messages start, in the order in which they leave: of those that leave at the same time, as logs have
// whole microseconds, in the order in which they were made.
void listSends(ReplayModel& model, const std::vector<std::uint32_t>& numbers)
{
    const ActivityGraph& graph = *model.graph;
    const auto isSent = [&](std::uint32_t task) {
        return graph.source[task] != noTask && !model.is(task, ReplayModel::Joined) && !model.isFollower(task)
               && !model.isForwardedTo(task);
    };
    model.firstSend = bigArray<std::uint32_t>(graph.size() + 1);
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        if (isSent(task)) ++model.firstSend[graph.source[task] + 1];
    std::partial_sum(model.firstSend.begin(), model.firstSend.end(), model.firstSend.begin());
    model.sends = bigArray<std::uint32_t>(model.firstSend.back());
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        if (isSent(task)) model.sends[model.firstSend[graph.source[task]]++] = task;
    for (std::size_t task = graph.size(); task > 0; --task) model.firstSend[task] = model.firstSend[task - 1];
    model.firstSend[0] = 0;
    for (std::uint32_t task = 0; task < graph.size(); ++task)
        std::stable_sort(model.sends.begin() + model.firstSend[task], model.sends.begin() + model.firstSend[task + 1],
                         [&](std::uint32_t a, std::uint32_t b) {
                             if (graph.offset[a] != graph.offset[b] || numbers.empty())
                                 return graph.offset[a] < graph.offset[b];
                             return numbers[a] < numbers[b];
                         });
}

void listFollowers(ReplayModel& model)
{
    const ActivityGraph& graph = *model.graph;
    const auto isFollower = [&](std::uint32_t task) {
        return model.is(task, ReplayModel::Glued) && (graph.flags[task] & ActivityGraph::BlockEdge) == 0;
    };
    const auto forEach = [&](auto use) {
        for (const std::span<const std::uint32_t> tasks : graph.byProcessor) {
            std::uint32_t last = noTask;  // the last task that is no Structured Dagger block
            for (const std::uint32_t task : tasks) {
                if (isFollower(task) && last != noTask) use(last, task);
                if (!model.is(task, ReplayModel::Glued) || isFollower(task)) last = task;
            }
        }
    };
    model.isFollowed = RankedBits(graph.size());
    forEach([&](std::uint32_t task, std::uint32_t) { model.isFollowed.add(task); });
    model.isFollowed.count();
    model.follower = bigArray<std::uint32_t>(model.isFollowed.members());
    forEach([&](std::uint32_t task, std::uint32_t next) { model.follower[model.isFollowed.rank(task)] = next; });
}

void takeJoins(ReplayModel& model, ReplayJoins joins)
{
    model.joins = std::move(joins);
    for (const std::uint32_t task : model.joins.members) model.traits[task] |= ReplayModel::Member;
    for (const std::uint32_t task : model.joins.targets) model.traits[task] |= ReplayModel::Joined;
}

// Takes those broadcasts into the model whose targets were all sent outside of any task (each depends on the end of the
// task before or, after idling, on nothing), and all leave with the same join or all without one.
void takeForwarded(ReplayModel& model, std::vector<ForwardedBroadcast> forwarded)
{
    if (forwarded.empty()) return;
    const ActivityGraph& graph = *model.graph;
    std::unordered_map<std::uint32_t, std::uint32_t> joinOf;  // by target
    for (std::uint32_t join = 0; join < model.joins.joins.size(); ++join) {
        const ReplayJoin& of = model.joins.joins[join];
        for (std::uint32_t t = of.firstTarget; t < of.firstTarget + of.targets; ++t)
            joinOf.emplace(model.joins.targets[t], join);
    }
    model.isForwarded.resize(graph.size());
    for (ForwardedBroadcast& broadcast : forwarded) {
        const std::vector<std::uint32_t>& targets = broadcast.targets;
        const auto isApart = [&](std::uint32_t task) {
            return (graph.flags[task] & ActivityGraph::SentApart) != 0 && !model.is(task, ReplayModel::Glued)
                   && broadcast.sender < task && task < model.firstOfTail;  // clocks of processes may disagree
        };
        if (targets.empty() || broadcast.pe >= graph.byProcessor.size()
            || !std::all_of(targets.begin(), targets.end(), isApart))
            continue;
        const auto joinOfTarget = [&](std::uint32_t task) {
            const auto join = joinOf.find(task);
            return join == joinOf.end() ? ReplayModel::noJoin : join->second;
        };
        const std::uint32_t join = joinOfTarget(targets.front());
        const auto isAlike = [&](std::uint32_t task) { return joinOfTarget(task) == join; };
        if (!std::all_of(targets.begin(), targets.end(), isAlike)
            || (join != ReplayModel::noJoin && model.joins.joins[join].actor != broadcast.sender))
            continue;
        TimeNs free = graph.begin[broadcast.sender] + broadcast.offset;
        if (const std::uint32_t before = graph.source[targets.front()]; before != noTask)
            free = std::max(free, graph.end(before));
        for (const std::uint32_t target : targets) {
            model.isForwarded[target] = true;
            model.traits[target] &= static_cast<std::uint8_t>(~ReplayModel::Fixed);
        }
        model.forwarding.push_back({std::max<TimeNs>(0, broadcast.forwarded - free), join});
        model.forwarded.push_back(std::move(broadcast));
    }
}

// Finds when each broadcast leaves its sender: with which join, or between which of the sender's other messages.
void placeForwarded(ReplayModel& model, const std::vector<std::uint32_t>& numbers)
{
    std::vector<std::pair<std::uint32_t, std::uint32_t>> joined;
    for (std::uint32_t i = 0; i < model.forwarded.size(); ++i) {
        const ForwardedBroadcast& broadcast = model.forwarded[i];
        ReplayModel::Forwarding& forwarding = model.forwarding[i];
        if (forwarding.join != ReplayModel::noJoin) {
            joined.emplace_back(forwarding.join, i);
            continue;
        }
        const auto first = model.sends.begin() + model.firstSend[broadcast.sender];
        const auto last = model.sends.begin() + model.firstSend[broadcast.sender + 1];
        const auto leavesBefore = [&](std::uint32_t task) {
            const TimeNs offset = model.graph->offset[task];
            return offset != broadcast.offset || numbers.empty() ? offset < broadcast.offset
                                                                 : numbers[task] < broadcast.number;
        };
        forwarding.place = static_cast<std::uint32_t>(std::partition_point(first, last, leavesBefore) - first);
    }
    std::sort(joined.begin(), joined.end());
    for (const auto& [join, broadcast] : joined) {
        model.forwardedJoins.push_back(join);
        model.joinForwarded.push_back(broadcast);
    }
}

// `merges`: by task.
void takeMerges(ReplayModel& model, const std::vector<MergeEdge>& merges)
{
    for (const MergeEdge& edge : merges) {
        model.traits[edge.task] |= ReplayModel::Merged;
        model.traits[edge.source] |= ReplayModel::MergeSource;
        if (model.merged.empty() || model.merged.back() != edge.task) {
            model.merged.push_back(edge.task);
            model.mergesLeft.push_back(0);
        }
        ++model.mergesLeft.back();
    }
    model.afterMerges.resize(model.merged.size(), 0);
    model.merges = merges;
    std::sort(model.merges.begin(), model.merges.end(), [](const MergeEdge& a, const MergeEdge& b) {
        return std::tie(a.source, a.task, a.offset) < std::tie(b.source, b.task, b.offset);
    });
}

void findTail(ReplayModel& model)
{
    const ActivityGraph& graph = *model.graph;
    std::uint32_t first = static_cast<std::uint32_t>(graph.size());
    while (first > 0 && model.is(first - 1, ReplayModel::Fixed)) --first;
    TimeNs last = graph.run.begin;
    for (std::uint32_t task = 0; task < first; ++task) last = std::max(last, graph.end(task));
    for (; first < graph.size() && graph.begin[first] < last; ++first) last = std::max(last, graph.end(first));
    // If all tasks have no known cause, none of them is taken for the end of the run.
    if (last == graph.run.begin) {
        first = static_cast<std::uint32_t>(graph.size());
        for (std::uint32_t task = 0; task < first; ++task) last = std::max(last, graph.end(task));
    }
    model.firstOfTail = first;
    model.endBeforeTail = last;
    model.afterLastEnd = std::max<TimeNs>(graph.run.end - last, 0);
    for (const Issue& issue : graph.issues)
        if (issue.kind == QLatin1String(edgeDropped)) addSaturating(model.dropped, issue.count);
}

void findLastFixed(ReplayModel& model)
{
    model.lastFixed = model.graph->run.begin;
    for (std::uint32_t task = 0; task < model.firstOfTail; ++task)
        if (model.is(task, ReplayModel::Fixed)) model.lastFixed = model.graph->begin[task];
}

// Tasks without a known cause that must follow earlier tasks (consequences.h) wait for those from now on, and are no
// longer Fixed.
void takeConsequences(ReplayModel& model, std::span<const Consequence> kinds)
{
    const ActivityGraph& graph = *model.graph;
    std::vector<bool> isCandidate(graph.size());
    for (std::uint32_t task = 0; task < model.firstOfTail; ++task)
        isCandidate[task] = model.is(task, ReplayModel::Fixed) && !model.is(task, ReplayModel::Glued);
    for (const MergeEdge& edge : graph.merges) isCandidate[edge.task] = false;
    const Consequences found = findConsequences(graph, kinds, model.firstOfTail, isCandidate);
    std::vector<MergeEdge> merges(graph.merges.size() + found.edges.size());
    std::merge(graph.merges.begin(), graph.merges.end(), found.edges.begin(), found.edges.end(), merges.begin(),
               [](const MergeEdge& a, const MergeEdge& b) { return a.task < b.task; });
    takeMerges(model, merges);
    for (std::size_t i = 0, at = 0; i < found.tasks.size(); ++i) {
        const std::uint32_t task = found.tasks[i];
        while (model.merged[at] != task) ++at;
        model.afterMerges[at] = found.distance[i];
        model.traits[task] &= static_cast<std::uint8_t>(~ReplayModel::Fixed);
        model.delay.setZero(task);
    }
}

bool isMostlyEstimated(const ActivityGraph& graph)
{
    std::size_t received = 0, estimated = 0;
    for (const std::uint8_t flags : graph.flags) {
        received += (flags & ActivityGraph::HasReceived) != 0;
        estimated += (flags & ActivityGraph::HasReceived) != 0 && (flags & ActivityGraph::Estimated) != 0;
    }
    return 2 * estimated > received;
}

// What the replay has to know beyond single messages: joins, pools of work, consequences and start-up.
struct Together {
    ReplayJoins joins;
    ReplayPools pools;
    std::vector<Consequence> consequences;  // by entry
    std::vector<std::uint32_t> startUpEnd;  // by processor
};

// Null when cancelled.
std::shared_ptr<const ReplayModel> makeModel(std::shared_ptr<const ActivityGraph> graph, Together together,
                                             ReplayFacts facts, std::vector<ForwardedBroadcast> forwarded = {},
                                             const Progress& progress = {})
{
    auto model = std::make_shared<ReplayModel>();
    model->graph = std::move(graph);
    findArrivals(*model, facts, progress);
    if (progress.isCancelled()) return nullptr;
    if (!facts.follows.empty()) listFollowers(*model);
    release(facts.bytes);  // no longer needed; frees memory for the steps below
    release(facts.follows);
    findTail(*model);
    model->isEstimated = isMostlyEstimated(*model->graph);
    model->noise = runNoise(*model->graph);
    takeJoins(*model, std::move(together.joins));
    takeForwarded(*model, std::move(forwarded));
    model->pools = std::move(together.pools);
    model->startUpEnd = std::move(together.startUpEnd);
    if (progress.isCancelled()) return nullptr;
    takeConsequences(*model, together.consequences);
    if (progress.isCancelled()) return nullptr;
    findLastFixed(*model);
    listSends(*model, facts.numbers);
    placeForwarded(*model, facts.numbers);
    return model;
}

// Reductions are passed on in expedited messages.
bool isReduction(const Entry& entry)
{
    return entry.chare.contains(QLatin1String("ReductionMgr")) && entry.name.startsWith(QLatin1String("RecvMsg"));
}

// Entry methods of chares that are no arrays and that are only broadcast to: what is broadcast is handed to their tasks
// past the queues (forwarding.h).
Result<std::vector<std::uint8_t>> findGroupBroadcasts(const TraceStore& store, std::size_t entries,
                                                      const Progress& progress)
{
    std::vector<std::uint8_t> kinds(entries, 0);  // bit 0: broadcasts; bit 1: others
    auto messages = store.rows<MessageRow>(MessageRow::Entry | MessageRow::Kind);
    std::size_t looked = 0;
    for (const MessageRow& message : messages) {
        if (++looked % looksPerReport == 0 && progress.isCancelled()) return cancelledError();
        if (const std::size_t entry = index(message.entry()); entry < kinds.size())
            kinds[entry] |= message.messageKind() == MessageKind::Broadcast ? 1 : 2;
    }
    if (const Result<> read = messages.result(); !read) return read.error();
    std::unordered_map<std::uint32_t, int, DrawnHash> dimensions;  // by chare
    for (const Chare& chare : store.chares()) dimensions.emplace(index(chare.id), chare.dimensions);
    std::vector<std::uint8_t> isGroupBroadcast(entries, 0);
    for (const Entry& entry : store.entries()) {
        const std::size_t id = index(entry.id);
        if (id >= kinds.size() || kinds[id] != 1 || entry.kind != EntryKind::User) continue;
        const auto chare = dimensions.find(index(entry.chareId));
        if (chare != dimensions.end() && chare->second <= 0) isGroupBroadcast[id] = 1;
    }
    return isGroupBroadcast;
}

ReplayFacts factsOf(std::span<const Entry> entries)
{
    ReplayFacts facts;
    for (const Entry& entry : entries) {
        const std::size_t id = index(entry.id);
        if (id >= mostIds) continue;
        if (id >= facts.isSystem.size()) {
            facts.isSystem.resize(id + 1, 0);
            facts.isExpedited.resize(id + 1, 0);
        }
        facts.isSystem[id] = entry.kind == EntryKind::System;
        facts.isExpedited[id] = isReduction(entry);
    }
    return facts;
}

// Reads the sizes of the messages that started the graph's tasks.
Result<> readBytes(const TraceStore& store, const ActivityGraph& graph, ReplayFacts& facts, const Progress& progress)
{
    facts.bytes = bigArray<std::uint32_t>(graph.size());
    for (std::uint32_t pe = 0; pe < graph.byProcessor.size(); ++pe) {
        const Processor* const processor = store.processor(ProcessorId{pe});
        if (processor == nullptr) continue;
        const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
        RowSeeker<TaskRow> rows(store, processor->track, TaskRow::Bytes);
        for (const std::uint32_t task : tasks) {
            if (task % looksPerReport == 0 && progress.isCancelled()) return cancelledError();
            const Result<const TaskRow*> row = rows.find(graph.taskIndex[task]);
            if (!row) return row.error();
            if (*row == nullptr) continue;
            facts.bytes[task] = static_cast<std::uint32_t>(std::clamp<std::int64_t>((*row)->bytes(), 0, 0xffffffff));
        }
    }
    return Unit{};
}

// Reads what the trace holds besides the graph; broadcasts to groups go to `forwarded`.
Result<ReplayFacts> factsOf(const TraceStore& store, const ActivityGraph& graph,
                            std::vector<ForwardedBroadcast>& forwarded, const Progress& progress)
{
    ReplayFacts facts = factsOf(store.entries());
    const auto isGroupBroadcast = findGroupBroadcasts(store, facts.isExpedited.size(), progress);
    if (!isGroupBroadcast) return isGroupBroadcast.error();
    for (std::size_t entry = 0; entry < facts.isExpedited.size(); ++entry)
        facts.isExpedited[entry] |= (*isGroupBroadcast)[entry];
    Result<ForwardingReader> reader = ForwardingReader::of(store, graph, *isGroupBroadcast, progress);
    if (!reader) return reader.error();
    const auto see = [&](std::size_t pe, std::span<const MessageKey> messages) { reader->see(graph, pe, messages); };
    Result<MessageTurns> turns = findTurns(store, graph, see, progress);
    if (!turns) return turns.error();
    forwarded = reader->take();
    facts.follows = std::move(turns->follows);
    facts.numbers = std::move(turns->numbers);
    if (const Result<> read = readBytes(store, graph, facts, progress); !read) return read.error();
    for (const Processor& processor : store.processors()) {
        const std::size_t pe = index(processor.pe);
        if (pe >= mostIds) continue;
        if (pe >= facts.nodeOf.size()) facts.nodeOf.resize(pe + 1, 0);
        facts.nodeOf[pe] = processor.process;
    }
    return facts;
}

Together togetherOf(const ActivityGraph& graph, const std::vector<MergeEdge>& inferred, const TaskObjects& objects,
                    std::span<const Entry> entries, const Progress& progress = {})
{
    std::vector<bool> silent(graph.size());
    for (const MergeEdge& edge : inferred)
        if (edge.kind == MergeKind::Buffered) silent[edge.source] = true;
    const Reductions reductions = findReductions(graph, objects, entries, silent);
    const Counters counters = findCounters(graph, objects, entries, progress);
    return {findJoins(graph, inferred, {&objects, &reductions, &counters}, progress), findPools(graph, objects),
            consequencesOf(entries), startUpEnds(graph, objects)};
}

Result<Together> togetherOf(const TraceStore& store, const ActivityGraph& graph, const MergeInference& merges,
                            const Progress& progress)
{
    const Result<TaskObjects> objects = taskObjects(store, graph, progress);
    if (!objects) return objects.error();
    Together together = togetherOf(graph, merges.edges, *objects, store.entries(), progress);
    if (progress.isCancelled()) return cancelledError();
    return together;
}

}  // namespace

Result<std::shared_ptr<const ReplayModel>> replayModel(const TraceStore& store,
                                                       std::shared_ptr<const ActivityGraph> graph,
                                                       std::shared_ptr<const MergeInference> merges,
                                                       const Progress& progress)
{
    if (graph->hasRanks)
        return Error{
            .what = tr("A replay is of message-driven programs, whose tasks wait in queues; this is an MPI program."),
            .where = store.path(),
            .hint = tr(
                "longpole zeroing says what faster code would gain, longpole efficiency what an ideal network.")};
    Result<Together> together = togetherOf(store, *graph, *merges, progress);
    if (!together) return together.error();
    merges.reset();
    giveFreedMemoryBack();  // many small lists were made on the way
    std::vector<ForwardedBroadcast> forwarded;
    Result<ReplayFacts> facts = factsOf(store, *graph, forwarded, progress);
    if (!facts) return facts.error();
    auto model = makeModel(std::move(graph), std::move(*together), std::move(*facts), std::move(forwarded), progress);
    if (!model) return cancelledError();
    return model;
}

Result<std::shared_ptr<const ReplayModel>> replayModel(const TraceStore& store,
                                                       std::shared_ptr<const ActivityGraph> graph,
                                                       const MergeInference& merges, const Progress& progress)
{
    const std::shared_ptr<const MergeInference> borrowed(&merges, [](const MergeInference*) {});
    return replayModel(store, std::move(graph), borrowed, progress);
}

std::shared_ptr<const ReplayModel> replayModel(std::shared_ptr<const ActivityGraph> graph,
                                               const std::vector<MergeEdge>& inferred)
{
    Together together{findJoins(*graph, inferred, {}), {}, {}, {}};
    return makeModel(std::move(graph), std::move(together), {});
}

std::shared_ptr<const ReplayModel> replayModel(std::shared_ptr<const ActivityGraph> graph,
                                               std::vector<std::uint8_t> follows)
{
    Together together{findJoins(*graph, {}, {}), {}, {}, {}};
    ReplayFacts facts;
    facts.follows = std::move(follows);
    return makeModel(std::move(graph), std::move(together), std::move(facts));
}

std::shared_ptr<const ReplayModel> replayModel(std::shared_ptr<const ActivityGraph> graph, const TaskObjects& objects,
                                               std::span<const Entry> entries, std::span<const Chare>,
                                               std::span<const std::uint8_t> isGroupBroadcast,
                                               std::vector<std::uint32_t> numbers,
                                               std::vector<ForwardedBroadcast> forwarded)
{
    const Reductions guessed = findReductions(*graph, objects, entries, {});
    const Buffering buffering = findBuffering(*graph, objects, guessed.contributes);
    Together together = togetherOf(*graph, bufferMerges(*graph, objects, buffering), objects, entries);
    ReplayFacts facts = factsOf(entries);
    for (std::size_t entry = 0; entry < facts.isExpedited.size() && entry < isGroupBroadcast.size(); ++entry)
        facts.isExpedited[entry] |= isGroupBroadcast[entry];
    facts.numbers = std::move(numbers);
    return makeModel(std::move(graph), std::move(together), std::move(facts), std::move(forwarded));
}

}  // namespace longpole
