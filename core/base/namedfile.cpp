// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/namedfile.h"

#include "core/base/partfile.h"
#include "core/base/translate.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <cstdio>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

Result<QByteArray> bytesOfNamedFile(const QString& path, qint64 most)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return Error{file.errorString(), path, QString()};
    QByteArray bytes = file.read(most + 1);
    if (file.error() != QFileDevice::NoError) return Error{file.errorString(), path, QString()};
    if (bytes.size() > most) return Error{tr("it has more than %1 bytes").arg(most), path, QString()};
    return bytes;
}

Result<> checkReplaceable(const QString& path)
{
    const QFileInfo info(path);
    if (info.isSymLink())
        return Error{tr("This is a link; it is left as it is."), path,
                     tr("Name the file itself: %1.").arg(info.symLinkTarget())};
    if (info.isDir()) return Error{tr("This is a folder."), path, tr("Name a file in it.")};
    if (info.exists() && !info.isFile())
        return Error{tr("This is no ordinary file; it is left as it is."), path, tr("Name another file.")};
    return Unit{};
}

ReplacingFile::ReplacingFile(const QString& path)
    : QTemporaryFile(QFileInfo(path).absoluteFilePath() + QStringLiteral(".XXXXXX")), m_target(path)
{
}

bool ReplacingFile::begin()
{
    const Result<> may = checkReplaceable(m_target);
    const bool isThere = QFileInfo::exists(m_target);
    // A rename asks for the rights of the folder only.
    if (may && isThere && ::access(QFile::encodeName(m_target).constData(), W_OK) != 0) {
        setErrorString(qt_error_string(errno));
        return false;
    }
    if (!may) setErrorString(may.error().what.chopped(1));  // becomes the end of a sentence
    return may && open();
}

bool ReplacingFile::commit()
{
    const QByteArray target = QFile::encodeName(m_target);
    if (!flush()) return false;
    const auto earlier = rightsToReplace(handle(), m_target);
    const auto mode = static_cast<mode_t>(earlier.value_or(ordinaryMode()));
    const bool isOnDisk = (::fchmod(handle(), mode) == 0 || errno == EPERM || errno == ENOTSUP)
                          && (::fsync(handle()) == 0 || errno == EINVAL || errno == ENOTSUP);
    const QByteArray beside = isOnDisk ? QFile::encodeName(fileName()) : QByteArray();  // which now has a name
    if (!isOnDisk || beside.isEmpty() || std::rename(beside.constData(), target.constData()) != 0) {
        setErrorString(qt_error_string(errno));
        return false;
    }
    setAutoRemove(false);
    close();
    return true;
}

Result<> writeNamedFile(const QString& path, const QByteArray& bytes)
{
    return writeNamedFile(path, [&bytes](QIODevice& out) -> Result<> {
        out.write(bytes);  // what has no room is noticed in the end
        return Unit{};
    });
}

Result<> writeNamedFile(const QString& path, const std::function<Result<>(QIODevice& out)>& write)
{
    if (Result<> may = checkReplaceable(path); !may) return may;
    ReplacingFile file(path);
    if (file.begin()) {
        if (Result<> written = write(file); !written) return written;
        if (file.error() == QFileDevice::NoError && file.commit()) return Unit{};
    }
    return Error{tr("The file cannot be written: %1.").arg(file.errorString()), path,
                 tr("Choose another folder or free some space.")};
}

}  // namespace longpole
