// SPDX-License-Identifier: GPL-3.0-or-later
// Each process labels the idle time of its ranks by a graph of no more than the tasks that end idle intervals. What it
// lacks for that are the code that sent their messages, and when other ranks worked.
#include "distributed/advice/hostedlabels.h"

#include "analysis/expert/rankinputs.h"
#include "core/store/rows.h"
#include "distributed/advice/gathered.h"
#include "distributed/advice/passes.h"
#include "distributed/advice/workingranks.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

namespace {

constexpr std::uint32_t nobody = 0xffffffffu;

// A task that ends an idle interval of its rank, or a meeting right before one.
struct EndingTask {
    std::uint32_t task = 0;  // of the rank
    TimeNs begin = 0;        // as the trace has it
    TimeNs sent = minTime;   // its message
    std::uint32_t sourceRank = nobody, source = 0;
    std::uint32_t sourceEntry = 0;
};

// The first tasks that begin at the end of an interval or later, and before them what `meeting` has by entry id.
std::vector<EndingTask> endingTasks(const HostedTasks& tasks, const std::vector<TimeRange>& idle,
                                    const std::vector<bool>& meeting)
{
    std::vector<EndingTask> ending;
    std::uint32_t next = 0;
    const auto count = static_cast<std::uint32_t>(tasks.begin.size());
    for (const TimeRange& interval : idle) {
        while (next < count && tasks.begin[next] < interval.end) ++next;
        if (next == count) break;
        if (!ending.empty() && ending.back().task == next) continue;
        const std::uint32_t entry = next > 0 ? tasks.entry[next - 1] : index(noEntry);
        const bool isListed = next > 0 && !ending.empty() && ending.back().task == next - 1;
        if (entry < meeting.size() && meeting[entry] && !isListed) ending.push_back({.task = next - 1});
        ending.push_back({.task = next});
    }
    return ending;
}

// When their messages were sent, and by whom if the graph of the run has that edge.
Result<> readMessages(const TraceStore& store, TrackId track, const WorkPass::Rank& rank,
                      std::vector<EndingTask>& ending)
{
    auto next = ending.begin();
    auto tasks = store.rows<TaskRow>(track, TaskRow::Begin);
    for (const TaskRow& row : tasks) {
        if (next == ending.end()) break;
        if (row.index() == next->task) (next++)->begin = row.begin();
    }
    if (const Result<> read = tasks.result(); !read) return read;
    next = ending.begin();
    auto sources = store.rows<TaskSourceRow>(track, TaskSourceRow::Link | TaskSourceRow::Latency);
    for (const TaskSourceRow& row : sources) {
        while (next != ending.end() && next->task < row.number()) ++next;
        if (next == ending.end()) break;
        if (next->task != row.number() || row.link() == Link::None) continue;
        next->sent = saturatingSubtract(next->begin, row.latency());
        for (const WorkPass::Slot& slot : rank.slotsOf(next->task)) {
            if (!slot.isMessage) continue;
            next->sourceRank = slot.rank;
            next->source = slot.source;
        }
    }
    return sources.result();
}

struct AskedEntry {
    std::uint32_t rank = 0, task = 0;
};

// Asks the processes of the sources for the code that these ran.
void nameSources(const WorkPass& pass, std::vector<std::vector<EndingTask>>& ending)
{
    Transport& transport = pass.transport();
    std::vector<std::vector<AskedEntry>> asked(static_cast<std::size_t>(transport.processes()));
    std::vector<std::vector<EndingTask*>> askers(asked.size());
    for (std::vector<EndingTask>& rank : ending)
        for (EndingTask& task : rank) {
            if (task.sourceRank == nobody) continue;
            const auto process = static_cast<std::size_t>(pass.hosting().hostOf(task.sourceRank));
            asked[process].push_back({task.sourceRank, task.source});
            askers[process].push_back(&task);
        }
    std::vector<Payload> packed, answers(asked.size());
    for (std::vector<AskedEntry>& own : asked) {
        Packer packer;
        if (!own.empty()) packer.putTable(own, &AskedEntry::rank, &AskedEntry::task);
        std::vector<AskedEntry>().swap(own);
        packed.push_back(packer.take());
    }
    transport.exchange(AskForEntries, std::move(packed), [&](int from, const Payload& bytes) {
        Unpacker unpacker(bytes);
        const auto wanted = unpacker.table<AskedEntry>(&AskedEntry::rank, &AskedEntry::task);
        std::vector<std::uint32_t> entries;
        for (const AskedEntry& one : wanted) {
            const bool isHosted = pass.hosting().hosts(transport.process(), one.rank);
            const HostedTasks* const tasks = isHosted ? &pass.ranks()[one.rank - pass.firstRank()].tasks : nullptr;
            if (tasks == nullptr || one.task >= tasks->entry.size()) return tellNotWhole(transport);
            entries.push_back(tasks->entry[one.task]);
        }
        if (!unpacker.isWhole()) return tellNotWhole(transport);
        Packer packer;
        packer.putNumbers(entries);
        answers[static_cast<std::size_t>(from)] = packer.take();
    });
    transport.exchange(TellEntries, std::move(answers), [&](int from, const Payload& bytes) {
        Unpacker unpacker(bytes);
        const auto entries = unpacker.numbers<std::uint32_t>();
        const std::vector<EndingTask*>& own = askers[static_cast<std::size_t>(from)];
        if (!unpacker.isWhole() || entries.size() != own.size()) return tellNotWhole(transport);
        for (std::size_t i = 0; i < own.size(); ++i) own[i]->sourceEntry = entries[i];
    });
}

// The ending tasks, by rank and then in order, and behind them those that sent their messages.
ActivityGraph endingGraph(const WorkPass& pass, const TraceStore& store,
                          const std::vector<std::vector<EndingTask>>& ending)
{
    ActivityGraph graph;
    graph.run = store.info().range();
    graph.processors = static_cast<std::uint32_t>(store.info().processors);
    graph.hasRanks = true;
    std::vector<std::size_t> first(pass.hosting().ranks() + std::size_t{1}, 0);
    std::uint32_t entries = 0;
    for (const Entry& entry : store.entries()) entries = std::max(entries, index(entry.id) + 1);
    graph.exclusiveByEntry.resize(std::min(entries, mostIds));
    for (std::size_t local = 0; local < ending.size(); ++local) {
        const std::uint32_t rank = pass.firstRank() + static_cast<std::uint32_t>(local);
        const HostedTasks& tasks = pass.ranks()[local].tasks;
        for (const EndingTask& task : ending[local]) {
            const std::uint32_t number = addNamed(graph, {ProcessorId{rank}, task.task}, tasks.entry[task.task]);
            graph.begin[number] = tasks.begin[task.task];
        }
        first[rank + 1] = graph.size();
    }
    const std::size_t count = graph.size();
    std::inclusive_scan(first.begin(), first.end(), first.begin(), [](auto a, auto b) { return std::max(a, b); });
    std::vector<std::uint32_t> tasks(count);
    std::iota(tasks.begin(), tasks.end(), 0u);
    graph.byProcessor = TasksByProcessor(std::move(tasks), std::move(first));
    std::uint32_t number = 0;
    for (const std::vector<EndingTask>& rank : ending)
        for (const EndingTask& task : rank) {
            if (task.sourceRank != nobody)
                graph.source[number] = addNamed(graph, {ProcessorId{task.sourceRank}, task.source}, task.sourceEntry);
            ++number;
        }
    finishNamed(graph);
    number = 0;
    for (const std::vector<EndingTask>& rank : ending)
        for (const EndingTask& task : rank) {
            if (task.sent != minTime) {  // of a rank it is received when it is sent: the rank waits for it
                graph.flags[number] = ActivityGraph::SentApart | ActivityGraph::HasReceived;
                graph.sentApart.push_back({number, task.sent});
                graph.queued.set(number, saturatingSubtract(graph.begin[number], task.sent));
            }
            ++number;
        }
    return number == count ? graph : ActivityGraph();
}

// An example, with the names of its tasks.
struct NamedIdle {
    std::uint32_t rank = 0;
    TimeNs begin = 0, end = 0;
    std::uint8_t cause = 0;
    std::uint32_t task = noTask, entry = 0;  // of that rank
    std::uint32_t sourceRank = nobody, source = 0, sourceEntry = 0;
};

std::vector<NamedIdle> namedExamples(const IdleLabels& labels, const ActivityGraph& graph)
{
    std::vector<NamedIdle> named;
    for (const std::vector<LabelledIdle>& longest : labels.longest)
        for (const LabelledIdle& idle : longest) {
            NamedIdle one{.rank = index(idle.pe),
                          .begin = idle.range.begin,
                          .end = idle.range.end,
                          .cause = static_cast<std::uint8_t>(idle.cause)};
            if (idle.task != noTask) {
                one.task = graph.taskIndex[idle.task];
                one.entry = graph.entry[idle.task];
                if (const std::uint32_t source = graph.source[idle.task]; source != noTask) {
                    one.sourceRank = graph.pe[source];
                    one.source = graph.taskIndex[source];
                    one.sourceEntry = graph.entry[source];
                }
            }
            named.push_back(one);
        }
    return named;
}

void takeExample(const NamedIdle& one, HostedLabels& found)
{
    LabelledIdle idle{.pe = ProcessorId{one.rank},
                      .range = {one.begin, one.end},
                      .cause = static_cast<IdleCause>(one.cause),
                      .task = noTask};
    if (one.task != noTask) {
        idle.task = addNamed(found.named, {ProcessorId{one.rank}, one.task}, one.entry);
        if (one.sourceRank != nobody)
            found.named.source[idle.task] = addNamed(found.named, {ProcessorId{one.sourceRank}, one.source},
                                                     one.sourceEntry);
    }
    found.labels.longest[one.cause].push_back(idle);
}

// The sums of the labels as numbers, to be added up.
template <typename Visit>
void eachSum(IdleLabels& labels, Visit visit)
{
    for (TimeNs& time : labels.total) visit(time);
    for (IdleByCause& stage : labels.byStage)
        for (TimeNs& time : stage) visit(time);
    for (std::vector<WorkMeanwhile>* meanwhile : {&labels.parallelismByStage, &labels.synchronizationByStage})
        for (WorkMeanwhile& stage : *meanwhile)
            for (TimeNs* const time : {&stage.none, &stage.nothing, &stage.one, &stage.more}) visit(*time);
    for (std::vector<IdleByCause>* byCode : {&labels.byEntry, &labels.blamed})
        for (IdleByCause& code : *byCode)
            for (TimeNs& time : code) visit(time);
    visit(labels.estimated);
}

void addUp(Transport& transport, IdleLabels& labels)
{
    std::vector<TimeNs> sums;
    eachSum(labels, [&sums](TimeNs& time) { sums.push_back(time); });
    const auto add = [](TimeNs& into, const TimeNs& from) { into = saturatingAdd(into, from); };
    reduceValues(transport, std::span(sums), add, Receiver::Root);
    auto sum = sums.begin();
    eachSum(labels, [&sum](TimeNs& time) { time = *sum++; });
}

HostedLabels joined(Transport& transport, const TraceStore& store, IdleLabels own, const ActivityGraph& graph,
                    std::int64_t tasks)
{
    HostedLabels found{.labels = std::move(own)};
    Packer packer;
    packer.put(namedExamples(found.labels, graph));
    addUp(transport, found.labels);
    found.labels.byPe.clear();
    found.labels.longest = {};
    found.named.run = store.info().range();
    found.named.processors = static_cast<std::uint32_t>(store.info().processors);
    found.named.hasRanks = true;
    eachGathered(transport, packer, [&](Unpacker& unpacker) {
        for (const NamedIdle& one : unpacker.values<NamedIdle>()) {
            if (one.cause < idleCauseCount && one.rank < found.named.processors && one.begin <= one.end)
                takeExample(one, found);
            else unpacker.refuse();
        }
    });
    for (std::vector<LabelledIdle>& longest : found.labels.longest) keepLongest(longest);
    // Whoever asks whether the run has tasks looks here.
    if (found.named.size() == 0 && tasks > 0) addNamed(found.named, {}, index(noEntry));
    finishNamed(found.named);
    return found;
}

}  // namespace

