// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a .longpole file of a summary run in two passes: outlines (when the run begins and ends), totals (PEs in
// parallel).
#include "importers/summary/import.h"

#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "importers/common/inputfile.h"
#include "importers/projections/definitions.h"
#include "importers/summary/files.h"
#include "importers/summary/processor.h"

#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <mutex>

namespace longpole {
namespace {

constexpr qsizetype mostBytes = qsizetype{1} << 30;  // of one file

// The whole file; nothing if it cannot be read, is larger than any summary, or is compressed, which no tracer does.
std::optional<QByteArray> wholeFile(const QString& path, const Progress& progress)
{
    Result<std::unique_ptr<InputFile>> file = InputFile::open(path);
    if (!file || (*file)->isCompressed()) return std::nullopt;
    QByteArray content;
    for (qsizetype filled = 0; !progress.isCancelled();) {
        content.resize(filled + (1 << 20));
        const Result<std::size_t> got = (*file)->read({content.data() + filled,
                                                       static_cast<std::size_t>(content.size() - filled)});
        if (!got) return std::nullopt;
        filled += static_cast<qsizetype>(*got);
        content.resize(filled);
        if (*got == 0) return content;
        if (filled > mostBytes) return std::nullopt;
    }
    return std::nullopt;
}

class SummaryImportRun {
public:
    SummaryImportRun(SummaryFiles files, QString target, const ImportOptions& options, const Progress& progress)
        : m_files(std::move(files)), m_target(std::move(target)), m_options(options), m_progress(progress)
    {
    }

    Result<ImportReport> import();

private:
    struct Outline {
        QString version;
        std::int64_t processors = 0;
        TimeNs end = 0;
        TimeNs width = 0;
        TimeNs firstActivity = maxTime;
        bool isUsable = false;
    };

    Result<> prepareSymbols();
    void prepareProcessors();
    void readOutline(std::size_t number);
    void setTimes();
    void readProcessor(std::size_t number, TraceWriter& writer);
    void addMissing();
    void addCounts(TraceWriter& writer) const;
    Result<> finish(TraceWriter& writer);
    template <typename Parsed>
    using Parser = std::optional<Parsed> (*)(const QByteArray&, ImportLog&, const Progress&, std::size_t);
    template <typename Parsed>
    std::optional<Parsed> parse(const QString& path, Parser<Parsed> parser, ImportLog& log) const;

