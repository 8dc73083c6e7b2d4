// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mayneverend.h"

#include <QFileInfo>

namespace longpole {

bool mayNeverEnd(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists()) return false;
    if (!info.isFile()) return true;
    return info.isSymLink() && isOfTheKernel(path);
}

bool isOfTheKernel(const QString& path)
{
    const QString real = QFileInfo(path).canonicalFilePath();
    return real.startsWith(QLatin1String("/proc/")) || real.startsWith(QLatin1String("/sys/"));
}

}  // namespace longpole
