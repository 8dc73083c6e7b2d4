// SPDX-License-Identifier: GPL-3.0-or-later
// One processor's executions, and the time around them, into stages.
#include "analysis/projection/stagecounter.h"

#include "core/base/result.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr std::uint32_t unknownNode = 0xffffffffu;

StageQuantity lostQuantity(std::int64_t kind)
{
    switch (static_cast<OverheadKind>(kind)) {
    case OverheadKind::Flush: return StageQuantity::Flush;
    case OverheadKind::Untraced: return StageQuantity::Untraced;
    case OverheadKind::Pack:
    case OverheadKind::Unpack: break;
    }
    return StageQuantity::Pack;
}

}  // namespace

StageContext::StageContext(const TraceStore& trace, const StageRequest& asked)
    : store(trace), request(asked), plan(trace, asked.measures), counted(asked.stages.whole()),
      hasDeliveries(!trace.chunks(ChunkKind::Delivery).empty())
{
    const TimeRange run = trace.info().range();
    if (counted.begin <= run.begin) counted.begin = minTime;
    if (counted.end >= run.end) counted.end = maxTime;
    for (const Processor& processor : trace.processors()) {
        if (index(processor.pe) >= nodeOfPe.size()) nodeOfPe.resize(index(processor.pe) + std::size_t{1}, unknownNode);
        nodeOfPe[index(processor.pe)] = processor.node;
    }
    tracksOfPe.resize(nodeOfPe.size());
    if (needsTracks())
        for (const Track& track : trace.tracks())
            if (track.pe && index(*track.pe) < tracksOfPe.size()) tracksOfPe[index(*track.pe)].push_back(track.id);
    if (plan.wants(StageQuantity::Waited)) waits.emplace(trace);
    if (!plan.wants(StageQuantity::CriticalPath) || !asked.path) return;
    pathOfPe.resize(nodeOfPe.size());
    for (const PathStep& step : asked.path->steps)
        if (step.part == PathPart::Compute && index(step.pe) < pathOfPe.size())
            pathOfPe[index(step.pe)].emplace_back(TimeRange{step.begin, step.end}, step.entry);
}

// Else the rows of deliveries say it.
bool StageContext::needsSent() const
{
    using enum StageQuantity;
    return !hasDeliveries && plan.wantsAny(ReceivedBytes, ReceivedBytesInNode, SentBytesInNode);
}

bool StageContext::needsCalls() const
{
    using enum StageQuantity;
    return plan.wantsAny(MpiTime, MpiCalls, MpiSent, MpiReceived, CollectiveSent, CollectiveReceived, Waited);
}

bool StageContext::needsTracks() const
{
    using enum StageQuantity;
    return plan.wantsAny(EventTime, Events, Samples, SampleSum, LargestSample, Memory);
}

bool StageContext::isSameNode(std::int64_t pe, std::int64_t other) const
{
    const auto isKnown = [&](std::int64_t one) {
        return one >= 0 && one < static_cast<std::int64_t>(nodeOfPe.size())
               && nodeOfPe[static_cast<std::size_t>(one)] != unknownNode;
    };
    return isKnown(pe) && isKnown(other)
           && nodeOfPe[static_cast<std::size_t>(pe)] == nodeOfPe[static_cast<std::size_t>(other)];
}

std::optional<std::size_t> StageContext::stageOf(TimeNs time) const
{
    if (time < counted.begin || (time >= counted.end && counted.end != maxTime)) return {};
    return request.stages.at(time);
}

StageCounter::StageCounter(const StageContext& context, const Processor& processor)
    : m_context(context), m_processor(processor), m_stages(context.request.stages)
{
    const std::size_t measures = context.request.measures.size();
    m_sums.counts.resize(measures);
    m_sums.reals.resize(measures);
    for (std::size_t m = 0; m < measures; ++m) {
        const StageQuantity q = context.request.measures[m].quantity;
        const double start = isMaximum(q) ? undefinedValue : 0.0;
        if (isReal(q)) m_sums.reals[m].assign(m_stages.count(), start);
        else m_sums.counts[m].assign(m_stages.count(), 0);
    }
}

