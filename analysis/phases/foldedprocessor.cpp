// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/foldedprocessor.h"

#include "core/base/limits.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace longpole {

namespace {

using StoredTask = std::array<std::int64_t, TaskColumn::Count>;
using StoredMessage = std::array<std::int64_t, MessageColumn::Count>;

struct Span {
    TimeNs begin = 0;
    TimeNs end = 0;
    OverheadKind kind = OverheadKind::Pack;
};

// In their order, and those of them that have begun and go on.
struct Spans {
    std::vector<Span> all{};
    std::size_t next = 0;
    std::vector<Span> open{};
};

// All rows of a kind on a track, row(columns, values) for each.
template <typename RowOf>
Result<> forEachRow(const TraceStore& store, ChunkKind kind, TrackId track, const Progress& progress, RowOf row)
{
    for (const ChunkRef& ref : store.chunks(kind, track)) {
        if (progress.isCancelled()) return cancelledError();
        const auto chunk = store.read(ref);
        if (!chunk) return chunk.error();
        for (std::uint32_t i = 0; i < (*chunk)->rows; ++i) row(**chunk, i);
    }
    return Unit{};
}

class ProcessorFolding {
public:
    ProcessorFolding(const TraceStore& store, const Folding& folding, std::size_t pe, TraceWriter& writer,
                     const Progress& progress)
        : m_store(store), m_folding(folding), m_pe(pe), m_writer(writer), m_progress(progress),
          m_track(store.processor(folding.pes[pe])->track)
    {
        m_result.parts.firstPart.push_back(0);
    }

    Result<FoldedProcessor> fold()
    {
        if (auto read = readSpans(); !read) return read.error();
        if (auto read = readMessages(); !read) return read.error();
        beginIteration();
        if (auto swept = sweep(); !swept) return swept.error();
        while (m_iteration < m_folding.count()) endIteration();
        if (m_goingOn > mostGoingOn()) return tooMuchGoesOn();
        return std::move(m_result);
    }

private:
    // An execution, or a piece of one that was suspended, that has begun.
    struct Open {
        TimeNs end = 0;
        std::uint32_t task = 0;
        StoredTask row{};
        std::uint32_t part = 0;  // in this iteration
    };
    struct Piece {
        TimeNs begin = 0, end = 0;
        std::uint32_t task = 0;
    };

    const TimeRange& now() const { return m_folding.iterations[m_iteration]; }

    std::int64_t mostGoingOn() const { return limits::foldedParts.of(m_folding.count()); }

    Error tooMuchGoesOn() const
    {
        return Error{
            tr("%1: too much goes on from one iteration into the next.")
                .arg(m_store.processor(m_folding.pes[m_pe])->name),
            m_store.path(),
            tr("Tasks, idle and overhead may go on %1 times: take fewer iterations.").arg(formatCount(mostGoingOn()))};
    }

    // Each of these has another row in this iteration. Beyond the limit there are no more, and the fold is refused.
    template <typename Begun>
    void goOn(std::vector<Begun>& open)
    {
        m_goingOn += std::int64_t(open.size());
        if (m_goingOn > mostGoingOn()) open.clear();
    }

    Result<> readSpans()
    {
        const auto idle = forEachRow(
            m_store, ChunkKind::Idle, m_track, m_progress, [this](const Chunk& chunk, std::uint32_t i) {
                const TimeNs begin = chunk.at(IdleColumn::Begin, i);
                m_idle.all.push_back({begin, saturatingAdd(begin, chunk.at(IdleColumn::Duration, i))});
            });
        if (!idle) return idle;
        return forEachRow(m_store, ChunkKind::Overhead, m_track, m_progress,
                          [this](const Chunk& chunk, std::uint32_t i) {
                              const TimeNs begin = chunk.at(OverheadColumn::Begin, i);
                              m_overhead.all.push_back({begin,
                                                        saturatingAdd(begin, chunk.at(OverheadColumn::Duration, i)),
                                                        static_cast<OverheadKind>(chunk.at(OverheadColumn::Kind, i))});
                          });
    }

    Result<> readMessages()
    {
        const auto read = forEachRow(m_store, ChunkKind::Message, m_track, m_progress,
                                     [this](const Chunk& chunk, std::uint32_t i) {
                                         StoredMessage row{};
                                         for (std::size_t column = 0; column < row.size(); ++column)
                                             row[column] = chunk.at(column, i);
                                         m_messages.push_back(row);
                                     });
        FoldedParts& parts = m_result.parts;
        parts.message.assign(m_messages.size(), FoldedParts::none);
        parts.messageIteration.assign(m_messages.size(), FoldedParts::none);
        parts.executions.assign(m_messages.size(), 0);
        return read;
    }

