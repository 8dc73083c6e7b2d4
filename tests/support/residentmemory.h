// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory the test's process has, and had at most since it last asked to forget that.
#pragma once

#include "core/base/freedmemory.h"

#include <QFile>

#include <cstdint>

namespace longpole::test {

// Resident bytes from /proc: "VmRSS:" now, "VmHWM:" the most since forgetPeak().
inline std::int64_t residentBytes(const char* field)
{
    QFile file(QStringLiteral("/proc/self/status"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray& line : file.readAll().split('\n'))
        if (line.startsWith(field))
            return line.mid(int(qstrlen(field))).trimmed().split(' ').value(0).toLongLong() * 1024;
    return 0;
}

inline void forgetPeak()
{
    giveFreedMemoryBack();
    QFile file(QStringLiteral("/proc/self/clear_refs"));
    if (file.open(QIODevice::WriteOnly)) file.write("5");
}

}  // namespace longpole::test
