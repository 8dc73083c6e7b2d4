// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts each idle interval by what became of the message that ended it, and adds the parts up.
#include "analysis/waiting/idlelabels.h"

#include "analysis/graph/nestedparts.h"
#include "analysis/projection/stages.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace longpole {

namespace {

// When the message of the task that ended the idling was sent and received: sent <= received <= end of the idling.
struct Cut {
    TimeNs sent = 0;
    TimeNs received = 0;
    bool isEstimated = false;
};

Cut cutOf(const ActivityGraph& graph, std::uint32_t task, TimeNs end)
{
    TimeNs sent = graph.sent(task);
    TimeNs received = graph.received(task);
    if (received == minTime && sent == minTime) return {end, end};
    if (sent == minTime) sent = received;
    const bool isBlock = (graph.flags[task] & ActivityGraph::BlockEdge) != 0;
    const bool isEstimated = !isBlock && (received == minTime || (graph.flags[task] & ActivityGraph::Estimated) != 0);
    if (isBlock) received = sent;
    if (isEstimated) received = end;
    received = std::min(received, end);
    return {std::min(sent, received), received, isEstimated};
}

class Labelling {
public:
    Labelling(const ActivityGraph& graph, const ProcessorIdle& idle, const std::vector<bool>& synchronizing,
              const std::vector<bool>& carrying, std::int64_t stages, bool haveThreads, std::vector<bool> chosen = {})
        : m_graph(graph), m_nested(graph), m_idle(idle), m_synchronizing(synchronizing), m_carrying(carrying),
          m_haveThreads(haveThreads), m_chosen(std::move(chosen)),
          m_entries(std::max(graph.exclusiveByEntry.size(), synchronizing.size()))
    {
        m_labels.stageEdges = equalStages(graph.run, std::max<std::int64_t>(stages, 1)).edges;
        m_labels.byStage.resize(m_labels.stageEdges.size() - 1);
        m_labels.parallelismByStage.resize(m_labels.byStage.size());
        m_labels.synchronizationByStage.resize(m_labels.byStage.size());
        m_labels.byPe.resize(idle.size());
        m_labels.byEntry.resize(m_entries + 1);
        m_labels.blamed.resize(m_entries + 1);
    }

    Result<IdleLabels> label(const Progress& progress)
    {
        if (!m_hasSets) findSets(progress);
        for (std::size_t pe = 0; pe < m_idle.size(); ++pe) {
            if (progress.isCancelled()) return cancelledError();
            labelProcessor(pe);
        }
        finishExamples();
        return std::move(m_labels);
    }

    // Of ranks: when others worked. What lies in queues is not asked of them.
    void setWorking(Working working)
    {
        m_one = QueuedTime(std::move(working.one));
        m_two = QueuedTime(std::move(working.two));
        m_hasSets = true;
    }

    Result<std::vector<IdlePiece>> cut(const Progress& progress)
    {
        std::vector<IdlePiece> pieces;
        m_pieces = &pieces;
        const Result<IdleLabels> labelled = label(progress);
        if (!labelled) return labelled.error();
        return pieces;
    }

private:
    struct Sets {
        std::vector<TimeRange> queued{};
        Working working{};
        std::vector<TimeRange> awaited{};
    };

    void findSets(const Progress& progress)
    {
        const TimeNs pause = pauseWithin(m_graph.run, static_cast<std::int64_t>(m_graph.size()), m_graph.processors);
        std::vector<Sets> sets(std::min(m_idle.size(), m_graph.byProcessor.size()));
        parallelFor(sets.size(), [&](std::size_t i) {
            if (progress.isCancelled()) return;
            const auto pe = static_cast<std::uint32_t>(i);
            sets[i] = {queuedOn(m_graph, pe, m_idle[i]), workingOn(m_graph, pe, m_carrying, pause),
                       awaitedOn(m_graph, pe)};
        });
        for (std::size_t step = 1; step < sets.size(); step *= 2)
            parallelFor(sets.size() / step, [&](std::size_t i) {
                if (i % 2 != 0 || (i + 1) * step >= sets.size() || progress.isCancelled()) return;
                Sets& into = sets[i * step];
                Sets& from = sets[(i + 1) * step];
                into = {united(into.queued, from.queued), together(into.working, from.working),
                        united(into.awaited, from.awaited)};
                from = {};
            });
        if (sets.empty()) return;
        Sets& all = sets.front();
        std::vector<TimeRange> queuedOrOne = united(all.queued, all.working.one);
        m_queuedOrOneOrAwaited = QueuedTime(united(queuedOrOne, all.awaited));
        m_queuedOrOne = QueuedTime(std::move(queuedOrOne));
        m_queuedOrTwo = QueuedTime(united(all.queued, all.working.two));
        m_queued = QueuedTime(std::move(all.queued));
        m_one = QueuedTime(std::move(all.working.one));
        m_two = QueuedTime(std::move(all.working.two));
    }

