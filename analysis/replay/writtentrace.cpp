// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/writtentrace.h"

#include "analysis/replay/model.h"
#include "analysis/replay/traceplaces.h"
#include "analysis/replay/tracerows.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/store/tracewriter.h"

#include <algorithm>
#include <array>
#include <map>

namespace longpole {

namespace {

constexpr std::int64_t readsOfEach = 8;
constexpr QLatin1String replayMark("replay of ");  // in the command line, whatever the language

// How a command line ends that was replayed with a change.
QString said(const QString& change)
{
    return QStringLiteral(": ") % (change.isEmpty() ? QStringLiteral("as it was") : change);
}

template <std::size_t size>
using RowOf = std::array<std::int64_t, size>;

// What one processor of the replay adds up to.
struct Totals {
    std::int64_t tasks = 0;
    TimeNs busy = 0;
    TimeNs idle = 0;
    std::map<std::uint32_t, ProfileRow> profile;  // by entry
};

// A part of an execution in which nothing nested ran.
struct Part {
    std::uint32_t row;  // of the group
    TimeNs begin, end;
};

// Splits the pieces of an execution and of those nested in it, by begin, into parts of the innermost.
std::vector<Part> innermostParts(const std::vector<Part>& pieces)
{
    std::vector<Part> parts;
    std::vector<Part> open;
    TimeNs cursor = minTime;
    const auto take = [&](std::uint32_t row, TimeNs until) {
        if (until > cursor) parts.push_back({row, cursor, until});
        cursor = std::max(cursor, until);
    };
    const auto advance = [&](TimeNs to) {
        while (!open.empty() && open.back().end <= to) {
            take(open.back().row, open.back().end);
            open.pop_back();
        }
        if (!open.empty()) take(open.back().row, to);
        cursor = std::max(cursor, to);
    };
    for (const Part& piece : pieces) {
        advance(piece.begin);
        open.push_back(piece);
    }
    advance(maxTime);
    return parts;
}

class ReplayWriter {
public:
    ReplayWriter(const TraceStore& store, const ReplayModel& model, const ReplayedRun& run,
                 const ReplayedPlaces& places, TraceWriter& writer, const Progress& progress)
        : m_store(store), m_model(model), m_places(places), m_progress(progress),
          m_writer(writer), m_range{model.graph->run.begin, saturatingAdd(model.graph->run.begin, run.duration)},
          m_totals(model.graph->byProcessor.size()), m_rows(model.graph->byProcessor.size())
    {
        for (const ChunkKind kind : {ChunkKind::Task, ChunkKind::TaskSource, ChunkKind::Message,
                                     ChunkKind::MessageExecutions, ChunkKind::Piece})
            for (const ChunkRef& ref : store.chunks(kind)) m_allRows += ref.rows;
    }

    Result<> write(const QString& change)
    {
        const auto processors = static_cast<std::uint32_t>(m_totals.size());
        for (std::uint32_t pe = 0; pe < processors; ++pe) {
            if (m_progress.isCancelled()) return cancelledError();
            if (const Result<> written = writeProcessor(pe); !written) return written;
            m_progress.report(0.5 * pe / processors);
        }
        for (std::uint32_t pe = 0; pe < processors; ++pe) {
            if (m_progress.isCancelled()) return cancelledError();
            if (const Result<> written = writeSources(pe); !written) return written;
            m_progress.report(0.5 + 0.5 * pe / processors);
        }
        if (const Result<> written = writeMerges(); !written) return written;
        define(change);
        return Unit{};
    }

private:
    TrackId trackOf(std::uint32_t pe) const
    {
        const Processor* const processor = m_store.processor(ProcessorId{pe});
        return processor == nullptr ? TrackId{pe} : processor->track;
    }
    const ActivityGraph& graph() const { return m_places.graph(); }

