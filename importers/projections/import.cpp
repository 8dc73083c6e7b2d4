// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a .longpole file of a Projections run in three passes: heads of logs (when the run begins), whole logs (rows,
// PEs in parallel), matching (destinations in parallel). The file does not depend on the number of threads.
#include "importers/projections/import.h"

#include "core/base/endsatonce.h"
#include "core/base/parallel.h"
#include "core/base/release.h"
#include "core/base/translate.h"
#include "core/trace/trackids.h"
#include "importers/projections/definitions.h"
#include "importers/projections/executioncounts.h"
#include "importers/projections/logs.h"
#include "importers/projections/opening.h"
#include "importers/projections/rankcalls.h"

#include <QElapsedTimer>
#include <QFileInfo>

#include <atomic>
#include <optional>

namespace longpole {
namespace {

constexpr double readShare = 0.85;  // of the work, for the progress

class Run {
public:
    Run(OpenedProjections opened, const QString& target, const ImportOptions& options, const Progress& progress,
        const ProjectionsLimits& limits)
        : m_opened(std::move(opened)), m_target(target), m_options(options), m_progress(progress),
          m_creationSpill(QFileInfo(target).absolutePath(), limits.creationMemory),
          m_executionSpill(QFileInfo(target).absolutePath(), limits.executionMemory),
          m_logs(m_opened, 0, m_opened.pes.size(),
                 {m_creationSpill, m_executionSpill, QFileInfo(target).absolutePath()}, progress, readShare)
    {
        m_opened.run.pendingLimit = limits.pendingRows;
    }

    Result<ImportReport> import();
    void removeWritten() { m_writer.reset(); }

private:
    Result<> matchMessages();
    Result<> finish(std::int64_t matched);

    std::uint32_t ordinal(std::size_t pass, std::size_t number) const
    {
        return static_cast<std::uint32_t>(pass * m_opened.pes.size() + number);
    }

