// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of tasks, one "pe entry begin_ns end_ns" a line: the importer of docs/developer/add-an-importer.md.
#include "core/base/translate.h"
#include "core/store/tracewriter.h"
#include "core/trace/trackids.h"
#include "importers/common/fingerprint.h"
#include "importers/common/importer.h"
#include "importers/common/importlog.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>

#include <map>

namespace longpole {

namespace {

constexpr char head[] = "# tasks 1";
constexpr std::uint32_t mostProcessors = 1u << 20;  // more is a damaged line

struct ListedTask {
    TimeRange range;
    EntryId entry{};
};

struct TaskList {
    std::map<std::uint32_t, std::vector<ListedTask>> tasks;  // by PE, in order of time
    std::map<QByteArray, EntryId> entries;
    std::int64_t lines = 0;
};

// What a line says goes into `list`; a line that says nothing sound is counted and left out.
void readLine(const QByteArray& line, TaskList& list, ImportLog& log)
{
    ++list.lines;
    const QList<QByteArray> fields = line.simplified().split(' ');
    bool ok[3] = {};
    const std::uint32_t pe = fields.value(0).toUInt(&ok[0]);
    const TimeRange range{fields.value(2).toLongLong(&ok[1]), fields.value(3).toLongLong(&ok[2])};
    if (fields.size() != 4 || !ok[0] || !ok[1] || !ok[2] || pe >= mostProcessors || range.end < range.begin)
        return log.add(IssueKind::MalformedRecord, list.lines);
    std::vector<ListedTask>& tasks = list.tasks[pe];
    if (!tasks.empty() && range.begin < tasks.back().range.end) return log.add(IssueKind::TimeBackwards, list.lines);
    const EntryId next{static_cast<std::uint32_t>(list.entries.size())};
    tasks.push_back({range, list.entries.try_emplace(fields[1], next).first->second});
}

// The rows of one PE, what the timeline draws of it from afar, and its totals.
Processor writeProcessor(TraceWriter& writer, std::uint32_t ordinal, std::uint32_t pe,
                         const std::vector<ListedTask>& tasks, TimeRange run)
{
    const TrackId track = processorTrack(pe);
    const QString name = tr("PE %1").arg(pe);
    writer.add(Track{.id = track, .parent = rootTrack, .name = name, .pe = ProcessorId{pe}});
    Processor processor{.pe = ProcessorId{pe}, .track = track, .name = name};
    auto stream = writer.stream(ordinal);
    TileBuilder tiles(run);
    EntryBinBuilder bins(run);
    for (const ListedTask& task : tasks) {
        std::array<std::int64_t, TaskColumn::Count> row{};
        row[TaskColumn::Begin] = task.range.begin;
        row[TaskColumn::Duration] = task.range.length();
        row[TaskColumn::Entry] = index(task.entry);
        row[TaskColumn::Received] = minTime;
        row[TaskColumn::Cpu] = -1;
        stream->append(ChunkKind::Task, track, row);
        stream->append(ChunkKind::TaskSource, track,
                       std::array<std::int64_t, TaskSourceColumn::Count>{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
        tiles.task(task.range.begin);
        tiles.busy(task.range.begin, task.range.end, task.entry);
        bins.task(task.range.begin, task.entry);
        bins.busy(task.range.begin, task.range.end, task.entry);
        processor.busy += task.range.length();
    }
    stream->append(track, tiles.finish());
    stream->append(track, bins.finish());
    processor.records = processor.tasks = static_cast<std::int64_t>(tasks.size());
    processor.firstRecord = tasks.front().range.begin;
    processor.lastRecord = tasks.back().range.end;
    return processor;
}

bool probe(const QString& path)
{
    QFile file(path);
    return QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly) && file.readLine(64).trimmed() == head;
}

Result<QString> fingerprint(const QString& path, FingerprintOf of)
{
    return fingerprintOfFiles(QFileInfo(path).absolutePath(), std::array{path}, of);
}

Result<ImportReport> import(const QString& path, const QString& target, const ImportOptions&, const Progress& progress)
{
    QElapsedTimer timer;
    timer.start();
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{tr("The list of tasks cannot be read."), path, file.errorString()};
    ImportLog log(QFileInfo(path).fileName());
    TaskList list;
    for (file.readLine(); !file.atEnd();) {
        if (progress.isCancelled()) return cancelledError();
        readLine(file.readLine(), list, log);
    }
    if (list.tasks.empty()) return Error{tr("The list names no task."), path, tr("Each line is: pe entry begin end.")};

    TimeRange run{maxTime, minTime};
    for (const auto& [pe, tasks] : list.tasks)
        run = {std::min(run.begin, tasks.front().range.begin), std::max(run.end, tasks.back().range.end)};
    auto writer = TraceWriter::create(target);
    if (!writer) return writer.error();
    TraceInfo info;
    info.format = QStringLiteral("task-list");
    info.program = QFileInfo(path).completeBaseName();
    info.source = QFileInfo(path).absoluteFilePath();
    info.fingerprint = *fingerprint(path, FingerprintOf::Content);
    info.begin = run.begin;
    info.end = run.end;
    info.records = list.lines;
    info.processors = list.tasks.rbegin()->first + 1;
    (*writer)->add(Track{.id = rootTrack, .kind = TrackKind::Root, .name = info.program, .pe = {}});
    std::uint32_t ordinal = 0;
    for (const auto& [pe, tasks] : list.tasks) {
        const Processor processor = writeProcessor(**writer, ordinal++, pe, tasks, run);
        info.tasks += processor.tasks;
        info.busy += processor.busy;
        (*writer)->add(processor);
    }
    for (const auto& [name, id] : list.entries)
        (*writer)->add(Entry{.id = id, .name = QString::fromUtf8(name), .chare = {}});
    for (const Issue& issue : log.issues()) (*writer)->add(issue);
    (*writer)->setInfo(info);
    if (const Result<> finished = (*writer)->finish(progress); !finished) return finished.error();
    return ImportReport{target, list.lines, double(timer.elapsed()) / 1000, log.issues()};
}

}  // namespace

extern const Importer taskListImporter;  // importers/registry.cpp lists it
const Importer taskListImporter{
    .id = "task-list",
    .title = QT_TRANSLATE_NOOP("longpole", "Lists of tasks"),
    .patterns = "*.tasks",
    .reads = QT_TRANSLATE_NOOP("longpole", "one execution a line: processor, name, begin and end"),
    .document = "docs/developer/add-an-importer.md",
    .version = 1,
    .probe = probe,
    .fingerprint = fingerprint,
    .import = import,
};

}  // namespace longpole
