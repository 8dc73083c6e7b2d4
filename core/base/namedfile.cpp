// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/namedfile.h"

#include "core/base/translate.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

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
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        if (Result<> written = write(file); !written) return written;
        // commit() alone overlooks that the last bytes did not fit, and forgets why others did not.
        if (file.error() == QFileDevice::NoError && file.flush() && file.commit()) return Unit{};
    }
    return Error{tr("The file cannot be written: %1.").arg(file.errorString()), path,
                 tr("Choose another folder or free some space.")};
}

}  // namespace longpole
