// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a recording: finds its files, which of them belong to one run, and what the run is.
#include "importers/recording/run.h"

#include "core/base/demangle.h"
#include "core/base/limits.h"
#include "core/base/mayneverend.h"
#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "importers/common/fingerprint.h"
#include "importers/common/folderfiles.h"
#include "importers/recording/cores.h"
#include "importers/recording/sourcelines.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTimeZone>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace longpole {
namespace {

constexpr std::uint32_t mostRanks = 1 << 18;
constexpr QLatin1String indexName("index.lpindex");

std::optional<std::uint32_t> rankOfName(const QString& name)
{
    static const QRegularExpression pattern(QStringLiteral("^rank-([0-9]{1,9})\\.lprank$"));
    const QRegularExpressionMatch match = pattern.match(name);
    if (!match.hasMatch()) return std::nullopt;
    return match.captured(1).toUInt();
}

Error noRecording(const QString& path)
{
    return Error{.what = tr("There is no recording here."),
                 .where = path,
                 .hint = tr("A recording is a folder with files rank-000000.lprank, one per rank.")};
}

// Opens one rank's file; `failure` gets the reason if that fails.
std::optional<RecordedRank> readRank(const QString& path, ImportLog& log, std::optional<Error>& failure,
                                     const Progress& progress)
{
    const Result<RecordingBytes> bytes = RecordingBytes::open(path);
    if (!bytes) {
        failure = bytes.error();
        return std::nullopt;
    }
    Result<RecordedRank> rank = readRecordedRank(*bytes, path, log, progress);
    if (rank) return std::move(*rank);
    failure = rank.error();
    return std::nullopt;
}

// The run to which most files belong, so that one left over from another run does not decide.
struct RunIdentity {
    std::uint64_t run = 0;
    std::int32_t size = 0;
    friend auto operator<=>(const RunIdentity&, const RunIdentity&) = default;
};
// Of a program that another one of the run has started; its ranks have numbers behind those of the ones before.
bool wasStarted(const RecordedRank& rank) { return rank.header.first_rank > 0 && rank.header.run != 0; }
RunIdentity identityOf(const RecordedRank& rank) { return {rank.header.run, rank.header.size}; }

RunIdentity commonIdentity(const std::vector<RecordedRank>& ranks)
{
    std::map<RunIdentity, std::size_t> counts;
    for (const RecordedRank& rank : ranks)
        if (!wasStarted(rank)) ++counts[identityOf(rank)];
    if (counts.empty()) return {ranks.front().header.run, 0};
    RunIdentity common = counts.begin()->first;
    for (const auto& [identity, count] : counts) {
        if (count > counts[common]) common = identity;
    }
    return common;
}

bool belongs(const RecordedRank& rank, const RunIdentity& run)
{
    return wasStarted(rank) ? rank.header.run == run.run : identityOf(rank) == run;
}

// How many ranks the run's programs had together.
std::int64_t rankCount(const std::vector<RecordedRank>& ranks, const RunIdentity& run)
{
    std::int64_t count = run.size;
    for (const RecordedRank& rank : ranks)
        if (belongs(rank, run) && wasStarted(rank))
            count = std::max<std::int64_t>(count, std::int64_t{rank.header.first_rank} + rank.header.size);
    return count;
}

// Gives each rank its place; files of other runs are left out. Error: so many ranks cannot be.
Result<> placeRanks(RecordingRun& run, std::vector<RecordedRank>&& ranks)
{
    const RunIdentity identity = commonIdentity(ranks);
    if ((ranks.front().header.flags & LP_WITHOUT_TRACE) != 0)
        return Error{tr("The run was followed without recording it (--no-trace)."), run.folder,
                     tr("'longpole online' shows what its critical path was.")};
    const auto files = static_cast<std::int64_t>(ranks.size());
    const std::int64_t count = rankCount(ranks, identity);
    if (count > std::min<std::int64_t>(mostRanks, limits::recordingRanks.of(files)))
        return impossibleFigure(tr("The recording says that its run had %1 ranks").arg(count), limits::recordingRanks,
                                files, ranks.front().path);
    const std::uint32_t size = count > 0 ? static_cast<std::uint32_t>(count) : 1;
    run.ranks.resize(size);
    for (RecordedRank& rank : ranks) {
        const auto number = static_cast<std::uint32_t>(rank.header.rank);
        if (!belongs(rank, identity) || number >= size || run.ranks[number]) {
            run.log.addAt(IssueKind::ForeignLog, QFileInfo(rank.path).fileName());
            continue;
        }
        run.ranks[number] = std::move(rank);
    }
    std::int64_t missing = 0;
    std::uint32_t first = 0;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        if (!run.ranks[rank] && missing++ == 0) first = rank;
    }
    if (missing == size)
        return Error{tr("The recording has no file of a rank that its run had."), run.folder,
                     tr("Import the folder that 'longpole record' made.")};
    if (missing > 0) run.log.addAt(IssueKind::MissingLog, QStringLiteral("Rank %1").arg(first), missing);
    return Unit{};
}

