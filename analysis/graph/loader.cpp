// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the activity graph of an imported trace: all PEs' task chunks in parallel, inner executions folded into the
// outermost one around them.
#include "analysis/graph/activitygraph.h"

#include "analysis/base/leastlatencies.h"
#include "analysis/base/parallelresult.h"
#include "analysis/graph/builder.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/store/sumoftimes.h"

#include <algorithm>
#include <functional>

namespace longpole {

namespace {

constexpr std::uint32_t graphTaskFields = TaskRow::Range | TaskRow::Entry | TaskRow::Outer | TaskRow::Pieces
                                          | TaskRow::Received;
constexpr std::uint32_t graphSourceFields = TaskSourceRow::Link | TaskSourceRow::Source | TaskSourceRow::Offset
                                            | TaskSourceRow::Latency | TaskSourceRow::Creator;
constexpr std::size_t mostProcessors = 1u << 24;

// An execution that is nested in another one.
struct InnerRow {
    std::uint32_t row;
    std::uint32_t entry;
    TimeNs begin;
};

// One PE's rows of the store, and where its outermost executions are among the graph's positions.
struct ProcessorRows {
    TrackId track = noTrack;
    std::int64_t rows = 0;
    std::size_t outermost = 0;
    // by row: the position of its outermost execution; empty: no execution is nested
    std::vector<std::uint32_t> positionOf;
    std::vector<InnerRow> innerRows;  // ascending
    std::vector<ActivityGraph::Inner> pieces;
    std::vector<MergeEdge> merges;  // recorded ones, positions instead of graph tasks
    std::int64_t strays = 0;        // messages whose sender the trace does not hold
    std::uint32_t firstStray = 0;   // row

    const InnerRow* inner(std::uint32_t row) const
    {
        const auto it = std::lower_bound(innerRows.begin(), innerRows.end(), row,
                                         [](const InnerRow& inner, std::uint32_t r) { return inner.row < r; });
        return it != innerRows.end() && it->row == row ? &*it : nullptr;
    }
};

// Where the rows of a PE are if none is nested: one after the other from position `first` on (0 rows for other PEs).
// Kept small, since senders are looked up here on all PEs in turn.
struct PlainRows {
    std::uint32_t first = 0;
    std::uint32_t rows = 0;
};

class Loader {
public:
    Loader(const TraceStore& store, const Progress& progress, GraphEdges edges)
        : m_store(store), m_progress(progress), m_edges(edges)
    {
    }

    Result<std::shared_ptr<const ActivityGraph>> load()
    {
        if (const Result<> fits = requireSumOfTimes(m_store); !fits) return fits.error();
        if (Result<> placed = placeRows(); !placed) return placed.error();
        if (Result<> read = forEachProcessor(&Loader::readTasks, {0.0, 0.4}); !read) return read.error();
        closeGaps();
        if (Result<> read = forEachProcessor(&Loader::readSources, {0.4, 0.8}); !read) return read.error();
        for (const ProcessorRows& pe : m_pes)
            m_columns.merges.insert(m_columns.merges.end(), pe.merges.begin(), pe.merges.end());
        GraphFrame frame = makeFrame();
        std::vector<ProcessorRows>().swap(m_pes);
        std::shared_ptr<const ActivityGraph> graph = buildGraph(std::move(m_columns), std::move(frame), m_progress);
        if (!graph) return cancelledError();
        m_progress.report(1.0);
        return graph;
    }

private:
    // Makes room for all executions, PE after PE, as if all were outermost.
    Result<> placeRows()
    {
        const std::span<const Processor> processors = m_store.processors();
        const std::size_t count = processors.empty() ? 0 : index(processors.back().pe) + std::size_t{1};
        std::size_t rows = 0;
        if (count <= mostProcessors) {
            m_pes.resize(count);
            for (const Processor& processor : processors) {
                ProcessorRows& pe = m_pes[index(processor.pe)];
                pe.track = processor.track;
                for (const ChunkRef& ref : m_store.chunks(ChunkKind::Task, pe.track)) pe.rows += ref.rows;
            }
            m_columns.first.push_back(0);
            for (const ProcessorRows& pe : m_pes) m_columns.first.push_back(rows += static_cast<std::size_t>(pe.rows));
        }
        if (count > mostProcessors || rows >= noTask)
            return Error{.what = tr("The trace has more tasks, or more PEs or ranks, than can be analysed at once."),
                         .where = m_store.path(),
                         .hint = QString()};
        resizeColumns(rows);
        return Unit{};
    }