Result<> StageCounter::count(const Progress& progress)
{
    const StagePlan& plan = m_context.plan;
    countLength();
    countPath();
    if (Result<> counted = countExecutions(progress); !counted) return counted;
    if (m_context.hasDeliveries)
        if (Result<> counted = countDeliveries(); !counted) return counted;
    if (plan.wants(StageQuantity::Idle))
        if (Result<> counted = countIdle(); !counted) return counted;
    if (plan.wantsAny(StageQuantity::Created, StageQuantity::CreatedBytes, StageQuantity::TasksCreated))
        if (Result<> counted = countMessages(); !counted) return counted;
    if (m_context.needsCalls())
        if (Result<> counted = countMpi(progress); !counted) return counted;
    if (Result<> counted = countTracks(progress); !counted) return counted;
    addOverlaps();
    return Unit{};
}

Result<> StageCounter::countTracks(const Progress& progress)
{
    using enum StageQuantity;
    const StagePlan& plan = m_context.plan;
    for (const TrackId track : m_context.tracksOfPe[index(m_processor.pe)]) {
        if (progress.isCancelled()) return cancelledError();
        if (plan.wantsAny(EventTime, Events)) {
            if (Result<> counted = countIntervals(track); !counted) return counted;
            if (Result<> counted = countMarks(track); !counted) return counted;
        }
        if (plan.wantsAny(Samples, SampleSum, LargestSample))
            if (Result<> counted = countSamples(track); !counted) return counted;
        if (plan.wants(Memory))
            if (Result<> counted = countMemory(track); !counted) return counted;
    }
    return Unit{};
}

std::optional<std::size_t> StageCounter::stageOf(TimeNs time)
{
    const std::vector<TimeNs>& edges = m_stages.edges;
    if (time >= edges[m_hint] && time < edges[m_hint + 1]) return m_hint;
    const std::optional<std::size_t> stage = m_context.stageOf(time);
    if (stage) m_hint = *stage;
    return stage;
}

void StageCounter::add(std::span<const std::uint32_t> measures, std::size_t stage, std::int64_t value)
{
    for (const std::uint32_t m : measures) {
        std::int64_t& sum = m_sums.counts[m][stage];
        sum = saturatingAdd(sum, value);
    }
}

// Time [begin, end) to the stages that it lies in. O(stages it meets).
void StageCounter::spread(std::span<const std::uint32_t> measures, TimeNs begin, TimeNs end, std::int64_t sign)
{
    if (measures.empty()) return;
    const TimeRange range = intersection({begin, end}, m_stages.whole());
    if (range.isEmpty()) return;
    const std::vector<TimeNs>& edges = m_stages.edges;
    std::size_t stage = range.begin >= edges[m_hint] && range.begin < edges[m_hint + 1] ? m_hint
                                                                                        : m_stages.at(range.begin);
    TimeNs from = range.begin;
    while (from < range.end) {
        const TimeNs until = std::min(range.end, edges[stage + 1]);
        add(measures, stage, sign * (until - from));
        from = until;
        if (from < range.end) ++stage;
    }
    m_hint = stage;
}

// The same for intervals that may overlap and be long. O(log stages).
void StageCounter::spreadOverlapping(std::span<const std::uint32_t> measures, TimeNs begin, TimeNs end,
                                     std::int64_t sign)
{
    if (measures.empty()) return;
    const TimeRange range = intersection({begin, end}, m_stages.whole());
    if (range.isEmpty()) return;
    const std::vector<TimeNs>& edges = m_stages.edges;
    const std::size_t first = m_stages.at(range.begin);
    const std::size_t last = m_stages.at(range.end - 1);
    if (first == last) return add(measures, first, sign * range.length());
    add(measures, first, sign * (edges[first + 1] - range.begin));
    add(measures, last, sign * (range.end - edges[last]));
    if (m_covering.empty()) m_covering.resize(m_sums.counts.size());
    for (const std::uint32_t m : measures) {
        if (m_covering[m].empty()) m_covering[m].assign(m_stages.count(), 0);
        m_covering[m][first + 1] += sign;
        m_covering[m][last] -= sign;
    }
}

