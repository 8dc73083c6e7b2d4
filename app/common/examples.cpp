// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/examples.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace longpole {

QString exampleTrace()
{
    const QString here = QCoreApplication::applicationDirPath();
    // Installed, unpacked; or in a build folder within the sources.
    const QString places[] = {here + QStringLiteral("/../share/longpole/examples"), here + QStringLiteral("/examples"),
                              here + QStringLiteral("/../../../tests/data")};
    for (const QString& place : places) {
        const QFileInfo folder(place + QStringLiteral("/gauss_seidel_p8"));
        if (folder.isDir()) return folder.canonicalFilePath();
    }
    return {};
}

}  // namespace longpole