    // The rows of a processor of the trace; the last ones that were read stay decoded. Where the replay moves tasks
    // among more processors than that, so that the same rows are read again and again, all do from then on.
    Result<const ReplayedRows*> rowsOf(std::uint32_t pe)
    {
        if (!m_rows[pe]) {
            constexpr std::size_t mostDecoded = 16;
            if (m_progress.isCancelled()) return cancelledError();
            if (m_decoded.size() >= mostDecoded && m_rowsRead < readsOfEach * m_allRows) {
                m_rows[m_decoded.front()].reset();
                m_decoded.erase(m_decoded.begin());
            }
            Result<ReplayedRows> read = ReplayedRows::of(m_store, pe);
            if (!read) return read.error();
            m_rowsRead += read->size();
            m_rows[pe] = std::make_unique<ReplayedRows>(std::move(*read));
            m_decoded.push_back(pe);
        }
        return m_rows[pe].get();
    }

    Result<> writeProcessor(std::uint32_t pe)
    {
        const auto stream = m_writer.stream(pe);
        TileBuilder tiles(m_range);
        EntryBinBuilder bins(m_range);
        Totals& totals = m_totals[pe];
        m_pieceRows.clear();
        TimeNs free = m_range.begin;
        const auto idle = [&](TimeNs begin, TimeNs end) {
            if (begin >= end) return;
            stream->append(ChunkKind::Idle, trackOf(pe), RowOf<IdleColumn::Count>{begin, end - begin});
            tiles.idle(begin, end);
            addSaturating(totals.idle, end - begin);
        };
        for (const std::uint32_t task : m_places.tasks(pe)) {
            const Result<const ReplayedRows*> rows = rowsOf(graph().pe[task]);
            if (!rows) return rows.error();
            idle(saturatingAdd(free, m_model.gap[task]), m_places.begin(task));
            writeGroup(*stream, pe, task, **rows, tiles, bins);
            free = std::max(free, m_places.end(task));
        }
        idle(free, m_range.end);
        std::stable_sort(m_pieceRows.begin(), m_pieceRows.end(),
                         [](const auto& a, const auto& b) { return a[PieceColumn::Begin] < b[PieceColumn::Begin]; });
        for (const auto& row : m_pieceRows) stream->append(ChunkKind::Piece, trackOf(pe), row);
        if (const Result<> written = writeMessages(*stream, pe, tiles); !written) return written;
        stream->append(trackOf(pe), tiles.finish());
        stream->append(trackOf(pe), bins.finish());
        return Unit{};
    }

    // A graph task and what ran nested in it.
    void writeGroup(EventStream& stream, std::uint32_t pe, std::uint32_t task, const ReplayedRows& rows,
                    TileBuilder& tiles, EntryBinBuilder& bins)
    {
        const std::uint32_t first = graph().taskIndex[task];
        const std::uint32_t count = m_places.rows(task);
        const std::vector<Part> pieces = piecesOf(task, rows);
        std::vector<TimeNs> exclusive(count, 0);
        const auto entryOf = [&](std::uint32_t row) {
            return static_cast<std::uint32_t>(rows.task(first + row, TaskColumn::Entry));
        };
        for (const Part& part : innermostParts(pieces)) {
            addSaturating(exclusive[part.row], part.end - part.begin);
            tiles.busy(part.begin, part.end, EntryId{entryOf(part.row)});
            bins.busy(part.begin, part.end, EntryId{entryOf(part.row)});
        }
        for (std::uint32_t row = 0; row < count; ++row) {
            RowOf<TaskColumn::Count> columns;
            for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = rows.task(first + row, c);
            const TimeRange range = rangeOf(task, columns[TaskColumn::Begin], columns[TaskColumn::Duration], row == 0);
            columns[TaskColumn::Begin] = range.begin;
            columns[TaskColumn::Duration] = range.end - range.begin;
            columns[TaskColumn::Nested] = range.end - range.begin - exclusive[row];
            columns[TaskColumn::Received] = minTime;
            stream.append(ChunkKind::Task, trackOf(pe), columns);
            tiles.task(range.begin);
            bins.task(range.begin, EntryId{entryOf(row)});
            ProfileRow& profile = profileOf(pe, entryOf(row));
            ++profile.count;
            addSaturating(profile.time, range.end - range.begin);
            addSaturating(profile.exclusive, exclusive[row]);
            addSaturating(m_totals[pe].busy, exclusive[row]);
        }
        m_totals[pe].tasks += count;
    }

