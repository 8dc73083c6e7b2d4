// SPDX-License-Identifier: GPL-3.0-or-later
// Writing a reduced run. Every log is read twice: the first time to count, as the number of records stands in its first
// line; a log that stays as it is is copied byte by byte. Of files that lie elsewhere only what can be read goes on: a
// stranger's trace may link to any file of the user's, who sends the reduced one back.
#include "importers/projections/reduce.h"

#include "core/base/mayneverend.h"
#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "importers/common/merges.h"
#include "importers/common/partfolder.h"
#include "importers/common/writtenfile.h"
#include "importers/projections/cut.h"
#include "importers/projections/lines.h"
#include "importers/projections/stswriter.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace longpole {
namespace {

constexpr std::uint32_t pathEventNumber = 32000;  // Charm++'s own
constexpr std::size_t writtenAtOnce = std::size_t{64} * 1024;

QString pathEventName() { return QStringLiteral("Critical Path"); }

TimeNs roundedDown(TimeNs time) { return time - ((time % 1000) + 1000) % 1000; }

// What reading a log once found.
struct LogContent {
    std::int64_t lines = 0;
    std::int64_t promised = -1;
    std::int32_t largestEvent = -1;
    bool isCompressed = false;
    bool isDelta = false;      // times of its lines are differences
    bool isUnchanged = false;  // its lines are the log's, and the log is whole
};

bool isWhole(const ImportLog& issues)
{
    constexpr IssueKind damages[] = {IssueKind::MissingHeader, IssueKind::CutLog,        IssueKind::CutRecord,
                                     IssueKind::DamagedLog,    IssueKind::WrongChecksum, IssueKind::TrailingBytes};
    return std::none_of(std::begin(damages), std::end(damages), [&](IssueKind kind) { return issues.count(kind) > 0; });
}

class ReducedRun {
public:
    ReducedRun(const TraceStore& trace, const ProjectionsSource& source, const ProjectionsReduction& wanted,
               const Progress& progress)
        : m_trace(trace), m_source(source), m_wanted(wanted), m_progress(progress),
          m_folder(QDir(wanted.folder).absolutePath()), m_layout(RecordLayout::of(source.symbols)),
          m_range(wanted.range ? reducedRange(trace.info(), *wanted.range) : TimeRange{minTime, maxTime})
    {
    }

    Result<ReductionReport> write();

private:
    Result<> checkFolder() const;
    bool isElsewhere(const QString& path) const;
    Result<> chooseLogs();
    void preparePath();
    LogCutting cuttingOf(std::uint32_t pe) const;
    Result<> fill(const PartFolder& folder);
    void reduceLog(std::size_t number, const PartFolder& folder);
    Result<> writeLog(std::size_t number, const PartFolder& folder);
    Result<LogContent> readLog(const ProjectionsFiles::Log& file, const LogCutting& cutting, const LogCut::Sink& sink);
    Result<> writeLines(const ProjectionsFiles::Log& log, const LogCutting& cutting, const LogContent& content,
                        WrittenFile& file);
    Result<> copyFile(const QString& path, WrittenFile& file);
    Result<> writeSmall(const PartFolder& folder, const QString& name, const QByteArray& bytes);
    Result<> writeSymbols(const PartFolder& folder);
    Result<> writeMerges(const PartFolder& folder);
    Result<> writeMergesRead(const PartFolder& folder, const QString& name);
    Result<> writeRc(const PartFolder& folder);
    bool isStopped() const { return m_isStopped || m_progress.isCancelled(); }
    void stop(const Error& error);
    void reportRead(std::int64_t bytes);

