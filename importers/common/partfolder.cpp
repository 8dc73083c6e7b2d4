// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/common/partfolder.h"

#include "core/base/translate.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {
namespace {

constexpr QLatin1String prefix(".longpole-part-");
constexpr QLatin1String mark(".longpole-part");  // an empty file in each: the folder is Longpole's

Error systemError(const QString& what, const QString& path, int number)
{
    return Error{.what = what.arg(qt_error_string(number)),
                 .where = path,
                 .hint = number == ENOSPC || number == EDQUOT
                             ? tr("Free some space, or choose a folder on another disk.")
                             : tr("Choose a folder that you may write.")};
}

int openFolder(const QString& path)
{
    return ::open(QFile::encodeName(path).constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool lock(int folder) { return ::flock(folder, LOCK_EX | LOCK_NB) == 0; }

// The number of a process behind the prefix.
bool isPartName(const QString& name)
{
    if (!name.startsWith(prefix)) return false;
    bool isNumber = false;
    const QString digits = name.mid(prefix.size());
    return digits.toUInt(&isNumber) > 0 && isNumber && digits == QString::number(digits.toUInt());
}

// The mark, and files only, as the writer makes no folders. An empty one is nobody's.
bool isOfWriter(const QDir& folder)
{
    const QFileInfoList files = folder.entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::System
                                                     | QDir::NoDotAndDotDot);
    const auto isFile = [](const QFileInfo& file) { return !file.isSymLink() && file.isFile(); };
    return std::all_of(files.begin(), files.end(), isFile) && (files.isEmpty() || folder.exists(mark));
}

// A folder that can be locked has no writer any more: locks end with their process.
void removeAbandoned(const QString& target)
{
    const QDir folder(target);
    for (const QString& name : folder.entryList(QDir::Dirs | QDir::Hidden | QDir::NoSymLinks | QDir::NoDotAndDotDot)) {
        if (!isPartName(name)) continue;
        const int abandoned = openFolder(folder.filePath(name));
        if (abandoned < 0) continue;
        QDir part(folder.filePath(name));
        if (lock(abandoned) && isOfWriter(part)) part.removeRecursively();
        ::close(abandoned);
    }
}

// Creates a folder with those above it; gives the ones that were missing, innermost first.
Result<QStringList> makeFolders(const QString& path)
{
    QStringList missing;
    QString above = path;
    while (!QFileInfo::exists(above) && !QFileInfo(above).isSymLink()) {
        missing += above;
        above = QFileInfo(above).path();
    }
    for (qsizetype i = missing.size() - 1; i >= 0; --i) {
        if (::mkdir(QFile::encodeName(missing[i]).constData(), 0777) == 0 || errno == EEXIST) continue;
        const int number = errno;
        for (++i; i < missing.size(); ++i) QDir().rmdir(missing[i]);
        return systemError(tr("The folder cannot be created: %1."), path, number);
    }
    return missing;
}

}  // namespace

PartFolder::PartFolder(QString target, QStringList created)
    : m_target(std::move(target)), m_path(m_target + u'/' + prefix + QString::number(::getpid())),
      m_created(std::move(created))
{
}

PartFolder::PartFolder(PartFolder&& other) noexcept
    : m_target(std::move(other.m_target)), m_path(std::move(other.m_path)), m_created(std::move(other.m_created)),
      m_folder(std::exchange(other.m_folder, -1)), m_isPublished(std::exchange(other.m_isPublished, true))
{
}

PartFolder::~PartFolder()
{
    if (m_folder >= 0) {
        QDir(m_path).removeRecursively();
        ::close(m_folder);
    }
    if (!m_isPublished) removeCreated();
}

void PartFolder::removeCreated() const
{
    for (const QString& folder : m_created) QDir().rmdir(folder);
}

Result<PartFolder> PartFolder::create(const QString& target)
{
    if (const QFileInfo info(target); info.isSymLink())
        return Error{.what = tr("This is a link; it is left as it is."),
                     .where = target,
                     .hint = tr("Name the folder itself: %1.").arg(info.symLinkTarget())};
    if (QFileInfo::exists(target) && !QFileInfo(target).isDir())
        return Error{.what = tr("A file is in the way of the folder to write."), .where = target, .hint = {}};
    Result<QStringList> created = makeFolders(target);
    if (!created) return created.error();
    PartFolder folder(target, std::move(*created));
    if (Result<> opened = folder.open(); !opened) return opened.error();
    return folder;
}

Result<> PartFolder::open()
{
    removeAbandoned(m_target);
    const Error isBusy{.what = tr("The folder is being written already."), .where = m_target, .hint = {}};
    if (::mkdir(QFile::encodeName(m_path).constData(), 0777) != 0) {
        const int number = errno;
        return number == EEXIST ? isBusy : systemError(tr("The folder cannot be written: %1."), m_target, number);
    }
    m_folder = openFolder(m_path);
    if (m_folder < 0) {
        QDir().rmdir(m_path);
        return isBusy;
    }
    lock(m_folder);  // where there are no locks, nobody removes it either
    const int marked = ::openat(m_folder, mark.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (const int number = errno; marked < 0)
        return systemError(tr("The folder cannot be written: %1."), m_target, number);
    ::close(marked);
    return Unit{};
}

QString PartFolder::filePath(const QString& name) const { return m_path + u'/' + name; }

Result<> PartFolder::publish(const QStringList& names)
{
    // Once for all files: there may be as many as processors.
    if (::syncfs(m_folder) != 0 && errno != ENOSYS)
        return systemError(tr("The files could not be written to disk: %1."), m_target, errno);
    for (qsizetype i = 0; i < names.size(); ++i) {
        const QString place = m_target + u'/' + names[i];
        QFile file(filePath(names[i]));
        if (file.rename(place)) continue;
        for (qsizetype moved = 0; moved < i; ++moved) QFile::remove(m_target + u'/' + names[moved]);
        return Error{.what = tr("The finished file could not be given its place: %1.").arg(file.errorString()),
                     .where = place,
                     .hint = tr("Choose a folder that nothing else writes.")};
    }
    m_isPublished = true;
    const int folder = ::open(QFile::encodeName(m_target).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return Unit{};  // a folder may be writable and not readable: nothing to sync with
    ::fsync(folder);
    ::close(folder);
    return Unit{};
}

}  // namespace longpole