    TimeRange rangeOf(std::uint32_t task, TimeNs begin, TimeNs duration, bool isOutermost) const
    {
        if (isOutermost) return {m_places.begin(task), m_places.end(task)};
        const TimeNs last = graph().end(task);
        return {m_places.moved(task, std::min(begin, last)), m_places.moved(task, std::min(begin + duration, last))};
    }

    // By begin. Those of executions with several become rows of their own.
    std::vector<Part> piecesOf(std::uint32_t task, const ReplayedRows& rows)
    {
        const std::uint32_t first = graph().taskIndex[task];
        std::vector<Part> pieces;
        for (std::uint32_t row = 0; row < m_places.rows(task); ++row) {
            if (rows.task(first + row, TaskColumn::Pieces) == 0) {
                const TimeRange range = rangeOf(task, rows.task(first + row, TaskColumn::Begin),
                                                rows.task(first + row, TaskColumn::Duration), row == 0);
                pieces.push_back({row, range.begin, range.end});
                continue;
            }
            for (const ReplayedRows::Piece& piece : rows.pieces(first + row)) {
                const TimeRange range = rangeOf(task, piece.begin, piece.end - piece.begin, false);
                pieces.push_back({row, range.begin, range.end});
                m_pieceRows.push_back({range.begin, range.end - range.begin, m_places.firstRow(task) + row});
            }
        }
        std::stable_sort(pieces.begin(), pieces.end(), [](const Part& a, const Part& b) { return a.begin < b.begin; });
        return pieces;
    }

    ProfileRow& profileOf(std::uint32_t pe, std::uint32_t entry)
    {
        ProfileRow& row = m_totals[pe].profile[entry];
        row.pe = ProcessorId{pe};
        row.entry = EntryId{entry};
        return row;
    }

    Result<> writeMessages(EventStream& stream, std::uint32_t pe, TileBuilder& tiles)
    {
        for (const ReplayedPlaces::Message& message : m_places.messages(pe)) {
            const Result<const ReplayedRows*> rows = rowsOf(message.pe);
            if (!rows) return rows.error();
            RowOf<MessageColumn::Count> columns;
            for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = (*rows)->message(message.index, c);
            columns[MessageColumn::Sent] = message.sent;
            columns[MessageColumn::Task] = message.task == noTask ? -1 : std::int64_t{message.row};
            columns[MessageColumn::Offset] = message.task == noTask ? 0 : message.offset;
            stream.append(ChunkKind::Message, trackOf(pe), columns);
            tiles.message(message.sent, columns[MessageColumn::Bytes]);
            if (message.task == noTask) continue;
            const Result<const ReplayedRows*> sender = rowsOf(graph().pe[message.task]);
            if (!sender) return sender.error();
            const std::uint32_t row = graph().taskIndex[message.task] + message.row - m_places.firstRow(message.task);
            ProfileRow& profile = profileOf(pe, static_cast<std::uint32_t>((*sender)->task(row, TaskColumn::Entry)));
            ++profile.messages;
            profile.bytes = saturatingAdd(profile.bytes, columns[MessageColumn::Bytes]);
        }
        return Unit{};
    }