    void labelProcessor(std::size_t pe)
    {
        std::span<const std::uint32_t> tasks;
        if (pe < m_graph.byProcessor.size()) tasks = m_graph.byProcessor[pe];
        std::size_t next = 0;
        m_pe = pe;
        for (const TimeRange& idle : m_idle[pe]) {
            while (next < tasks.size() && m_graph.begin[tasks[next]] < idle.end) ++next;
            m_task = next < tasks.size() ? tasks[next] : noTask;
            m_before = next > 0 ? tasks[next - 1] : noTask;
            labelInterval(idle);
        }
    }

    void labelInterval(TimeRange idle)
    {
        if (idle.isEmpty()) return;
        m_entry = m_sender = m_entries;
        if (m_task == noTask) return add(IdleCause::End, idle);
        m_entry = std::min<std::size_t>(m_graph.entry[m_task], m_entries);
        if (const std::uint32_t source = m_graph.source[m_task]; source != noTask) m_sender = senderEntry(source);
        if (isSynchronized(idle)) return addSynchronization(idle);
        const Cut cut = cutOf(m_graph, m_task, idle.end);
        if (cut.isEstimated) addSaturating(m_labels.estimated, idle.end - std::clamp(cut.sent, idle.begin, idle.end));
        addUnsent({idle.begin, std::max(idle.begin, cut.sent)});
        add(IdleCause::Latency, {std::max(idle.begin, cut.sent), cut.received});
        add(IdleCause::Scheduling, {std::max(idle.begin, cut.received), idle.end});
    }

    // Whether a synchronization ended the idling. Of a rank that is the task without length at which the members of a
    // collective call meet.
    bool isSynchronized(TimeRange idle) const
    {
        if (!m_graph.hasRanks) return isSynchronizing(m_entry);
        const std::uint32_t source = m_graph.source[m_task];
        if (source != noTask) return isSynchronizing(m_graph.entry[source]);
        return m_haveThreads || followsMeeting(idle);
    }

    bool isSynchronizing(std::size_t entry) const { return entry < m_synchronizing.size() && m_synchronizing[entry]; }

    // Whether the rank came last to a collective call and waits for the others to leave it. They met on that rank, so
    // no message of another ends the idling.
    bool followsMeeting(TimeRange idle) const
    {
        return m_before != noTask && m_graph.taskIndex[m_before] + 1 == m_graph.taskIndex[m_task]
               && m_graph.begin[m_before] <= idle.begin && isSynchronizing(m_graph.entry[m_before]);
    }

    // The entry method that sent the message; its execution may be nested in the graph's task.
    std::size_t senderEntry(std::uint32_t source) const
    {
        const std::uint32_t entry = m_nested.entryAt(source, m_graph.begin[source] + m_graph.offset[m_task]);
        return std::min<std::size_t>(entry, m_entries);
    }

