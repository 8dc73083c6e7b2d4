// SPDX-License-Identifier: GPL-3.0-or-later
// A fuzzer's bytes as choices, and files that go with its process.
#pragma once

#include "core/base/timerange.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QString>

#include <cstdint>
#include <cstdlib>
#include <span>

#include <unistd.h>

namespace longpole {

// The fuzzer's bytes as choices.
class Choices {
public:
    Choices(const std::uint8_t* data, std::size_t size) : m_bytes(data, size) {}

    bool isEmpty() const { return m_bytes.empty(); }
    std::uint32_t below(std::uint32_t end)
    {
        std::uint32_t value = byte();
        if (end > 256) value = value << 8 | byte();
        return value % end;
    }
    // Numbers at which programs break, and others.
    std::int64_t number()
    {
        static constexpr std::int64_t edges[] = {0,
                                                 1,
                                                 2,
                                                 -1,
                                                 -2,
                                                 127,
                                                 255,
                                                 65535,
                                                 65536,
                                                 0x7fffffff,
                                                 1LL << 31,
                                                 1LL << 32,
                                                 (1LL << 32) + 10,
                                                 0xffffffff,
                                                 0xfffffffe,
                                                 1LL << 22,
                                                 1LL << 53,
                                                 maxTime,
                                                 minTime,
                                                 maxTime - 1};
        const std::uint32_t choice = below(32);
        if (choice < std::size(edges)) return edges[choice];
        std::uint64_t value = 0;
        for (std::uint32_t i = 0; i < 1 + choice % 8; ++i) value = value << 8 | byte();
        return static_cast<std::int64_t>(value);
    }

private:
    std::uint8_t byte()
    {
        if (m_bytes.empty()) return 0;
        const std::uint8_t first = m_bytes.front();
        m_bytes = m_bytes.subspan(1);
        return first;
    }
    std::span<const std::uint8_t> m_bytes;
};

// In a folder that goes with the process; in memory where there is one.
inline QString fuzzFile(const char* name)
{
    static const QString folder = [] {
        QByteArray pattern = (QDir(QStringLiteral("/dev/shm")).exists() ? QByteArray("/dev/shm") : QByteArray("/tmp"))
                             + "/longpole-fuzz-XXXXXX";
        if (!::mkdtemp(pattern.data())) std::abort();
        return QString::fromLatin1(pattern);
    }();
    return folder + QLatin1Char('/') + QLatin1String(name);
}

inline QByteArray fuzzBytes(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline void writeFuzzFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(bytes) != bytes.size()) std::abort();
}

}  // namespace longpole