    // Executions in their order, those of several pieces piece by piece.
    Result<> sweep()
    {
        std::vector<Piece> pieces;
        auto read = forEachRow(m_store, ChunkKind::Piece, m_track, m_progress,
                               [&](const Chunk& chunk, std::uint32_t i) {
                                   const TimeNs begin = chunk.at(PieceColumn::Begin, i);
                                   pieces.push_back({begin, saturatingAdd(begin, chunk.at(PieceColumn::Duration, i)),
                                                     static_cast<std::uint32_t>(chunk.at(PieceColumn::Task, i))});
                               });
        if (!read) return read;
        std::vector<std::pair<std::uint32_t, StoredTask>> owners;  // of several pieces, by execution
        std::size_t nextPiece = 0;
        const auto givePieces = [&](TimeNs before, std::uint32_t task) {
            for (; nextPiece < pieces.size(); ++nextPiece) {
                const Piece& piece = pieces[nextPiece];
                if (piece.begin > before || (piece.begin == before && piece.task >= task)) return;
                const auto owner = std::lower_bound(owners.begin(), owners.end(), piece.task,
                                                    [](const auto& one, std::uint32_t wanted) {
                                                        return one.first < wanted;
                                                    });
                if (owner != owners.end() && owner->first == piece.task)
                    open(piece.begin, piece.end, piece.task, owner->second);
            }
        };
        read = forEachRow(m_store, ChunkKind::Task, m_track, m_progress, [&](const Chunk& chunk, std::uint32_t i) {
            const auto task = static_cast<std::uint32_t>(chunk.firstRow + i);
            StoredTask row{};
            for (std::size_t column = 0; column < row.size(); ++column) row[column] = chunk.at(column, i);
            m_hasPart.push_back(false);
            if (row[TaskColumn::Pieces] > 0) {
                owners.emplace_back(task, row);
                return;
            }
            const TimeNs begin = row[TaskColumn::Begin];
            givePieces(begin, task);
            open(begin, saturatingAdd(begin, row[TaskColumn::Duration]), task, row);
        });
        if (!read) return read;
        givePieces(maxTime, FoldedParts::none);
        advance(maxTime);
        return m_progress.isCancelled() ? Result<>(cancelledError()) : Result<>(Unit{});
    }

    void open(TimeNs begin, TimeNs end, std::uint32_t task, const StoredTask& row)
    {
        advance(begin);
        m_open.push_back({end, task, row, 0});
        if (m_iteration < m_folding.count() && begin >= now().begin) addPart(m_open.back(), begin);
    }

    // The part of an execution that begins here.
    void addPart(Open& open, TimeNs begin)
    {
        FoldedParts& parts = m_result.parts;
        open.part = static_cast<std::uint32_t>(m_rows.size());
        const bool isFirst = begin == open.row[TaskColumn::Begin] && !m_hasPart[open.task];
        if (begin == now().begin && begin > open.row[TaskColumn::Begin]) ++m_result.cutExecutions;
        StoredTask row = open.row;
        row[TaskColumn::Begin] = begin - now().begin;
        row[TaskColumn::Duration] = std::min(open.end, now().end) - begin;
        row[TaskColumn::Nested] = row[TaskColumn::Duration];  // less what it has itself, as the sweep goes on
        row[TaskColumn::Outer] = &open == &m_open[m_outermost] ? 0 : open.part - m_open[m_outermost].part;
        row[TaskColumn::Pieces] = 0;
        const TimeNs received = row[TaskColumn::Received];
        if (!isFirst || (received != minTime && saturatingAdd(begin, received) < now().begin))
            row[TaskColumn::Received] = minTime;
        if (!isFirst) row[TaskColumn::Cpu] = -1;
        m_rows.push_back(row);
        m_hasPart[open.task] = true;
        parts.task.push_back(open.task);
        parts.begin.push_back(begin);
        parts.isFirst.push_back(isFirst);
    }

    // Gives the time up to `until` to the innermost execution, iteration by iteration.
    void advance(TimeNs until)
    {
        while (m_iteration < m_folding.count() && until >= now().end && !m_progress.isCancelled()) {
            enterIteration();
            giveTime(now().end);
            endIteration();
        }
        if (m_iteration < m_folding.count() && until >= now().begin) {
            enterIteration();
            giveTime(until);
        }
        leaveEnded(until);
    }

    // An execution that is over but lies between two that are not gets no more time; it goes with the inner one, or
    // when an iteration begins.
    void leaveEnded(TimeNs until)
    {
        while (m_outermost < m_open.size() && m_open[m_outermost].end <= until) ++m_outermost;
        while (m_open.size() > m_outermost && m_open.back().end <= until) m_open.pop_back();
        if (m_open.size() > m_outermost) return;
        m_open.clear();
        m_outermost = 0;
    }