    void addUnsent(TimeRange range)
    {
        if (range.isEmpty()) return;
        // A rank waits for one that is late, whatever lies in the queues of others.
        if (m_graph.hasRanks) return add(IdleCause::Imbalance, range);
        addPieces(
            range,
            [this](TimeRange part) -> std::pair<IdleCause, Meanwhile> {
                if (m_queued.inside(part) > 0) return {IdleCause::Imbalance, Meanwhile::NotAsked};
                if (m_two.inside(part) > 0) return {IdleCause::Parallelism, Meanwhile::More};
                if (m_one.inside(part) > 0) return {IdleCause::Parallelism, Meanwhile::One};
                const bool isAwaited = m_queuedOrOneOrAwaited.inside(part) > 0;
                return {IdleCause::Parallelism, isAwaited ? Meanwhile::None : Meanwhile::Nothing};
            },
            [this, range] {
                const TimeNs queued = m_queued.inside(range), orTwo = m_queuedOrTwo.inside(range);
                const TimeNs orOne = m_queuedOrOne.inside(range), orAwaited = m_queuedOrOneOrAwaited.inside(range);
                return std::vector<Amount>{{IdleCause::Imbalance, Meanwhile::NotAsked, queued},
                                           {IdleCause::Parallelism, Meanwhile::More, orTwo - queued},
                                           {IdleCause::Parallelism, Meanwhile::One, orOne - orTwo},
                                           {IdleCause::Parallelism, Meanwhile::None, orAwaited - orOne},
                                           {IdleCause::Parallelism, Meanwhile::Nothing, range.length() - orAwaited}};
            });
        const TimeNs imbalance = m_queued.inside(range);
        count(IdleCause::Imbalance, range, imbalance);
        count(IdleCause::Parallelism, range, range.length() - imbalance);
        eachStage(range, [this](std::size_t stage, TimeRange part) {
            const TimeNs queued = m_queued.inside(part);
            const TimeNs orOne = m_queuedOrOne.inside(part), orTwo = m_queuedOrTwo.inside(part);
            const TimeNs orAwaited = m_queuedOrOneOrAwaited.inside(part);
            countIn(stage, IdleCause::Imbalance, queued);
            countIn(stage, IdleCause::Parallelism, part.length() - queued);
            WorkMeanwhile& meanwhile = m_labels.parallelismByStage[stage];
            addSaturating(meanwhile.none, orAwaited - orOne);
            addSaturating(meanwhile.nothing, part.length() - orAwaited);
            addSaturating(meanwhile.one, orOne - orTwo);
            addSaturating(meanwhile.more, orTwo - queued);
        });
    }

    void addSynchronization(TimeRange range)
    {
        addPieces(
            range,
            [this](TimeRange part) -> std::pair<IdleCause, Meanwhile> {
                return {IdleCause::Synchronization, m_two.inside(part) > 0   ? Meanwhile::More
                                                    : m_one.inside(part) > 0 ? Meanwhile::One
                                                                             : Meanwhile::None};
            },
            [this, range] {
                const TimeNs one = m_one.inside(range), two = m_two.inside(range);
                return std::vector<Amount>{{IdleCause::Synchronization, Meanwhile::More, two},
                                           {IdleCause::Synchronization, Meanwhile::One, one - two},
                                           {IdleCause::Synchronization, Meanwhile::None, range.length() - one}};
            });
        add(IdleCause::Synchronization, range);
        eachStage(range, [this](std::size_t stage, TimeRange part) {
            const TimeNs one = m_one.inside(part), two = m_two.inside(part);
            WorkMeanwhile& meanwhile = m_labels.synchronizationByStage[stage];
            addSaturating(meanwhile.none, part.length() - one);
            addSaturating(meanwhile.one, one - two);
            addSaturating(meanwhile.more, two);
        });
    }

    // So much of a range has that cause.
    struct Amount {
        IdleCause cause{};
        Meanwhile working{};
        TimeNs time = 0;
    };

    using Ranges = std::vector<TimeRange>;
    static auto firstIn(const Ranges& ranges, TimeRange range)
    {
        return std::partition_point(ranges.begin(), ranges.end(),
                                    [&range](const TimeRange& r) { return r.end <= range.begin; });
    }

    // How many begin or end in the range, about.
    static std::int64_t edgesIn(const Ranges& ranges, TimeRange range)
    {
        const auto last = std::partition_point(ranges.begin(), ranges.end(),
                                               [&range](const TimeRange& r) { return r.begin < range.end; });
        return 2 * (last - firstIn(ranges, range));
    }

    // Cuts the range wherever a set of times begins or ends, asks `kindOf` what each part is, and joins neighbours of
    // the same kind. Where all PEs idle through what many do, the parts would be their product: beyond what is allowed
    // for each interval, the range is cut into the `amounts` of each kind instead, in their order.
    template <typename KindOf, typename Amounts>
    void addPieces(TimeRange range, KindOf kindOf, Amounts amounts)
    {
        constexpr std::int64_t each = 64;
        if (m_pieces == nullptr || range.isEmpty()) return;
        const ProcessorId pe{static_cast<std::uint32_t>(m_pe)};
        const std::array sets{&m_queued, &m_one, &m_two, &m_queuedOrOneOrAwaited};
        std::int64_t edges = -each;
        for (const QueuedTime* set : sets) edges += edgesIn(set->ranges(), range);
        if (edges > m_edgesLeft) {
            for (const Amount& amount : amounts()) {
                const TimeRange part{range.begin, range.begin + amount.time};
                if (!part.isEmpty()) m_pieces->push_back({pe, part, m_task, amount.cause, amount.working});
                range.begin = std::max(range.begin, part.end);
            }
            return;
        }
        m_edgesLeft -= std::max<std::int64_t>(edges, 0);
        std::vector<TimeNs> cuts{range.begin, range.end};
        for (const QueuedTime* set : sets) {
            const Ranges& ranges = set->ranges();
            for (auto at = firstIn(ranges, range); at != ranges.end() && at->begin < range.end; ++at)
                for (const TimeNs edge : {at->begin, at->end})
                    if (edge > range.begin && edge < range.end) cuts.push_back(edge);
        }
        std::sort(cuts.begin(), cuts.end());
        const std::size_t first = m_pieces->size();
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
            const TimeRange part{cuts[i], cuts[i + 1]};
            if (part.isEmpty()) continue;
            const auto [cause, working] = kindOf(part);
            IdlePiece* last = m_pieces->size() > first ? &m_pieces->back() : nullptr;
            if (last != nullptr && last->cause == cause && last->working == working) last->range.end = part.end;
            else m_pieces->push_back({pe, part, m_task, cause, working});
        }
    }

