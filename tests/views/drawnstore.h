// SPDX-License-Identifier: GPL-3.0-or-later
// A trace drawn as text and written through TraceWriter: one character is `unit` ns, one line a processor; a letter is
// the entry method of that name, '.' is idle, ' ' overhead, 'p' packing. A capital and its small letter are two
// entries. A line "?" is a processor without a log.
#pragma once

#include "core/store/tracestore.h"
#include "core/store/tracewriter.h"

#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <map>
#include <memory>

namespace longpole {

class DrawnStore {
public:
    struct Options {
        TimeNs begin = 0;
        TimeNs unit = 1000;
        int nodes = 1;            // processors are dealt to that many node tracks in turn
        bool profile = false;     // the times of entry methods
        int moreNames = 0;        // entry methods that are declared and never run
        bool userEvents = false;  // a user-event track below PE 0 with an interval [1, 3) units and a mark at 4
        TimeNs firstRecord = 0;   // of PE 0, for start-up; 0: begin
    };

    explicit DrawnStore(const QStringList& lines) : DrawnStore(lines, Options{}) {}
    DrawnStore(const QStringList& lines, const Options& options) : m_options(options)
    {
        auto writer = TraceWriter::create(path());
        if (!writer) qFatal("%s", qPrintable(toText(writer.error())));
        write(**writer, lines);
        const Progress progress;
        const auto finished = (*writer)->finish(progress);
        if (!finished) qFatal("%s", qPrintable(toText(finished.error())));
        auto store = TraceStore::open(path());
        if (!store) qFatal("%s", qPrintable(toText(store.error())));
        m_store = *store;
    }

    QString path() const { return m_folder.filePath(QStringLiteral("drawn.longpole")); }
    const std::shared_ptr<const TraceStore>& shared() const { return m_store; }
    const TraceStore& operator*() const { return *m_store; }
    const TraceStore* operator->() const { return m_store.get(); }