    SummaryFiles m_files;
    QString m_target;
    const ImportOptions& m_options;
    const Progress& m_progress;
    SummaryRun m_run;
    std::size_t m_found = 0;  // files, those of no PE of the run as well
    ImportLog m_log;
    std::vector<Outline> m_outlines;  // by processor of m_files, as all of these
    std::vector<ImportLog> m_logs;
    std::vector<ImportLog> m_detailLogs;
    std::vector<ProcessorResult> m_results;
    std::vector<SummaryCounts> m_counts;
    std::atomic<std::size_t> m_done{0};
};

template <typename Parsed>
std::optional<Parsed> SummaryImportRun::parse(const QString& path, Parser<Parsed> parser, ImportLog& log) const
{
    if (path.isEmpty()) return std::nullopt;
    const std::optional<QByteArray> content = wholeFile(path, m_progress);
    if (content) return parser(*content, log, m_progress, m_found);
    log.add(IssueKind::UnreadableLog);
    return std::nullopt;
}

Result<> SummaryImportRun::prepareSymbols()
{
    ProjectionsSymbols& symbols = m_run.run.symbols;
    if (m_files.symbols.isEmpty()) {
        m_log.addAt(IssueKind::MissingSymbols, m_files.base + QStringLiteral(".sum.sts"));
    } else {
        ImportLog log(QFileInfo(m_files.symbols).fileName());
        Result<ProjectionsSymbols> read = readSymbols(m_files.symbols, log, m_progress);
        if (!read) return read.error();
        if (m_progress.isCancelled()) return cancelledError();
        symbols = std::move(*read);
        m_log.merge(log);
    }
    if (!m_options.symbols.isEmpty())
        if (Result<> named = nameAfter(symbols, m_options.symbols); !named) return named;
    for (const auto& [id, entry] : symbols.entries) {
        if (entry.name == QLatin1String("dummy_pack_ep")) m_run.packEntry = id;
        if (entry.name == QLatin1String("dummy_unpack_ep")) m_run.unpackEntry = id;
    }
    m_run.run.setKnownEntries();
    return Unit{};
}

void SummaryImportRun::readOutline(std::size_t number)
{
    if (m_progress.isCancelled()) return;
    ImportLog ignored;
    Outline& outline = m_outlines[number];
    const SummaryFiles::Processor& files = m_files.processors[number];
    if (const std::optional<Summary> summary = parse(files.summary, parseSummary, ignored)) {
        outline = {summary->version, summary->processors, summary->end(), summary->width, maxTime, true};
        if (const std::optional<SummaryDetail> detail = parse(files.detail, parseSummaryDetail, ignored))
            outline.firstActivity = firstActivity(*detail, m_run);
    }
    m_progress.report(0.4 * static_cast<double>(++m_done) / static_cast<double>(m_outlines.size()));
}

// How many processors there are, and which files are none of theirs.
void SummaryImportRun::prepareProcessors()
{
    std::int64_t processors = m_run.run.symbols.processors;
    const std::int64_t plausible = mostProcessorsOf(m_files.processors.size());
    for (const Outline& outline : m_outlines)
        if (processors <= 0 && outline.processors <= plausible) processors = outline.processors;
    if (processors > plausible) m_log.addAt(IssueKind::ImplausibleProcessors, QFileInfo(m_files.symbols).fileName());
    const bool isKnown = processors > 0 && processors <= plausible;
    const auto most = static_cast<std::uint64_t>(isKnown ? processors : plausible);
    while (!m_files.processors.empty() && m_files.processors.back().pe >= most) {
        const SummaryFiles::Processor& foreign = m_files.processors.back();
        m_log.addAt(IssueKind::ForeignLog,
                    QFileInfo(foreign.summary.isEmpty() ? foreign.detail : foreign.summary).fileName());
        m_files.processors.pop_back();
        m_outlines.pop_back();
    }
    if (!isKnown && !m_files.processors.empty())
        processors = static_cast<std::int64_t>(m_files.processors.back().pe) + 1;
    m_run.run.setProcessors(isKnown || !m_files.processors.empty() ? processors : 0);
}

// The run begins with the first interval in which an entry method ran, if the .sumd of all processors say which that
// is; else at the tracer's zero.
void SummaryImportRun::setTimes()
{
    TimeNs begin = maxTime;
    bool isKnown = true;
    for (const Outline& outline : m_outlines) {
        if (!outline.isUsable) continue;
        m_run.end = std::max(m_run.end, outline.end);
        begin = std::min(begin, outline.firstActivity);
        isKnown = isKnown && outline.firstActivity != maxTime;
    }
    m_run.run.begin = isKnown && begin < m_run.end ? begin : 0;
}

void SummaryImportRun::readProcessor(std::size_t number, TraceWriter& writer)
{
    const SummaryFiles::Processor& files = m_files.processors[number];
    StreamSink sink(writer.stream(static_cast<std::uint32_t>(number)));
    ProcessorResult& result = m_results[number];
    result.processor.pe = static_cast<ProcessorId>(files.pe);
    result.processor.hasLog = false;
    if (m_progress.isCancelled() || writer.hasFailed()) return;
    const std::optional<Summary> summary = parse(files.summary, parseSummary, m_logs[number]);
    if (!summary) return;
    const std::optional<SummaryDetail> detail = parse(files.detail, parseSummaryDetail, m_detailLogs[number]);
    result = importSummary(m_run, static_cast<std::uint32_t>(files.pe), *summary, detail, sink, m_logs[number],
                           m_counts[number], m_progress);
    if (!detail) m_logs[number].add(IssueKind::MissingDetail);
    m_progress.report(0.4 + 0.55 * static_cast<double>(++m_done) / static_cast<double>(m_outlines.size()));
}

void SummaryImportRun::addMissing()
{
    std::int64_t missing = m_run.run.processors;
    std::size_t next = 0;
    std::int64_t first = -1;
    for (std::int64_t pe = 0; pe < m_run.run.processors; ++pe) {
        const bool isNamed = next < m_files.processors.size()
                             && m_files.processors[next].pe == static_cast<std::uint64_t>(pe);
        if (isNamed && !m_files.processors[next++].summary.isEmpty()) --missing;
        else if (first < 0) first = pe;
    }
    if (missing > 0) m_log.addAt(IssueKind::MissingLog, QStringLiteral("PE %1").arg(first), missing);
}

void SummaryImportRun::addCounts(TraceWriter& writer) const
{
    const auto add = [&](const char* kind, std::int64_t SummaryCounts::*count) {
        std::int64_t sum = 0;
        for (const SummaryCounts& counts : m_counts) sum = saturatingAdd(sum, counts.*count);
        if (sum > 0) writer.add(RecordCount{QString::fromLatin1(kind), sum});
    };
    add("interval", &SummaryCounts::intervals);
    add("interval_of_entry", &SummaryCounts::cells);
    add("pack", &SummaryCounts::packs);
    add("unpack", &SummaryCounts::unpacks);
    add("mark", &SummaryCounts::marks);
    add("phase", &SummaryCounts::phases);
}

Result<> SummaryImportRun::finish(TraceWriter& writer)
{
    for (std::size_t number = 0; number < m_logs.size(); ++number) {
        m_log.merge(m_logs[number]);
        m_log.merge(m_detailLogs[number]);
    }
    addMissing();
    addDefinitions(writer, m_run.run, m_results, m_log, m_progress);
    addCounts(writer);
    const ProjectionsFiles files = m_files.asRun();
    TraceInfo info = traceInfo(m_run.run, files, m_results, m_log);
    info.format = QString(summaryFormat);
    for (const Outline& outline : m_outlines) {
        if (info.version.isEmpty()) info.version = outline.version;
        info.interval = std::max(info.interval, outline.width);
    }
    info.end = std::max(info.end, info.begin);
    Result<QString> fingerprint = fingerprintOf(files);
    if (!fingerprint) return fingerprint.error();
    info.fingerprint = *fingerprint;
    writer.setInfo(info);
    return writer.finish(m_progress);
}

Result<ImportReport> SummaryImportRun::import()
{
    QElapsedTimer timer;
    timer.start();
    if (Result<> prepared = prepareSymbols(); !prepared) return prepared.error();
    m_found = m_files.processors.size();
    m_outlines.resize(m_found);
    parallelFor(
        m_outlines.size(), [this](std::size_t number) { readOutline(number); }, m_options.threads);
    prepareProcessors();
    if (m_progress.isCancelled()) return cancelledError();
    if (std::none_of(m_outlines.begin(), m_outlines.end(), [](const Outline& outline) { return outline.isUsable; })) {
        return Error{.what = tr("None of the run's summaries could be read."),
                     .where = m_files.asRun().source(),
                     .hint = tr("Each .sum starts with a line like \"ver:7.1 0/4 count:100 ep:240 interval:1e-3\".")};
    }
    setTimes();
    Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(m_target);
    if (!writer) return writer.error();
    for (const SummaryFiles::Processor& files : m_files.processors) {
        m_logs.emplace_back(QFileInfo(files.summary).fileName());
        m_detailLogs.emplace_back(QFileInfo(files.detail).fileName());
    }
    m_results.resize(m_outlines.size());
    m_counts.resize(m_outlines.size());
    m_done = 0;
    parallelFor(
        m_outlines.size(), [&](std::size_t number) { readProcessor(number, **writer); }, m_options.threads);
    if (m_progress.isCancelled()) return cancelledError();
    if (Result<> finished = finish(**writer); !finished) return finished.error();

    ImportReport report;
    report.file = m_target;
    for (const ProcessorResult& result : m_results) report.records += result.processor.records;
    report.issues = m_log.issues();
    report.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    return report;
}

}  // namespace

bool probeSummary(const QString& path) { return looksLikeSummary(path); }

Result<QString> fingerprintSummary(const QString& path, FingerprintOf of)
{
    const Result<SummaryFiles> files = findSummaryRun(path);
    if (!files) return files.error();
    return fingerprintOf(files->asRun(), of);
}

Result<ImportReport> importSummaries(const QString& path, const QString& target, const ImportOptions& options,
                                     const Progress& progress)
{
    Result<SummaryFiles> files = findSummaryRun(path);
    if (!files) return files.error();
    return SummaryImportRun(std::move(*files), target, options, progress).import();
}

extern const Importer projectionsSummaryImporter;  // registry.cpp lists it
const Importer projectionsSummaryImporter{
    .id = "projections-summary",
    .title = QT_TRANSLATE_NOOP("longpole", "Charm++ summary traces"),
    .patterns = "*.sum.sts *.sum *.sumd",
    .reads = QT_TRANSLATE_NOOP("longpole",
                               "utilization by interval and totals by entry method, as tracemode summary writes them: "
                               "no tasks, no messages"),
    .document = "docs/formats/projections.md",
    .version = 1,
    .probe = probeSummary,
    .fingerprint = fingerprintSummary,
    .import = importSummaries,
};

}  // namespace longpole
