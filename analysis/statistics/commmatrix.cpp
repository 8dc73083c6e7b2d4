// SPDX-License-Identifier: GPL-3.0-or-later
// Adds up deliveries by where their message came from.
#include "analysis/statistics/commmatrix.h"

#include "analysis/base/chunkscan.h"
#include "analysis/base/sentmessages.h"
#include "analysis/statistics/collectivetraffic.h"
#include "core/base/drawnhash.h"
#include "core/base/timerange.h"
#include "core/store/rows.h"

#include <algorithm>
#include <map>
#include <utility>

namespace longpole {

namespace {

constexpr std::uint16_t noSlot = 0xffff;

void addMessage(CommCell& cell, std::int64_t bytes)
{
    ++cell.messages;
    cell.bytes = saturatingAdd(cell.bytes, bytes);
}

void addDelivery(CommCell& cell, const SentMessage& message)
{
    ++cell.deliveries;
    cell.deliveredBytes = saturatingAdd(cell.deliveredBytes, message.bytes);
    if (!message.isShared) addMessage(cell, message.bytes);
}

void addAll(CommCell& sum, const CommCell& part)
{
    addSaturating(sum.messages, part.messages);
    sum.bytes = saturatingAdd(sum.bytes, part.bytes);
    addSaturating(sum.deliveries, part.deliveries);
    sum.deliveredBytes = saturatingAdd(sum.deliveredBytes, part.deliveredBytes);
}

// Sums per pair in a hash table with linear probing.
class PairSums {
public:
    void add(std::uint32_t from, std::uint32_t to, const SentMessage& message)
    {
        if (2 * (m_used + 1) > m_cells.size()) grow();
        CommCell& cell = m_cells[find(from, to)];
        if (cell.deliveries == 0) {
            cell.from = from;
            cell.to = to;
            ++m_used;
        }
        addDelivery(cell, message);
    }

    std::vector<CommCell> take()
    {
        std::vector<CommCell> cells = std::move(m_cells);
        std::erase_if(cells, [](const CommCell& cell) { return cell.deliveries == 0; });
        return cells;
    }

private:
    std::size_t find(std::uint32_t from, std::uint32_t to) const
    {
        const std::size_t mask = m_cells.size() - 1;
        std::size_t cell = static_cast<std::size_t>(drawnHash(std::uint64_t{from} << 32 | to)) & mask;
        while (m_cells[cell].deliveries != 0 && (m_cells[cell].from != from || m_cells[cell].to != to))
            cell = (cell + 1) & mask;
        return cell;
    }
    void grow()
    {
        std::vector<CommCell> old(m_cells.empty() ? 64 : 2 * m_cells.size());
        old.swap(m_cells);
        for (const CommCell& cell : old)
            if (cell.deliveries != 0) m_cells[find(cell.from, cell.to)] = cell;
    }

    std::vector<CommCell> m_cells;
    std::size_t m_used = 0;
};

// Numbers by PE, in an array: ids of PEs are small and nearly dense. Those of damaged logs may be huge and have none.
template <typename Number>
class ByPe {
public:
    ByPe(const TraceStore& store, Number none) : m_none(none)
    {
        for (const Processor& processor : store.processors())
            if (index(processor.pe) < most && index(processor.pe) >= m_numbers.size())
                m_numbers.resize(index(processor.pe) + std::size_t{1}, none);
    }
    void set(ProcessorId pe, Number number)
    {
        if (index(pe) < m_numbers.size()) m_numbers[index(pe)] = number;
    }
    Number operator[](std::int64_t pe) const
    {
        const bool isKnown = pe >= 0 && pe < static_cast<std::int64_t>(m_numbers.size());
        return isKnown ? m_numbers[static_cast<std::size_t>(pe)] : m_none;
    }

private:
    static constexpr std::uint32_t most = 1u << 24;
    std::vector<Number> m_numbers;
    Number m_none;
};

// The entry method of every task, two bytes each: programs have some hundred that run.
class TaskEntries {
public:
    explicit TaskEntries(const TraceStore& store) : m_rows(store, nullptr), m_slots(store.processors().size())
    {
        for (const Entry& entry : store.entries()) {
            if (m_ids.size() >= noSlot || index(entry.id) >= mostIds) continue;
            if (index(entry.id) >= m_slotOf.size()) m_slotOf.resize(index(entry.id) + std::size_t{1}, noSlot);
            m_slotOf[index(entry.id)] = static_cast<std::uint16_t>(m_ids.size());
            m_ids.push_back(index(entry.id));
        }
        for (std::size_t i = 0; i < m_slots.size(); ++i) m_rows.set(store.processors()[i].pe, &m_slots[i]);
    }

