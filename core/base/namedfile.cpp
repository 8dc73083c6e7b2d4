// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/namedfile.h"

#include "core/base/translate.h"

#include <QFile>

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

}  // namespace longpole