    static EntryId entryOf(char letter)
    {
        return EntryId{static_cast<std::uint32_t>(letter >= 'a' ? 26 + letter - 'a' : letter - 'A')};
    }

private:
    void write(TraceWriter& writer, const QStringList& lines)
    {
        for (char letter = 'A'; letter <= 'z'; ++letter) {
            if (letter > 'Z' && letter < 'a') continue;
            writer.add(Entry{.id = entryOf(letter),
                             .name = QStringLiteral("%1()").arg(QLatin1Char(letter)),
                             .chare = QStringLiteral("Drawn"),
                             .kind = EntryKind::User,
                             .chareId = ChareId{0}});
        }
        for (int more = 0; more < m_options.moreNames; ++more)
            writer.add(Entry{.id = EntryId{52u + static_cast<unsigned>(more)},
                             .name = QStringLiteral("more%1(int)").arg(more),
                             .chare = QStringLiteral("Drawn"),
                             .kind = EntryKind::User,
                             .chareId = ChareId{0}});
        writer.add(Chare{.id = ChareId{0}, .name = QStringLiteral("Drawn")});
        writer.add(Track{
            .id = TrackId{1}, .parent = noTrack, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
        for (int node = 0; node < m_options.nodes; ++node)
            writer.add(Track{.id = TrackId{2u + static_cast<unsigned>(node)},
                             .parent = TrackId{1},
                             .kind = TrackKind::Node,
                             .name = QStringLiteral("node %1").arg(node),
                             .pe = {}});
        qsizetype longest = 0;
        for (const QString& line : lines) longest = std::max(longest, line.size());
        m_run = {m_options.begin, m_options.begin + longest * m_options.unit};
        TraceInfo info;
        info.format = QStringLiteral("drawn");
        info.program = QStringLiteral("drawn");
        info.processors = lines.size();
        info.begin = m_run.begin;
        info.end = m_run.end;
        for (qsizetype pe = 0; pe < lines.size(); ++pe) writeProcessor(writer, pe, lines[pe], info);
        auto last = writer.stream(static_cast<std::uint32_t>(lines.size()));
        if (m_options.userEvents) writeUserEvents(writer, *last);
        last->close();
        writer.setInfo(info);
    }

    void writeProcessor(TraceWriter& writer, qsizetype pe, const QString& line, TraceInfo& info)
    {
        const auto number = static_cast<std::uint32_t>(pe);
        const TrackId track{100 + number};
        const QString name = QStringLiteral("PE %1").arg(pe);
        Processor processor{.pe = ProcessorId{number}, .track = track, .name = name};
        processor.firstRecord = pe == 0 && m_options.firstRecord != 0 ? m_options.firstRecord : m_run.begin;
        processor.lastRecord = m_run.end;
        processor.hasLog = line != QLatin1String("?");
        if (!processor.hasLog) processor.firstRecord = processor.lastRecord = 0;
        writer.add(Track{.id = track,
                         .parent = TrackId{2u + number % static_cast<unsigned>(m_options.nodes)},
                         .kind = TrackKind::Pe,
                         .name = name,
                         .pe = ProcessorId{number}});
        auto stream = writer.stream(number);
        TileBuilder tiles(m_run);
        std::map<EntryId, ProfileRow> rows;
        for (qsizetype at = 0; at < line.size();) {
            qsizetype next = at;
            while (next < line.size() && line[next] == line[at]) ++next;
            const TimeNs begin = m_run.begin + at * m_options.unit;
            const TimeNs end = m_run.begin + next * m_options.unit;
            const char c = line[at].toLatin1();
            if (c == '.') {
                stream->append(ChunkKind::Idle, track, std::vector<std::int64_t>{begin, end - begin});
                tiles.idle(begin, end);
                processor.idle += end - begin;
            } else if (c == 'p') {
                stream->append(ChunkKind::Overhead, track, std::vector<std::int64_t>{begin, end - begin, 0});
            } else if (c != ' ' && c != '?') {
                stream->append(ChunkKind::Task, track,
                               std::vector<std::int64_t>{begin, end - begin, 0, index(entryOf(c)), 0, 0, 0, 0, minTime,
                                                         -1, 0, 0, 0, 0, 0, 0});
                stream->append(ChunkKind::TaskSource, track, std::vector<std::int64_t>{0, 0, 0, 0, 0, -1, 0});
                tiles.busy(begin, end, entryOf(c));
                tiles.task(begin);
                ProfileRow& row = rows[entryOf(c)];
                ++row.count;
                row.time += end - begin;
                processor.busy += end - begin;
                ++processor.tasks;
            }
            at = next;
        }
        stream->append(track, tiles.finish());
        stream->close();
        for (auto& [entry, row] : rows) {
            row.pe = processor.pe;
            row.entry = entry;
            row.exclusive = row.time;
            if (m_options.profile) writer.add(row);
        }
        info.busy += processor.busy;
        info.idle += processor.idle;
        info.tasks += processor.tasks;
        writer.add(processor);
    }

    void writeUserEvents(TraceWriter& writer, EventStream& stream) const
    {
        const TrackId track{500};
        writer.add(Track{.id = track,
                         .parent = TrackId{100},
                         .kind = TrackKind::UserEvents,
                         .name = QStringLiteral("user events"),
                         .pe = ProcessorId{0}});
        writer.add(
            Region{.id = RegionId{7}, .kind = RegionKind::UserEvent, .number = 7, .name = QStringLiteral("step")});
        const TimeNs unit = m_options.unit;
        stream.append(ChunkKind::Interval, track, std::vector<std::int64_t>{m_run.begin + unit, 2 * unit, 0, 0, 7, 0});
        stream.append(ChunkKind::Mark, track, std::vector<std::int64_t>{m_run.begin + 4 * unit, 0, 7, 0, -1});
    }

    Options m_options;
    QTemporaryDir m_folder;
    TimeRange m_run;
    std::shared_ptr<const TraceStore> m_store;
};

}  // namespace longpole
