// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/projections/logs.h"

#include "core/base/limits.h"
#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "importers/common/inputfile.h"
#include "importers/common/rowsink.h"

#include <QFileInfo>

#include <algorithm>

namespace longpole {

ProjectionsLogs::ProjectionsLogs(const OpenedProjections& opened, std::size_t first, std::size_t last, Room room,
                                 const Progress& progress, double share)
    : m_opened(opened), m_first(first), m_room(std::move(room)), m_progress(progress), m_share(share),
      m_results(last - first)
{
    for (std::size_t log = first; log < last; ++log) {
        m_issues.emplace_back(QFileInfo(opened.files.logs[log].path).fileName());
        m_bytes += opened.files.logs[log].bytes;
    }
}

void ProjectionsLogs::stop(const Error& error)
{
    const std::lock_guard lock(m_mutex);
    if (!m_error) m_error = error;
    m_stopped = true;
}

std::optional<Error> ProjectionsLogs::stopReason() const
{
    if (m_progress.isCancelled()) return cancelledError();
    const std::lock_guard lock(m_mutex);
    if (m_error) return m_error;
    if (m_room.creations.hasFailed() || m_room.executions.hasFailed()) {
        return Error{.what = tr("The import's temporary file could not be written."),
                     .where = m_room.folder,
                     .hint = tr("The disk may be full; free some space or import to another folder.")};
    }
    return std::nullopt;
}

RunBegins ProjectionsLogs::firstTimes(unsigned threads)
{
    parallelFor(
        m_results.size(), [this](std::size_t i) { findFirst(m_first + i); }, threads);
    return {m_firstTask, m_firstRecord};
}

void ProjectionsLogs::findFirst(std::size_t number)
{
    if (m_progress.isCancelled() || m_stopped || m_opened.run.isCommThread(m_opened.pes[number])) return;
    Result<std::unique_ptr<InputFile>> input = InputFile::open(m_opened.files.logs[number].path);
    if (!input) return;
    ImportLog ignored;
    ProjectionsLog log(std::move(*input), m_opened.run.layout, ignored);
    readToFirst(log);
    // A thousand small logs without a task are read whole.
    const std::int64_t inflated = m_inflatedFirst += log.inflated();
    if (inflated > limits::inflated.of(m_opened.logBytes)) stop(tooFarInflated(m_opened.files.folder));
}

void ProjectionsLogs::readToFirst(ProjectionsLog& log)
{
    LogRecord record;
    TimeNs now = 0;
    while (!m_progress.isCancelled() && log.next(record)) {
        if (record.time < 0) continue;
        if (record.type == RecordType::UserEventPair || record.type == RecordType::BracketedNote) continue;
        now = std::max(now, record.time);
        TimeNs first = m_firstRecord;
        while (now < first && !m_firstRecord.compare_exchange_weak(first, now)) {}
        TimeNs least = m_firstTask;
        if (now >= least) return;
        if (record.type != RecordType::BeginProcessing) continue;
        while (now < least && !m_firstTask.compare_exchange_weak(least, now)) {}
        return;
    }
}

// Many small logs may expand no further than a large one.
void ProjectionsLogs::reportRead(const ProjectionsLog& log, ReadSoFar& before)
{
    const std::int64_t read = m_bytesRead += log.consumed() - before.consumed;
    const std::int64_t inflated = m_bytesInflated += log.inflated() - before.inflated;
    before = {log.consumed(), log.inflated()};
    if (inflated > limits::inflated.of(m_opened.logBytes)) stop(tooFarInflated(m_opened.files.folder));
    if (m_bytes > 0) m_progress.report(m_share * static_cast<double>(read) / static_cast<double>(m_bytes));
}

Result<> ProjectionsLogs::read(TraceWriter& writer, unsigned threads)
{
    parallelFor(
        m_results.size(), [&](std::size_t i) { readOne(m_first + i, writer); }, threads);
    if (const std::optional<Error> reason = stopReason()) return *reason;
    return Unit{};
}

void ProjectionsLogs::readOne(std::size_t number, TraceWriter& writer)
{
    constexpr std::int64_t reportEvery = 8192;  // records
    const std::size_t own = number - m_first;
    const std::uint32_t pe = m_opened.pes[number];
    const QString& path = m_opened.files.logs[number].path;
    StreamSink sink(writer.stream(static_cast<std::uint32_t>(own)));
    if (m_progress.isCancelled() || m_stopped || writer.hasFailed()) return;
    ImportLog& issues = m_issues[own];
    ProcessorResult& result = m_results[own];
    result.processor.pe = ProcessorId{pe};
    Result<std::unique_ptr<InputFile>> input = InputFile::open(path);
    if (!input) {
        issues.add(IssueKind::UnreadableLog);
        result.processor.hasLog = false;
        return;
    }
    ProjectionsLog log(std::move(*input), m_opened.run.layout, issues);
    ProjectionsProcessor processor(m_opened.run, pe, sink, m_room.creations, m_room.executions, issues);
    processor.setLogBytes(QFileInfo(path).size(), m_opened.files.logs.size());
    LogRecord record;
    ReadSoFar reported;
    while (log.next(record)) {
        processor.add(record, log.place());
        if (log.records() % reportEvery != 0) continue;
        reportRead(log, reported);
        if (m_progress.isCancelled() || m_stopped || writer.hasFailed()) return;
    }
    reportRead(log, reported);
    if (log.error()) stop(*log.error());
    result = processor.finish(log);
    if (m_room.creations.hasFailed() || m_room.executions.hasFailed()) m_stopped = true;
}

bool ProjectionsLogs::isAnyRead() const
{
    return std::any_of(m_results.begin(), m_results.end(),
                       [](const ProcessorResult& result) { return result.processor.hasLog; });
}

Error tooFarInflated(const QString& folder)
{
    return {.what = tr("The compressed logs expand to more than %1 times their size.").arg(limits::inflated.per),
            .where = folder,
            .hint = tr("No trace compresses so well; the files were not made by a tracer.")};
}

Error noneRead(const OpenedProjections& opened)
{
    return {.what = tr("None of the run's logs could be read."),
            .where = opened.files.source(),
            .hint = tr("Check that you may read them.")};
}

}  // namespace longpole
