// SPDX-License-Identifier: GPL-3.0-or-later
// An MPI run drawn as text and written through TraceWriter: one character is 1000 ns, one line a rank; a letter is code
// of that name, '<' wait before, '=' execution and '>' wait after of an MPI call, ' ' nothing known.
#pragma once

#include "core/store/tracestore.h"
#include "core/store/tracewriter.h"

#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>
#include <vector>

namespace longpole {

class DrawnMpi {
public:
    // What a drawing does not say of a call.
    struct Call {
        std::uint32_t rank = 0;
        std::int64_t seq = 0;
        QString name = QStringLiteral("MPI_Allreduce");
        WaitPattern pattern = WaitPattern::None;
        std::int64_t culprit = -1;
        std::int64_t culpritSeq = -1;
        std::int64_t instance = -1;
        std::int64_t flags = 0;
        std::int64_t peer = -1;
        std::int64_t bytes = 8;
        std::uint32_t path = noCallPath;
    };
    static constexpr TimeNs unit = 1000;
    static constexpr std::uint32_t firstCall = 60;  // region ids: calls by name, then the communicator

    // `thread`: a thread of rank 0 with nothing but calls and a region that covers it all.
    explicit DrawnMpi(const QStringList& lines, std::vector<Call> calls = {}, const QString& thread = {}, int hosts = 1,
                      const std::vector<CallPath>& paths = {})
        : m_calls(std::move(calls))
    {
        const QString path = m_folder.filePath(QStringLiteral("drawn.longpole"));
        auto writer = TraceWriter::create(path);
        if (!writer) qFatal("%s", qPrintable(toText(writer.error())));
        for (const CallPath& callPath : paths) (*writer)->add(callPath);
        write(**writer, lines, thread, hosts);
        const auto finished = (*writer)->finish(Progress{});
        if (!finished) qFatal("%s", qPrintable(toText(finished.error())));
        auto store = TraceStore::open(path);
        if (!store) qFatal("%s", qPrintable(toText(store.error())));
        m_store = *store;
    }

    const std::shared_ptr<const TraceStore>& shared() const { return m_store; }
    const TraceStore& operator*() const { return *m_store; }
    const TraceStore* operator->() const { return m_store.get(); }
    QString path() const { return m_store->path(); }

    static TrackId trackOf(std::uint32_t rank) { return TrackId{100 + rank}; }
    static TrackId threadTrack() { return TrackId{900}; }

private:
    using Row = std::vector<std::int64_t>;

