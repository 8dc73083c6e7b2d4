// SPDX-License-Identifier: GPL-3.0-or-later
// Finding the files of a run: exact names (base.<digits>.log[.gz]), also in base.projdir.<k> folders.
#include "importers/projections/files.h"

#include "core/base/limits.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "importers/common/fingerprint.h"
#include "importers/common/folderfiles.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace longpole {
namespace {

constexpr QLatin1String mergesEnding(".merges");

struct LogName {
    QString base;
    std::uint64_t pe = 0;
};

// The number directly before ".log" is the PE; the program's name may hold dots and digits itself.
std::optional<LogName> parseLogName(const QString& name)
{
    static const QRegularExpression pattern(QStringLiteral("^(.+)\\.([0-9]{1,18})\\.log(\\.gz)?$"),
                                            QRegularExpression::DotMatchesEverythingOption);
    const QRegularExpressionMatch match = pattern.match(name);
    if (!match.hasMatch()) return std::nullopt;
    return LogName{match.captured(1), match.captured(2).toULongLong()};
}

bool isSymbols(const QString& name) { return name.endsWith(QLatin1String(".sts")); }

// "prog" for a folder "prog.projdir.3", as +trace-subdirs makes them; empty otherwise.
QString baseOfSubfolder(const QString& name)
{
    static const QRegularExpression pattern(QStringLiteral("^(.+)\\.projdir\\.[0-9]+$"));
    return pattern.match(name).captured(1);
}

struct FolderContent {
    std::set<QString> symbols;                                   // bases of .sts files
    std::set<QString> merges;                                    // bases of .merges files
    std::map<QString, std::vector<ProjectionsFiles::Log>> logs;  // by base
    std::map<QString, std::vector<QString>> second;
};

void addLogs(const QString& folder, const QString& onlyBase, FolderContent& content)
{
    for (const QFileInfo& file : filesIn(folder)) {
        const QString name = file.fileName();
        if (const std::optional<LogName> log = parseLogName(name)) {
            if (!onlyBase.isEmpty() && log->base != onlyBase) continue;
            content.logs[log->base].push_back({log->pe, file.absoluteFilePath(), file.size()});
        } else if (onlyBase.isEmpty() && isSymbols(name)) {
            content.symbols.insert(name.chopped(4));
        } else if (onlyBase.isEmpty() && name.endsWith(mergesEnding)) {
            content.merges.insert(name.chopped(mergesEnding.size()));
        }
    }
}

FolderContent logsIn(const QString& path)
{
    FolderContent content;
    addLogs(path, {}, content);
    for (const QFileInfo& subfolder : foldersIn(path)) {
        const QString base = baseOfSubfolder(subfolder.fileName());
        if (!base.isEmpty()) addLogs(subfolder.absoluteFilePath(), base, content);
    }
    for (auto& [base, logs] : content.logs) {
        std::stable_sort(logs.begin(), logs.end(), [](const auto& a, const auto& b) { return a.pe < b.pe; });
        const auto isSame = [](const auto& a, const auto& b) { return a.pe == b.pe; };
        for (std::size_t i = 1; i < logs.size(); ++i) {
            if (isSame(logs[i], logs[i - 1])) content.second[base].push_back(logs[i].path);
        }
        logs.erase(std::unique(logs.begin(), logs.end(), isSame), logs.end());
    }
    return content;
}

ProjectionsFiles runOf(const QString& folder, const QString& base, FolderContent& content)
{
    ProjectionsFiles files;
    files.folder = QDir(folder).absolutePath();
    files.base = base;
    if (content.symbols.contains(base)) files.symbols = QDir(folder).absoluteFilePath(base + QStringLiteral(".sts"));
    if (content.merges.contains(base)) files.merges = QDir(folder).absoluteFilePath(base + mergesEnding);
    files.logs = std::move(content.logs[base]);
    files.second = std::move(content.second[base]);
    return files;
}

Error noLogs(const QString& path)
{
    if (const QFileInfo file(path); file.isFile() && file.size() == 0)
        return Error{.what = tr("This .sts is empty (0 bytes), and no event logs lie beside it."),
                     .where = path,
                     .hint = tr("Expected <program>.<PE>.log or .log.gz.")};
    return Error{
        .what = tr("There are no event logs of this run."),
        .where = path,
        .hint = tr("Expected <program>.<PE>.log or .log.gz beside it. Summary traces (.sum) are not event logs.")};
}

Error unreadableFolder(const QString& path)
{
    return Error{.what = tr("The folder could not be read."), .where = path, .hint = tr("Check its permissions.")};
}

Result<ProjectionsFiles> runInFolder(const QString& path)
{
    if (!QFileInfo(path).isReadable()) return unreadableFolder(path);
    FolderContent content = logsIn(path);
    std::vector<QString> withSymbols;
    std::vector<QString> without;
    for (const auto& [base, logs] : content.logs) {
        (content.symbols.contains(base) ? withSymbols : without).push_back(base);
    }
    const std::vector<QString>& candidates = withSymbols.empty() ? without : withSymbols;
    if (candidates.empty()) return noLogs(path);
    if (candidates.size() > 1) {
        QStringList names;
        for (const QString& base : candidates)
            names += base + (withSymbols.empty() ? QString() : QStringLiteral(".sts"));
        return Error{.what = tr("The folder holds several runs: %1.").arg(names.join(QStringLiteral(", "))),
                     .where = path,
                     .hint = tr("Name one of them instead of the folder.")};
    }
    return runOf(path, candidates.front(), content);
}

bool startsLikeSymbols(const QString& path)
{
    QFile file(path);
    if (mayNeverEnd(path) || !file.open(QIODevice::ReadOnly)) return false;
    QByteArray head = file.read(4096);
    if (head.isEmpty()) return true;  // a killed run leaves an empty .sts
    head.prepend('\n');
    constexpr const char* keywords[] = {"\nPROJECTIONS_ID", "\nVERSION ", "\nMACHINE ", "\nPROCESSORS ", "\nCHARE "};
    return std::ranges::any_of(keywords, [&head](const char* keyword) { return head.contains(keyword); });
}

}  // namespace