Result<HostedLabels> hostedLabels(const WorkPass& pass, const TraceStore& store, std::int64_t stages,
                                  const Progress& progress)
{
    Transport& transport = pass.transport();
    const auto ranks = static_cast<std::uint32_t>(store.info().processors);
    std::int64_t tasks = 0;
    for (const WorkPass::Rank& rank : pass.ranks()) tasks += std::ssize(rank.tasks.begin);
    const auto add = [](std::int64_t& into, const std::int64_t& from) { into = saturatingAdd(into, from); };
    tasks = reduceOne(transport, tasks, add);
    const std::uint8_t ownThreads = store.chunks(ChunkKind::ThreadWait).empty() ? 0 : 1;  // whatever byte others send
    const bool haveThreads = reduceOne(transport, ownThreads,
                                       [](std::uint8_t& into, const std::uint8_t& from) { into |= from; })
                             != 0;
    Working working = workingRanks(pass, store.info().range(), tasks, ranks);

    const ProcessorIdle idle = orFail(transport, processorIdle(store, progress));
    const std::vector<bool> meeting = synchronizingCalls(store);
    std::vector<std::vector<EndingTask>> ending(pass.ranks().size());
    for (std::size_t local = 0; local < ending.size() && !transport.failed(); ++local) {
        const std::uint32_t rank = pass.firstRank() + static_cast<std::uint32_t>(local);
        const Processor* const processor = store.processor(ProcessorId{rank});
        if (processor == nullptr || rank >= idle.size()) continue;
        ending[local] = endingTasks(pass.ranks()[local].tasks, idle[rank], meeting);
        orFail(transport, readMessages(store, processor->track, pass.ranks()[local], ending[local]));
        transport.pulse();
    }
    nameSources(pass, ending);
    if (transport.failed()) return transport.failure();
    const ActivityGraph graph = endingGraph(pass, store, ending);
    std::vector<std::vector<EndingTask>>().swap(ending);
    IdleLabels own = orFail(transport,
                            idleLabelsOfRanks(graph, idle, meeting, stages, std::move(working), haveThreads, progress));
    if (transport.failed()) own = IdleLabels();
    HostedLabels found = joined(transport, store, std::move(own), graph, tasks);
    if (transport.failed()) return transport.failure();
    return found;
}

}  // namespace longpole
