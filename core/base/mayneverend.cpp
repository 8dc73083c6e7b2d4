// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mayneverend.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

// Where a link leads, as it says it; empty: it is none. Nothing: there is no such file, nor one behind it.
std::optional<QString> targetOf(const QString& path)
{
    constexpr std::size_t longest = 4096;  // PATH_MAX
    std::array<char, longest> target{};
    const ssize_t size = ::readlink(QFile::encodeName(path).constData(), target.data(), target.size());
    if (size <= 0) return errno == EINVAL ? std::optional(QString()) : std::nullopt;
    return QFile::decodeName(QByteArray(target.data(), size));
}

// In one call of the system, of which there are three else for each of 100,000 ranks' files each time one is opened.
bool isOrdinaryFile(const QString& path)
{
    struct stat status {};
    return ::lstat(QFile::encodeName(path).constData(), &status) == 0 && S_ISREG(status.st_mode);
}

bool isInKernel(const QString& path)
{
    const auto isOf = [&path](QLatin1String folder) { return path.startsWith(folder); };
    return isOf(QLatin1String("/proc/")) || isOf(QLatin1String("/sys/"));
}

QString wholePath(const QString& path)
{
    return path.startsWith(QLatin1Char('/')) ? path : QString(QDir::currentPath() + QLatin1Char('/') + path);
}

QStringList partsOf(const QString& path)
{
    QStringList parts = path.split(QLatin1Char('/'), Qt::SkipEmptyParts);
    parts.removeAll(QStringLiteral("."));
    return parts;
}

// Whose files the user reads anyway: where what he has named lies, and his home folder.
bool isOnKnownHost(const QString& host, const QString& named)
{
    const auto isOf = [&host](const QString& path) { return otherHostOf(path) == host; };
    const auto real = [](const QString& path) { return QFileInfo(path).canonicalFilePath(); };
    return isOf(named) || isOf(real(named)) || isOf(real(QDir::homePath()));
}

QString folderOf(const QString& path) { return wholePath(path).section(QLatin1Char('/'), 0, -2); }

Leads walked(const QString& whole, const QString& known)
{
    const auto isOther = [&known](const QString& name) {
        const QString host = otherHostOf(name);
        return !host.isEmpty() && !isOnKnownHost(host, known);
    };
    if (isOther(whole)) return Leads::ToOtherHost;
    QStringList ahead = partsOf(whole);
    QString at;  // "": the root
    for (const QString& part : partsOf(known)) {
        if (ahead.isEmpty() || ahead.front() != part) break;
        at += QLatin1Char('/') + ahead.takeFirst();
    }
    // What the user has named may lead anywhere; its links count only where another one leads on from there.
    auto real = [isReal = false](const QString& folder) mutable {
        if (isReal || folder.isEmpty()) return folder;
        isReal = true;
        return QFileInfo(folder).canonicalFilePath();
    };
    for (int links = 0, steps = 0; !ahead.isEmpty(); ++steps) {
        const QString part = ahead.takeFirst();
        if (part == QLatin1String("..")) {
            at = real(at).section(QLatin1Char('/'), 0, -2);
            continue;
        }
        const QString next = at + QLatin1Char('/') + part;
        if (isOther(next)) return Leads::ToOtherHost;
        const std::optional<QString> target = targetOf(next);
        if (!target) {  // what is behind it counts by its names
            const QString rest = next + QLatin1Char('/') + ahead.join(QLatin1Char('/'));
            return isOther(rest) ? Leads::ToOtherHost : Leads::Here;
        }
        constexpr int mostLinks = 40, mostSteps = 1000;  // links as the kernel has it
        if (steps > mostSteps || (!target->isEmpty() && (isOther(*target) || ++links > mostLinks)))
            return Leads::ToOtherHost;
        if (target->isEmpty()) at = next;
        else at = target->startsWith(QLatin1Char('/')) ? QString() : real(at);
        ahead = partsOf(*target) + ahead;
    }
    return isInKernel(at) && !isInKernel(known) ? Leads::ToKernel : Leads::Here;
}

}  // namespace

Leads whereLeads(const QString& path, const QString& named)
{
    const QString whole = wholePath(path), known = named.isEmpty() ? QString() : wholePath(named);
    const Leads asIs = walked(whole, known);
    // Qt takes parts away before ".." by their names alone, the kernel does not.
    return asIs == Leads::Here && whole.contains(QLatin1String("/..")) ? walked(QDir::cleanPath(whole), known) : asIs;
}

bool leadsToOtherHost(const QString& path)
{
    return !targetOf(path).value_or(QString()).isEmpty() && whereLeads(path, folderOf(path)) == Leads::ToOtherHost;
}

bool isFileHere(const QString& path) { return !leadsToOtherHost(path) && QFileInfo(path).isFile(); }

bool mayNeverEnd(const QString& path)
{
    if (isOrdinaryFile(path)) return false;
    if (whereLeads(path, folderOf(path)) != Leads::Here) return true;
    const QFileInfo info(path);
    return info.exists() && !info.isFile();
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
    // Of the kernel's files also those that lead out of there again.
    return !isInKernel(QDir::cleanPath(path))
           && whereLeads(path, from.isEmpty() ? QString() : folderOf(from)) == Leads::Here;
}

}  // namespace longpole