    Result<> read(const TraceStore& store, const Progress& progress)
    {
        const auto all = processorsToScan(store, {}, true);
        return scanProcessors(all, progress, [&](std::size_t, const Processor& processor) -> Result<> {
            std::vector<std::uint16_t>* const slots = m_rows[index(processor.pe)];
            if (slots == nullptr) return Unit{};
            const ScanRequest request{.fields = TaskRow::Entry};
            return scanRows<TaskRow>(store, processor.track, request, progress, [&](const auto& chunk) {
                slots->resize(static_cast<std::size_t>(chunk.rows.first()) + chunk.rows.size(), noSlot);
                std::uint16_t* target = slots->data() + chunk.rows.first();
                for (const TaskRow& task : chunk.rows) {
                    const std::size_t id = index(task.entry());
                    *target++ = id < m_slotOf.size() ? m_slotOf[id] : noSlot;
                }
            });
        });
    }

    // Starts fetching what will be asked for soon: neighbours come from anywhere in memory.
    void prefetch(const TaskSourceRow& source) const
    {
        const std::int64_t task = source.sourceNumber();
        const std::vector<std::uint16_t>* const rows = m_rows[index(source.creator())];
        if (rows != nullptr && task >= 0 && task < static_cast<std::int64_t>(rows->size()))
            __builtin_prefetch(rows->data() + task);
    }

    std::uint32_t operator()(std::int64_t pe, std::int64_t task) const
    {
        const std::vector<std::uint16_t>* const rows = m_rows[pe];
        if (rows == nullptr || task < 0 || task >= static_cast<std::int64_t>(rows->size())) return noSender;
        const std::uint16_t slot = (*rows)[static_cast<std::size_t>(task)];
        return slot == noSlot ? noSender : m_ids[slot];
    }

private:
    std::vector<std::uint16_t> m_slotOf;  // by entry id
    std::vector<std::uint32_t> m_ids;     // by slot
    ByPe<std::vector<std::uint16_t>*> m_rows;
    std::vector<std::vector<std::uint16_t>> m_slots;  // by processor, task
};

// What one PE received, by sender: a few kilobytes that stay in the cache, whatever the number of pairs.
class Received {
public:
    void add(std::uint32_t from, const SentMessage& message)
    {
        if (from >= m_byPe.size()) m_byPe.resize(from + std::size_t{1});
        if (m_byPe[from].deliveries == 0) m_senders.push_back(from);
        addDelivery(m_byPe[from], message);
    }
    void moveTo(std::vector<CommCell>& cells, std::uint32_t to)
    {
        for (const std::uint32_t from : m_senders) {
            cells.push_back(std::exchange(m_byPe[from], {}));
            cells.back().from = from;
            cells.back().to = to;
        }
        m_senders.clear();
    }

private:
    std::vector<CommCell> m_byPe;
    std::vector<std::uint32_t> m_senders;
};

// What one thread has added up.
struct ThreadSums {
    PairSums pairs;               // by node and entry method
    Received received;            // by PE
    std::vector<CommCell> cells;  // of the PEs before
    CommCell outside, inNode, unattributed, unexecuted;
    std::int64_t unknownSenders = 0;
};

// A delivery, of which the ends are known.
struct Delivered {
    ProcessorId creator{};
    std::int64_t message = 0;
    std::int64_t source = -1;    // row of the task that created it; -1: none
    std::uint32_t executed = 0;  // entry id
};

class Matrix {
public:
    Matrix(const TraceStore& store, const CommRequest& request)
        : m_store(store), m_request(request), m_isChosen(store, request.pes.empty() ? 1 : 0), m_node(store, unknownNode)
    {
        for (const ProcessorId pe : request.pes) m_isChosen.set(pe, true);
        if (request.pes.empty())
            for (const Processor& processor : store.processors()) m_isChosen.set(processor.pe, true);
        for (const Processor& processor : store.processors()) m_node.set(processor.pe, processor.node);
    }