void StageCounter::addOverlaps()
{
    for (std::size_t m = 0; m < m_covering.size(); ++m) {
        std::int64_t covering = 0;
        for (std::size_t stage = 0; stage < m_covering[m].size(); ++stage) {
            covering += m_covering[m][stage];
            m_sums.counts[m][stage] = saturatingAdd(m_sums.counts[m][stage],
                                                    saturatingMultiply(m_stages.range(stage).length(), covering));
        }
    }
}

void StageCounter::countLength()
{
    for (std::size_t stage = 0; stage < m_stages.count(); ++stage)
        add(m_context.plan.of(StageQuantity::Length), stage, m_stages.range(stage).length());
}

void StageCounter::countPath()
{
    if (index(m_processor.pe) >= m_context.pathOfPe.size()) return;
    for (const auto& [range, entry] : m_context.pathOfPe[index(m_processor.pe)])
        spread(m_context.plan.of(StageQuantity::CriticalPath, entry), range.begin, range.end);
}

Result<> StageCounter::countExecutions(const Progress& progress)
{
    using enum StageQuantity;
    const StagePlan& plan = m_context.plan;
    const bool wantsLost = plan.wantsAny(Pack, Flush, Untraced);
    const bool wantsParts = plan.wants(User) || wantsLost;
    const bool wantsSources = !m_context.hasDeliveries
                              && plan.wantsAny(Processed, ReceivedBytes, ReceivedInNode, ReceivedBytesInNode, Latency,
                                               Latencies, Waiting, QueueWait, QueueWaits);
    const bool wantsRows = wantsSources || plan.wantsAny(Tasks, TaskTime, LongestTask);
    if (!wantsParts && !wantsRows) return Unit{};
    m_countsRows = wantsRows;
    std::uint32_t fields = 0;
    if (wantsRows) fields = TaskRow::Range | TaskRow::Exclusive | TaskRow::Entry | TaskRow::Received;
    const TrackId track = m_processor.track;
    if (wantsSources) {
        m_sources.emplace(m_context.store, track,
                          TaskSourceRow::Latency | TaskSourceRow::Message | TaskSourceRow::Delivers);
        if (Result<> opened = openLatencies(); !opened) return opened;
    }
    if (wantsLost) {
        m_lostRows.emplace(m_context.store.rows<OverheadRow>(track, OverheadRow::All, {.touching = m_stages.whole()}));
        m_lostRow = m_lostRows->next();
        if (Result<> read = m_lostRows->result(); !read) return read;
    }
    ExecutionParts parts(m_context.store, track, m_stages.whole(), m_context.request.grain);
    if (Result<> seen = parts.visit(fields, wantsParts, *this, progress); !seen) return seen;
    m_sources.reset();
    if (m_error) return *m_error;
    return wantsLost ? openLost(maxTime) : Result<>(Unit{});
}

void StageCounter::part(TimeNs begin, TimeNs end, EntryId innermost, bool passes)
{
    if (m_lostRows && !m_error) {
        if (Result<> opened = openLost(end); !opened) m_error = opened.error();
        takeFromLost(begin, end);
    }
    if (passes) spread(m_context.plan.of(StageQuantity::User, innermost), begin, end);
}

// Counts packing, flushing and untraced time that begins before `until`; executions inside it take theirs back.
Result<> StageCounter::openLost(TimeNs until)
{
    while (m_lostRow != nullptr && m_lostRow->begin() < until) {
        const Lost lost{m_lostRow->begin(), m_lostRow->end(), lostQuantity(m_lostRow->overheadKind())};
        spreadOverlapping(m_context.plan.of(lost.quantity), lost.begin, lost.end);
        m_opened.push_back(lost);
        m_lostRow = m_lostRows->next();
        if (Result<> read = m_lostRows->result(); !read) return read;
    }
    return Unit{};
}

