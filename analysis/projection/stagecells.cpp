// SPDX-License-Identifier: GPL-3.0-or-later
// Hands the processors to threads and puts what they counted into place.
#include "analysis/projection/stagecells.h"

#include "analysis/base/filebytes.h"
#include "analysis/projection/stagecounter.h"
#include "core/base/limits.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <mutex>

namespace longpole {

namespace {

// Every 64th first, then those halfway between, so that a picture of them gets sharper everywhere at once.
std::vector<std::size_t> spreadOrder(std::size_t count)
{
    std::vector<std::size_t> order;
    order.reserve(count);
    std::vector<bool> taken(count, false);
    for (std::size_t step = 64; step > 0; step /= 2)
        for (std::size_t i = 0; i < count; i += step)
            if (!taken[i]) {
                taken[i] = true;
                order.push_back(i);
            }
    return order;
}

}  // namespace

Result<std::shared_ptr<StageCells>> StageCells::prepare(const TraceStore& store, StageRequest request,
                                                        std::int64_t mostBytes)
{
    if (request.stages.count() == 0)
        return Error{.what = tr("There are no stages."), .where = {}, .hint = tr("Choose a longer range.")};
    if (request.pes.empty()) {
        for (const Processor& processor : store.processors())
            if (processor.kind != TrackKind::CommThread) request.pes.push_back(processor.pe);
    }
    for (const ProcessorId pe : request.pes)
        if (store.processor(pe) == nullptr)
            return Error{
                .what =
                    store.words().say(tr("The trace has no PE %1."), tr("The trace has no rank %1.")).arg(index(pe)),
                .where = {},
                .hint = store.words().say(tr("It has %1 PEs."), tr("It has %1 ranks.")).arg(store.info().processors)};
    std::shared_ptr<StageCells> cells(new StageCells);
    cells->m_rows = request.axis == StageAxis::Stage ? 1 : request.pes.size();
    cells->m_columns = request.axis == StageAxis::Processor ? 1 : request.stages.count();
    const double bytes = static_cast<double>(cells->m_rows) * static_cast<double>(cells->m_columns)
                         * static_cast<double>(request.measures.size()) * 8;
    if (bytes > static_cast<double>(std::min(mostBytes, limits::stageCells.of(fileBytes(store)))))
        return Error{.what = store.words()
                                 .say(tr("%1 stages of %2 PEs would take %3 of memory."),
                                      tr("%1 stages of %2 ranks would take %3 of memory."))
                                 .arg(formatCount(static_cast<std::int64_t>(request.stages.count())),
                                      formatCount(static_cast<std::int64_t>(request.pes.size())),
                                      formatBytes(static_cast<std::int64_t>(bytes))),
                     .where = {},
                     .hint = store.words().say(tr("Choose a longer timestep, a shorter range or fewer PEs."),
                                               tr("Choose a longer timestep, a shorter range or fewer ranks."))};
    for (const Measure& measure : request.measures) {
        const std::size_t size = cells->m_rows * cells->m_columns;
        const bool real = isReal(measure.quantity);
        const double start = isMaximum(measure.quantity) ? undefinedValue : 0.0;
        cells->m_counts.emplace_back(real ? 0 : size, 0);
        cells->m_reals.emplace_back(real ? size : 0, start);
    }
    cells->m_there = std::vector<std::atomic<std::uint8_t>>(request.pes.size());
    cells->m_request = std::move(request);
    cells->m_lost = lostAmong(store, cells->m_request.pes);
    return cells;
}

std::vector<std::uint8_t> lostAmong(const TraceStore& store, std::span<const ProcessorId> pes)
{
    std::vector<std::uint8_t> lost;
    lost.reserve(pes.size());
    for (const ProcessorId pe : pes) {
        const Processor* const processor = store.processor(pe);
        lost.push_back(processor != nullptr && !processor->hasLog ? 1 : 0);
    }
    return lost;
}

std::span<const std::int64_t> StageCells::counts(std::size_t measure, std::size_t row) const
{
    return std::span(m_counts[measure]).subspan(row * m_columns, m_columns);
}

std::span<const double> StageCells::reals(std::size_t measure, std::size_t row) const
{
    return std::span(m_reals[measure]).subspan(row * m_columns, m_columns);
}

double StageCells::value(std::size_t measure, std::size_t row, std::size_t column) const
{
    return isReal(m_request.measures[measure].quantity) ? reals(measure, row)[column]
                                                        : static_cast<double>(counts(measure, row)[column]);
}

// Counts into cells; several threads, each with another processor.
class StageFiller {
public:
    StageFiller(StageCells& cells, const TraceStore& store, const Progress& progress)
        : m_cells(cells), m_store(store), m_progress(progress), m_context(store, cells.m_request),
          m_sendersToo(m_context.plan.wantsAny(StageQuantity::SentInNode, StageQuantity::SentBytesInNode))
    {
        for (std::size_t row = 0; row < cells.m_request.pes.size(); ++row) {
            const std::uint32_t pe = index(cells.m_request.pes[row]);
            if (pe >= m_rowOfPe.size()) m_rowOfPe.resize(pe + std::size_t{1}, -1);
            m_rowOfPe[pe] = static_cast<std::int64_t>(row);
        }
    }