// Any one file may claim a megabyte of records; all of them together may not.
Result<> checkRecords(const RecordingRun& run)
{
    std::int64_t records = 0, bytes = 0;
    for (const auto& rank : run.ranks) {
        if (!rank) continue;
        records = saturatingAdd(records, static_cast<std::int64_t>(std::min<std::uint64_t>(rank->recorded, maxTime)));
        bytes = saturatingAdd(bytes, static_cast<std::int64_t>(std::min<std::uint64_t>(rank->bytes, maxTime)));
    }
    if (records > limits::recordedRun.of(bytes))
        return impossibleFigure(tr("The recording says that it holds %1 bytes of records").arg(records),
                                limits::recordedRun, bytes, run.folder);
    return Unit{};
}

std::vector<lp_index_rank> readIndex(const RecordingFiles& files, const RecordingRun& run, ImportLog& log)
{
    const Result<RecordingBytes> bytes = files.index.isEmpty() ? noRecording(files.folder)
                                                               : RecordingBytes::open(files.index);
    if (bytes) {
        const Result<lp_header> header = readRecordingHeader(*bytes, LP_INDEX_MAGIC, files.index);
        const bool isOurs = std::any_of(run.ranks.begin(), run.ranks.end(), [&](const auto& rank) {
            return header && rank && rank->header.run == header->run;
        });
        Result<std::vector<lp_index_rank>> rows = readRecordingIndex(*bytes, files.index);
        // Programs that were started have no rows.
        if (isOurs && rows && std::ssize(*rows) == header->size && rows->size() <= run.ranks.size())
            return std::move(*rows);
    }
    log.addAt(IssueKind::MissingIndex, files.index.isEmpty() ? QString() : QFileInfo(files.index).fileName());
    return {};
}

QString timestampOf(std::int64_t wall)
{
    return QDateTime::fromMSecsSinceEpoch(wall / 1'000'000, QTimeZone::utc()).toString(Qt::ISODate);
}

// How many of a host's ranks can have a core each.
struct RecordingHost {
    std::int64_t ranks = 0, cores = 0;
    bool isBindingKnown = true;
    std::vector<CoreSet> bound;

    void add(const lp_header& header)
    {
        ++ranks;
        cores = header.cores;
        CoreSet own{};
        std::copy(std::begin(header.own_core), std::end(header.own_core), own.begin());
        std::uint32_t count = 0;
        for (const std::uint64_t word : own) count += static_cast<std::uint32_t>(std::popcount(word));
        isBindingKnown &= count > 0 && count == header.own_cores;
        if (isBindingKnown) bound.push_back(own);
    }
    std::int64_t atOnce() const
    {
        const std::int64_t most = std::min(ranks, cores);
        return isBindingKnown ? std::min(most, ranksAtOnce(bound)) : most;
    }
};

