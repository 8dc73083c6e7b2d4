// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a .longpole file of a Projections run in three passes: heads of logs (when the run begins), whole logs (rows,
// PEs in parallel), matching (destinations in parallel). The file does not depend on the number of threads.
#include "importers/projections/import.h"

#include "core/base/endsatonce.h"
#include "core/base/limits.h"
#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "core/trace/columns.h"
#include "core/trace/trackids.h"
#include "importers/projections/definitions.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

namespace longpole {
namespace {

// So long after the module wrote its merges the run may take to write its .sts.
constexpr std::int64_t secondsToEnd = 10;
constexpr double readShare = 0.85;  // of the work, for the progress

class Run {
public:
    Run(ProjectionsFiles files, const QString& target, const ImportOptions& options, const Progress& progress,
        const ProjectionsLimits& limits)
        : m_files(std::move(files)), m_target(target), m_options(options), m_progress(progress),
          m_creationSpill(QFileInfo(target).absolutePath(), limits.creationMemory),
          m_executionSpill(QFileInfo(target).absolutePath(), limits.executionMemory)
    {
        m_run.pendingLimit = limits.pendingRows;
    }

    Result<ImportReport> import();
    void removeWritten() { m_writer.reset(); }

private:
    Result<> prepareSymbols();
    void prepareMerges();
    void leaveOutEarlierMerges();
    void prepareProcessors();
    void findBegin();
    void findBeginOf(std::size_t number);
    Result<> readLogs();
    void readLog(std::size_t number);
    Result<> matchMessages();
    Result<> finish(std::int64_t matched);
    void emitRanks(RowSink& sink);
    void setBroadcastSources();
    std::optional<Error> stopReason() const;
    void stop(const Error& error);
    struct ReadSoFar {
        std::int64_t consumed = 0;
        std::int64_t inflated = 0;
    };
    void reportRead(const ProjectionsLog& log, ReadSoFar& before);

    std::uint32_t ordinal(std::size_t pass, std::size_t number) const
    {
        return static_cast<std::uint32_t>(pass * m_files.logs.size() + number);
    }