    Result<> fillAll()
    {
        if (m_context.needsSent()) {
            auto sent = SentMessages::read(m_store, Progress{});
            if (!sent) return sent.error();
            m_context.sent = std::move(*sent);
        }
        const std::vector<std::size_t> order = spreadOrder(m_cells.m_request.pes.size());
        m_work = order.size() + (m_sendersToo ? m_store.processors().size() : 0);
        parallelFor(order.size(), [&](std::size_t i) { guarded([&] { return fillProcessor(order[i]); }); });
        if (m_sendersToo)
            parallelFor(m_store.processors().size(),
                        [&](std::size_t i) { guarded([&] { return countSenders(m_store.processors()[i]); }); });
        if (m_error) return *m_error;
        if (m_progress.isCancelled()) return cancelledError();
        for (auto& there : m_cells.m_there) there.store(1, std::memory_order_release);
        return Unit{};
    }

private:
    template <typename Work>
    void guarded(Work work)
    {
        if (m_progress.isCancelled()) return;
        const Result<> done = work();
        const std::lock_guard lock(m_lock);
        if (!done && !m_error) m_error = done.error();
        m_progress.report(static_cast<double>(++m_done) / static_cast<double>(m_work));
    }

    Result<> fillProcessor(std::size_t row)
    {
        StageCounter counter(m_context, *m_store.processor(m_cells.m_request.pes[row]));
        if (Result<> counted = counter.count(m_progress); !counted) return counted;
        const StageCounts sums = counter.take();
        if (sums.isEstimated) m_cells.m_estimated.store(true, std::memory_order_relaxed);
        const bool isShared = m_cells.m_request.axis == StageAxis::Stage;
        std::unique_lock lock(m_lock, std::defer_lock);
        if (isShared) lock.lock();
        for (std::size_t m = 0; m < m_cells.measures(); ++m) {
            if (!isOwn(m)) continue;
            place(m, row, std::span<const std::int64_t>(sums.counts[m]), m_cells.m_counts[m]);
            place(m, row, std::span<const double>(sums.reals[m]), m_cells.m_reals[m]);
        }
        // With senders it is shown at the end: executions elsewhere may still add to the messages it sent.
        if (!m_sendersToo) m_cells.m_there[row].store(1, std::memory_order_release);
        return Unit{};
    }

    // Whether the processor's own records have all of a measure; else executions on other processors add to it.
    bool isOwn(std::size_t measure) const
    {
        const StageQuantity q = m_cells.m_request.measures[measure].quantity;
        return q != StageQuantity::SentInNode && q != StageQuantity::SentBytesInNode;
    }

    template <typename Value>
    void place(std::size_t measure, std::size_t row, std::span<const Value> values, std::vector<Value>& cells)
    {
        const StageQuantity q = m_cells.m_request.measures[measure].quantity;
        switch (m_cells.m_request.axis) {
        case StageAxis::Cells:
            std::copy(values.begin(), values.end(),
                      cells.begin() + static_cast<std::ptrdiff_t>(row * m_cells.m_columns));
            break;
        case StageAxis::Stage:
            for (std::size_t stage = 0; stage < values.size(); ++stage)
                cells[stage] = folded(cells[stage], values[stage], q);
            break;
        case StageAxis::Processor:
            for (const Value value : values) cells[row] = folded(cells[row], value, q);
            break;
        }
    }