    OpenedProjections m_opened;
    QString m_target;
    const ImportOptions& m_options;
    const Progress& m_progress;
    Spill m_creationSpill;
    Spill m_executionSpill;
    ProjectionsLogs m_logs;
    std::unique_ptr<TraceWriter> m_writer;
};

// Pass 2: executions to creations, by destination; then the executions of every creation, by source.
Result<> Run::matchMessages()
{
    std::vector<ProcessorResult>& results = m_logs.results();
    const std::size_t logs = results.size();
    leaveOutEarlierMerges(m_opened, lastRecordOf(results));
    std::vector<RecordedMerge>& merges = m_opened.merges.edges;
    std::vector<Creations> creations;
    std::vector<BroadcastCreation> broadcasts;
    std::size_t count = 0;
    for (const ProcessorResult& result : results) count += result.broadcasts.size();
    broadcasts.reserve(count);
    for (std::size_t number = 0; number < logs; ++number) {
        ProcessorResult& result = results[number];
        creations.push_back(std::move(result.creations));
        for (BroadcastCreation& broadcast : result.broadcasts) {
            broadcast.source = static_cast<std::uint32_t>(number);
            broadcasts.push_back(broadcast);
        }
        release(result.broadcasts);
        merges.insert(merges.end(), result.merges.begin(), result.merges.end());
        release(result.merges);
    }
    ExecutionCounts counts(creations);
    Matching matching(m_opened.pes, std::move(broadcasts), std::move(merges), m_executionSpill, m_opened.run.processors,
                      counts, m_progress);
    std::atomic<std::size_t> done{0};
    parallelFor(
        logs,
        [&](std::size_t number) {
            StreamSink sink(m_writer->stream(ordinal(1, number)));
            if (m_progress.isCancelled() || m_writer->hasFailed()) return;
            CreationReader reader(creations, m_creationSpill);
            matching.match(static_cast<std::uint32_t>(number), results[number].executions, reader, sink,
                           m_logs.issues()[number], m_progress);
            results[number].executions = {};
            m_progress.report(readShare + (0.98 - readShare) * static_cast<double>(++done) / static_cast<double>(logs));
        },
        m_options.threads);
    std::atomic<std::int64_t> matched{0};
    parallelFor(
        logs,
        [&](std::size_t number) {
            StreamSink sink(m_writer->stream(ordinal(2, number)));
            if (m_progress.isCancelled() || m_writer->hasFailed()) return;
            matched += counts.emit(static_cast<std::uint32_t>(number), processorTrack(m_opened.pes[number]), sink);
        },
        m_options.threads);
    if (const std::optional<Error> reason = m_logs.stopReason()) return *reason;
    matching.reportUnmatchedMerges(m_opened.log);
    StreamSink sink(m_writer->stream(ordinal(3, 0)));
    std::vector<const TimedRows*> ranks;
    ranks.reserve(results.size());
    for (const ProcessorResult& result : results) ranks.push_back(&result.rankIntervals);
    emitRankCalls(ranks, m_executionSpill, *m_writer, sink);
    return finish(matched);
}

Result<> Run::finish(std::int64_t matched)
{
    for (const ImportLog& log : m_logs.issues()) m_opened.log.merge(log);
    addMissingLogs(m_opened, m_opened.log);
    if (m_progress.isCancelled()) return cancelledError();
    addDefinitions(*m_writer, m_opened.run, m_logs.results(), m_opened.log, m_progress);
    if (m_progress.isCancelled()) return cancelledError();
    TraceInfo info = traceInfo(m_opened.run, m_opened.files, m_logs.results(), m_opened.log);
    info.messagesMatched = matched;
    Result<QString> fingerprint = fingerprintOf(m_opened.files, FingerprintOf::Content, m_progress);
    if (!fingerprint) return fingerprint.error();
    info.fingerprint = *fingerprint;
    m_writer->setInfo(info);
    return Unit{};
}

Result<ImportReport> Run::import()
{
    QElapsedTimer timer;
    timer.start();
    Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(m_target);
    if (!writer) return writer.error();
    m_writer = std::move(*writer);
    m_opened.run.begin = m_logs.firstTimes(m_options.threads).begin();
    if (Result<> read = m_logs.read(*m_writer, m_options.threads); !read) return read.error();
    if (!m_logs.isAnyRead()) return noneRead(m_opened);
    if (Result<> matched = matchMessages(); !matched) return matched.error();
    if (Result<> finished = m_writer->finish(m_progress); !finished) return finished.error();

    ImportReport report;
    report.file = m_target;
    for (const ProcessorResult& result : m_logs.results()) report.records += result.processor.records;
    report.issues = m_opened.log.issues();
    report.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    return report;
}

Result<OpenedProjections> openedRun(const QString& path, const QString& symbols, const Progress& progress)
{
    Result<ProjectionsFiles> files = findProjectionsRun(path);
    if (!files) return files.error();
    const EndsAtOnce reading;  // nothing is written yet
    const Result<QByteArray> text = symbolsTextOf(*files);
    if (!text) return text.error();
    return openProjections(std::move(*files), *text, symbols, progress);
}

}  // namespace

bool probeProjections(const QString& path) { return looksLikeProjections(path); }

Result<QString> fingerprintProjections(const QString& path, FingerprintOf of)
{
    Result<ProjectionsFiles> files = findProjectionsRun(path);
    if (!files) return files.error();
    return fingerprintOf(*files, of);
}

Result<ImportReport> importProjections(const QString& path, const QString& target, const ImportOptions& options,
                                       const Progress& progress)
{
    return importProjections(path, target, options, progress, {});
}

Result<ImportReport> importProjections(const QString& path, const QString& target, const ImportOptions& options,
                                       const Progress& progress, const ProjectionsLimits& limits)
{
    Result<OpenedProjections> opened = openedRun(path, options.symbols, progress);
    if (!opened) return opened.error();
    Run run(std::move(*opened), target, options, progress, limits);
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
