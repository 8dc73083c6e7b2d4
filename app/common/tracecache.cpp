// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/tracecache.h"

#include "app/commandline/commandline.h"
#include "app/common/sourcefiles.h"
#include "app/common/userfolders.h"
#include "core/base/endsatonce.h"
#include "core/base/mayneverend.h"
#include "core/file/schema.h"
#include "importers/common/formats.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

Result<> checkReadable(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists())
        return Error{tr("There is no such file or folder."), path,
                     path.contains(QChar::ReplacementCharacter)
                         ? tr("A name that is no UTF-8 can be opened through a link with another name.")
                         : QString()};
    if (!info.isFile() && !info.isDir())
        return Error{tr("This is neither a file nor a folder."), path,
                     tr("Pipes and devices must be copied into a file.")};
    if (!info.isReadable() || (info.isDir() && !info.isExecutable()))
        return Error{tr("It cannot be read."), path, tr("Ask its owner for the rights, or copy it.")};
    return Unit{};
}

// What files of an ending are, and how they are called if they are not that.
constexpr const char* endingNames[][2] = {
    {".sts", "a Projections .sts"},    {".log", "a Projections log"},      {".log.gz", "a Projections log"},
    {".sum", "a Projections summary"}, {".sumd", "a Projections summary"}, {".otf2", "an OTF2 anchor file"},
    {".csv", "a table of MPI calls"},  {".lprec", "a Longpole recording"}, {".longpole", "a .longpole file"},
};

// "hello": the first word of a text; empty for what is none.
QString firstWord(const QString& path)
{
    QFile file(path);
    if (mayNeverEnd(path) || !file.open(QIODevice::ReadOnly)) return {};
    constexpr qint64 start = 64;
    constexpr qsizetype longest = 24;
    const QByteArray bytes = file.read(start);
    const auto isText = [](char c) { return c == '\n' || c == '\r' || c == '\t' || (c >= ' ' && c <= '~'); };
    if (!std::all_of(bytes.begin(), bytes.end(), isText)) return {};
    return QString::fromLatin1(bytes).trimmed().section(QRegularExpression(QStringLiteral("\\s")), 0, 0).left(longest);
}

// Why a path is no trace, as far as a look at its first bytes tells.
Error notATrace(const QString& path)
{
    const QFileInfo info(path);
    const QString opens = tr("Longpole opens %1, and .longpole files.").arg(tr(openedFormats));
    if (info.isDir()) return {tr("No trace lies in this folder."), path, opens};
    if (info.size() == 0) return {tr("%1 is empty (0 bytes).").arg(path), {}, opens};
    const QString word = firstWord(path);
    const QString start = word.isEmpty() ? tr("it is no text") : tr("it starts with \"%1\"").arg(word);
    for (const auto& [ending, name] : endingNames)
        if (path.endsWith(QLatin1String(ending), Qt::CaseInsensitive))
            return {tr("%1 is not %2 (%3).").arg(path, tr(name), start), {}, opens};
    return {tr("%1 is no trace (%2).").arg(path, start), {}, opens};
}

bool isSqlite(const QString& path)
{
    QFile file(path);
    return !mayNeverEnd(path) && file.open(QIODevice::ReadOnly) && file.read(16) == QByteArray("SQLite format 3", 16);
}

Result<std::shared_ptr<const TraceStore>> openStore(const QString& path)
{
    const EndsAtOnce reading;
    return TraceStore::open(path);
}

// Files leave the cache in the order of their modification times, so opening one renews it. The content of a finished
// file never changes.
void markUsed(const TraceStore& store) { ::futimens(store.file()->descriptor(), nullptr); }

bool isOwn(const TraceStore& store)
{
    struct stat open {};
    return ::fstat(store.file()->descriptor(), &open) == 0 && (open.st_uid == ::geteuid() || open.st_uid == 0);
}

// Whether a trace is the file of its name in the folder, and none that came with another folder of that folder's name.
bool isIn(const OpenFolder& folder, const TraceStore& store)
{
    const QByteArray name = QFile::encodeName(QFileInfo(store.path()).fileName());
    struct stat named {};
    struct stat open {};
    return ::fstatat(folder.descriptor(), name.constData(), &named, AT_SYMLINK_NOFOLLOW) == 0
           && ::fstat(store.file()->descriptor(), &open) == 0 && named.st_dev == open.st_dev
           && named.st_ino == open.st_ino;
}

