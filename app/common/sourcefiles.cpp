// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/sourcefiles.h"

#include "app/record/recordingfolder.h"
#include "core/base/mayneverend.h"
#include "core/base/partfile.h"
#include "importers/common/importer.h"
#include "importers/otf2/archive.h"
#include "importers/projections/files.h"
#include "importers/summary/files.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include <set>

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace longpole {

namespace {

QStringList filesOfProjections(const QString& path)
{
    const auto run = findProjectionsRun(path);
    if (!run) return {};
    QStringList files{run->symbols, run->merges};
    for (const ProjectionsFiles::Log& log : run->logs) files << log.path;
    for (const QString& second : run->second) files << second;
    for (const QString& name : filesOfRun(run->folder, run->base)) files << QDir(run->folder).filePath(name);
    return files;
}

QStringList filesOfSummary(const QString& path)
{
    const auto run = findSummaryRun(path);
    if (!run) return {};
    QStringList files{run->symbols};
    for (const SummaryFiles::Processor& processor : run->processors) files << processor.summary << processor.detail;
    return files;
}

QStringList filesOfArchive(const QString& path)
{
    const auto archive = findOtf2Archive(path);
    if (!archive) return {};
    const std::vector<QString> files = archive->files();
    return {files.begin(), files.end()};
}

// The folder in which something is made: the target itself, where it is one.
QByteArray folderOfNew(const QString& target)
{
    const QFileInfo info(target);
    return QFile::encodeName(info.isDir() ? info.absoluteFilePath() : info.absolutePath());
}

gid_t groupOfNew(const QByteArray& folder)
{
    struct stat status {};
    const bool isKnown = ::stat(folder.constData(), &status) == 0;
    return isKnown && (status.st_mode & S_ISGID) != 0 ? status.st_gid : ::getegid();
}

}  // namespace

QStringList sourceFiles(const QString& path)
{
    const QFileInfo info(path);
    const QString folder = info.isDir() ? info.absoluteFilePath() : info.absolutePath();
    const Importer* importer = importerFor(path);
    const QLatin1String id(importer ? importer->id : "");
    // Also of a recording whose ranks have written nothing yet.
    QStringList files = filesOfRecording(folder);
    if (id == QLatin1String("projections")) files += filesOfProjections(path);
    if (id == QLatin1String("projections-summary")) files += filesOfSummary(path);
    if (id == QLatin1String("otf2")) files += filesOfArchive(path);
    files.removeIf([](const QString& file) { return file.isEmpty() || leadsToOtherHost(file); });
    return files;
}

mode_t rightsOf(const QString& source, gid_t group)
{
    if (!QFileInfo::exists(source)) return 0600;
    const auto fileMode = [group](const QString& path) { return rightsFor(group, path).value_or(0777); };
    mode_t rights = fileMode(source);
    // A file is often named in a folder that has nothing to do with it; that of a recording is a part of it.
    const QString named = QFileInfo(source).absolutePath();
    const QString own = filesOfRecording(named).isEmpty() ? named : QString();
    std::set<QString> folders;  // of the run's: who may not read one reads no file in it
    for (const QString& file : sourceFiles(source)) {
        rights &= fileMode(file);
        const QString folder = QFileInfo(file).absolutePath();
        if (folder != own && folders.insert(folder).second) rights &= fileMode(folder);
    }
    constexpr int looked = 1000;  // of a folder's other files
    int seen = 0;
    if (QFileInfo(source).isDir())
        for (QDirIterator files(source, QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot);
             files.hasNext() && seen < looked; ++seen) {
            const QString file = files.next();
            if (!mayNeverEnd(file) && QFileInfo(file).isFile()) rights &= fileMode(file);
        }
    return (rights & 0666) | 0600;
}

void followRights(int file, const QString& source)
{
    struct stat status {};
    if (::fstat(file, &status) == 0) ::fchmod(file, status.st_mode & rightsOf(source, status.st_gid));
}

void writeWithRightsOf(const QString& source, const QString& target)
{
    const QByteArray folder = folderOfNew(target);
    const gid_t group = groupOfNew(folder);
    mode_t rights = rightsOf(source, group);
    struct stat replaced {};
    if (::stat(QFile::encodeName(target).constData(), &replaced) == 0 && replaced.st_gid != group)
        rights &= rightsOf(source, replaced.st_gid);  // what replaces it takes its group
    if (::getxattr(folder.constData(), "system.posix_acl_default", nullptr, 0) > 0) rights = withoutGroup(rights);
    mode_t mask = 0666 & ~rights;
    for (const mode_t readable : {mode_t{0040}, mode_t{0004}})
        if ((rights & readable) == 0) mask |= readable >> 2;  // nor may others enter folders
    const mode_t before = ::umask(mask);
    ::umask(before | mask);
}

}  // namespace longpole
