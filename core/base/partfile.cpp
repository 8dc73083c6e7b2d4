// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/partfile.h"

#include "core/base/translate.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace longpole {
namespace {

constexpr int attempts = 16;

// An attribute of a file that has not got its own name yet, where there are any: unlike a copy, one that is whole is
// abandoned, too.
constexpr const char partAttribute[] = "user.longpole.part";

// Of users and groups that a file has besides its own (acl(5)).
constexpr const char accessList[] = "system.posix_acl_access";

bool hasAccessList(const QByteArray& path) { return ::getxattr(path.constData(), accessList, nullptr, 0) > 0; }

Error systemError(const QString& what, const QString& path, int number)
{
    const QString reason = qt_error_string(number);
    return Error{.what = what.arg(reason),
                 .where = path,
                 .hint = number == ENOSPC || number == EDQUOT ? tr("Free some space and try again.")
                                                              : tr("Check the name of the folder and your rights.")};
}

// Whether `path` still names the file behind the descriptor: between opening and locking another process may have
// removed it as abandoned, or given it its name.
bool isStillThere(int descriptor, const QByteArray& path)
{
    struct stat byDescriptor {};
    struct stat byName {};
    return ::fstat(descriptor, &byDescriptor) == 0 && ::lstat(path.constData(), &byName) == 0
           && byDescriptor.st_ino == byName.st_ino && byDescriptor.st_dev == byName.st_dev;
}

// Waits for the lock where there are locks: whoever holds it looks whether the file is abandoned.
void lockOwn(int descriptor)
{
    while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {}
}

bool isDigit(QChar c) { return c >= u'0' && c <= u'9'; }

// ".part-" and the number of a process, as this program writes it. Pieces of split are numbered from 00.
bool isPartName(QStringView name, const QString& target)
{
    const QString prefix = target + QStringLiteral(".part-");
    if (!name.startsWith(prefix)) return false;
    const QStringView number = name.sliced(prefix.size());
    return !number.isEmpty() && number.size() <= 10 && number.front() != u'0'
           && std::all_of(number.begin(), number.end(), isDigit);
}

// Pages whose first one was not written yet. Others make files of zeros, too, so that it goes by the attribute where
// there are any.
bool isUnwritten(int descriptor, off_t size)
{
    if (::fgetxattr(descriptor, partAttribute, nullptr, 0) >= 0) return true;
    std::array<unsigned char, 16384> page{};  // as large as those of .longpole files
    return errno != ENODATA && size % static_cast<off_t>(page.size()) == 0
           && ::pread(descriptor, page.data(), page.size(), 0) == static_cast<ssize_t>(page.size())
           && std::all_of(page.begin(), page.end(), [](unsigned char byte) { return byte == 0; });
}

// What an unfinished file begins with: nothing, a page that was not written yet, or SQLite's header with the mark of
// unfinished files, or in a file with the attribute. Anything else is somebody's.
bool isUnfinished(int descriptor)
{
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    if (status.st_size == 0) return true;
    std::array<unsigned char, 100> head{};
    if (::pread(descriptor, head.data(), head.size(), 0) != static_cast<ssize_t>(head.size())) return false;
    if (std::all_of(head.begin(), head.end(), [](unsigned char byte) { return byte == 0; }))
        return isUnwritten(descriptor, status.st_size);
    constexpr std::size_t application = 68;  // big-endian, https://www.sqlite.org/fileformat.html 1.3
    std::uint32_t mark = 0;
    for (std::size_t i = 0; i < 4; ++i) mark = mark << 8 | head[application + i];
    return std::memcmp(head.data(), "SQLite format 3", 16) == 0
           && (mark == unfinishedMark || ::fgetxattr(descriptor, partAttribute, nullptr, 0) >= 0);
}

// A part file that can be locked has no writer any more: locks end with their process.
void removeAbandoned(const QFileInfo& target)
{
    const QDir folder = target.dir();
    // Of all kinds: for files alone Qt would ask what each link leads to.
    for (const QString& name : folder.entryList(QDir::AllEntries | QDir::Hidden | QDir::System)) {
        if (!isPartName(name, target.fileName())) continue;
        const QByteArray path = QFile::encodeName(folder.filePath(name));
        const int descriptor = ::open(path.constData(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (descriptor < 0) continue;
        const bool isLocked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
        if (isLocked && isStillThere(descriptor, path) && isUnfinished(descriptor)) ::unlink(path.constData());
        ::close(descriptor);
    }
}

Result<> syncFolder(const QString& path)
{
    const int folder = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return Unit{};  // a folder may be writable and not readable: nothing to sync with
    const int failed = ::fsync(folder) != 0 && errno != EINVAL && errno != ENOTSUP ? errno : 0;
    ::close(folder);
    if (failed != 0) return systemError(tr("The folder could not be written to disk: %1."), path, failed);
    return Unit{};
}

}  // namespace

// The mask is only told by changing it, or by the kernel's page about the process.
unsigned ordinaryMode()
{
    QFile status(QStringLiteral("/proc/self/status"));
    if (status.open(QIODevice::ReadOnly))
        for (QByteArray line = status.readLine(); !line.isEmpty(); line = status.readLine())
            if (line.startsWith("Umask:")) return 0666u & ~line.mid(6).trimmed().toUInt(nullptr, 8);
    return 0600;
}

std::optional<mode_t> rightsFor(gid_t group, const QString& path)
{
    const QByteArray name = QFile::encodeName(path);
    struct stat status {};
    if (::stat(name.constData(), &status) != 0) return {};
    const mode_t mode = status.st_mode & 0777;
    if (status.st_gid == group && !hasAccessList(name)) return mode;
    return withoutGroup(mode);
}

bool isOwnFile(const QString& path)
{
    struct stat status {};
    return ::lstat(QFile::encodeName(path).constData(), &status) == 0 && S_ISREG(status.st_mode)
           && status.st_uid == ::geteuid();
}

bool isTaken(const QString& path)
{
    struct stat status {};
    return ::lstat(QFile::encodeName(path).constData(), &status) == 0;
}

namespace {

// What `descriptor` is given of the rights of another file, which is open for its path only; `path` leads to it.
std::optional<mode_t> rightsOf(int descriptor, int replaced, const QString& path)
{
    struct stat own {};
    struct stat before {};
    if (::fstat(replaced, &before) != 0 || !S_ISREG(before.st_mode) || before.st_uid != ::geteuid()
        || ::fstat(descriptor, &own) != 0)
        return {};
    if (!hasAccessList(QFile::encodeName(path))) ::fremovexattr(descriptor, accessList);
    const bool isTaken = own.st_gid != before.st_gid && ::fchown(descriptor, own.st_uid, before.st_gid) == 0;
    const auto rights = rightsFor(isTaken ? before.st_gid : own.st_gid, path);
    const bool isListed = ::fgetxattr(descriptor, accessList, nullptr, 0) > 0;  // its mask is what the bits mean
    return rights && isListed ? withoutGroup(*rights) : rights;
}

}  // namespace

bool moveWithoutReplacing(int fromFolder, const QByteArray& from, int toFolder, const QByteArray& to)
{
    if (::renameat2(fromFolder, from.constData(), toFolder, to.constData(), RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return false;
    // Not every file system can; links are as good.
    return ::linkat(fromFolder, from.constData(), toFolder, to.constData(), 0) == 0
           && ::unlinkat(fromFolder, from.constData(), 0) == 0;
}

bool moveWithoutReplacing(const QString& from, const QString& to)
{
    return moveWithoutReplacing(AT_FDCWD, QFile::encodeName(from), AT_FDCWD, QFile::encodeName(to));
}

std::optional<mode_t> rightsToReplace(int descriptor, const QString& replaced)
{
    // One file is looked at, whatever gets its name meanwhile.
    const int open = ::open(QFile::encodeName(replaced).constData(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    constexpr mode_t leastRights = 0600;
    if (open < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP) return leastRights;  // it may be there
    if (open < 0) return {};
    const auto rights = rightsOf(descriptor, open, QStringLiteral("/proc/self/fd/%1").arg(open));
    ::close(open);
    return rights;
}

PartFile::PartFile(int descriptor, QString path, QString target)
    : m_descriptor(descriptor), m_path(std::move(path)), m_target(std::move(target))
{
}

PartFile::PartFile(PartFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_path(std::move(other.m_path)),
      m_target(std::move(other.m_target))
{
}

PartFile::~PartFile()
{
    if (m_descriptor < 0) return;
    ::unlink(QFile::encodeName(m_path).constData());
    ::close(m_descriptor);
}

Result<PartFile> PartFile::create(const QString& target)
{
    const QFileInfo info(target);
    if (info.isDir())
        return Error{.what = tr("A folder is in the way of the file to write."), .where = target, .hint = {}};
    if (info.exists() && !info.isFile())  // the rename would replace a device
        return Error{.what = tr("This is no ordinary file; it is left as it is."), .where = target, .hint = {}};
    // A rename asks for the rights of the folder only.
    if (info.exists() && ::access(QFile::encodeName(target).constData(), W_OK) != 0)
        return systemError(tr("The file cannot be written: %1."), target, errno);
    removeAbandoned(info);
    const QString path = target + QStringLiteral(".part-") + QString::number(::getpid());
    const QByteArray name = QFile::encodeName(path);
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const int descriptor = ::open(name.constData(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor < 0 && errno == EEXIST)
            return Error{.what = tr("The file is being written already."), .where = target, .hint = {}};
        if (descriptor < 0) return systemError(tr("The file cannot be created: %1."), target, errno);
        lockOwn(descriptor);  // where there are no locks, nobody removes it either
        ::fsetxattr(descriptor, partAttribute, "", 0, 0);
        if (isStillThere(descriptor, name)) return PartFile(descriptor, path, target);
        ::close(descriptor);
    }
    return Error{.what = tr("Another process keeps removing the file that is written."), .where = path, .hint = {}};
}

Result<> PartFile::sync()
{
    if (::fsync(m_descriptor) == 0) return Unit{};
    return systemError(tr("The file could not be written to disk: %1."), m_target, errno);
}

Result<> PartFile::publish()
{
    // Of an earlier file, which the user may have made private.
    const mode_t rights = rightsToReplace(m_descriptor, m_target).value_or(0777);
    if (::fchmod(m_descriptor, ordinaryMode() & rights) != 0 && errno != EPERM && errno != ENOTSUP)
        return systemError(tr("The file's rights could not be set: %1."), m_target, errno);
    if (const Result<> synced = sync(); !synced) return synced;
    if (!isStillThere(m_descriptor, QFile::encodeName(m_path)))
        return Error{.what = tr("The finished file has lost its name: somebody else has put another one there."),
                     .where = m_path,
                     .hint = tr("Choose a folder that others may not write.")};
    if (std::rename(QFile::encodeName(m_path).constData(), QFile::encodeName(m_target).constData()) != 0)
        return systemError(tr("The finished file could not be given its name: %1."), m_target, errno);
    ::fremovexattr(m_descriptor, partAttribute);
    ::close(std::exchange(m_descriptor, -1));
    return syncFolder(QFileInfo(m_target).absolutePath());
}

int openScratchFile(const QString& target)
{
    const QByteArray folder = QFile::encodeName(QFileInfo(target).absolutePath());
    const int unnamed = ::open(folder.constData(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0) return unnamed;
    QByteArray name = folder + "/.longpole-XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) ::unlink(name.constData());
    return named;
}

}  // namespace longpole
