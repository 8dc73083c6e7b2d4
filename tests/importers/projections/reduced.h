// SPDX-License-Identifier: GPL-3.0-or-later
// A trace and what was reduced from it.
#pragma once

#include "importers/projections/cut.h"
#include "importers/projections/processor.h"
#include "importers/projections/reduce.h"
#include "importers/smallrun.h"

#include <QDir>
#include <QDirIterator>

#include <map>
#include <random>

#include <unistd.h>

namespace longpole {

using EntryBusy = std::map<std::pair<std::uint32_t, std::int64_t>, TimeNs>;  // by PE and entry

inline constexpr TimeRange all{minTime, maxTime};

inline QString data(const char* name) { return QStringLiteral(LONGPOLE_TEST_DATA "/") + QString::fromUtf8(name); }

// The exclusive time of every entry on every PE inside a range.
inline EntryBusy busyIn(const TraceStore& store, TimeRange range)
{
    EntryBusy busy;
    for (const Processor& processor : store.processors()) {
        const std::uint32_t pe = index(processor.pe);
        std::vector<std::int64_t> entries;
        std::vector<std::int64_t> more;  // pieces of a task that has several
        const auto add = [&](std::int64_t entry, TimeNs begin, TimeNs duration) {
            const TimeNs inside = overlap({begin, begin + duration}, range);
            if (inside > 0) busy[{pe, entry}] += inside;
        };
        for (const ChunkRef& ref : store.chunks(ChunkKind::Task, processor.track)) {
            const auto chunk = store.read(ref);
            for (std::uint32_t row = 0; chunk && row < ref.rows; ++row) {
                entries.push_back((*chunk)->at(TaskColumn::Entry, row));
                if ((*chunk)->at(TaskColumn::Pieces, row) > 0) continue;
                add(entries.back(), (*chunk)->at(TaskColumn::Begin, row), (*chunk)->at(TaskColumn::Duration, row));
            }
        }
        for (const ChunkRef& ref : store.chunks(ChunkKind::Piece, processor.track)) {
            const auto chunk = store.read(ref);
            for (std::uint32_t row = 0; chunk && row < ref.rows; ++row) {
                add(entries[std::size_t((*chunk)->at(PieceColumn::Task, row))], (*chunk)->at(PieceColumn::Begin, row),
                    (*chunk)->at(PieceColumn::Duration, row));
            }
        }
    }
    return busy;
}

// The first entry whose time differs; empty if none does.
inline QString difference(const EntryBusy& actual, const EntryBusy& expected)
{
    EntryBusy either = actual;
    either.insert(expected.begin(), expected.end());
    for (const auto& [key, time] : either) {
        const auto timeIn = [&one = key](const EntryBusy& busy) { return busy.contains(one) ? busy.at(one) : 0; };
        if (timeIn(actual) != timeIn(expected)) {
            return QStringLiteral("PE %1, entry %2: %3 ns instead of %4")
                .arg(key.first)
                .arg(key.second)
                .arg(timeIn(actual))
                .arg(timeIn(expected));
        }
    }
    return {};
}

// Name and content of every file directly in a folder.
inline std::map<QString, QByteArray> filesOf(const QString& folder)
{
    std::map<QString, QByteArray> content;
    QDirIterator files(folder, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        const QString name = QDir(folder).relativeFilePath(file.fileName());
        content[name] = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
    }
    return content;
}

// What a log holds, inflated.
inline QByteArray inflated(const QString& path)
{
    Result<std::unique_ptr<InputFile>> input = InputFile::open(path);
    if (!input) return "unreadable";
    QByteArray bytes;
    std::vector<char> block(65536);
    while (true) {
        const Result<std::size_t> got = (*input)->read(block);
        if (!got || *got == 0) return bytes;
        bytes.append(block.data(), qsizetype(*got));
    }
}

// An imported trace with the folder that it came from, and reduced ones beside it.
class Reduced {
public:
    explicit Reduced(const QString& source, const ImportOptions& options = {}) { import(source, options); }

    const TraceStore& store() const { return *m_store; }
    QString place(const QString& name) const { return m_folder.filePath(name); }