std::int64_t mostProcessorsOf(std::size_t logs)
{
    return std::min(mostProcessors, limits::projectionsProcessors.of(static_cast<std::int64_t>(logs)));
}

std::vector<ProjectionsFiles::Log> ProjectionsFiles::takeForeignLogs(std::int64_t processors)
{
    const std::int64_t plausible = mostProcessorsOf(logs.size());
    const bool isKnown = processors > 0 && processors <= plausible;
    const auto most = static_cast<std::uint64_t>(isKnown ? processors : plausible);
    const auto first = std::find_if(logs.begin(), logs.end(), [most](const Log& log) { return log.pe >= most; });
    std::vector<Log> foreign(first, logs.end());
    logs.erase(first, logs.end());
    return foreign;
}

QString logFileName(const QString& base, std::uint64_t pe, bool isCompressed)
{
    return base + u'.' + QString::number(pe) + (isCompressed ? QStringLiteral(".log.gz") : QStringLiteral(".log"));
}

QStringList filesOfRun(const QString& folder, const QString& base)
{
    QStringList names;
    for (const QString& name :
         QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot)) {
        const std::optional<LogName> log = parseLogName(name);
        if ((log && log->base == base) || baseOfSubfolder(name) == base || name == base + QStringLiteral(".sts")
            || name == base + QStringLiteral(".projrc") || name == base + mergesEnding) {
            names += name;
        }
    }
    return names;
}

QString ProjectionsFiles::source() const
{
    if (!symbols.isEmpty()) return symbols;
    return logs.empty() ? folder : logs.front().path;
}

std::int64_t ProjectionsFiles::bytes() const
{
    std::int64_t sum = symbols.isEmpty() ? 0 : QFileInfo(symbols).size();
    if (!merges.isEmpty()) sum += QFileInfo(merges).size();
    for (const Log& log : logs) sum += log.bytes;
    return sum;
}

Result<ProjectionsFiles> findProjectionsRun(const QString& path)
{
    const QFileInfo file(path);
    if (!file.exists()) {
        return Error{.what = tr("There is no such file or folder."), .where = path, .hint = tr("Check the name.")};
    }
    if (file.isDir()) return runInFolder(file.absoluteFilePath());

    QString folder = file.absolutePath();
    QString base;
    if (isSymbols(file.fileName())) {
        base = file.fileName().chopped(4);
    } else if (const std::optional<LogName> log = parseLogName(file.fileName())) {
        base = log->base;
        if (baseOfSubfolder(QFileInfo(folder).fileName()) == base) folder = QFileInfo(folder).absolutePath();
    } else {
        return Error{.what = tr("This is no file of a Projections run."),
                     .where = path,
                     .hint = tr("Name its .sts, one of its logs (<program>.<PE>.log or .log.gz), or its folder.")};
    }
    if (!QFileInfo(folder).isReadable()) return unreadableFolder(folder);
    FolderContent content = logsIn(folder);
    if (!content.logs.contains(base)) return noLogs(path);
    return runOf(folder, base, content);
}

bool looksLikeProjections(const QString& path)
{
    const QFileInfo file(path);
    if (file.isFile()) {
        return isSymbols(file.fileName()) ? startsLikeSymbols(path) : parseLogName(file.fileName()).has_value();
    }
    if (!file.isDir()) return false;
    const FolderContent content = logsIn(file.absoluteFilePath());
    return !content.logs.empty() || !content.symbols.empty();
}

Result<QString> fingerprintOf(const ProjectionsFiles& files, FingerprintOf of, const Progress& progress)
{
    std::vector<QString> paths;
    if (!files.symbols.isEmpty()) paths.push_back(files.symbols);
    if (!files.merges.isEmpty()) paths.push_back(files.merges);
    for (const ProjectionsFiles::Log& log : files.logs) paths.push_back(log.path);
    return fingerprintOfFiles(files.folder, paths, of, progress);
}

}  // namespace longpole
