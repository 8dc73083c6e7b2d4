// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/common/partfolder.h"

#include "core/base/partfile.h"
#include "core/base/translate.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include <dirent.h>
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

int openFolder(int above, const QByteArray& name)
{
    return ::openat(above, name.constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

QByteArray nameOf(const QString& path) { return QFile::encodeName(QFileInfo(path).fileName()); }

bool lock(int folder) { return ::flock(folder, LOCK_EX | LOCK_NB) == 0; }

bool isSame(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// What lies in a folder that is open, without it and the one above.
std::vector<QByteArray> namesIn(int folder)
{
    std::vector<QByteArray> names;
    DIR* const list = ::fdopendir(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (list == nullptr) return names;
    while (const dirent* item = ::readdir(list))  // NOLINT(concurrency-mt-unsafe): this list is this thread's
        if (const QByteArray name(item->d_name); name != "." && name != "..") names.push_back(name);
    ::closedir(list);
    return names;
}

// Empties the folder, which has files only, and removes it if it still has that name. No name is followed anywhere.
void removeFolder(int above, const QByteArray& name, int folder)
{
    for (const QByteArray& file : namesIn(folder)) ::unlinkat(folder, file.constData(), 0);
    struct stat open {};
    struct stat named {};
    if (::fstat(folder, &open) == 0 && ::fstatat(above, name.constData(), &named, AT_SYMLINK_NOFOLLOW) == 0
        && isSame(open, named))
        ::unlinkat(above, name.constData(), AT_REMOVEDIR);
}

// The number of a process behind the prefix.
bool isPartName(const QString& name)
{
    if (!name.startsWith(prefix)) return false;
    bool isNumber = false;
    const QString digits = name.mid(prefix.size());
    return digits.toUInt(&isNumber) > 0 && isNumber && digits == QString::number(digits.toUInt());
}

// The user's own, with the mark, and files only, as the writer makes no folders. An empty one is nobody's.
bool isOfWriter(int folder)
{
    struct stat status {};
    if (::fstat(folder, &status) != 0 || status.st_uid != ::geteuid()) return false;
    const std::vector<QByteArray> names = namesIn(folder);
    const auto isFile = [folder](const QByteArray& name) {
        struct stat file {};
        return ::fstatat(folder, name.constData(), &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(file.st_mode);
    };
    return std::all_of(names.begin(), names.end(), isFile)
           && (names.empty() || std::find(names.begin(), names.end(), QByteArray(mark.data())) != names.end());
}

// A folder that can be locked has no writer any more: locks end with their process.
void removeAbandoned(int target)
{
    const int readable = ::openat(target, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (readable < 0) return;
    for (const QByteArray& name : namesIn(readable)) {
        if (!isPartName(QFile::decodeName(name))) continue;
        const int abandoned = openFolder(target, name);
        if (abandoned < 0) continue;
        if (lock(abandoned) && isOfWriter(abandoned)) removeFolder(target, name, abandoned);
        ::close(abandoned);
    }
    ::close(readable);
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
      m_targetFolder(std::exchange(other.m_targetFolder, -1)), m_folder(std::exchange(other.m_folder, -1)),
      m_isPublished(std::exchange(other.m_isPublished, true))
{
}

PartFolder::~PartFolder()
{
    if (m_folder >= 0) {
        removeFolder(m_targetFolder, nameOf(m_path), m_folder);
        ::close(m_folder);
    }
    if (m_targetFolder >= 0) ::close(m_targetFolder);
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
    m_targetFolder = ::open(QFile::encodeName(m_target).constData(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (const int number = errno; m_targetFolder < 0)
        return systemError(tr("The folder cannot be written: %1."), m_target, number);
    removeAbandoned(m_targetFolder);
    const QByteArray name = nameOf(m_path);
    const Error isBusy{.what = tr("The folder is being written already."), .where = m_target, .hint = {}};
    if (::mkdirat(m_targetFolder, name.constData(), 0700) != 0) {
        const int number = errno;
        return number == EEXIST ? isBusy : systemError(tr("The folder cannot be written: %1."), m_target, number);
    }
    m_folder = openFolder(m_targetFolder, name);
    struct stat status {};
    if (m_folder < 0 || ::fstat(m_folder, &status) != 0 || status.st_uid != ::geteuid() || !namesIn(m_folder).empty()) {
        if (m_folder >= 0) ::close(std::exchange(m_folder, -1));
        ::unlinkat(m_targetFolder, name.constData(), AT_REMOVEDIR);
        return isBusy;
    }
    lock(m_folder);  // where there are no locks, nobody removes it either
    const int marked = ::openat(m_folder, mark.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (const int number = errno; marked < 0)
        return systemError(tr("The folder cannot be written: %1."), m_target, number);
    ::close(marked);
    return Unit{};
}

Result<std::unique_ptr<WrittenFile>> PartFolder::file(const QString& name, bool isCompressed) const
{
    // Errors name the place that it will get: the part folder's name tells a user nothing.
    return WrittenFile::create(m_target + u'/' + name, isCompressed, m_folder);
}

Result<> PartFolder::publish(const QStringList& names)
{
    // Once for all files: there may be as many as processors.
    if (::syncfs(m_folder) != 0 && errno != ENOSYS)
        return systemError(tr("The files could not be written to disk: %1."), m_target, errno);
    for (qsizetype i = 0; i < names.size(); ++i) {
        const QByteArray name = QFile::encodeName(names[i]);
        if (moveWithoutReplacing(m_folder, name, m_targetFolder, name)) continue;
        const int number = errno;
        for (qsizetype moved = 0; moved < i; ++moved)
            ::unlinkat(m_targetFolder, QFile::encodeName(names[moved]).constData(), 0);
        return Error{.what = tr("The finished file could not be given its place: %1.").arg(qt_error_string(number)),
                     .where = m_target + u'/' + names[i],
                     .hint = tr("Choose a folder that nothing else writes.")};
    }
    m_isPublished = true;
    const int folder = ::openat(m_targetFolder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return Unit{};  // a folder may be writable and not readable: nothing to sync with
    ::fsync(folder);
    ::close(folder);
    return Unit{};
}

}  // namespace longpole