    // Does what TaskColumns::resize does, but for taskIndex, several columns at once on several threads, since touching
    // fresh memory is what takes the time.
    void resizeColumns(std::size_t rows)
    {
        const std::array<std::function<void()>, 8> columns{[&] { resizeBig(m_columns.begin, rows); },
                                                           [&] { m_columns.duration.resize(rows); },
                                                           [&] { m_columns.latency.resize(rows); },
                                                           [&] { m_columns.queued.resize(rows); },
                                                           [&] { m_columns.offset.resize(rows); },
                                                           [&] { resizeBig(m_columns.entry, rows); },
                                                           [&] { resizeBig(m_columns.source, rows, noTask); },
                                                           [&] { resizeBig(m_columns.flags, rows); }};
        parallelFor(columns.size(), [&columns](std::size_t i) { columns[i](); });
    }

    // Runs a step for all PEs in parallel. Numbers between theirs, for which there is no PE, are left out.
    Result<> forEachProcessor(Result<> (Loader::*step)(std::size_t), ProgressSpan span)
    {
        const std::span<const Processor> processors = m_store.processors();
        return parallelResult(
            processors.size(), m_progress,
            [&](std::size_t place) { return (this->*step)(index(processors[place].pe)); }, span);
    }

    Result<> readTasks(std::size_t peNumber)
    {
        ProcessorRows& pe = m_pes[peNumber];
        const std::size_t first = m_columns.first[peNumber];
        std::vector<std::uint32_t> inSeveralPieces;  // inner rows; their pieces are listed apart
        auto tasks = m_store.rows<TaskRow>(pe.track, graphTaskFields);
        for (const TaskRow& task : tasks) {
            const auto position = static_cast<std::uint32_t>(first + pe.outermost);
            if (task.isOutermost()) {
                putTask(position, task);
                if (!pe.positionOf.empty()) pe.positionOf.push_back(position);
                ++pe.outermost;
            } else {
                addInner(pe, first, task, inSeveralPieces);
            }
        }
        if (Result<> read = tasks.result(); !read) return read;
        return inSeveralPieces.empty() ? Result<>(Unit{}) : readPieces(pe);
    }

    void putTask(std::uint32_t position, const TaskRow& task)
    {
        m_columns.begin[position] = task.begin();
        m_columns.duration.set(position, std::max<TimeNs>(0, task.duration()));
        m_columns.entry[position] = index(task.entry());
        if (const std::optional<TimeNs> received = task.received()) m_columns.setReceived(position, *received);
    }

    static void addInner(ProcessorRows& pe, std::size_t first, const TaskRow& task,
                         std::vector<std::uint32_t>& inSeveralPieces)
    {
        if (pe.positionOf.empty()) {  // the first nested execution: all rows before it are outermost
            pe.positionOf.resize(pe.outermost);
            for (std::size_t i = 0; i < pe.outermost; ++i) pe.positionOf[i] = static_cast<std::uint32_t>(first + i);
        }
        const std::int64_t outer = task.outer();
        const bool isKnown = outer >= 0 && outer < static_cast<std::int64_t>(pe.positionOf.size());
        const std::uint32_t position = isKnown ? pe.positionOf[static_cast<std::size_t>(outer)] : noTask;
        const std::uint32_t entry = index(task.entry());
        pe.positionOf.push_back(position);
        pe.innerRows.push_back({task.index(), entry, task.begin()});
        if (task.hasPieces()) inSeveralPieces.push_back(task.index());
        else if (position != noTask) pe.pieces.push_back({position, task.index(), entry, task.begin(), task.end()});
    }

    Result<> readPieces(ProcessorRows& pe)
    {
        auto pieces = m_store.rows<PieceRow>(pe.track, PieceRow::All);
        for (const PieceRow& piece : pieces) {
            const InnerRow* inner = pe.inner(static_cast<std::uint32_t>(piece.task()));
            if (inner == nullptr || pe.positionOf[inner->row] == noTask) continue;
            pe.pieces.push_back({pe.positionOf[inner->row], inner->row, inner->entry, piece.begin(), piece.end()});
        }
        return pieces.result();
    }