    // What goes on from before it, outermost first.
    void enterIteration()
    {
        if (m_isInside) return;
        m_isInside = true;
        m_cursor = now().begin;
        std::erase_if(m_open, [this](const Open& open) { return open.end <= now().begin; });
        m_outermost = 0;
        goOn(m_open);
        for (Open& open : m_open) addPart(open, now().begin);
    }

    void giveTime(TimeNs until)
    {
        while (m_open.size() > m_outermost) {
            const Open& top = m_open.back();
            const TimeNs end = std::min(top.end, until);
            if (m_cursor < end) give(top, m_cursor, end);
            m_cursor = std::max(m_cursor, end);
            if (top.end > until) break;
            m_open.pop_back();
        }
        m_cursor = std::max(m_cursor, until);
    }

    void give(const Open& open, TimeNs begin, TimeNs end)
    {
        const EntryId entry{static_cast<std::uint32_t>(open.row[TaskColumn::Entry])};
        m_rows[open.part][TaskColumn::Nested] -= end - begin;
        m_tiles->busy(begin - now().begin, end - now().begin, entry);
        m_bins->busy(begin - now().begin, end - now().begin, entry);
        addSaturating(profileOf(entry).exclusive, end - begin);
        addSaturating(m_row.busy, end - begin);
    }

    ProfileRow& profileOf(EntryId entry)
    {
        return m_profile.try_emplace(entry, ProfileRow{.pe = m_row.pe, .entry = entry}).first->second;
    }

    void beginIteration()
    {
        m_isInside = false;
        if (m_iteration == m_folding.count()) return;
        m_rows.clear();
        m_profile.clear();
        const std::uint32_t row = m_folding.row(m_pe, m_iteration);
        m_tiles.emplace(TimeRange{0, m_folding.length});
        m_bins.emplace(TimeRange{0, m_folding.length});
        m_row = {};
        m_row.pe = ProcessorId{row};
        m_row.track = foldedTrack(row);
        m_row.node = m_row.process = static_cast<std::uint32_t>(m_pe);
        m_row.lastRecord = m_folding.length;
    }

    void endIteration()
    {
        FoldedParts& parts = m_result.parts;
        parts.endIteration();
        const auto stream = m_writer.stream(m_folding.row(m_pe, m_iteration));
        writeTasks(*stream);
        writeMessages(*stream);
        writeSpans(*stream);
        stream->append(m_row.track, m_tiles->finish());
        stream->append(m_row.track, m_bins->finish());
        stream->close();
        m_row.records = m_row.tasks + m_row.messages;
        m_result.rows.push_back(m_row);
        for (const auto& [entry, row] : m_profile) m_result.profile.push_back(row);
        ++m_iteration;
        beginIteration();
    }

    void writeTasks(EventStream& stream)
    {
        for (const StoredTask& row : m_rows) {
            const EntryId entry{static_cast<std::uint32_t>(row[TaskColumn::Entry])};
            stream.append(ChunkKind::Task, m_row.track, row);
            m_tiles->task(row[TaskColumn::Begin]);
            m_bins->task(row[TaskColumn::Begin], entry);
            ProfileRow& profile = profileOf(entry);
            ++profile.count;
            addSaturating(profile.time, row[TaskColumn::Duration]);
        }
        m_row.tasks = static_cast<std::int64_t>(m_rows.size());
    }

    void writeMessages(EventStream& stream)
    {
        FoldedParts& parts = m_result.parts;
        // A log's messages are in order of sending but for a few, and those are left out.
        for (; m_nextMessage < m_messages.size() && m_messages[m_nextMessage][MessageColumn::Sent] < now().end;
             ++m_nextMessage) {
            StoredMessage row = m_messages[m_nextMessage];
            const TimeNs sent = row[MessageColumn::Sent];
            if (sent < now().begin) continue;
            parts.message[m_nextMessage] = static_cast<std::uint32_t>(m_row.messages);
            parts.messageIteration[m_nextMessage] = m_iteration;
            const std::int64_t task = row[MessageColumn::Task];
            const std::uint32_t part = task < 0 ? FoldedParts::none
                                                : parts.partAt(m_iteration, static_cast<std::uint32_t>(task), sent);
            row[MessageColumn::Sent] = sent - now().begin;
            row[MessageColumn::Task] = part == FoldedParts::none ? -1 : std::int64_t{part};
            row[MessageColumn::Offset] = part == FoldedParts::none
                                             ? 0
                                             : row[MessageColumn::Sent] - m_rows[part][TaskColumn::Begin];
            stream.append(ChunkKind::Message, m_row.track, row);
            m_tiles->message(row[MessageColumn::Sent], row[MessageColumn::Bytes]);
            ++m_row.messages;
            if (part == FoldedParts::none) continue;
            ProfileRow& profile = profileOf(EntryId{static_cast<std::uint32_t>(m_rows[part][TaskColumn::Entry])});
            ++profile.messages;
            profile.bytes = saturatingAdd(profile.bytes, row[MessageColumn::Bytes]);
        }
    }