    void write(TraceWriter& writer, const QStringList& lines, const QString& thread, int hosts)
    {
        for (char letter = 'A'; letter <= 'Z'; ++letter)
            writer.add(Entry{.id = EntryId{static_cast<std::uint32_t>(letter - 'A')},
                             .name = QStringLiteral("compute_%1").arg(QChar(QLatin1Char(letter)).toLower()),
                             .chare = {},
                             .kind = EntryKind::User,
                             .chareId = ChareId{0}});
        writer.add(Chare{.id = ChareId{0}, .name = {}});
        m_names << QStringLiteral("MPI_Allreduce");
        for (const Call& call : m_calls)
            if (!m_names.contains(call.name)) m_names << call.name;
        for (qsizetype i = 0; i < m_names.size(); ++i)
            writer.add(Region{.id = RegionId{firstCall + static_cast<std::uint32_t>(i)},
                              .kind = RegionKind::MpiCall,
                              .name = m_names[i]});
        writer.add(Region{.id = RegionId{99},
                          .kind = RegionKind::Communicator,
                          .number = lines.size(),
                          .name = QStringLiteral("MPI_COMM_WORLD")});
        writer.add(Region{.id = RegionId{50}, .kind = RegionKind::Function, .name = QStringLiteral("worker")});
        writer.add(Track{.id = TrackId{1}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
        for (int host = 0; host < hosts; ++host)
            writer.add(Track{.id = TrackId{2u + static_cast<unsigned>(host)},
                             .parent = TrackId{1},
                             .kind = TrackKind::Node,
                             .name = QStringLiteral("host%1").arg(host),
                             .pe = {}});
        TraceInfo info;
        info.format = otf2Format;
        info.vocabulary = ProgramKind::Mpi;
        info.program = QStringLiteral("drawn");
        info.processors = lines.size();
        for (const QString& line : lines) info.end = std::max<TimeNs>(info.end, line.size() * unit);
        for (qsizetype rank = 0; rank < lines.size(); ++rank)
            writeRank(writer, static_cast<std::uint32_t>(rank), lines[rank], info, hosts);
        auto last = writer.stream(static_cast<std::uint32_t>(lines.size()));
        if (!thread.isEmpty()) writeThread(writer, *last, thread);
        last->close();
        writer.setInfo(info);
    }

    void writeRank(TraceWriter& writer, std::uint32_t rank, const QString& line, TraceInfo& info, int hosts)
    {
        const TrackId track = trackOf(rank);
        writer.add(Track{.id = track,
                         .parent = TrackId{2u + rank % static_cast<unsigned>(hosts)},
                         .kind = TrackKind::Rank,
                         .name = QStringLiteral("Rank %1").arg(rank),
                         .pe = ProcessorId{rank}});
        Processor processor{.pe = ProcessorId{rank},
                            .track = track,
                            .kind = TrackKind::Rank,
                            .name = QStringLiteral("Rank %1").arg(rank)};
        processor.lastRecord = info.end;
        auto stream = writer.stream(rank);
        TileBuilder tiles(info.range());
        std::int64_t seq = 0;
        for (qsizetype at = 0; at < line.size();) {
            const TimeNs begin = at * unit;
            const QChar c = line[at];
            qsizetype next = at;
            if (c.isLetter() || c == QLatin1Char(' ')) {
                while (next < line.size() && line[next] == c) ++next;
                if (c.isLetter()) addTask(*stream, track, {begin, next * unit}, c, tiles, processor);
            } else {
                const TimeRange call = addCall(*stream, track, rank, line, at, seq++, processor.tasks - 1);
                next = call.end / unit;
                addWaits(*stream, track, line, at, next, tiles, processor);
            }
            at = next;
        }
        stream->append(track, tiles.finish());
        stream->close();
        info.busy += processor.busy;
        info.idle += processor.idle;
        info.tasks += processor.tasks;
        writer.add(processor);
    }

    static void addTask(EventStream& stream, TrackId track, TimeRange range, QChar letter, TileBuilder& tiles,
                        Processor& processor)
    {
        const EntryId entry{static_cast<std::uint32_t>(letter.unicode() - 'A')};
        stream.append(ChunkKind::Task, track,
                      Row{range.begin, range.length(), 0, index(entry), 0, 0, 0, 0, minTime, -1, 0, 0, 0, 0, 0, 0});
        stream.append(ChunkKind::TaskSource, track, Row{0, 0, 0, 0, 0, -1, 0});
        tiles.busy(range.begin, range.end, entry);
        tiles.task(range.begin);
        processor.busy += range.length();
        ++processor.tasks;
    }

    static qsizetype skip(const QString& line, qsizetype at, char c)
    {
        while (at < line.size() && line[at] == QLatin1Char(c)) ++at;
        return at;
    }

    TimeRange addCall(EventStream& stream, TrackId track, std::uint32_t rank, const QString& line, qsizetype at,
                      std::int64_t seq, std::int64_t task) const
    {
        const qsizetype execution = skip(line, at, '<');
        const qsizetype after = skip(line, execution, '=');
        const qsizetype end = skip(line, after, '>');
        Call call{.rank = rank, .seq = seq};
        for (const Call& known : m_calls)
            if (known.rank == rank && known.seq == seq) call = known;
        const TimeNs before = (execution - at) * unit;
        stream.append(ChunkKind::MpiCall, track,
                      Row{at * unit,
                          (end - at) * unit,
                          firstCall + m_names.indexOf(call.name),
                          seq,
                          99,
                          call.peer,
                          -1,
                          call.bytes,
                          before,
                          (after - execution) * unit,
                          (end - after) * unit,
                          std::int64_t(call.pattern),
                          call.pattern == WaitPattern::None ? 0 : before,
                          call.culprit,
                          call.culpritSeq,
                          call.instance,
                          task,
                          call.flags,
                          call.path,
                          0});
        return {at * unit, end * unit};
    }

    static void addWaits(EventStream& stream, TrackId track, const QString& line, qsizetype from, qsizetype to,
                         TileBuilder& tiles, Processor& processor)
    {
        for (qsizetype at = from; at < to;) {
            const qsizetype next = skip(line, at, line[at].toLatin1());
            if (line[at] != QLatin1Char('=')) {
                stream.append(ChunkKind::Idle, track, Row{at * unit, (next - at) * unit});
                tiles.idle(at * unit, next * unit);
                processor.idle += (next - at) * unit;
            }
            at = next;
        }
    }

    void writeThread(TraceWriter& writer, EventStream& stream, const QString& line) const
    {
        writer.add(Track{.id = threadTrack(),
                         .parent = trackOf(0),
                         .kind = TrackKind::Thread,
                         .name = QStringLiteral("Thread 1"),
                         .pe = ProcessorId{0}});
        stream.append(ChunkKind::Interval, threadTrack(), Row{0, line.size() * unit, 0, 0, 50, 0});
        std::int64_t seq = 100;  // the rank's own calls have the smaller ones
        for (qsizetype at = 0; at < line.size();) {
            if (line[at] == QLatin1Char(' ')) ++at;
            else at = addCall(stream, threadTrack(), 0, line, at, seq++, -1).end / unit;
        }
    }

    std::vector<Call> m_calls;
    QStringList m_names;
    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
};

}  // namespace longpole
