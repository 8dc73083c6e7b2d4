// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/keptfile.h"

#include "app/common/openfolder.h"
#include "core/base/namedfile.h"
#include "core/base/translate.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

// The user's own folder around a file, and the name by which the file is reached in it. Without /proc it is the user's
// to take care. Errors: none, or somebody else's.
struct Place {
    OpenFolder folder;
    QString file;
};
Result<Place> placeOf(const QString& path)
{
    const QFileInfo info(path);
    OpenFolder folder = OpenFolder::ownIn(AT_FDCWD, QFile::encodeName(info.absolutePath()));
    const int reason = errno;
    if (!folder.isValid())
        return Error{QFileInfo::exists(info.absolutePath())
                         ? tr("The folder is somebody else's, or a link; what lies there is not used.")
                         : tr("The folder cannot be opened: %1.").arg(qt_error_string(reason)),
                     info.absolutePath(),
                     {}};
    QString file = folder.path() + QLatin1Char('/') + info.fileName();
    if (!isOpenAt(folder.path(), folder.descriptor())) file = path;
    return Place{std::move(folder), std::move(file)};
}

}  // namespace

bool openOwnFile(QFile& file, const QString& path)
{
    const int opened = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status {};
    if (opened < 0 || ::fstat(opened, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) {
        if (opened >= 0) ::close(opened);
        return false;
    }
    return file.open(opened, QIODevice::ReadOnly, QFileDevice::AutoCloseHandle);
}

Result<std::optional<QByteArray>> bytesOfKeptFile(const QString& path)
{
    constexpr qint64 most = 64 << 20;
    if (const QFileInfo info(path); !info.exists() && !info.isSymLink()) return std::optional<QByteArray>();
    const Result<Place> place = placeOf(path);
    if (!place) return place.error();
    QFile file;
    if (!openOwnFile(file, place->file))
        return Error{tr("The file is somebody else's, a link, or cannot be read; it is not used."), path, {}};
    QByteArray bytes = file.read(most + 1);
    if (bytes.size() > most) return Error{tr("The file has more than %1 bytes.").arg(most), path, {}};
    return std::optional(std::move(bytes));
}

Result<> writeKeptFile(const QString& path, const QByteArray& bytes)
{
    const Result<Place> place = placeOf(path);
    if (!place) return place.error();
    Result<> written = writeNamedFile(place->file, bytes);
    if (!written) return Error{written.error().what, path, written.error().hint};
    return written;
}

}  // namespace longpole