// The file of that name in the folder, but for somebody else's, who could have written there once. Another import of
// the trace may replace it at any time.
Result<std::shared_ptr<const TraceStore>> openIn(const OpenFolder& folder, const QString& path)
{
    constexpr int imports = 16;  // that end while it is opened
    for (int opened = 0; opened < imports; ++opened) {
        auto store = openStore(path);
        if (store && !isOwn(**store))
            return Error{tr("This trace in the cache belongs to somebody else."), path, tr("Import the trace anew.")};
        if (!store || isIn(folder, **store)) return store;
    }
    return Error{tr("Another folder has got the name of the cache meanwhile."), path,
                 tr("Set XDG_CACHE_HOME to a folder around which nobody else may write.")};
}

OpenedTrace opened(std::shared_ptr<const TraceStore> store)
{
    OpenedTrace trace;
    trace.fromCache = true;
    trace.report.file = store->path();
    trace.report.records = store->info().records;
    trace.report.issues.assign(store->issues().begin(), store->issues().end());
    trace.store = std::move(store);
    return trace;
}

// Names of an import (cacheFile()) and of iterations that the window has laid over each other. Other traces in the
// folder are the user's.
bool isCachedName(const QString& name)
{
    static const QRegularExpression own(
        QStringLiteral(R"(\A([0-9a-f]{32}|.+-[0-9]+-iterations-[0-9a-f]{6})\.longpole\z)"),
        QRegularExpression::DotMatchesEverythingOption);
    return own.match(name).hasMatch();
}

// None of a folder that is somebody else's. Most recently used first.
QFileInfoList cachedFiles()
{
    if (!checkFolder(UserFolder::Cache)) return {};
    QFileInfoList files = QDir(cacheFolder()).entryInfoList({QStringLiteral("*.longpole")}, QDir::Files, QDir::Time);
    files.removeIf([](const QFileInfo& info) { return !isCachedName(info.fileName()); });
    return files;
}

// A file's size, if it could be removed from the folder; errno tells why not. Whatever has got the folder's name since
// keeps what it has.
std::optional<std::int64_t> removeFrom(const OpenFolder& folder, const QString& file)
{
    const QByteArray name = QFile::encodeName(QFileInfo(file).fileName());
    struct stat status {};
    const bool isRemoved = ::fstatat(folder.descriptor(), name.constData(), &status, AT_SYMLINK_NOFOLLOW) == 0
                           && ::unlinkat(folder.descriptor(), name.constData(), 0) == 0;
    return isRemoved ? std::optional<std::int64_t>(status.st_size) : std::nullopt;
}

// "<name>.part-<pid>" (and SQLite's journal beside it).
QRegularExpressionMatch matchPartFile(const QString& name)
{
    static const QRegularExpression part(
        QStringLiteral(R"(\.longpole\.part-([1-9][0-9]{0,9})(-(journal|wal|shm))?\z)"));
    return part.match(name);
}

// A part file of a cached trace whose process has ended.
bool isLeftOver(const QString& name)
{
    const QRegularExpressionMatch match = matchPartFile(name);
    if (!match.hasMatch() || !isCachedName(name.left(name.lastIndexOf(QLatin1String(".part-"))))) return false;
    const auto pid = static_cast<pid_t>(match.captured(1).toLong());
    return ::kill(pid, 0) != 0 && errno == ESRCH;
}

// As the importer does, but into the folder that is open, where there is /proc: what is imported there nobody else
// reads.
Result<ImportReport> importInto(const OpenFolder& folder, const Importer& importer, const QString& path,
                                const QString& target, const ImportOptions& options, const Progress& progress)
{
    const bool isReachable = isOpenAt(folder.path(), folder.descriptor());
    const QString file = isReachable ? QString(folder.path() + QLatin1Char('/') + QFileInfo(target).fileName())
                                     : target;
    Result<ImportReport> report = importer.import(path, file, options, progress);
    if (report) {
        report->file = target;
        return report;
    }
    Error error = report.error();
    if (isReachable) error.where.replace(folder.path(), QFileInfo(target).path());
    return error;
}

}  // namespace

bool isLongpoleFile(const QString& path)
{
    const QFileInfo info(path);
    if (!info.isFile()) return false;
    if (info.suffix() == QLatin1String("longpole")) return true;
    return isSqlite(path);
}

Result<const Importer*> findImporter(const QString& path)
{
    if (const Importer* importer = importerFor(path)) return importer;
    return notATrace(path);
}