    Result<CommMatrix> compute(const Progress& progress)
    {
        if (m_request.by == CommBy::Entry || m_request.fromEntry) {
            m_entries.emplace(m_store);
            if (Result<> read = m_entries->read(m_store, progress); !read) return read.error();
        }
        auto sent = SentMessages::read(m_store, progress);
        if (!sent) return sent.error();
        m_sent = std::move(*sent);
        const bool isReceived = !m_store.chunks(ChunkKind::Delivery).empty();
        auto receivers = processorsToScan(m_store, {}, true);
        if (m_request.toPe) std::erase_if(receivers, [this](const Processor* p) { return p->pe != *m_request.toPe; });
        std::vector<ThreadSums> sums(scanWorkers(receivers.size()));
        const Result<> scanned = scanProcessors(receivers, progress,
                                                [&](std::size_t worker, const Processor& processor) -> Result<> {
                                                    ThreadSums& own = sums[worker];
                                                    Result<> added = isReceived
                                                                         ? addReceived(processor, own, progress)
                                                                         : addExecutions(processor, own, progress);
                                                    own.received.moveTo(own.cells, index(processor.pe));
                                                    if (!added) return added;
                                                    return isWhole() ? addCreations(processor, own, progress)
                                                                     : Result<>(Unit{});
                                                });
        if (!scanned) return scanned.error();
        return joined(sums);
    }

private:
    static constexpr std::uint32_t unknownNode = 0xffffffffu;

    // Not of single ends.
    bool isWhole() const { return !m_request.fromPe && !m_request.toPe && !m_request.fromEntry && !m_request.toEntry; }

    Result<> addExecutions(const Processor& processor, ThreadSums& sums, const Progress& progress) const
    {
        const ScanRequest scan{.fields = TaskRow::Entry,
                               .range = m_request.range,
                               .alignedFields = TaskSourceRow::Message | TaskSourceRow::Link
                                                | (m_entries ? TaskSourceRow::Source : 0u)};
        const bool isChosen = m_isChosen[index(processor.pe)];
        const auto visit = [&](const ScannedRows<TaskRow, TaskSourceRow>& chunk) {
            const std::uint32_t sources = chunk.aligned.size();
            for (std::uint32_t r = 0; r < chunk.rows.size(); ++r) {
                constexpr std::uint32_t ahead = 24;
                if (m_entries && r + ahead < sources) m_entries->prefetch(chunk.aligned[r + ahead]);
                const TaskRow task = chunk.rows[r];
                if (!chunk.counts(task)) continue;
                if (r >= sources || !chunk.aligned[r].delivers()) {
                    if (isChosen && isWhole()) ++sums.unknownSenders;
                    continue;
                }
                const TaskSourceRow source = chunk.aligned[r];
                const bool hasTask = m_entries && source.link() != Link::NoTask;
                add(processor,
                    {source.creator(), *source.messageNumber(), hasTask ? source.sourceNumber() : -1,
                     index(task.entry())},
                    isChosen, sums);
            }
        };
        return scanAligned<TaskRow, TaskSourceRow>(m_store, processor.track, scan, progress, visit);
    }

