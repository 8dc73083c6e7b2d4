// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one quantity's columns and counts values per entry method.
#include "analysis/statistics/distribution.h"

#include "analysis/base/chunkscan.h"
#include "analysis/base/leastlatencies.h"
#include "analysis/base/unknownbytes.h"
#include "core/store/rows.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace longpole {

namespace {

constexpr std::array<const char*, 5> names{"task-duration", "message-size", "idle-length", "latency", "queue-wait"};

// What one thread has counted.
class Counter {
public:
    Counter(const std::vector<bool>* wanted, std::size_t mostValues) : m_wanted(wanted), m_mostValues(mostValues) {}

    void add(EntryId entry, std::int64_t value, bool isEstimated = false)
    {
        // Only a damaged log has ids as large as that; they count as no entry method.
        const std::size_t slot = index(entry) < mostIds ? std::size_t{index(entry)} + 1 : 0;
        if (!m_wanted->empty() && (slot >= m_wanted->size() || !(*m_wanted)[slot])) return;
        if (slot >= m_entries.size()) m_entries.resize(slot + 1);
        Sums& sums = m_entries[slot];
        ++sums.count;
        ++m_unsettled;
        sums.sum = saturatingAdd(sums.sum, value);
        sums.estimated += isEstimated ? 1 : 0;
        sums.values.add(m_isRounding ? roundedValue(value) : value);
    }

    // Keeps memory bounded: rounds all values when there are too many different ones. Called between chunks; looks when
    // as many values have come as there are entry methods to look at.
    void settle()
    {
        if (m_isRounding || m_unsettled < m_entries.size()) return;
        m_unsettled = 0;
        std::size_t different = 0;
        for (const Sums& sums : m_entries) different += sums.values.size();
        if (different <= m_mostValues) return;
        m_isRounding = true;
        for (Sums& sums : m_entries) sums.values.round();
    }

    bool isRounding() const { return m_isRounding; }