Result<QString> cacheFile(const QString& path, const ImportOptions& options)
{
    if (auto readable = checkReadable(path); !readable) return readable.error();
    const auto importer = findImporter(path);
    if (!importer) return importer.error();
    const auto fingerprint = (*importer)->fingerprint(path, FingerprintOf::Place);
    if (!fingerprint) return fingerprint.error();

    QCryptographicHash key(QCryptographicHash::Sha256);
    const auto add = [&key](const QByteArray& part) {
        key.addData(QByteArray(QByteArray::number(part.size()) + ':'));
        key.addData(part);
    };
    add(fingerprint->toUtf8());
    add((*importer)->id);
    add(QByteArray::number((*importer)->version));
    add(QByteArray::number(qlonglong{schemaVersion}));  // a cached file of another schema would not open
    if (!options.symbols.isEmpty()) {
        QFile symbols(options.symbols);
        if (mayNeverEnd(symbols.fileName()) || !QFileInfo(symbols).isFile() || !symbols.open(QIODevice::ReadOnly))
            return Error{tr("The file of symbols cannot be read."), options.symbols,
                         tr("--symbols takes the .sts of another run of the same program.")};
        add(symbols.readAll());
    }
    return QString(cacheFolder() + QLatin1Char('/') + QString::fromLatin1(key.result().toHex().left(32))
                   + QStringLiteral(".longpole"));
}

Result<OpenedTrace> openTrace(const QString& path, const ImportOptions& options, const Progress& progress)
{
    if (auto readable = checkReadable(path); !readable) return readable.error();
    if (matchPartFile(path).hasMatch())
        return Error{tr("The import that writes this file has not finished."), path,
                     tr("Wait for it, or import the trace again.")};
    if (isLongpoleFile(path)) {
        if (!isSqlite(path)) return notATrace(path);
        auto store = openStore(path);
        if (!store) return store.error();
        return opened(std::move(*store));
    }
    const auto target = [&] {
        const EndsAtOnce reading;
        return cacheFile(path, options);
    }();
    if (!target) return target.error();
    // Before anything in it is believed.
    if (auto folder = checkFolder(UserFolder::Cache); !folder) return folder.error();
    if (QFileInfo::exists(*target)) {
        const auto folder = openFolder(UserFolder::Cache);
        if (!folder) return folder.error();
        auto store = openIn(*folder, *target);
        if (store) markUsed(**store);
        if (store) return opened(std::move(*store));
        if (!isOpenAt(cacheFolder(), folder->descriptor())) return store.error();
        removeFrom(*folder, *target);  // damaged, or of another version: import again
    }
    if (auto made = makeFolder(UserFolder::Cache); !made) return made.error();
    const auto folder = openFolder(UserFolder::Cache);
    if (!folder) return folder.error();

    OpenedTrace trace;
    const auto importer = findImporter(path);
    if (progress.isCancelled()) return cancelledError(path);
    if (!importer) return importer.error();
    auto report = importInto(*folder, **importer, path, *target, options, progress);
    if (!report) return report.error();
    trace.report = std::move(*report);
    auto store = openIn(*folder, *target);
    if (!store) return store.error();
    followRights((*store)->file()->descriptor(), path);
    trace.store = std::move(*store);
    trimCache(cacheLimitBytes, *target);
    return trace;
}

std::vector<CacheEntry> cacheEntries()
{
    std::vector<CacheEntry> entries;
    for (const QFileInfo& info : cachedFiles()) {
        CacheEntry entry{info.absoluteFilePath(), info.size(), info.lastModified(), {}};
        if (const auto store = TraceStore::open(entry.file)) entry.source = (*store)->info().source;
        entries.push_back(std::move(entry));
    }
    return entries;
}

Result<Cleared> clearCache()
{
    if (const Result<> checked = checkFolder(UserFolder::Cache); !checked) return checked.error();
    Cleared cleared;
    if (!QFileInfo::exists(cacheFolder())) return cleared;
    const Result<OpenFolder> folder = openFolder(UserFolder::Cache);
    if (!folder) return folder.error();
    QFileInfoList files = cachedFiles();
    for (const QFileInfo& info : QDir(cacheFolder()).entryInfoList(QDir::Files))
        if (isLeftOver(info.fileName())) files << info;
    for (const QFileInfo& info : files) {
        if (const auto bytes = removeFrom(*folder, info.fileName())) {
            ++cleared.files;
            cleared.bytes += *bytes;
        } else if (errno != ENOENT) {
            return Error{tr("The file cannot be removed: %1.").arg(qt_error_string(errno)),
                         info.absoluteFilePath(),
                         {}};
        }
    }
    return cleared;
}

void trimCache(std::int64_t limit, const QString& inUse)
{
    const Result<OpenFolder> folder = openFolder(UserFolder::Cache);
    if (!folder) return;
    std::int64_t total = 0;
    const QFileInfo kept(inUse);
    for (const QFileInfo& info : cachedFiles()) total += info.size();
    const QFileInfoList files = cachedFiles();  // newest first
    for (auto it = files.rbegin(); it != files.rend() && total > limit; ++it) {
        if (it->absoluteFilePath() == kept.absoluteFilePath()) continue;
        if (const auto bytes = removeFrom(*folder, it->fileName())) total -= *bytes;
    }
}

}  // namespace longpole