    // Deliveries tell where on the same node their messages were created, and when.
    Result<> countSenders(const Processor& processor)
    {
        const TimeRange range{m_context.counted.begin, maxTime};
        if (m_context.hasDeliveries) return countSendersTo(processor, range);
        auto tasks = m_store.rows<TaskRow>(processor.track, TaskRow::Begin | TaskRow::Entry, {.touching = range});
        RowSeeker<TaskSourceRow> sources(m_store, processor.track,
                                         TaskSourceRow::Latency | TaskSourceRow::Message | TaskSourceRow::Delivers);
        for (const TaskRow& task : tasks) {
            const Result<const TaskSourceRow*> source = sources.find(task.number());
            if (!source) return source.error();
            if (*source == nullptr || !(*source)->delivers()) continue;
            const ProcessorId creator = (*source)->creator();
            if (!m_context.isSameNode(index(creator), index(processor.pe))) continue;
            const TimeNs sent = saturatingSubtract(task.begin(), (*source)->latency());
            addToSender(index(creator), sent, task.entry(),
                        m_context.sent.of(creator, *(*source)->messageNumber()).bytes);
        }
        return tasks.result();
    }

    Result<> countSendersTo(const Processor& processor, TimeRange range)
    {
        RowSeeker<TaskRow> tasks(m_store, processor.track, TaskRow::Entry);
        auto deliveries = m_store.rows<DeliveryRow>(processor.track, DeliveryRow::All, {.touching = range});
        for (const DeliveryRow& delivery : deliveries) {
            if (!m_context.isSameNode(index(delivery.creator()), index(processor.pe))) continue;
            const Result<const TaskRow*> task = tasks.find(delivery.task().value_or(-1));
            if (!task) return task.error();
            addToSender(index(delivery.creator()), saturatingSubtract(delivery.time(), delivery.latency()),
                        *task != nullptr ? (*task)->entry() : noEntry, delivery.bytes());
        }
        return deliveries.result();
    }

    void addToSender(std::int64_t creator, TimeNs sent, EntryId entry, std::int64_t bytes)
    {
        if (creator >= static_cast<std::int64_t>(m_rowOfPe.size())) return;
        const std::int64_t row = m_rowOfPe[static_cast<std::size_t>(creator)];
        const std::optional<std::size_t> stage = m_context.stageOf(sent);
        if (row < 0 || !stage) return;
        const StageAxis axis = m_cells.m_request.axis;
        const std::size_t at = (axis == StageAxis::Stage ? 0 : static_cast<std::size_t>(row)) * m_cells.m_columns
                               + (axis == StageAxis::Processor ? 0 : *stage);
        const auto add = [&](StageQuantity q, std::int64_t value) {
            for (const std::uint32_t m : m_context.plan.of(q, entry))
                std::atomic_ref(m_cells.m_counts[m][at]).fetch_add(value, std::memory_order_relaxed);
        };
        add(StageQuantity::SentInNode, 1);
        add(StageQuantity::SentBytesInNode, bytes);
    }

    StageCells& m_cells;
    const TraceStore& m_store;
    const Progress& m_progress;
    StageContext m_context;
    bool m_sendersToo;                    // messages are also counted where they were created
    std::vector<std::int64_t> m_rowOfPe;  // -1: not asked for
    std::mutex m_lock;
    std::optional<Error> m_error;
    std::size_t m_done = 0;
    std::size_t m_work = 1;
};

Result<> fill(StageCells& cells, const TraceStore& store, const Progress& progress)
{
    // Else a summary, which has no chunks, would be all zeros.
    for (const Measure& measure : cells.request().measures)
        if (measure.subject.kind != Subject::Kind::Region && measure.quantity != StageQuantity::Length)
            if (const Result<> there = requireEvents(store); !there) return there;
    return StageFiller(cells, store, progress).fillAll();
}

Result<std::shared_ptr<const StageCells>> stageCells(const TraceStore& store, StageRequest request,
                                                     const Progress& progress)
{
    auto cells = StageCells::prepare(store, std::move(request));
    if (!cells) return cells.error();
    if (Result<> filled = fill(**cells, store, progress); !filled) return filled.error();
    return std::shared_ptr<const StageCells>(*cells);
}

}  // namespace longpole