// Parts follow each other: what was open before the part covers all of it, but for what ends in it.
void StageCounter::takeFromLost(TimeNs begin, TimeNs end)
{
    const auto endsLater = [](const Lost& a, const Lost& b) { return a.end > b.end; };
    const auto take = [&](const Lost& lost) {
        spreadOverlapping(m_context.plan.of(lost.quantity), std::max(begin, lost.begin), std::min(end, lost.end), -1);
    };
    while (!m_lost.empty() && m_lost.front().end <= end) {
        std::pop_heap(m_lost.begin(), m_lost.end(), endsLater);
        const Lost lost = m_lost.back();
        m_lost.pop_back();
        --m_open[lost.quantity];
        if (lost.end > begin) take(lost);
    }
    for (const auto& [quantity, open] : m_open)
        if (open > 0) spread(m_context.plan.of(quantity), begin, end, -open);
    for (const Lost& lost : m_opened) {
        if (lost.end > begin) take(lost);
        if (lost.end <= end) continue;
        m_lost.push_back(lost);
        std::push_heap(m_lost.begin(), m_lost.end(), endsLater);
        ++m_open[lost.quantity];
    }
    m_opened.clear();
}

Result<> StageCounter::tasks(const RowBlock<TaskRow>& rows)
{
    if (!m_countsRows) return Unit{};
    for (const TaskRow& task : rows)
        if (Result<> counted = countTask(task); !counted) return counted;
    return Unit{};
}

Result<> StageCounter::countTask(const TaskRow& task)
{
    using enum StageQuantity;
    const StagePlan& plan = m_context.plan;
    const TimeNs exclusive = task.exclusive();
    if (m_context.request.grain && !m_context.request.grain->contains(exclusive)) return Unit{};
    const TimeNs begin = task.begin();
    const std::optional<std::size_t> stage = stageOf(begin);
    const EntryId entry = task.entry();
    if (stage) {
        add(plan.of(Tasks, entry), *stage, 1);
        add(plan.of(TaskTime, entry), *stage, exclusive);
        for (const std::uint32_t m : plan.of(LongestTask, entry))
            m_sums.counts[m][*stage] = std::max(m_sums.counts[m][*stage], exclusive);
    }
    if (!m_sources) return Unit{};
    const Result<const TaskSourceRow*> found = m_sources->find(task.number());
    if (!found) return found.error();
    const TaskSourceRow* const source = *found != nullptr && (*found)->delivers() ? *found : nullptr;
    if (source != nullptr && stage) {
        const std::int64_t bytes = m_context.sent.of(source->creator(), *source->messageNumber()).bytes;
        countDelivery(entry, *stage, source->creator(), source->latency(), bytes);
    }
    if (const std::optional<TimeNs> received = task.received()) {
        countWaiting(entry, *received, begin, stage);
    } else if (source != nullptr) {
        const TimeNs sent = saturatingSubtract(begin, source->latency());
        const TimeNs least = (*m_latencies)(index(source->creator()));
        countWaiting(entry, estimatedReceive(sent, begin, least), begin, stage);
        m_sums.isEstimated = true;
    }
    return Unit{};
}

void StageCounter::countDelivery(EntryId entry, std::size_t stage, ProcessorId creator, TimeNs latency,
                                 std::int64_t bytes)
{
    using enum StageQuantity;
    const StagePlan& plan = m_context.plan;
    add(plan.of(Processed, entry), stage, 1);
    add(plan.of(ReceivedBytes, entry), stage, bytes);
    if (latency >= 0) {
        add(plan.of(Latency, entry), stage, latency);
        add(plan.of(Latencies, entry), stage, 1);
    }
    if (!m_context.isSameNode(index(m_processor.pe), index(creator))) return;
    add(plan.of(ReceivedInNode, entry), stage, 1);
    add(plan.of(ReceivedBytesInNode, entry), stage, bytes);
}

Result<> StageCounter::openLatencies()
{
    auto least = m_context.store.leastLatencies(m_processor.pe);
    if (!least) return least.error();
    m_latencies.emplace(std::move(*least));
    return Unit{};
}

void StageCounter::countWaiting(EntryId entry, TimeNs received, TimeNs begin, std::optional<std::size_t> stage)
{
    const StagePlan& plan = m_context.plan;
    if (received > begin) return;
    spreadOverlapping(plan.of(StageQuantity::Waiting, entry), received, begin);
    if (!stage) return;
    add(plan.of(StageQuantity::QueueWait, entry), *stage, saturatingSubtract(begin, received));
    add(plan.of(StageQuantity::QueueWaits, entry), *stage, 1);
}

}  // namespace longpole
