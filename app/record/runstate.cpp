// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/runstate.h"

#include "importers/recording/file.h"
#include "recorder/format/format.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSysInfo>

#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace longpole {

namespace {

template <std::size_t N>
QByteArray textOf(const char (&field)[N])
{
    return {field, qsizetype(::strnlen(field, N))};
}

// Whether a process has the file in its memory.
bool hasMapped(pid_t pid, const QString& file)
{
    struct stat status {};
    if (::stat(QFile::encodeName(file).constData(), &status) != 0) return false;
    // proc(5): "7f0000000000-7f0000001000 rw-s 00000000 fe:00 1234 /path"
    const QByteArray wanted = QByteArray::number(qulonglong(::major(status.st_dev)), 16).rightJustified(2, '0') + ':'
                              + QByteArray::number(qulonglong(::minor(status.st_dev)), 16).rightJustified(2, '0') + ' '
                              + QByteArray::number(qulonglong(status.st_ino)) + ' ';
    QFile maps(QStringLiteral("/proc/%1/maps").arg(pid));
    if (!maps.open(QIODevice::ReadOnly)) return false;
    for (QByteArray line = maps.readLine(); !line.isEmpty(); line = maps.readLine())
        if (line.contains(wanted)) return true;
    return false;
}

// A number may be another process's by now: then it is another program. One that was built anew, or moved, while it
// runs has another name.
bool isThere(const lp_header& header, const QString& file)
{
    const auto pid = static_cast<pid_t>(header.pid);
    if (pid <= 0 || (::kill(pid, 0) != 0 && errno != EPERM)) return false;
    if (hasMapped(pid, file)) return true;
    QString program = QFile::symLinkTarget(QStringLiteral("/proc/%1/exe").arg(pid));
    if (const QLatin1String gone(" (deleted)"); program.endsWith(gone)) program.chop(gone.size());
    const bool isReadable = ::access(QByteArray("/proc/" + QByteArray::number(pid) + "/fd").constData(), R_OK) == 0;
    return program.isEmpty() ? !isReadable : QFile::encodeName(program) == textOf(header.program);
}

}  // namespace

QByteArray bootId()
{
    QFile file(QStringLiteral("/proc/sys/kernel/random/boot_id"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed() : QByteArray();
}

QString runFolder(const QString& path)
{
    const QFileInfo info(path);
    return QDir::cleanPath(info.isDir() ? path : info.path());
}

FollowedRun followedRun(const QString& folder)
{
    return followedRank(QDir(folder).filePath(QStringLiteral("rank-000000.lprank")));
}

FollowedRun followedRank(const QString& file)
{
    const Result<RecordingBytes> bytes = RecordingBytes::open(file);
    if (!bytes) return {};
    const Result<lp_header> header = readRecordingHeader(*bytes, LP_RANK_MAGIC, file);
    if (!header) return {};
    FollowedRun run{.hasTrace = (header->flags & LP_WITHOUT_TRACE) == 0};
    const QByteArray here = bootId();
    if (header->end_kind != LP_RUNNING) run.state = RunState::Ended;
    else if (here == textOf(header->boot_id) && !here.isEmpty())
        run.state = isThere(*header, file) ? RunState::Running : RunState::Gone;
    else run.isElsewhere = textOf(header->host) != QSysInfo::machineHostName().toUtf8();  // else it was started anew
    return run;
}

}  // namespace longpole
