// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mayneverend.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <array>
#include <cstddef>

#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

// Where a link leads, as it says it; empty: it is none.
QString targetOf(const QString& path)
{
    constexpr std::size_t longest = 4096;  // PATH_MAX
    std::array<char, longest> target{};
    const ssize_t size = ::readlink(QFile::encodeName(path).constData(), target.data(), target.size());
    return size > 0 ? QFile::decodeName(QByteArray(target.data(), size)) : QString();
}

// In one call of the system, of which there are three else for each of 100,000 ranks' files each time one is opened.
bool isOrdinaryFile(const QString& path)
{
    struct stat status {};
    return ::lstat(QFile::encodeName(path).constData(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

bool leadsToOtherHost(const QString& path)
{
    const QFileInfo given(path);
    if (targetOf(path).isEmpty()) return false;
    QString at = QFileInfo(given.absolutePath()).canonicalFilePath();
    const QString own = otherHostOf(at);
    const auto isOther = [&own](const QString& name) {
        const QString host = otherHostOf(name);
        return !host.isEmpty() && host != own;
    };
    QStringList ahead{given.fileName()};
    for (int links = 0; !ahead.isEmpty();) {
        const QString part = ahead.takeFirst();
        if (part.isEmpty() || part == QLatin1String(".")) continue;
        const QString next = QDir::cleanPath(at + QLatin1Char('/') + part);
        if (isOther(next)) return true;
        const QString target = targetOf(next);
        constexpr int mostLinks = 40;  // as the kernel has it
        if (!target.isEmpty() && (isOther(target) || ++links > mostLinks)) return true;
        if (target.isEmpty()) at = next;
        else if (target.startsWith(QLatin1Char('/'))) at = QStringLiteral("/");
        ahead = target.split(QLatin1Char('/'), Qt::SkipEmptyParts) + ahead;
    }
    return false;
}

bool mayNeverEnd(const QString& path)
{
    if (isOrdinaryFile(path)) return false;
    if (leadsToOtherHost(path)) return true;
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