    void add(IdleCause cause, TimeRange range)
    {
        if (range.isEmpty()) return;
        if (m_pieces != nullptr && cause != IdleCause::Synchronization)
            m_pieces->push_back({ProcessorId{static_cast<std::uint32_t>(m_pe)}, range, m_task, cause,
                                 Meanwhile::NotAsked});
        count(cause, range, range.length());
        eachStage(range, [this, cause](std::size_t stage, TimeRange part) { countIn(stage, cause, part.length()); });
    }

    void countIn(std::size_t stage, IdleCause cause, TimeNs time)
    {
        const auto c = static_cast<std::size_t>(cause);
        addSaturating(m_labels.byStage[stage][c], time);
        if (!m_chosen.empty() && !m_chosen[stage]) return;
        addSaturating(m_labels.byEntry[m_entry][c], time);
        addSaturating(m_labels.blamed[m_sender][c], time);
    }

    // Adds to the sums that so much of the range has that cause.
    void count(IdleCause cause, TimeRange range, TimeNs time)
    {
        if (time <= 0) return;
        const auto c = static_cast<std::size_t>(cause);
        addSaturating(m_labels.total[c], time);
        addSaturating(m_labels.byPe[m_pe][c], time);
        keep(c, {{ProcessorId{static_cast<std::uint32_t>(m_pe)}, range, cause, m_task}, time});
    }

    template <typename Add>
    void eachStage(TimeRange range, Add addPart)
    {
        const std::vector<TimeNs>& edges = m_labels.stageEdges;
        const std::size_t last = m_labels.byStage.size() - 1;
        if (range.begin < edges[m_stage]) m_stage = 0;
        while (m_stage < last && edges[m_stage + 1] <= range.begin) ++m_stage;
        for (std::size_t stage = m_stage;; ++stage) {
            const TimeNs until = stage == last ? range.end : std::min(range.end, edges[stage + 1]);
            addPart(stage, TimeRange{range.begin, until});
            range.begin = until;
            if (range.isEmpty()) return;
        }
    }

    // One of the intervals with most time of a cause. They are kept in a heap whose front has the least.
    struct Example {
        LabelledIdle idle{};
        TimeNs time = 0;
    };
    static bool isLonger(const Example& a, const Example& b)
    {
        if (a.time != b.time) return a.time > b.time;
        return std::pair(a.idle.range.begin, a.idle.pe) < std::pair(b.idle.range.begin, b.idle.pe);
    }
    void keep(std::size_t cause, const Example& example)
    {
        std::vector<Example>& kept = m_examples[cause];
        if (kept.size() == idleExamples) {
            if (!isLonger(example, kept.front())) return;
            std::pop_heap(kept.begin(), kept.end(), isLonger);
            kept.pop_back();
        }
        kept.push_back(example);
        std::push_heap(kept.begin(), kept.end(), isLonger);
    }

    void finishExamples()
    {
        for (std::size_t cause = 0; cause < idleCauseCount; ++cause) {
            std::vector<LabelledIdle>& longest = m_labels.longest[cause];
            for (Example& example : m_examples[cause]) {
                TimeRange& range = example.idle.range;
                const bool isCutByQueues = !m_graph.hasRanks;
                if (isCutByQueues && cause == std::size_t(IdleCause::Imbalance)) range = m_queued.longestInside(range);
                if (isCutByQueues && cause == std::size_t(IdleCause::Parallelism))
                    range = m_queued.longestOutside(range);
                longest.push_back(example.idle);
            }
            keepLongest(longest);
        }
    }