    // What an MPI rank received: several messages may be needed by one task.
    Result<> addReceived(const Processor& processor, ThreadSums& sums, const Progress& progress) const
    {
        RowSeeker<TaskRow> tasks(m_store, processor.track, TaskRow::Entry);
        const bool isChosen = m_isChosen[index(processor.pe)];
        const bool needsEntry = m_request.by == CommBy::Entry || m_request.toEntry;
        std::optional<Error> error;
        const auto visit = [&](const ScannedRows<DeliveryRow>& chunk) {
            for (const DeliveryRow& row : chunk.rows) {
                if (!chunk.counts(row)) continue;
                Delivered delivered{row.creator(), row.messageNumber(), row.sourceNumber().value_or(-1), noReceiver};
                if (needsEntry && row.task()) {
                    const Result<const TaskRow*> task = tasks.find(*row.task());
                    if (!task && !error) error = task.error();
                    if (task && *task != nullptr) delivered.executed = index((*task)->entry());
                }
                add(processor, delivered, isChosen, sums);
            }
        };
        Result<> scanned = scanRows<DeliveryRow>(m_store, processor.track,
                                                 {.fields = DeliveryRow::All, .range = m_request.range}, progress,
                                                 visit);
        return error ? Result<>(*error) : scanned;
    }

    void add(const Processor& processor, const Delivered& delivered, bool isChosen, ThreadSums& sums) const
    {
        const std::uint32_t sender = index(delivered.creator);
        if (m_request.fromPe && sender != index(*m_request.fromPe)) return;
        if (m_request.toEntry && delivered.executed != index(*m_request.toEntry)) return;
        std::uint32_t creating = noSender;
        if (sender >= mostIds) {  // no PE has such a number
            if (isChosen && isWhole()) ++sums.unknownSenders;
            return;
        }
        if (m_entries && delivered.source >= 0) creating = (*m_entries)(sender, delivered.source);
        if (m_request.fromEntry && creating != index(*m_request.fromEntry)) return;
        const SentMessage message = m_sent.of(delivered.creator, delivered.message);
        const bool isSenderChosen = m_isChosen[sender];
        if (!isChosen || !isSenderChosen) {
            if (isChosen || isSenderChosen) addDelivery(sums.outside, message);
            return;
        }
        const std::uint32_t node = m_node[sender];
        if (node == processor.node) addDelivery(sums.inNode, message);
        switch (m_request.by) {
        case CommBy::Pe: sums.received.add(sender, message); break;
        case CommBy::Node: sums.pairs.add(node, processor.node, message); break;
        case CommBy::Entry: sums.pairs.add(creating, delivered.executed, message); break;
        }
    }

    // Messages that no cell can have: those with no delivery, and those with several.
    Result<> addCreations(const Processor& processor, ThreadSums& sums, const Progress& progress) const
    {
        if (!m_isChosen[index(processor.pe)]) return Unit{};
        const ScanRequest scan{.fields = MessageRow::Bytes,
                               .range = m_request.range,
                               .alignedFields = ExecutionsRow::Executions};
        const auto visit = [&](const ScannedRows<MessageRow, ExecutionsRow>& chunk) {
            for (const ExecutionsRow& row : chunk.aligned) {
                if (row.executions() == 1) continue;
                const MessageRow message = chunk.rows.at(row.number());
                if (!chunk.counts(message)) continue;
                addMessage(row.executions() == 0 ? sums.unexecuted : sums.unattributed,
                           std::max<std::int64_t>(message.bytes(), 0));
            }
        };
        return scanAligned<MessageRow, ExecutionsRow>(m_store, processor.track, scan, progress, visit);
    }

