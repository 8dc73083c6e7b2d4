// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/openfolder.h"

#include <QFile>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

QString pathOfOpen(int folder) { return QStringLiteral("/proc/self/fd/%1").arg(folder); }

bool isOpenAt(const QString& path, int folder)
{
    struct stat named {};
    struct stat open {};
    return ::stat(QFile::encodeName(path).constData(), &named) == 0 && ::fstat(folder, &open) == 0
           && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

OpenFolder::~OpenFolder()
{
    if (m_descriptor >= 0) ::close(m_descriptor);
}

OpenFolder OpenFolder::named(const QString& path)
{
    return OpenFolder(::open(QFile::encodeName(path).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

OpenFolder OpenFolder::ownIn(int above, const QByteArray& name)
{
    OpenFolder folder(::openat(above, name.constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    const bool isOwn = folder.isValid() && ::fstat(folder.descriptor(), &status) == 0 && status.st_uid == ::geteuid();
    return isOwn ? std::move(folder) : OpenFolder();
}

}  // namespace longpole