    const TraceStore& m_trace;
    const ProjectionsSource& m_source;
    const ProjectionsReduction& m_wanted;
    const Progress& m_progress;
    const QString m_folder;  // absolute
    RecordLayout m_layout;
    TimeRange m_range;
    std::vector<ProjectionsFiles::Log> m_logs;  // that are kept
    QStringList m_logNames;                     // of the files to write
    QStringList m_symbolNames;                  // of the others, the .sts last
    std::map<std::uint32_t, std::vector<TimeRange>> m_path;
    QByteArray m_symbolsText;
    std::uint32_t m_pathEvent = pathEventNumber;
    bool m_replacesPath = false;
    ReductionReport m_report;
    std::int64_t m_bytes = 0;  // to be read
    std::atomic<std::int64_t> m_bytesRead{0};
    std::atomic<std::int64_t> m_bytesWritten{0};
    std::atomic<bool> m_isStopped{false};
    std::mutex m_mutex;  // m_error
    std::optional<Error> m_error;
};

// Errors: writing there would touch the original, or mix another trace of this name with the new one.
Result<> ReducedRun::checkFolder() const
{
    const QString original = QFileInfo(m_source.files.folder).canonicalFilePath();
    const QFileInfo target(m_folder);
    // A folder of logs below the original's would belong to that run.
    const bool isPart = target.dir().canonicalPath() == original
                        && target.fileName().startsWith(QString(m_source.files.base + u".projdir."));
    if (isPart || target.canonicalFilePath() == original) {
        return Error{.what = tr("The original logs lie in this folder; it is left as it is."),
                     .where = m_folder,
                     .hint = tr("Choose another folder for the reduced trace.")};
    }
    const QStringList there = filesOfRun(m_folder, m_source.files.base);
    if (there.isEmpty()) return Unit{};
    return Error{.what = tr("The folder has a trace of this name already (%1).").arg(there.front()),
                 .where = m_folder,
                 .hint = tr("Choose another folder, or remove that trace first.")};
}

// Whether a link leads to a file of the run.
bool ReducedRun::isElsewhere(const QString& path) const
{
    const QDir folder(m_source.files.folder);
    return QFileInfo(path).canonicalFilePath() != QDir(folder.canonicalPath()).filePath(folder.relativeFilePath(path));
}

Result<> ReducedRun::chooseLogs()
{
    const auto isAsked = [this](std::uint32_t pe) {
        return m_wanted.pes.empty() || std::binary_search(m_wanted.pes.begin(), m_wanted.pes.end(), pe);
    };
    auto log = m_source.files.logs.begin();
    for (const Processor& processor : m_trace.processors()) {
        const std::uint32_t pe = index(processor.pe);
        if (!isAsked(pe)) continue;
        while (log != m_source.files.logs.end() && log->pe < pe) ++log;
        if (!processor.hasLog || log == m_source.files.logs.end() || log->pe != pe) {
            if (!m_wanted.pes.empty()) m_report.withoutLog.push_back(pe);
            continue;
        }
        m_logs.push_back(*log);
        m_report.pes.push_back(pe);
        m_bytes += 2 * log->bytes;
    }
    m_logNames.resize(qsizetype(m_logs.size()));
    if (!m_logs.empty()) return Unit{};
    return Error{.what = tr("The original has no logs of these PEs."),
                 .where = m_source.files.folder,
                 .hint = tr("Choose others with --pes.")};
}

void ReducedRun::preparePath()
{
    const bool isOwn = m_source.files.symbols.isEmpty() || !isElsewhere(m_source.files.symbols);
    m_symbolsText = isOwn ? m_source.symbolsText : symbolLines(m_source.symbolsText);
    if (!m_wanted.path) return;
    if (!m_source.symbols.isEmpty) {
        SymbolsWithEvent symbols = withUserEvent(m_symbolsText, pathEventNumber, pathEventName());
        m_symbolsText = std::move(symbols.text);
        m_pathEvent = symbols.id;
        m_replacesPath = symbols.isKnown;
    }
    for (const PathInterval& step : *m_wanted.path) m_path[step.pe].push_back({step.begin, step.end});
    for (auto& [pe, steps] : m_path) {
        std::sort(steps.begin(), steps.end(), [](const TimeRange& a, const TimeRange& b) {
            return std::pair(a.end, a.begin) < std::pair(b.end, b.begin);
        });
        if (std::binary_search(m_report.pes.begin(), m_report.pes.end(), pe))
            m_report.pathSteps += std::int64_t(steps.size());
    }
}

LogCutting ReducedRun::cuttingOf(std::uint32_t pe) const
{
    LogCutting cutting;
    cutting.range = m_range;
    cutting.pathEvent = m_pathEvent;
    cutting.replacesPath = m_replacesPath;
    cutting.pe = pe;
    cutting.pathNestedId = m_source.symbols.isAmpi() ? -1 : 0;
    if (const auto path = m_path.find(pe); path != m_path.end()) cutting.path = path->second;
    return cutting;
}

void ReducedRun::stop(const Error& error)
{
    const std::lock_guard lock(m_mutex);
    if (!m_error) m_error = error;
    m_isStopped = true;
}

void ReducedRun::reportRead(std::int64_t bytes)
{
    const std::int64_t read = m_bytesRead += bytes;
    if (m_bytes > 0) m_progress.report(0.99 * static_cast<double>(read) / static_cast<double>(m_bytes));
}

Result<LogContent> ReducedRun::readLog(const ProjectionsFiles::Log& file, const LogCutting& cutting,
                                       const LogCut::Sink& sink)
{
    constexpr std::int64_t reportEvery = 8192;  // records
    const bool leavesOut = isElsewhere(file.path);
    Result<std::unique_ptr<InputFile>> input = InputFile::open(file.path);
    if (!input) return input.error();
    LogContent content;
    content.isCompressed = (*input)->isCompressed();
    ImportLog issues;
    ProjectionsLog log(std::move(*input), m_layout, issues);
    log.start();
    LogCut cut(log, m_layout, cutting, sink);
    LogRecord record;
    std::int64_t reported = 0;
    while (const std::optional<Decoded> decoded = log.step(record)) {
        if (!log.isBinary() && (decoded == Decoded::Record || !leavesOut)) cut.add(*decoded, record, log.raw());
        else if (decoded == Decoded::Record) cut.add(*decoded, record, lineOf(record, m_layout, log.raw()));
        if (log.records() % reportEvery != 0) continue;
        reportRead(log.consumed() - reported);
        reported = log.consumed();
        if (isStopped()) return cancelledError();
    }
    reportRead(log.consumed() - reported);
    if (log.error()) return *log.error();
    cut.finish();
    content.lines = cut.lines();
    content.promised = log.promised();
    content.largestEvent = cut.largestEvent();
    content.isDelta = log.isDelta() && !cut.isAbsolute();
    content.isUnchanged = !leavesOut && cut.isVerbatim() && !log.isBinary() && isWhole(issues)
                          && content.promised == content.lines;
    return content;
}

Result<> ReducedRun::writeLines(const ProjectionsFiles::Log& log, const LogCutting& cutting, const LogContent& content,
                                WrittenFile& file)
{
    std::string block = "PROJECTIONS-RECORD " + std::to_string(content.lines) + (content.isDelta ? " DELTA\n" : "\n");
    const auto flush = [&] {
        if (!file.write(block)) m_isStopped = true;
        block.clear();
    };
    const Result<LogContent> again = readLog(log, cutting, [&](std::string_view line) {
        block += line;
        if (block.size() >= writtenAtOnce) flush();
    });
    flush();
    Result<> finished = file.finish();
    if (!finished) return finished;
    if (!again) return again.error();
    if (again->lines == content.lines) return Unit{};
    return Error{.what = tr("The log changed while it was read."), .where = log.path, .hint = {}};
}

Result<> ReducedRun::copyFile(const QString& path, WrittenFile& file)
{
    QFile original(path);
    if (!original.open(QIODevice::ReadOnly | QIODevice::Unbuffered)) {
        return Error{.what = tr("The file could not be opened: %1.").arg(original.errorString()),
                     .where = path,
                     .hint = tr("Check that you may read it.")};
    }
    std::vector<char> block(writtenAtOnce);
    while (!isStopped()) {
        const qint64 got = original.read(block.data(), static_cast<qint64>(block.size()));
        if (got < 0) {
            return Error{.what = tr("The file could not be read: %1.").arg(original.errorString()),
                         .where = path,
                         .hint = tr("Check the disk or the network share it lies on.")};
        }
        if (got == 0) return file.finish();
        if (!file.write({block.data(), static_cast<std::size_t>(got)})) return file.finish();
        reportRead(got);
    }
    return cancelledError();
}

Result<> ReducedRun::writeLog(std::size_t number, const PartFolder& folder)
{
    const ProjectionsFiles::Log& log = m_logs[number];
    LogCutting cutting = cuttingOf(m_report.pes[number]);
    const Result<LogContent> content = readLog(log, cutting, [](std::string_view) {});
    if (!content) return content.error();
    cutting.firstPathEventNumber = content->largestEvent + 1;

    QString& name = m_logNames[qsizetype(number)];
    name = logFileName(m_source.files.base, log.pe, content->isCompressed);
    const bool isCopy = content->isUnchanged;
    Result<std::unique_ptr<WrittenFile>> file = folder.file(name, content->isCompressed && !isCopy);
    if (!file) return file.error();
    Result<> written = isCopy ? copyFile(log.path, **file) : writeLines(log, cutting, *content, **file);
    m_bytesWritten += (*file)->bytes();
    return written;
}

void ReducedRun::reduceLog(std::size_t number, const PartFolder& folder)
{
    if (isStopped()) return;
    Result<> written = writeLog(number, folder);
    if (!written && !wasCancelled(written.error())) stop(written.error());
}

Result<> ReducedRun::writeSmall(const PartFolder& folder, const QString& name, const QByteArray& bytes)
{
    Result<std::unique_ptr<WrittenFile>> file = folder.file(name, false);
    if (!file) return file.error();
    (*file)->write({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    if (Result<> finished = (*file)->finish(); !finished) return finished;
    m_bytesWritten += bytes.size();
    m_symbolNames += name;
    return Unit{};
}

Result<> ReducedRun::writeSymbols(const PartFolder& folder)
{
    m_report.hasSymbols = !m_source.symbols.entries.empty();
    if (m_source.files.symbols.isEmpty() && m_symbolsText.isEmpty()) return Unit{};
    return writeSmall(folder, m_source.files.base + QStringLiteral(".sts"), m_symbolsText);
}

// Copies the merges that the program recorded beside its logs (importers/common/merges.h).
Result<> ReducedRun::writeMerges(const PartFolder& folder)
{
    if (m_source.files.merges.isEmpty()) return Unit{};
    const QString name = QFileInfo(m_source.files.merges).fileName();
    if (isElsewhere(m_source.files.merges)) return writeMergesRead(folder, name);
    Result<std::unique_ptr<WrittenFile>> file = folder.file(name, false);
    if (!file) return file.error();
    if (Result<> copied = copyFile(m_source.files.merges, **file); !copied) return copied;
    m_bytesWritten += (*file)->bytes();
    m_symbolNames += name;
    return Unit{};
}

// As the import, does without a file that cannot be read.
Result<> ReducedRun::writeMergesRead(const PartFolder& folder, const QString& name)
{
    ImportLog ignored;
    const Result<RecordedMerges> merges = readMerges(m_source.files.merges, ignored);
    if (!merges) return Unit{};
    return writeSmall(folder, name, textOfMerges(*merges));
}

// Writes the .projrc, from which the Java program takes the run's times: its end becomes that of the range.
Result<> ReducedRun::writeRc(const PartFolder& folder)
{
    constexpr qint64 most = qint64{64} * 1024;
    const QString name = m_source.files.base + QStringLiteral(".projrc");
    const QString path = QDir(m_source.files.folder).filePath(name);
    QFile original(path);
    if (mayNeverEnd(path) || !QFileInfo(path).isFile() || !original.open(QIODevice::ReadOnly)) return Unit{};
    m_report.bytesBefore += original.size();
    QList<QByteArray> lines = original.read(most).split('\n');
    if (isElsewhere(path))
        lines.removeIf([](const QByteArray& line) { return !line.trimmed().isEmpty() && !line.startsWith("RC_"); });
    for (QByteArray& line : lines) {
        const QByteArray key = "RC_GLOBAL_END_TIME";
        if (m_range.end == maxTime || !line.startsWith(key)) continue;
        const qlonglong end = line.mid(key.size()).trimmed().toLongLong();
        if (end > m_range.end / 1000) line = key + "   " + QByteArray::number(qlonglong{m_range.end / 1000});
    }
    return writeSmall(folder, name, lines.join('\n'));
}

Result<> ReducedRun::fill(const PartFolder& folder)
{
    parallelFor(m_logs.size(), [&](std::size_t number) { reduceLog(number, folder); });
    if (m_progress.isCancelled()) return cancelledError();
    if (m_error) return *m_error;
    if (Result<> written = writeMerges(folder); !written) return written;
    if (Result<> written = writeRc(folder); !written) return written;
    return writeSymbols(folder);
}

Result<ReductionReport> ReducedRun::write()
{
    if (Result<> checked = checkFolder(); !checked) return checked.error();
    if (Result<> chosen = chooseLogs(); !chosen) return chosen.error();
    preparePath();
    m_report.bytesBefore = m_source.files.bytes();
    Result<PartFolder> folder = PartFolder::create(m_folder);
    if (!folder) return folder.error();
    if (Result<> filled = fill(*folder); !filled) return filled.error();
    if (Result<> published = folder->publish(m_logNames + m_symbolNames); !published) return published.error();

    const QDir place(m_folder);
    for (const QString& name : m_symbolNames + m_logNames) m_report.files += place.filePath(name);
    m_report.bytesAfter = m_bytesWritten;
    m_progress.report(1);
    return m_report;
}

}  // namespace

TimeRange reducedRange(const TraceInfo& run, TimeRange range)
{
    TimeRange rounded{minTime, maxTime};
    if (range.begin > run.begin) rounded.begin = roundedDown(range.begin);
    if (range.end < run.end) rounded.end = roundedDown(saturatingAdd(range.end, 999));
    return rounded;
}

Result<ReductionReport> reduceProjections(const TraceStore& trace, const ProjectionsSource& source,
                                          const ProjectionsReduction& wanted, const Progress& progress)
{
    return ReducedRun(trace, source, wanted, progress).write();
}

}  // namespace longpole