    // Adds these counts; by slot: id + 1, or 0.
    void addTo(std::vector<EntryDistribution>& slots) const
    {
        if (slots.size() < m_entries.size()) slots.resize(m_entries.size());
        for (std::size_t slot = 0; slot < m_entries.size(); ++slot) {
            const Sums& sums = m_entries[slot];
            if (sums.count == 0) continue;
            EntryDistribution& entry = slots[slot];
            entry.entry = slot == 0 ? noEntry : EntryId{static_cast<std::uint32_t>(slot - 1)};
            entry.values = merged(entry.values, sums.values.sorted());
            entry.count += sums.count;
            entry.sum = saturatingAdd(entry.sum, sums.sum);
            entry.estimated += sums.estimated;
        }
    }

private:
    struct Sums {
        ValueCounts values;
        std::int64_t count = 0, sum = 0, estimated = 0;
    };
    const std::vector<bool>* m_wanted;  // by slot; empty: all
    std::size_t m_mostValues;
    std::size_t m_unsettled = 0;  // values since that was last looked at
    bool m_isRounding = false;
    std::vector<Sums> m_entries;
};

void countTasks(const ScannedRows<TaskRow>& chunk, Counter& counter)
{
    for (const TaskRow& task : chunk.rows)
        if (chunk.counts(task)) counter.add(task.entry(), task.exclusive());
}

void countMessages(const ScannedRows<MessageRow>& chunk, Counter& counter)
{
    for (const MessageRow& message : chunk.rows)
        if (chunk.counts(message)) counter.add(message.entry(), message.bytes());
}

// What lies before the run's begin is no part of it: an interval that reaches into the run begins there.
void countIdle(const ScannedRows<IdleRow>& chunk, TimeRange run, TimeRange asked, Counter& counter)
{
    for (const IdleRow& gap : chunk.rows) {
        const TimeRange idle = intersection(gap.range(), run);
        if (!idle.isEmpty() && (asked.isEmpty() || asked.contains(idle.begin))) counter.add(noEntry, idle.length());
    }
}

using ScannedTasks = ScannedRows<TaskRow, TaskSourceRow>;

void countLatencies(const ScannedTasks& chunk, Counter& counter)
{
    for (const TaskSourceRow& source : chunk.aligned) {
        const TaskRow task = chunk.rows.at(source.number());
        if (chunk.counts(task) && source.delivers()) counter.add(task.entry(), source.latency());
    }
}

void countWaits(const ScannedTasks& chunk, LeastLatencies& least, Counter& counter)
{
    for (const TaskSourceRow& source : chunk.aligned) {
        const TaskRow task = chunk.rows.at(source.number());
        if (!chunk.counts(task) || !source.delivers()) continue;
        if (const std::optional<TimeNs> waited = task.waitedBefore()) {
            counter.add(task.entry(), std::max<TimeNs>(0, *waited));
            continue;
        }
        const TimeNs fastest = least(index(source.creator()));
        counter.add(task.entry(), std::max<TimeNs>(0, saturatingSubtract(source.latency(), fastest)), true);
    }
}

// Messages that an MPI rank received, which no log says when they came; they count for the region of the task that
// needed them.
Result<> countReceived(const TraceStore& store, const Processor& processor, const DistributionRequest& request,
                       LeastLatencies& least, Counter& counter, const Progress& progress)
{
    RowSeeker<TaskRow> tasks(store, processor.track, TaskRow::Entry);
    std::optional<Error> error;
    const auto visit = [&](const ScannedRows<DeliveryRow>& chunk) {
        for (const DeliveryRow& delivery : chunk.rows) {
            if (!chunk.counts(delivery)) continue;
            const Result<const TaskRow*> task = tasks.find(delivery.task().value_or(-1));
            if (!task) {
                if (!error) error = task.error();
                return;
            }
            const EntryId entry = *task != nullptr ? (*task)->entry() : noEntry;
            if (request.of == DistributedQuantity::Latency) {
                counter.add(entry, delivery.latency());
                continue;
            }
            const TimeNs fastest = least(index(delivery.creator()));
            counter.add(entry, std::max<TimeNs>(0, saturatingSubtract(delivery.latency(), fastest)), true);
        }
        counter.settle();
    };
    Result<> scanned = scanRows<DeliveryRow>(store, processor.track,
                                             {.fields = DeliveryRow::All, .range = request.range}, progress, visit);
    return error ? Result<>(*error) : scanned;
}

Result<> countProcessor(const TraceStore& store, const Processor& processor, const DistributionRequest& request,
                        Counter& counter, const Progress& progress)
{
    std::vector<std::pair<ProcessorId, TimeNs>> latencies;
    if (request.of == DistributedQuantity::QueueWait) {
        auto read = store.leastLatencies(processor.pe);
        if (!read) return read.error();
        latencies = std::move(*read);
    }
    LeastLatencies least(std::move(latencies));
    // Calls count(chunk) with the rows of one kind.
    const auto scan = [&]<typename Row>(std::uint32_t fields, TimeRange range, auto count) {
        return scanRows<Row>(store, processor.track, {.fields = fields, .range = range}, progress,
                             [&](const ScannedRows<Row>& chunk) {
                                 count(chunk);
                                 counter.settle();
                             });
    };
    const auto scanSources = [&](std::uint32_t fields, std::uint32_t sourceFields, auto count) {
        return scanAligned<TaskRow, TaskSourceRow>(
            store, processor.track, {.fields = fields, .range = request.range, .alignedFields = sourceFields}, progress,
            [&](const ScannedTasks& chunk) {
                count(chunk);
                counter.settle();
            });
    };
    constexpr std::uint32_t latency = TaskSourceRow::Latency | TaskSourceRow::Delivers;
    const bool ofDeliveries = request.of == DistributedQuantity::Latency
                              || request.of == DistributedQuantity::QueueWait;
    if (ofDeliveries && !store.chunks(ChunkKind::Delivery).empty())
        return countReceived(store, processor, request, least, counter, progress);
    switch (request.of) {
    case DistributedQuantity::TaskDuration:
        return scan.template operator()<TaskRow>(TaskRow::Entry | TaskRow::Exclusive, request.range,
                                                 [&](const auto& chunk) { countTasks(chunk, counter); });
    case DistributedQuantity::MessageSize:
        return scan.template operator()<MessageRow>(MessageRow::Entry | MessageRow::Bytes, request.range,
                                                    [&](const auto& chunk) { countMessages(chunk, counter); });
    case DistributedQuantity::IdleLength:  // chosen after they were clipped to the run
        return scan.template operator()<IdleRow>(IdleRow::All, {}, [&](const auto& chunk) {
            countIdle(chunk, store.info().range(), request.range, counter);
        });
    case DistributedQuantity::Latency:
        return scanSources(TaskRow::Entry, latency, [&](const auto& chunk) { countLatencies(chunk, counter); });
    case DistributedQuantity::QueueWait:
        return scanSources(TaskRow::Entry | TaskRow::WaitedBefore, latency | TaskSourceRow::Creator,
                           [&](const auto& chunk) { countWaits(chunk, least, counter); });
    }
    return Unit{};
}

std::vector<bool> wantedSlots(std::span<const EntryId> entries)
{
    std::vector<bool> wanted;
    for (const EntryId entry : entries) {
        const std::size_t slot = std::size_t{index(entry)} + 1;
        if (slot >= wanted.size()) wanted.resize(slot + 1);
        wanted[slot] = true;
    }
    return wanted;
}

// Where one thread has rounded, all values are.
void roundAll(std::vector<EntryDistribution>& entries)
{
    for (EntryDistribution& entry : entries) {
        for (ValueCount& value : entry.values) value.value = roundedValue(value.value);
        entry.values = merged(entry.values, {});
    }
}

}  // namespace