    Result<ReductionReport> reduce(ProjectionsReduction wanted, const QString& to = QStringLiteral("reduced")) const
    {
        wanted.folder = place(to);
        return reduceTo(wanted, Progress());
    }
    Result<ReductionReport> reduceTo(const ProjectionsReduction& wanted, const Progress& progress) const
    {
        const Result<ProjectionsSource> source = projectionsSource(*m_store, m_store->info().source);
        if (!source) return source.error();
        return reduceProjections(*m_store, *source, wanted, progress);
    }

private:
    void import(const QString& source, const ImportOptions& options)
    {
        const QString target = m_folder.filePath(QStringLiteral("t.longpole"));
        const Result<ImportReport> report = importProjections(source, target, options, Progress());
        if (!report) qFatal("%s", qPrintable(toText(report.error())));
        m_store = *TraceStore::open(target);
    }

    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
};

inline ProjectionsReduction ofPes(std::vector<std::uint32_t> pes)
{
    ProjectionsReduction wanted;
    wanted.pes = std::move(pes);
    return wanted;
}

inline ProjectionsReduction ofRange(TimeRange range)
{
    ProjectionsReduction wanted;
    wanted.range = range;
    return wanted;
}

// A log of records, cut; lines joined.
inline QByteArray cutOf(const QByteArray& log, const LogCutting& cutting, const QByteArray& version = "11.0")
{
    ImportLog issues;
    const RecordLayout layout = RecordLayout::of(parseSymbols(smallSymbols(1, {}, version), issues));
    ProjectionsLog reader(InputFile::fromBytes(log, QStringLiteral("log")), layout, issues);
    reader.start();
    QByteArray lines;
    LogCut cut(reader, layout, cutting,
               [&](std::string_view line) { lines.append(line.data(), qsizetype(line.size())); });
    LogRecord record;
    while (const std::optional<Decoded> decoded = reader.step(record)) cut.add(*decoded, record, reader.raw());
    cut.finish();
    return lines;
}

// A log that a program could have written: nested and suspended blocks, idling, packing, pairs, back to back and with
// gaps; and, as often as `damage` says, records that are missing.
inline QByteArray randomLog(std::mt19937& random, int damage)
{
    const auto upTo = [&](int most) { return int(random() % std::uint32_t(most + 1)); };
    QByteArray log = "6 10\n";
    std::int64_t now = 10;
    struct Block {
        int entry;
        int event;
        bool isSuspended;
    };
    std::vector<Block> open;
    int event = 0;
    const auto put = [&](const QByteArray& line) {
        if (damage == 0 || upTo(99) >= damage) log += line + '\n';
    };
    const auto n = [](std::int64_t number) -> QByteArray { return QByteArray::number(qlonglong{number}) + ' '; };
    const auto begin = [&](int entry, int number) {
        put("2 21 " + n(entry) + n(now) + n(number) + "0 64 0 " + (entry == 5 ? "3 " : "0 0 0 0 ") + n(now));
    };
    const auto end = [&](int entry, int number) { put("3 0 " + n(entry) + n(now) + n(number) + "0 0 " + n(now)); };
    for (int i = 0; i < 120; ++i) {
        now += upTo(3) == 0 ? 0 : upTo(12);
        switch (upTo(9)) {
        case 0:
        case 1:
        case 2:
            if (open.size() > 3) break;
            if (!open.empty() && upTo(1) == 0) {  // makes room for an inner one
                end(open.back().entry, open.back().event);
                open.back().isSuspended = true;
            }
            open.push_back({upTo(1) == 0 ? 5 : 6, upTo(5) == 0 ? -1 : event++, false});
            begin(open.back().entry, open.back().event);
            break;
        case 3:
        case 4:
        case 5:
            if (open.empty()) break;
            end(open.back().entry, open.back().event);
            open.pop_back();
            while (!open.empty() && open.back().isSuspended) {
                if (upTo(3) == 0) {  // had ended for good
                    open.pop_back();
                    continue;
                }
                open.back().isSuspended = false;
                begin(open.back().entry, open.back().event);  // goes on
            }
            break;
        case 6:
            if (!open.empty()) break;
            put("14 " + n(now) + '0');
            now += upTo(30);
            put("15 " + n(now) + '0');
            break;
        case 7:
            put("16 " + n(now) + '0');
            now += upTo(2);
            put("17 " + n(now) + '0');
            break;
        case 8: put("1 21 5 " + n(now) + n(event++) + "0 100 0"); break;
        default: {
            const std::int64_t before = std::max<std::int64_t>(now - upTo(40), 0);
            put("100 7 " + n(before) + n(event) + "0 0");
            put("100 7 " + n(now) + n(event++) + "0 0");
        }
        }
    }
    for (; !open.empty(); open.pop_back())
        if (!open.back().isSuspended) end(open.back().entry, open.back().event);
    return log + "7 " + QByteArray::number(qlonglong{now + upTo(20)}) + '\n';
}

}  // namespace longpole