    // Calls use(begin, end, kind) for what of the spans lies in the iteration, from its begin.
    template <typename Use>
    void forEachSpan(Spans& spans, Use use)
    {
        std::erase_if(spans.open, [this](const Span& span) { return span.end <= now().begin; });
        goOn(spans.open);
        for (; spans.next < spans.all.size() && spans.all[spans.next].begin < now().end; ++spans.next)
            if (spans.all[spans.next].end > now().begin) spans.open.push_back(spans.all[spans.next]);
        for (const Span& span : spans.open) {
            const TimeRange part = intersection({span.begin, span.end}, now());
            if (!part.isEmpty()) use(part.begin - now().begin, part.end - now().begin, span.kind);
        }
    }

    // A PE idles once at a time, and packs once: what a file lays over that is no more of it, and would fill all tiles
    // again.
    void writeSpans(EventStream& stream)
    {
        TimeNs idledUntil = 0;
        std::map<OverheadKind, TimeNs> packedUntil;
        forEachSpan(m_idle, [&](TimeNs begin, TimeNs end, OverheadKind) {
            stream.append(ChunkKind::Idle, m_row.track,
                          std::array<std::int64_t, IdleColumn::Count>{begin, end - begin});
            const TimeRange part{std::max(begin, idledUntil), end};
            if (part.isEmpty()) return;
            idledUntil = end;
            m_tiles->idle(part.begin, part.end);
            addSaturating(m_row.idle, part.length());
        });
        const auto write = [&](TimeNs begin, TimeNs end, OverheadKind kind) {
            stream.append(ChunkKind::Overhead, m_row.track,
                          std::array<std::int64_t, OverheadColumn::Count>{begin, end - begin, std::int64_t(kind)});
            if (kind == OverheadKind::Flush) return addSaturating(m_row.flush, end - begin);
            if (kind == OverheadKind::Untraced) return addSaturating(m_row.untraced, end - begin);
            TimeNs& until = packedUntil[kind];
            const TimeRange part{std::max(begin, until), end};
            if (part.isEmpty()) return;
            until = end;
            m_tiles->pack(part.begin, part.end);
            addSaturating(m_row.pack, part.length());
        };
        forEachSpan(m_overhead, write);
        if (now().length() < m_folding.length) write(now().length(), m_folding.length, OverheadKind::Untraced);
    }

    const TraceStore& m_store;
    const Folding& m_folding;
    std::size_t m_pe;
    TraceWriter& m_writer;
    const Progress& m_progress;
    TrackId m_track;
    Spans m_idle, m_overhead;
    std::vector<StoredMessage> m_messages;
    std::size_t m_nextMessage = 0;
    std::vector<Open> m_open;     // innermost last
    std::size_t m_outermost = 0;  // of m_open; those before it are over
    std::int64_t m_goingOn = 0;   // so often: from one iteration into the next
    std::vector<bool> m_hasPart;  // by execution
    TimeNs m_cursor = 0;
    std::uint32_t m_iteration = 0;
    bool m_isInside = false;         // time has reached its begin
    std::vector<StoredTask> m_rows;  // of the iteration
    std::optional<TileBuilder> m_tiles;
    std::optional<EntryBinBuilder> m_bins;
    Processor m_row;
    std::map<EntryId, ProfileRow> m_profile;
    FoldedProcessor m_result;
};

}  // namespace

void FoldedParts::endIteration()
{
    const std::uint32_t first = firstPart.back(), end = static_cast<std::uint32_t>(task.size());
    for (std::uint32_t part = first; part < end; ++part) byTask.push_back(part);
    std::sort(byTask.begin() + first, byTask.end(), [this](std::uint32_t a, std::uint32_t b) {
        return std::tuple(task[a], begin[a], a) < std::tuple(task[b], begin[b], b);
    });
    firstPart.push_back(end);
}

std::uint32_t FoldedParts::partAt(std::uint32_t iteration, std::uint32_t wanted, TimeNs time) const
{
    const auto first = byTask.begin() + firstPart[iteration], last = byTask.begin() + firstPart[iteration + 1];
    const auto after = std::upper_bound(first, last, std::pair(wanted, time),
                                        [this](const std::pair<std::uint32_t, TimeNs>& key, std::uint32_t part) {
                                            return key < std::pair(task[part], begin[part]);
                                        });
    const bool isThere = after != first && task[*(after - 1)] == wanted;
    return isThere ? *(after - 1) - firstPart[iteration] : none;
}

Result<FoldedProcessor> foldProcessor(const TraceStore& store, const Folding& folding, std::size_t pe,
                                      TraceWriter& writer, const Progress& progress)
{
    return ProcessorFolding(store, folding, pe, writer, progress).fold();
}

}  // namespace longpole