    ProjectionsFiles m_files;
    QString m_target;
    const ImportOptions& m_options;
    const Progress& m_progress;
    Spill m_creationSpill;
    Spill m_executionSpill;
    ProjectionsRun m_run;
    ImportLog m_log;
    std::vector<ImportLog> m_logs;  // by log
    RecordedMerges m_merges;
    std::unique_ptr<TraceWriter> m_writer;
    std::vector<ProcessorResult> m_results;
    std::vector<std::uint32_t> m_pes;
    std::int64_t m_bytes = 0;
    std::atomic<std::int64_t> m_bytesRead{0};
    std::atomic<std::int64_t> m_bytesInflated{0};
    std::atomic<TimeNs> m_begin{maxTime};
    std::atomic<TimeNs> m_first{maxTime};  // of all records
    std::atomic<bool> m_stopped{false};
    mutable std::mutex m_mutex;  // m_error
    std::optional<Error> m_error;
};

void Run::stop(const Error& error)
{
    const std::lock_guard lock(m_mutex);
    if (!m_error) m_error = error;
    m_stopped = true;
}

std::optional<Error> Run::stopReason() const
{
    if (m_progress.isCancelled()) return cancelledError();
    const std::lock_guard lock(m_mutex);
    if (m_error) return m_error;
    if (m_creationSpill.hasFailed() || m_executionSpill.hasFailed()) {
        return Error{.what = tr("The import's temporary file could not be written."),
                     .where = QFileInfo(m_target).absolutePath(),
                     .hint = tr("The disk may be full; free some space or import to another folder.")};
    }
    return std::nullopt;
}

Result<> Run::prepareSymbols()
{
    if (m_files.symbols.isEmpty()) {
        m_log.addAt(IssueKind::MissingSymbols, m_files.base + QStringLiteral(".sts"));
    } else {
        ImportLog log(QFileInfo(m_files.symbols).fileName());
        Result<ProjectionsSymbols> symbols = readSymbols(m_files.symbols, log);
        if (!symbols) return symbols.error();
        m_run.symbols = std::move(*symbols);
        m_log.merge(log);
    }
    if (m_options.symbols.isEmpty()) return Unit{};
    return nameAfter(m_run.symbols, m_options.symbols);
}

// Reads the merges that the program recorded beside its logs. A file that cannot be read is a soft error.
void Run::prepareMerges()
{
    if (m_files.merges.isEmpty()) return;
    ImportLog log(QFileInfo(m_files.merges).fileName());
    Result<RecordedMerges> merges = readMerges(m_files.merges, log);
    if (merges) m_merges = std::move(*merges);
    else log.add(IssueKind::MalformedMerge);
    m_log.merge(log);
}

// The program may be linked without the module by now, or run without the option: the file of the run before then still
// lies there, and its numbers are found in these logs, too. Files get other times when they are copied; what is written
// in them stays.
void Run::leaveOutEarlierMerges()
{
    const QDateTime ended = QDateTime::fromString(m_run.symbols.timestamp, Qt::ISODate);
    if (!m_merges.written || m_merges.edges.empty() || ended.timeSpec() != Qt::UTC) return;
    TimeNs last = 0;
    for (const ProcessorResult& result : m_results)
        if (result.processor.records > 0) last = std::max(last, result.processor.lastRecord);
    const std::int64_t length = std::max<std::int64_t>(last / 1'000'000'000, secondsToEnd);
    if (*m_merges.written >= ended.toSecsSinceEpoch() - length) return;
    m_log.addAt(IssueKind::EarlierMerges, QFileInfo(m_files.merges).fileName(),
                static_cast<std::int64_t>(m_merges.edges.size()));
    m_merges.edges.clear();
}

// Finds how many processors there are, which of them are comm threads, and which logs belong to none of them.
void Run::prepareProcessors()
{
    std::int64_t processors = m_run.symbols.processors;
    const std::int64_t plausible = mostProcessorsOf(m_files.logs.size());
    for (const ProjectionsFiles::Log& log : m_files.takeForeignLogs(processors)) {
        m_log.addAt(IssueKind::ForeignLog, QFileInfo(log.path).fileName());
    }
    for (const QString& path : m_files.second) m_log.addAt(IssueKind::DuplicateLog, QFileInfo(path).fileName());
    if (processors <= 0 || processors > plausible) {
        if (processors > plausible || !m_run.symbols.isEmpty) {
            m_log.addAt(IssueKind::ImplausibleProcessors, QFileInfo(m_files.symbols).fileName());
        }
        processors = m_files.logs.empty() ? 0 : static_cast<std::int64_t>(m_files.logs.back().pe) + 1;
    }
    m_run.setProcessors(processors);
    m_run.isAmpi = m_run.symbols.isAmpi();
    m_run.layout = RecordLayout::of(m_run.symbols);
    m_run.setKnownEntries();
    for (const ProjectionsFiles::Log& log : m_files.logs) {
        m_pes.push_back(static_cast<std::uint32_t>(log.pe));
        m_logs.emplace_back(QFileInfo(log.path).fileName());
        m_bytes += log.bytes;
    }
}

// Pass 0: the earliest BEGIN_PROCESSING. A log is left as soon as its time is later than one found in another log.
void Run::findBegin()
{
    parallelFor(
        m_files.logs.size(), [this](std::size_t number) { findBeginOf(number); }, m_options.threads);
    m_run.begin = m_begin;
    if (m_run.begin == maxTime) m_run.begin = m_first;  // a run without a task
    if (m_run.begin == maxTime) m_run.begin = 0;
}

void Run::findBeginOf(std::size_t number)
{
    if (m_progress.isCancelled() || m_run.isCommThread(m_pes[number])) return;
    Result<std::unique_ptr<InputFile>> input = InputFile::open(m_files.logs[number].path);
    if (!input) return;
    ImportLog ignored;
    ProjectionsLog log(std::move(*input), m_run.layout, ignored);
    LogRecord record;
    TimeNs now = 0;
    while (!m_progress.isCancelled() && log.next(record)) {
        if (record.time < 0) continue;
        if (record.type == RecordType::UserEventPair || record.type == RecordType::BracketedNote) continue;
        now = std::max(now, record.time);
        TimeNs first = m_first;
        while (now < first && !m_first.compare_exchange_weak(first, now)) {}
        TimeNs least = m_begin;
        if (now >= least) return;
        if (record.type != RecordType::BeginProcessing) continue;
        while (now < least && !m_begin.compare_exchange_weak(least, now)) {}
        return;
    }
}

// Many small logs may expand no further than a large one.
void Run::reportRead(const ProjectionsLog& log, ReadSoFar& before)
{
    const std::int64_t read = m_bytesRead += log.consumed() - before.consumed;
    const std::int64_t inflated = m_bytesInflated += log.inflated() - before.inflated;
    before = {log.consumed(), log.inflated()};
    if (inflated > limits::inflated.of(m_bytes))
        stop({.what = tr("The compressed logs expand to more than %1 times their size.").arg(limits::inflated.per),
              .where = m_files.folder,
              .hint = tr("No trace compresses so well; the files were not made by a tracer.")});
    if (m_bytes > 0) m_progress.report(readShare * static_cast<double>(read) / static_cast<double>(m_bytes));
}

// Pass 1, a log at a time on each thread.
Result<> Run::readLogs()
{
    m_results.resize(m_files.logs.size());
    parallelFor(
        m_files.logs.size(), [this](std::size_t number) { readLog(number); }, m_options.threads);
    if (const std::optional<Error> reason = stopReason()) return *reason;
    return Unit{};
}

void Run::readLog(std::size_t number)
{
    constexpr std::int64_t reportEvery = 8192;  // records
    StreamSink sink(m_writer->stream(ordinal(0, number)));
    if (m_progress.isCancelled() || m_stopped || m_writer->hasFailed()) return;
    ImportLog& issues = m_logs[number];
    ProcessorResult& result = m_results[number];
    result.processor.pe = ProcessorId{m_pes[number]};
    Result<std::unique_ptr<InputFile>> input = InputFile::open(m_files.logs[number].path);
    if (!input) {
        issues.add(IssueKind::UnreadableLog);
        result.processor.hasLog = false;
        return;
    }
    ProjectionsLog log(std::move(*input), m_run.layout, issues);
    ProjectionsProcessor processor(m_run, m_pes[number], sink, m_creationSpill, m_executionSpill, issues);
    processor.setLogBytes(QFileInfo(m_files.logs[number].path).size());
    LogRecord record;
    ReadSoFar reported;
    while (log.next(record)) {
        processor.add(record, log.place());
        if (log.records() % reportEvery != 0) continue;
        reportRead(log, reported);
        if (m_progress.isCancelled() || m_stopped || m_writer->hasFailed()) return;
    }
    reportRead(log, reported);
    if (log.error()) stop(*log.error());
    result = processor.finish(log);
    if (m_creationSpill.hasFailed() || m_executionSpill.hasFailed()) m_stopped = true;
}

void Run::setBroadcastSources()
{
    for (std::size_t number = 0; number < m_results.size(); ++number) {
        for (BroadcastCreation& broadcast : m_results[number].broadcasts) {
            broadcast.source = static_cast<std::uint32_t>(number);
        }
    }
}

// Pass 2: executions to creations, by destination; then the executions of every creation, by source.
Result<> Run::matchMessages()
{
    const std::size_t logs = m_files.logs.size();
    setBroadcastSources();
    leaveOutEarlierMerges();
    std::vector<Creations> creations;
    std::vector<BroadcastCreation> broadcasts;
    std::size_t count = 0;
    for (const ProcessorResult& result : m_results) count += result.broadcasts.size();
    broadcasts.reserve(count);
    for (ProcessorResult& result : m_results) {
        creations.push_back(std::move(result.creations));
        broadcasts.insert(broadcasts.end(), result.broadcasts.begin(), result.broadcasts.end());
        result.broadcasts = {};
        m_merges.edges.insert(m_merges.edges.end(), result.merges.begin(), result.merges.end());
        result.merges = {};
    }
    Matching matching(m_pes, creations, std::move(broadcasts), std::move(m_merges.edges), m_creationSpill,
                      m_executionSpill, m_run.processors);
    std::atomic<std::size_t> done{0};
    parallelFor(
        logs,
        [&](std::size_t number) {
            StreamSink sink(m_writer->stream(ordinal(1, number)));
            if (m_progress.isCancelled() || m_writer->hasFailed()) return;
            matching.match(static_cast<std::uint32_t>(number), m_results[number].executions, sink, m_logs[number],
                           m_progress);
            m_results[number].executions = {};
            m_progress.report(readShare + (0.98 - readShare) * static_cast<double>(++done) / static_cast<double>(logs));
        },
        m_options.threads);
    std::atomic<std::int64_t> matched{0};
    parallelFor(
        logs,
        [&](std::size_t number) {
            StreamSink sink(m_writer->stream(ordinal(2, number)));
            if (m_progress.isCancelled() || m_writer->hasFailed()) return;
            matched += matching.countExecutions(static_cast<std::uint32_t>(number), sink);
        },
        m_options.threads);
    if (const std::optional<Error> reason = stopReason()) return *reason;
    matching.reportUnmatchedMerges(m_log);
    StreamSink sink(m_writer->stream(ordinal(3, 0)));
    emitRanks(sink);
    return finish(matched);
}

// For AMPI, puts the calls of a rank, which may have run on several PEs, on one track.
void Run::emitRanks(RowSink& sink)
{
    std::vector<const TimedRows*> parts;
    for (const ProcessorResult& result : m_results) parts.push_back(&result.rankIntervals);
    std::optional<std::uint32_t> rank;
    TimedRows::merge(parts, m_executionSpill, [&](const TimedRow& row, std::uint32_t depth) {
        if (rank != row.lane) {
            rank = row.lane;
            m_writer->add(Track{virtualRankTrack(row.lane), noTrack, TrackKind::Rank,
                                QStringLiteral("Rank %1").arg(row.lane), std::nullopt});
        }
        const std::array<std::int64_t, IntervalColumn::Count> values = {row.begin, row.duration, row.extra,
                                                                        depth,     row.region,   row.value};
        sink.append(ChunkKind::Interval, virtualRankTrack(row.lane), values);
    });
}

Result<> Run::finish(std::int64_t matched)
{
    for (const ImportLog& log : m_logs) m_log.merge(log);
    const std::int64_t missing = m_run.processors - static_cast<std::int64_t>(m_pes.size());
    if (missing > 0) {
        std::size_t first = 0;
        while (first < m_pes.size() && m_pes[first] == first) ++first;
        m_log.addAt(IssueKind::MissingLog, QStringLiteral("PE %1").arg(first), missing);
    }
    if (m_progress.isCancelled()) return cancelledError();
    addDefinitions(*m_writer, m_run, m_results, m_log, m_progress);
    if (m_progress.isCancelled()) return cancelledError();
    TraceInfo info = traceInfo(m_run, m_files, m_results, m_log);
    info.messagesMatched = matched;
    Result<QString> fingerprint = fingerprintOf(m_files, m_progress);
    if (!fingerprint) return fingerprint.error();
    info.fingerprint = *fingerprint;
    m_writer->setInfo(info);
    return Unit{};
}

Result<ImportReport> Run::import()
{
    QElapsedTimer timer;
    timer.start();
    {
        const EndsAtOnce reading;  // nothing is written yet
        if (Result<> prepared = prepareSymbols(); !prepared) return prepared.error();
        prepareMerges();
    }
    prepareProcessors();
    if (m_files.logs.empty()) {
        return Error{.what = tr("None of the logs belongs to a PE of this run."),
                     .where = m_files.source(),
                     .hint = tr("The .sts file may be another run's.")};
    }
    Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(m_target);
    if (!writer) return writer.error();
    m_writer = std::move(*writer);
    findBegin();
    if (Result<> read = readLogs(); !read) return read.error();
    const bool isAnyRead = std::any_of(m_results.begin(), m_results.end(),
                                       [](const auto& r) { return r.processor.hasLog; });
    if (!isAnyRead) {
        return Error{.what = tr("None of the run's logs could be read."),
                     .where = m_files.source(),
                     .hint = tr("Check that you may read them.")};
    }
    if (Result<> matched = matchMessages(); !matched) return matched.error();
    if (Result<> finished = m_writer->finish(m_progress); !finished) return finished.error();

    ImportReport report;
    report.file = m_target;
    for (const ProcessorResult& result : m_results) report.records += result.processor.records;
    report.issues = m_log.issues();
    report.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    return report;
}

}  // namespace

bool probeProjections(const QString& path) { return looksLikeProjections(path); }

Result<QString> fingerprintProjections(const QString& path)
{
    Result<ProjectionsFiles> files = findProjectionsRun(path);
    if (!files) return files.error();
    return fingerprintOf(*files);
}

Result<ImportReport> importProjections(const QString& path, const QString& target, const ImportOptions& options,
                                       const Progress& progress)
{
    return importProjections(path, target, options, progress, {});
}

Result<ImportReport> importProjections(const QString& path, const QString& target, const ImportOptions& options,
                                       const Progress& progress, const ProjectionsLimits& limits)
{
    Result<ProjectionsFiles> files = findProjectionsRun(path);
    if (!files) return files.error();
    Run run(std::move(*files), target, options, progress, limits);
    Result<ImportReport> report = run.import();
    if (report) return report;
    run.removeWritten();
    const EndsAtOnce nothingLeft;  // but memory
    return report;
}

extern const Importer projectionsImporter;  // registry.cpp lists it
const Importer projectionsImporter{
    .id = "projections",
    .title = QT_TRANSLATE_NOOP("longpole", "Charm++ Projections traces"),
    .patterns = "*.sts *.log *.log.gz",
    .reads = QT_TRANSLATE_NOOP("longpole",
                               "tasks, messages, idle times, user events and statistics of Charm++ and AMPI "
                               "programs, as text or binary logs"),
    .document = "docs/formats/projections.md",
    .version = 3,
    .probe = probeProjections,
    .fingerprint = fingerprintProjections,
    .import = importProjections,
};

}  // namespace longpole
