// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mayneverend.h"

#include <QDir>
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

QString otherHostOf(const QString& path)
{
    constexpr qsizetype partsOfHost = 3;  // "", "net", "host"
    if (path.startsWith(QLatin1String("//"))) return path.section(QLatin1Char('/'), 0, partsOfHost - 1);
    const QStringList parts = QDir::cleanPath(path).split(QLatin1Char('/'));
    const bool isMounted = parts.size() >= partsOfHost && parts.front().isEmpty()
                           && (parts[1] == QLatin1String("net") || parts[1] == QLatin1String("afs"));
    return isMounted ? parts.mid(0, partsOfHost).join(QLatin1Char('/')) : QString();
}

bool mayFollow(const QString& path, const QString& from)
{
    const QString clean = QDir::cleanPath(path), host = otherHostOf(path);
    for (const char* const folder : {"/proc/", "/sys/"})  // before its links are followed, which lead anywhere
        if (clean.startsWith(QLatin1String(folder))) return false;
    return (host.isEmpty() || host == otherHostOf(from)) && !isOfTheKernel(path);
}

}  // namespace longpole