    // What came from where, and how fast.
    Result<> writeSources(std::uint32_t pe)
    {
        const auto stream = m_writer.stream(static_cast<std::uint32_t>(m_totals.size()) + pe);
        std::map<std::int64_t, std::pair<TimeNs, std::int64_t>> latencies;  // by creator: least, messages
        for (const std::uint32_t task : m_places.tasks(pe)) {
            const Result<const ReplayedRows*> rows = rowsOf(graph().pe[task]);
            if (!rows) return rows.error();
            for (std::uint32_t row = 0; row < m_places.rows(task); ++row) {
                const std::uint32_t was = graph().taskIndex[task] + row;
                RowOf<TaskSourceColumn::Count> columns{};
                columns[TaskSourceColumn::MessageIndex] = -1;
                if ((*rows)->hasSource(was)) {
                    for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = (*rows)->source(was, c);
                    const TimeNs begin = rangeOf(task, (*rows)->task(was, TaskColumn::Begin), 0, row == 0).begin;
                    relink(columns, task, begin, row == 0, latencies);
                }
                stream->append(ChunkKind::TaskSource, trackOf(pe), columns);
            }
        }
        for (const ReplayedPlaces::Message& message : m_places.messages(pe)) {
            const Result<const ReplayedRows*> rows = rowsOf(message.pe);
            if (!rows) return rows.error();
            stream->append(ChunkKind::MessageExecutions, trackOf(pe), RowOf<1>{(*rows)->executions(message.index)});
        }
        for (const auto& [creator, latency] : latencies)
            stream->append(ChunkKind::Latency, trackOf(pe),
                           RowOf<LatencyColumn::Count>{creator, latency.first, latency.second});
        return Unit{};
    }

    void relink(RowOf<TaskSourceColumn::Count>& columns, std::uint32_t task, TimeNs begin, bool isOutermost,
                std::map<std::int64_t, std::pair<TimeNs, std::int64_t>>& latencies) const
    {
        MessageId now;
        const ReplayedPlaces::Message* const message = m_places.message(columns[TaskSourceColumn::CreatorPe],
                                                                        columns[TaskSourceColumn::MessageIndex], now);
        if (message != nullptr) {
            columns[TaskSourceColumn::CreatorPe] = index(now.pe);
            columns[TaskSourceColumn::MessageIndex] = now.index;
            columns[TaskSourceColumn::Latency] = begin - message->sent;
            const auto known = latencies.try_emplace(index(now.pe), maxTime, 0).first;
            // On its own processor a message arrives when it is sent.
            const bool isLocal = index(now.pe) == m_places.pe(task);
            known->second.first = std::min(known->second.first, isLocal ? 0 : begin - message->sent);
            ++known->second.second;
            if (message->task == noTask) return;
            columns[TaskSourceColumn::SourcePe] = m_places.pe(message->task);
            columns[TaskSourceColumn::SourceIndex] = message->row;
            columns[TaskSourceColumn::Offset] = message->offset;
            return;
        }
        if (columns[TaskSourceColumn::Link] == static_cast<std::int64_t>(Link::None)) return;
        ReplayedPlaces::Row source = m_places.row(columns[TaskSourceColumn::SourcePe],
                                                  columns[TaskSourceColumn::SourceIndex]);
        const std::uint32_t other = isOutermost ? m_places.source(task) : noTask;
        if (other != noTask && other != source.task) source = {other, m_places.pe(other), m_places.firstRow(other)};
        if (source.task == noTask) {
            columns = {};
            columns[TaskSourceColumn::MessageIndex] = -1;
            return;
        }
        columns[TaskSourceColumn::SourcePe] = source.pe;
        columns[TaskSourceColumn::SourceIndex] = source.row;
        if (source.row == m_places.firstRow(source.task))
            columns[TaskSourceColumn::Offset] = m_places.length(source.task);
    }

    Result<> writeMerges()
    {
        const auto processors = static_cast<std::uint32_t>(m_totals.size());
        std::vector<std::vector<RowOf<MergeColumn::Count>>> merges(processors);
        for (std::uint32_t pe = 0; pe < processors; ++pe) {
            for (const ChunkRef& ref : m_store.chunks(ChunkKind::Merge, trackOf(pe))) {
                const Result<std::shared_ptr<const Chunk>> read = m_store.read(ref);
                if (!read) return read.error();
                for (std::uint32_t r = 0; r < ref.rows; ++r) addMerge(pe, **read, r, merges);
            }
        }
        const auto stream = m_writer.stream(2 * processors);
        for (std::uint32_t pe = 0; pe < processors; ++pe) {
            std::sort(merges[pe].begin(), merges[pe].end());
            for (const auto& row : merges[pe]) stream->append(ChunkKind::Merge, trackOf(pe), row);
        }
        return Unit{};
    }

