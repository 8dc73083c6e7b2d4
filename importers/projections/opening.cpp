// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/projections/opening.h"

#include "core/base/translate.h"
#include "core/file/filedata.h"

#include <QDateTime>
#include <QFileInfo>

#include <algorithm>

namespace longpole {
namespace {

// So long after the module wrote its merges the run may take to write its .sts.
constexpr std::int64_t secondsToEnd = 10;

Result<> nameAll(OpenedProjections& opened, const QByteArray& text, const QString& others, const Progress& progress)
{
    if (opened.files.symbols.isEmpty()) {
        opened.log.addAt(IssueKind::MissingSymbols, opened.files.base + QStringLiteral(".sts"));
    } else {
        ImportLog log(QFileInfo(opened.files.symbols).fileName());
        opened.run.symbols = parseSymbols(text, log, progress);
        opened.log.merge(log);
    }
    if (others.isEmpty()) return Unit{};
    return nameAfter(opened.run.symbols, others);
}

void readMergesOf(OpenedProjections& opened, const Progress& progress)
{
    if (opened.files.merges.isEmpty()) return;
    ImportLog log(QFileInfo(opened.files.merges).fileName());
    Result<RecordedMerges> merges = readMerges(opened.files.merges, log, progress);
    if (merges) opened.merges = std::move(*merges);
    else log.add(IssueKind::MalformedMerge);
    opened.log.merge(log);
}

// Finds how many processors there are, which of them are comm threads, and which logs belong to none of them.
void findProcessors(OpenedProjections& opened)
{
    ProjectionsFiles& files = opened.files;
    ProjectionsRun& run = opened.run;
    std::int64_t processors = run.symbols.processors;
    const std::int64_t plausible = mostProcessorsOf(files.logs.size());
    for (const ProjectionsFiles::Log& log : files.takeForeignLogs(processors)) {
        opened.log.addAt(IssueKind::ForeignLog, QFileInfo(log.path).fileName());
    }
    for (const QString& path : files.second) opened.log.addAt(IssueKind::DuplicateLog, QFileInfo(path).fileName());
    if (processors <= 0 || processors > plausible) {
        if (processors > plausible || !run.symbols.isEmpty) {
            opened.log.addAt(IssueKind::ImplausibleProcessors, QFileInfo(files.symbols).fileName());
        }
        processors = files.logs.empty() ? 0 : static_cast<std::int64_t>(files.logs.back().pe) + 1;
    }
    run.setProcessors(processors);
    run.isAmpi = run.symbols.isAmpi();
    run.layout = RecordLayout::of(run.symbols);
    run.setKnownEntries();
    BytesOfFiles bytes;
    for (const ProjectionsFiles::Log& log : files.logs) {
        opened.pes.push_back(static_cast<std::uint32_t>(log.pe));
        bytes.add(log.path);
    }
    opened.logBytes = bytes.sum();
}

}  // namespace

Result<QByteArray> symbolsTextOf(const ProjectionsFiles& files)
{
    return files.symbols.isEmpty() ? QByteArray() : readSymbolsFile(files.symbols);
}

Result<OpenedProjections> openProjections(ProjectionsFiles files, const QByteArray& symbols, const QString& others,
                                          const Progress& progress)
{
    OpenedProjections opened{.files = std::move(files), .run = {}, .merges = {}, .pes = {}, .log = ImportLog()};
    if (const Result<> named = nameAll(opened, symbols, others, progress); !named) return named.error();
    readMergesOf(opened, progress);
    if (progress.isCancelled()) return cancelledError(opened.files.folder);
    findProcessors(opened);
    if (opened.files.logs.empty()) {
        return Error{.what = tr("None of the logs belongs to a PE of this run."),
                     .where = opened.files.source(),
                     .hint = tr("The .sts file may be another run's.")};
    }
    return opened;
}

TimeNs lastRecordOf(std::span<const ProcessorResult> results)
{
    TimeNs last = 0;
    for (const ProcessorResult& result : results)
        if (result.processor.records > 0) last = std::max(last, result.processor.lastRecord);
    return last;
}

void leaveOutEarlierMerges(OpenedProjections& opened, TimeNs lastRecord)
{
    RecordedMerges& merges = opened.merges;
    const QDateTime ended = QDateTime::fromString(opened.run.symbols.timestamp, Qt::ISODate);
    if (!merges.written || merges.edges.empty() || ended.timeSpec() != Qt::UTC) return;
    const std::int64_t length = std::max<std::int64_t>(lastRecord / 1'000'000'000, secondsToEnd);
    if (*merges.written >= ended.toSecsSinceEpoch() - length) return;
    opened.log.addAt(IssueKind::EarlierMerges, QFileInfo(opened.files.merges).fileName(),
                     static_cast<std::int64_t>(merges.edges.size()));
    merges.edges.clear();
}

void addMissingLogs(const OpenedProjections& opened, ImportLog& log)
{
    const std::vector<std::uint32_t>& pes = opened.pes;
    const std::int64_t missing = opened.run.processors - static_cast<std::int64_t>(pes.size());
    if (missing <= 0) return;
    std::size_t first = 0;
    while (first < pes.size() && pes[first] == first) ++first;
    log.addAt(IssueKind::MissingLog, QStringLiteral("PE %1").arg(first), missing);
}

}  // namespace longpole