// Nothing is known where a rank's file does not say it. Where files are missing, too few cores for the other ranks are
// too few for all, and nothing else is known.
void countCores(RecordingRun& run)
{
    std::map<std::string, RecordingHost> hosts;
    std::int64_t present = 0;
    TimeNs cpu = 0, without = 0, longest = 0;
    std::int64_t longestRank = -1;
    bool isCpuKnown = true, isWithoutKnown = true;
    for (std::size_t at = 0; at < run.ranks.size(); ++at) {
        const auto& rank = run.ranks[at];
        if (!rank) continue;
        ++present;
        if (rank->header.cores == 0) return;
        hosts[std::string(rank->header.host) + ' ' + rank->header.boot_id].add(rank->header);
        isCpuKnown &= rank->header.cpu > 0;
        cpu = saturatingAdd(cpu, std::max<TimeNs>(rank->header.cpu, 0));
        isWithoutKnown &= (rank->header.flags & LP_KNOWS_WAITS_FOR_CORES) != 0;
        const TimeNs own = std::max<TimeNs>(static_cast<TimeNs>(rank->header.without_core), 0);
        without = saturatingAdd(without, own);
        if (own > longest) {
            longest = own;
            longestRank = static_cast<std::int64_t>(at);
        }
    }
    std::int64_t cores = 0;
    for (const auto& [name, host] : hosts) cores += host.atOnce();
    const bool areAllThere = present == std::ssize(run.ranks);
    if (areAllThere || cores < present) run.names.info.cores = cores;
    if (!areAllThere) return;
    if (isCpuKnown) run.names.info.cpu = cpu;
    if (!isWithoutKnown) return;
    run.names.info.withoutCore = without;
    run.names.info.withoutCoreMost = longestRank;
}

void fillInfo(RecordingRun& run, const RecordingFiles& files)
{
    TraceInfo& info = run.names.info;
    const auto first = std::find_if(run.ranks.begin(), run.ranks.end(),
                                    [](const auto& rank) { return rank.has_value(); });
    const lp_header& header = (*first)->header;
    info.format = recordingFormat;
    info.vocabulary = ProgramKind::Mpi;
    info.version = QString::number(header.version);
    info.program = QFileInfo(QFile::decodeName(header.program)).fileName();
    info.commandline = QFile::decodeName(header.command_line);
    info.machine = QString::fromUtf8(header.library).section(u'\n', 0, 0).section(u',', 0, 0);
    info.hostname = QString::fromUtf8(header.host);
    info.timestamp = timestampOf(header.start_wall);
    info.source = files.folder;
    for (const auto& rank : run.ranks) {
        if (rank) info.sourceBytes += static_cast<std::int64_t>(rank->bytes);
    }
    countCores(run);
}

}  // namespace

std::vector<QString> RecordingFiles::all() const
{
    std::vector<QString> paths;
    for (const auto& [number, path] : ranks) paths.push_back(path);
    if (!index.isEmpty()) paths.push_back(index);
    return paths;
}

Result<RecordingFiles> findRecording(const QString& path)
{
    const QFileInfo given(path);
    const QDir folder(given.isDir() ? given.absoluteFilePath() : given.absolutePath());
    RecordingFiles files;
    files.folder = folder.absolutePath();
    for (const QFileInfo& entry : filesIn(files.folder)) {
        if (const std::optional<std::uint32_t> rank = rankOfName(entry.fileName()))
            files.ranks.try_emplace(*rank, entry.absoluteFilePath());
        else if (entry.fileName() == indexName) files.index = entry.absoluteFilePath();
    }
    if (given.isFile() && files.ranks.empty() && given.fileName() != indexName)
        files.ranks.emplace(0, given.absoluteFilePath());  // a rank's file under another name
    if (files.ranks.empty()) return noRecording(path);
    return files;
}