const char* name(DistributedQuantity quantity) { return names[static_cast<std::size_t>(quantity)]; }

std::optional<DistributedQuantity> quantityOf(const QString& wanted)
{
    for (std::size_t i = 0; i < names.size(); ++i)
        if (wanted == QLatin1String(names[i])) return static_cast<DistributedQuantity>(i);
    return {};
}

std::vector<DistributedQuantity> quantitiesOf(const TraceInfo& info)
{
    std::vector<DistributedQuantity> found{DistributedQuantity::TaskDuration};
    if (areBytesKnown(info)) found.push_back(DistributedQuantity::MessageSize);
    found.insert(found.end(), {DistributedQuantity::IdleLength, DistributedQuantity::Latency});
    if (!info.hasRanks()) found.push_back(DistributedQuantity::QueueWait);
    return found;
}

bool isTime(DistributedQuantity quantity) { return quantity != DistributedQuantity::MessageSize; }

Result<Distribution> distribution(const TraceStore& store, const DistributionRequest& request, const Progress& progress)
{
    if (const Result<> there = requireEvents(store); !there) return there.error();
    const std::vector<const Processor*> processors = processorsToScan(store, request.pes, false);
    const std::vector<bool> wanted = wantedSlots(request.entries);
    const std::size_t workers = scanWorkers(processors.size());
    std::vector<Counter> counters(workers, Counter(&wanted, request.mostValues / workers));
    const Result<> scanned = scanProcessors(processors, progress, [&](std::size_t worker, const Processor& processor) {
        return countProcessor(store, processor, request, counters[worker], progress);
    });
    if (!scanned) return scanned.error();

    Distribution result;
    result.of = request.of;
    for (Counter& counter : counters) {
        counter.addTo(result.entries);
        result.isRounded = result.isRounded || counter.isRounding();
        counter = Counter(&wanted, 0);
    }
    if (result.isRounded) roundAll(result.entries);
    std::erase_if(result.entries, [](const EntryDistribution& entry) { return entry.count == 0; });
    std::sort(result.entries.begin(), result.entries.end(), [](const EntryDistribution& a, const EntryDistribution& b) {
        return a.sum != b.sum ? a.sum > b.sum : a.entry < b.entry;
    });
    for (const EntryDistribution& entry : result.entries) {
        result.count += entry.count;
        result.sum = saturatingAdd(result.sum, entry.sum);
        result.estimated += entry.estimated;
    }
    return result;
}

std::vector<ValueCount> allValues(const Distribution& distribution)
{
    std::vector<std::vector<ValueCount>> lists;
    for (const EntryDistribution& entry : distribution.entries) lists.push_back(entry.values);
    if (lists.empty()) return {};
    for (std::size_t step = 1; step < lists.size(); step *= 2)  // pairs of about equal size: O(n log entries)
        for (std::size_t i = 0; i + step < lists.size(); i += 2 * step) lists[i] = merged(lists[i], lists[i + step]);
    return std::move(lists.front());
}

}  // namespace longpole