    CommMatrix joined(std::vector<ThreadSums>& sums) const
    {
        CommMatrix matrix;
        matrix.by = m_request.by;
        std::vector<CommCell> all;
        for (ThreadSums& part : sums) {
            const std::vector<CommCell> cells = part.pairs.take();
            all.insert(all.end(), cells.begin(), cells.end());
            all.insert(all.end(), part.cells.begin(), part.cells.end());
            addAll(matrix.outside, part.outside);
            addAll(matrix.inNode, part.inNode);
            addAll(matrix.unattributed, part.unattributed);
            addAll(matrix.unexecuted, part.unexecuted);
            addSaturating(matrix.unknownSenders, part.unknownSenders);
        }
        std::sort(all.begin(), all.end(), [](const CommCell& a, const CommCell& b) {
            return std::pair(a.from, a.to) < std::pair(b.from, b.to);
        });
        for (const CommCell& cell : all) {
            const bool isNew = matrix.cells.empty() || matrix.cells.back().from != cell.from
                               || matrix.cells.back().to != cell.to;
            if (isNew) matrix.cells.push_back({.from = cell.from, .to = cell.to});
            addAll(matrix.cells.back(), cell);
            addAll(matrix.total, cell);
        }
        addAll(matrix.total, matrix.unattributed);
        addAll(matrix.total, matrix.unexecuted);
        return matrix;
    }

    const TraceStore& m_store;
    const CommRequest& m_request;
    ByPe<char> m_isChosen;
    ByPe<std::uint32_t> m_node;
    std::optional<TaskEntries> m_entries;
    SentMessages m_sent;
};

}  // namespace

Result<CommMatrix> commMatrix(const TraceStore& store, const CommRequest& request, const Progress& progress)
{
    if (const Result<> there = requireEvents(store); !there) return there.error();
    Result<CommMatrix> matrix = Matrix(store, request).compute(progress);
    if (!matrix || request.by == CommBy::Entry || !store.info().hasRanks()) return matrix;
    auto collective = collectiveTraffic(store, request, progress);
    if (!collective) return collective.error();
    matrix->hasCollective = collective->has_value();
    if (matrix->hasCollective) matrix->collective = std::move(**collective);
    return matrix;
}

std::int64_t collectiveBytes(const CommMatrix& matrix)
{
    std::int64_t bytes = 0;
    for (const CommCell& cell : matrix.collective) addSaturating(bytes, cell.bytes);
    return bytes;
}

CommMatrix withTraffic(const CommMatrix& matrix, CommTraffic traffic)
{
    CommMatrix other = matrix;
    if (traffic == CommTraffic::Messages || matrix.by == CommBy::Entry) return other;
    other.traffic = traffic;
    other.cells.clear();
    if (traffic == CommTraffic::Collective) other.total = other.inNode = {};
    auto next = traffic == CommTraffic::Both ? matrix.cells.begin() : matrix.cells.end();
    for (const CommCell& collective : matrix.collective) {
        const std::pair ends(collective.from, collective.to);
        while (next != matrix.cells.end() && std::pair(next->from, next->to) < ends) other.cells.push_back(*next++);
        const bool isThere = next != matrix.cells.end() && std::pair(next->from, next->to) == ends;
        other.cells.push_back(isThere ? *next++ : CommCell{.from = collective.from, .to = collective.to});
        CommCell& cell = other.cells.back();
        cell.deliveredBytes = saturatingAdd(cell.deliveredBytes, collective.bytes);
        other.total.deliveredBytes = saturatingAdd(other.total.deliveredBytes, collective.bytes);
    }
    other.cells.insert(other.cells.end(), next, matrix.cells.end());
    return other;
}

std::vector<CommSum> commSums(std::span<const CommCell> cells)
{
    std::map<std::uint32_t, CommSum> sums;
    for (const CommCell& cell : cells) {
        CommSum& from = sums[cell.from];
        addSaturating(from.sent, cell.deliveries);
        from.sentBytes = saturatingAdd(from.sentBytes, cell.deliveredBytes);
        CommSum& to = sums[cell.to];
        addSaturating(to.received, cell.deliveries);
        to.receivedBytes = saturatingAdd(to.receivedBytes, cell.deliveredBytes);
        if (cell.from != cell.to) continue;
        addSaturating(to.inner, cell.deliveries);
        to.innerBytes = saturatingAdd(to.innerBytes, cell.deliveredBytes);
    }
    std::vector<CommSum> list;
    for (auto& [id, sum] : sums) {
        sum.id = id;
        list.push_back(sum);
    }
    return list;
}

}  // namespace longpole