    const ActivityGraph& m_graph;
    const NestedParts m_nested;
    const ProcessorIdle& m_idle;
    const std::vector<bool>& m_synchronizing;
    const std::vector<bool>& m_carrying;
    const bool m_haveThreads;
    const std::vector<bool> m_chosen;
    const std::size_t m_entries;  // ids below it; index of "none"
    QueuedTime m_queued{{}}, m_queuedOrOne{{}}, m_queuedOrTwo{{}}, m_queuedOrOneOrAwaited{{}}, m_one{{}}, m_two{{}};
    bool m_hasSets = false;
    IdleLabels m_labels;
    std::vector<IdlePiece>* m_pieces = nullptr;  // null: nobody wants them
    std::int64_t m_edgesLeft = 1 << 23;          // beyond those that each interval may be cut at
    std::array<std::vector<Example>, idleCauseCount> m_examples{};
    // The interval that is being labelled.
    std::size_t m_pe = 0, m_entry = 0, m_sender = 0, m_stage = 0;
    std::uint32_t m_task = noTask, m_before = noTask;  // the task that ended it, and the one before that
};

}  // namespace

const char* name(IdleCause cause)
{
    constexpr std::array<const char*, idleCauseCount> names{"end",        "synchronization", "latency",
                                                            "scheduling", "imbalance",       "parallelism"};
    return names[static_cast<std::size_t>(cause)];
}

const char* name(Meanwhile meanwhile)
{
    constexpr std::array<const char*, 5> names{"", "nothing", "none", "one", "more"};
    return names[static_cast<std::size_t>(meanwhile)];
}

TimeNs IdleLabels::sum() const { return std::accumulate(total.begin(), total.end(), TimeNs{0}, saturatingAdd); }

Result<ProcessorIdle> processorIdle(const TraceStore& store, const Progress& progress)
{
    ProcessorIdle idle(static_cast<std::size_t>(std::max<std::int64_t>(store.info().processors, 0)));
    const TimeRange run = store.info().range();
    for (const Processor& processor : store.processors()) {
        if (processor.kind == TrackKind::CommThread || index(processor.pe) >= idle.size()) continue;
        std::vector<TimeRange>& ranges = idle[index(processor.pe)];
        auto gaps = store.rows<IdleRow>(processor.track, IdleRow::All, {.progress = &progress});
        for (const IdleRow& gap : gaps) {
            TimeRange inside = intersection(gap.range(), run);
            if (!ranges.empty()) inside.begin = std::max(inside.begin, ranges.back().end);  // a PE idles once at a time
            if (!inside.isEmpty()) ranges.push_back(inside);
        }
        if (const Result<> read = gaps.result(); !read) return read.error();
    }
    return idle;
}

Result<IdleLabels> idleLabels(const ActivityGraph& graph, const ProcessorIdle& idle,
                              const std::vector<bool>& synchronizing, std::int64_t stages, const Progress& progress,
                              const std::vector<bool>& carrying, bool haveThreads, const std::vector<bool>& chosen)
{
    return Labelling(graph, idle, synchronizing, carrying, stages, haveThreads, chosen).label(progress);
}

Result<IdleLabels> idleLabelsOfRanks(const ActivityGraph& graph, const ProcessorIdle& idle,
                                     const std::vector<bool>& synchronizing, std::int64_t stages, Working working,
                                     bool haveThreads, const Progress& progress)
{
    const std::vector<bool> nothing;
    Labelling labelling(graph, idle, synchronizing, nothing, stages, haveThreads);
    labelling.setWorking(std::move(working));
    return labelling.label(progress);
}

void keepLongest(std::vector<LabelledIdle>& longest)
{
    std::sort(longest.begin(), longest.end(), [](const LabelledIdle& a, const LabelledIdle& b) {
        if (a.range.length() != b.range.length()) return a.range.length() > b.range.length();
        return std::pair(a.range.begin, a.pe) < std::pair(b.range.begin, b.pe);
    });
    if (longest.size() > idleExamples) longest.resize(idleExamples);
}

Result<std::vector<IdlePiece>> idlePieces(const ActivityGraph& graph, const ProcessorIdle& idle,
                                          const std::vector<bool>& synchronizing, const std::vector<bool>& carrying,
                                          const Progress& progress, bool haveThreads)
{
    return Labelling(graph, idle, synchronizing, carrying, 1, haveThreads).cut(progress);
}

}  // namespace longpole
