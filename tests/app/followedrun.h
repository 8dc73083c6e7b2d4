// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose path is followed while it goes on, as its recorder writes it, made by hand.
#pragma once

#include "recorder/format/format.h"

#include <QByteArray>
#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QString>

#include <cstring>
#include <functional>

#include <unistd.h>

namespace longpole::test {

// A sample at `time`, of which `length` is path: two thirds in "solve", a third in code with a line break in its name.
inline QByteArray sampleAt(qint64 time, qint64 length, const QByteArray& more = {})
{
    const auto number = [](qint64 value) { return QByteArray::number(value); };
    QByteArray line = "{\"version\":1,\"time_ns\":" + number(time) + ",\"meetings\":64,\"length_ns\":" + number(length);
    line += ",\"covered_ns\":" + number(time);
    line += ",\"procedures\":[{\"name\":\"solve\",\"share_ns\":" + number(length / 3 * 2);
    line += ",\"net_ns\":" + number(length / 2) + ",\"cpu_ns\":" + number(length) + "}";
    line += ",{\"name\":\"a\\nb\",\"share_ns\":" + number(length / 3) + ",\"net_ns\":null,\"cpu_ns\":7}]";
    line += ",\"rest_ns\":0,\"ranks\":[{\"rank\":3,\"share_ns\":" + number(length) + "}]";
    line += ",\"own_ns\":1000,\"messages\":2,\"late\":0,\"ambiguous\":0,\"ahead\":0,\"lost_ns\":0";
    return line + more + "}\n";
}

inline QByteArray lastAt(qint64 time, qint64 length) { return sampleAt(time, length, ",\"final\":true"); }

// Rank 0's file of a recording of this very process; `change` makes another one of it.
inline bool putFirstRank(const QString& folder, const std::function<void(lp_header&)>& change)
{
    lp_header header{};
    std::memcpy(header.magic, LP_RANK_MAGIC, sizeof header.magic);
    header.endian = LP_ENDIAN_MARK;
    header.version = LP_FORMAT_VERSION;
    header.size = 1;
    header.pid = std::uint32_t(::getpid());
    QFile boot(QStringLiteral("/proc/sys/kernel/random/boot_id"));
    if (!boot.open(QIODevice::ReadOnly)) return false;
    qstrncpy(header.boot_id, boot.readAll().trimmed().constData(), sizeof header.boot_id);
    qstrncpy(header.program, QFile::encodeName(QCoreApplication::applicationFilePath()).constData(),
             sizeof header.program);
    change(header);
    QFile file(folder + QStringLiteral("/rank-000000.lprank"));
    return file.open(QIODevice::WriteOnly)
           && file.write(reinterpret_cast<const char*>(&header), sizeof header) == sizeof header
           && file.resize(LP_FIRST_FRAME);
}

// Of a process that is over.
inline void endsBefore(lp_header& header)
{
    QProcess process;
    process.start(QStringLiteral("/bin/true"), {});
    process.waitForStarted();
    header.pid = std::uint32_t(process.processId());
    process.waitForFinished();
}

}  // namespace longpole::test