    // Nested executions left gaps, as room was made for them, too: moves the outermost ones of each PE up to those of
    // the PE before.
    void closeGaps()
    {
        std::vector<std::size_t> first{0};
        for (const ProcessorRows& pe : m_pes) first.push_back(first.back() + pe.outermost);
        if (first.back() != m_columns.begin.size()) {
            const auto close = [&](auto& column) {
                for (std::size_t pe = 0; pe < m_pes.size(); ++pe)
                    std::move(column.begin() + static_cast<std::ptrdiff_t>(m_columns.first[pe]),
                              column.begin() + static_cast<std::ptrdiff_t>(m_columns.first[pe] + m_pes[pe].outermost),
                              column.begin() + static_cast<std::ptrdiff_t>(first[pe]));
            };
            close(m_columns.begin);
            close(m_columns.entry);
            close(m_columns.flags);
            for (CompactTimes* column : {&m_columns.duration, &m_columns.queued})
                for (std::size_t pe = 0; pe < m_pes.size(); ++pe)
                    column->moveDown(m_columns.first[pe], m_columns.first[pe] + m_pes[pe].outermost, first[pe]);
            m_columns.resize(first.back());  // columns that are filled only later
            for (std::size_t p = 0; p < m_pes.size(); ++p) numberTasks(m_pes[p], first[p]);
        }
        for (std::size_t p = 0; p < m_pes.size(); ++p) {
            const auto shift = static_cast<std::uint32_t>(m_columns.first[p] - first[p]);
            for (std::uint32_t& position : m_pes[p].positionOf)
                if (position != noTask) position -= shift;
            for (ActivityGraph::Inner& piece : m_pes[p].pieces) piece.task -= shift;
            m_columns.inner.insert(m_columns.inner.end(), m_pes[p].pieces.begin(), m_pes[p].pieces.end());
            std::vector<ActivityGraph::Inner>().swap(m_pes[p].pieces);
        }
        m_columns.first = std::move(first);
        m_plain.resize(m_pes.size());
        for (std::size_t p = 0; p < m_pes.size(); ++p)
            if (m_pes[p].positionOf.empty())
                m_plain[p] = {static_cast<std::uint32_t>(m_columns.first[p]),
                              static_cast<std::uint32_t>(m_pes[p].rows)};
    }

    // Nested executions have rows of their own, so that a task's row is not its place on its PE.
    void numberTasks(const ProcessorRows& pe, std::size_t first)
    {
        auto inner = pe.innerRows.begin();
        std::uint32_t row = 0;
        for (std::size_t i = 0; i < pe.outermost; ++i, ++row) {
            for (; inner != pe.innerRows.end() && inner->row == row; ++inner) ++row;
            m_columns.taskIndex[first + i] = row;
        }
    }

    Result<> readSources(std::size_t peNumber)
    {
        if (!m_store.info().hasRanks())  // what a rank waited for is known without idle times
            if (Result<> idle = readIdle(peNumber); !idle) return idle;
        if (Result<> merges = readMerges(peNumber); !merges) return merges;
        const ProcessorRows& pe = m_pes[peNumber];
        Result<std::vector<std::pair<ProcessorId, TimeNs>>> known = m_store.leastLatencies(ProcessorId{
            static_cast<std::uint32_t>(peNumber)});
        if (!known) return known.error();
        LeastLatencies leastFrom(std::move(*known));
        auto sources = m_store.rows<TaskSourceRow>(pe.track, graphSourceFields);
        for (const TaskSourceRow& source : sources) {
            const auto row = static_cast<std::size_t>(source.number());
            if (row >= static_cast<std::size_t>(pe.rows)) break;
            const std::uint32_t position = pe.positionOf.empty()
                                               ? static_cast<std::uint32_t>(m_columns.first[peNumber] + row)
                                               : pe.positionOf[row];
            if (position != noTask && (pe.positionOf.empty() || m_columns.taskIndex[position] == row))
                putSource(peNumber, position, source, leastFrom);
        }
        return sources.result();
    }

    // Marks the task that follows each idle time.
    Result<> readIdle(std::size_t peNumber)
    {
        std::size_t next = m_columns.first[peNumber];
        const std::size_t last = m_columns.first[peNumber + 1];
        auto idle = m_store.rows<IdleRow>(m_pes[peNumber].track, IdleRow::All);
        for (const IdleRow& gap : idle) {
            while (next < last && m_columns.begin[next] < gap.end()) ++next;
            if (gap.duration() > 0 && next < last) m_columns.flags[next] |= ActivityGraph::AfterIdle;
        }
        return idle.result();
    }

    bool isLeftOut(Link link) const { return m_edges == GraphEdges::Data && link == Link::Rendezvous; }

    void putSource(std::size_t peNumber, std::uint32_t position, const TaskSourceRow& source, LeastLatencies& leastFrom)
    {
        const Link link = source.link();
        if (link == Link::None || isLeftOut(link)) return;
        std::uint8_t& flags = m_columns.flags[position];
        if (link == Link::Block) {
            flags |= ActivityGraph::BlockEdge;
        } else {
            if (link == Link::RepairedBcast) flags |= ActivityGraph::Repaired;
            const TimeNs begin = m_columns.begin[position];
            const TimeNs sent = saturatingSubtract(begin, source.latency());
            m_columns.setSent(position, sent);
            if (m_store.info().hasRanks()) {
                m_columns.setReceived(position, sent);
            } else if ((flags & ActivityGraph::HasReceived) == 0) {
                const TimeNs least = leastFrom(index(source.creator()));
                m_columns.setReceived(position, estimatedReceive(sent, begin, least));
                flags |= ActivityGraph::Estimated;
            }
        }
        if (link != Link::NoTask) putEdge(peNumber, position, source);
    }