    void addMerge(std::uint32_t pe, const Chunk& chunk, std::uint32_t r,
                  std::vector<std::vector<RowOf<MergeColumn::Count>>>& merges) const
    {
        const ReplayedPlaces::Row task = m_places.row(pe, chunk.at(MergeColumn::Task, r));
        MessageId now;
        const ReplayedPlaces::Message* const message = m_places.message(chunk.at(MergeColumn::SourcePe, r),
                                                                        chunk.at(MergeColumn::MessageIndex, r), now);
        if (task.task == noTask || message == nullptr || message->task == noTask) return;
        merges[task.pe].push_back({task.row, m_places.pe(message->task), message->row, message->offset, now.index,
                                   chunk.at(MergeColumn::Link, r)});
    }

    void define(const QString& change)
    {
        for (const Track& track : m_store.tracks()) m_writer.add(track);
        for (const Chare& chare : m_store.chares()) m_writer.add(chare);
        for (const Entry& entry : m_store.entries()) m_writer.add(entry);
        for (const Region& region : m_store.regions()) m_writer.add(region);
        for (const CallPath& path : m_store.callPaths()) m_writer.add(path);
        for (const Issue& issue : m_store.issues()) m_writer.add(issue);
        TraceInfo info = m_store.info();
        info.end = m_range.end;
        info.busy = info.idle = 0;
        for (Processor processor : m_store.processors()) {
            if (index(processor.pe) < m_totals.size()) total(processor);
            info.busy = saturatingAdd(info.busy, processor.busy);
            info.idle = saturatingAdd(info.idle, processor.idle);
            m_writer.add(processor);
        }
        for (const Totals& totals : m_totals)
            for (const auto& [entry, row] : totals.profile) m_writer.add(row);
        info.commandline = replayMark % info.commandline % said(change);
        if (info.source.isEmpty()) info.source = m_store.path();  // else where it was imported from, no cached file
        info.fingerprint.clear();
        m_writer.setInfo(info);
    }

    void total(Processor& processor) const
    {
        const std::uint32_t pe = index(processor.pe);
        processor.tasks = m_totals[pe].tasks;
        processor.messages = static_cast<std::int64_t>(m_places.messages(pe).size());
        processor.busy = m_totals[pe].busy;
        processor.idle = m_totals[pe].idle;
        processor.pack = processor.flush = processor.untraced = 0;
        processor.lastRecord = m_range.end;
    }

    const TraceStore& m_store;
    const ReplayModel& m_model;
    const ReplayedPlaces& m_places;
    const Progress& m_progress;
    TraceWriter& m_writer;
    TimeRange m_range;
    std::vector<Totals> m_totals;                       // by PE
    std::vector<std::unique_ptr<ReplayedRows>> m_rows;  // by PE
    std::vector<std::uint32_t> m_decoded;               // those that are, the oldest first
    std::int64_t m_allRows = 0;                         // of the trace
    std::int64_t m_rowsRead = 0;
    std::vector<RowOf<PieceColumn::Count>> m_pieceRows;
};

}  // namespace

Result<> writeReplayedTrace(const TraceStore& store, const ReplayModel& model, const ReplayedRun& run,
                            const QString& change, const QString& file, const Progress& progress)
{
    const Result<ReplayedPlaces> places = ReplayedPlaces::of(store, *model.graph, run, progress);
    if (!places) return places.error();
    const Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(file);
    if (!writer) return writer.error();
    if (const Result<> written = ReplayWriter(store, model, run, *places, **writer, progress).write(change); !written)
        return written;
    return (*writer)->finish(progress);
}

bool isReplayed(const TraceInfo& info) { return info.commandline.startsWith(replayMark); }

bool isReplayedWith(const TraceInfo& info, const QString& change)
{
    return isReplayed(info) && info.commandline.endsWith(said(change));
}

}  // namespace longpole