bool looksLikeRecording(const QString& path)
{
    const QFileInfo info(path);
    if (info.isFile()) {
        QFile file(path);
        if (mayNeverEnd(path) || !file.open(QIODevice::ReadOnly)) return false;
        const QByteArray magic = file.read(8);
        return magic == LP_RANK_MAGIC || magic == LP_INDEX_MAGIC;
    }
    if (!info.isDir()) return false;
    const QStringList names = QDir(path).entryList({QStringLiteral("rank-*.lprank")}, QDir::AllEntries | QDir::System);
    return std::any_of(names.begin(), names.end(), [](const QString& name) { return rankOfName(name).has_value(); });
}

RecordedFiles readRecordedFiles(const std::vector<QString>& paths, unsigned threads, const Progress& progress)
{
    std::vector<std::optional<RecordedRank>> read(paths.size());
    std::vector<std::optional<Error>> failures(paths.size());
    std::vector<ImportLog> logs;
    logs.reserve(paths.size());
    for (const QString& path : paths) logs.emplace_back(QFileInfo(path).fileName());
    parallelFor(
        paths.size(),
        [&](std::size_t i) {
            if (!progress.isCancelled()) read[i] = readRank(paths[i], logs[i], failures[i], progress);
        },
        threads);
    RecordedFiles all;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        all.log.merge(logs[i]);
        if (read[i]) all.ranks.push_back(std::move(*read[i]));
        if (!failures[i]) continue;
        all.log.addAt(IssueKind::UnreadableLog, QFileInfo(paths[i]).fileName());
        if (!all.failure) all.failure = failures[i];
    }
    return all;
}

Result<RecordingRun> joinRecording(const RecordingFiles& files, RecordedFiles&& read, const Progress& progress)
{
    beginDemangling();
    if (read.ranks.empty()) return *read.failure;
    RecordingRun run;
    run.folder = files.folder;
    run.log = std::move(read.log);
    if (const Result<> placed = placeRanks(run, std::move(read.ranks)); !placed) return placed.error();
    if (const Result<> checked = checkRecords(run); !checked) return checked.error();
    const std::vector<lp_index_rank> index = readIndex(files, run, run.log);
    run.names.ranks = static_cast<std::uint32_t>(run.ranks.size());
    run.numbers.resize(run.ranks.size());
    fillInfo(run, files);
    alignClocks(run, index);
    SourceLines lines(run.folder, run.begun(), progress);
    nameRegions(run, lines, progress);
    if (const Result<> named = nameCommunicators(run); !named) return named.error();
    nameStacks(run, lines, progress);
    if (!lines.missing().empty())
        run.log.addAt(IssueKind::MissingProgram, lines.missing().front(), std::ssize(lines.missing()));
    if (const std::vector<QString> tooMuch = lines.tooMuch(); !tooMuch.empty())
        run.log.addAt(IssueKind::UnreadableProgram, tooMuch.front(), std::ssize(tooMuch));
    if (progress.isCancelled()) return cancelledError();
    nameLocations(run);
    return run;
}

TimeNs RecordingRun::begun() const
{
    TimeNs first = maxTime;
    for (const auto& rank : ranks)
        if (rank) first = std::min(first, rank->header.start_wall);
    return first;
}

Result<RecordingRun> openRecording(const RecordingFiles& files, unsigned threads, const Progress& progress)
{
    const QString fingerprint = fingerprintOfFiles(files.folder, files.all(), FingerprintOf::Content, progress);
    std::vector<QString> paths;
    for (const auto& [number, path] : files.ranks) paths.push_back(path);
    RecordedFiles read = readRecordedFiles(paths, threads, progress);
    if (progress.isCancelled()) return cancelledError();
    Result<RecordingRun> run = joinRecording(files, std::move(read), progress);
    if (!run) return run.error();
    run->names.info.fingerprint = fingerprint;
    run->names.info.begin = earliestTimes(*run, threads, progress).begin();
    if (progress.isCancelled()) return cancelledError();
    return run;
}

}  // namespace longpole