    void putEdge(std::size_t peNumber, std::uint32_t position, const TaskSourceRow& source)
    {
        const Sender sender = senderOf(index(source.sourcePe()), source.sourceNumber(), source.offset());
        if (sender.position == noTask) return addStray(m_pes[peNumber], static_cast<std::uint32_t>(source.number()));
        m_columns.source[position] = sender.position;
        m_columns.offset.set(position, sender.offset);
    }

    // The outermost execution around a row, and the offset from its begin; noTask if the trace has no such row.
    struct Sender {
        std::uint32_t position = noTask;
        TimeNs offset = 0;
    };
    Sender senderOf(std::int64_t peNumber, std::int64_t row, TimeNs offset) const
    {
        if (peNumber < 0 || peNumber >= static_cast<std::int64_t>(m_pes.size()) || row < 0) return {};
        const PlainRows plain = m_plain[static_cast<std::size_t>(peNumber)];
        if (row < plain.rows) return {plain.first + static_cast<std::uint32_t>(row), offset};
        const ProcessorRows& pe = m_pes[static_cast<std::size_t>(peNumber)];
        if (row >= static_cast<std::int64_t>(pe.positionOf.size())) return {};
        const auto number = static_cast<std::uint32_t>(row);
        const std::uint32_t position = pe.positionOf[number];
        const InnerRow* inner = pe.inner(number);
        if (inner != nullptr && position != noTask)
            offset = saturatingAdd(offset, inner->begin - m_columns.begin[position]);
        return {position, offset};
    }

    static void addStray(ProcessorRows& pe, std::uint32_t row)
    {
        if (pe.strays++ == 0) pe.firstStray = row;
    }

    Result<> readMerges(std::size_t peNumber)
    {
        ProcessorRows& pe = m_pes[peNumber];
        auto merges = m_store.rows<MergeRow>(pe.track, MergeRow::All);
        for (const MergeRow& merge : merges) {
            if (isLeftOut(merge.link())) continue;
            const Sender task = senderOf(static_cast<std::int64_t>(peNumber), merge.task(), 0);
            const Sender sender = senderOf(index(merge.sourcePe()), merge.sourceNumber(), merge.offset());
            if (task.position == noTask || sender.position == noTask)
                addStray(pe, static_cast<std::uint32_t>(merge.task()));
            else pe.merges.push_back({task.position, sender.position, sender.offset, MergeKind::Recorded});
        }
        return merges.result();
    }

    // The times between start-up and shut-down by rank; empty if no rank has either.
    std::vector<TimeRange> activeTimes() const
    {
        std::vector<TimeRange> active;
        for (const Processor& processor : m_store.processors()) {
            if (processor.active() == TimeRange{minTime, maxTime}) continue;
            active.resize(m_pes.size(), TimeRange{minTime, maxTime});
            if (index(processor.pe) < active.size()) active[index(processor.pe)] = processor.active();
        }
        return active;
    }

    GraphFrame makeFrame() const
    {
        GraphFrame frame{.run = m_store.info().range(),
                         .processors = static_cast<std::uint32_t>(m_store.info().processors),
                         .hasRanks = m_store.info().hasRanks(),
                         .exclusiveByEntry = {},
                         .issues = {},
                         .active = activeTimes()};
        std::uint32_t entries = 0;
        for (const Entry& entry : m_store.entries()) entries = std::max(entries, index(entry.id) + 1);
        frame.exclusiveByEntry.resize(std::min(entries, mostIds), 0);
        for (const ProfileRow& row : m_store.profile())
            if (index(row.entry) < frame.exclusiveByEntry.size())
                frame.exclusiveByEntry[index(row.entry)] = saturatingAdd(frame.exclusiveByEntry[index(row.entry)],
                                                                         row.exclusive);
        for (std::size_t p = 0; p < m_pes.size(); ++p)
            if (m_pes[p].strays > 0)
                frame.issues.push_back({QString::fromLatin1(edgeDropped), m_pes[p].strays,
                                        QStringLiteral("task ") % QString::number(p) % QLatin1Char(':')
                                            % QString::number(m_pes[p].firstStray)});
        return frame;
    }

    const TraceStore& m_store;
    const Progress& m_progress;
    const GraphEdges m_edges;
    std::vector<ProcessorRows> m_pes;
    std::vector<PlainRows> m_plain;  // per PE
    TaskColumns m_columns;
};

}  // namespace

Result<std::shared_ptr<const ActivityGraph>> loadActivityGraph(const TraceStore& store, const Progress& progress,
                                                               GraphEdges edges)
{
    if (const Result<> there = requireEvents(store); !there) return there.error();
    return Loader(store, progress, edges).load();
}

}  // namespace longpole
