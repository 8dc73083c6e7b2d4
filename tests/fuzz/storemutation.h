// SPDX-License-Identifier: GPL-3.0-or-later
// Changes sound stores as a fuzzer's bytes say, and makes their stamps and checksums right again.
#pragma once

#include "core/hostilestore.h"
#include "core/smalltrace.h"
#include "core/store/tracestore.h"

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

inline QByteArray cellEdit(Choices& choices)
{
    struct Cells {
        const char* table;
        const char* columns[12];
    };
    static constexpr Cells cells[] = {
        {"track", {"id", "parent", "pe", "kind"}},
        {"processor",
         {"pe", "node", "process", "track", "tasks", "messages", "busy_ns", "idle_ns", "started_ns", "stopping_ns",
          "has_log", "records"}},
        {"chare", {"id", "dimensions"}},
        {"entry", {"id", "chare_id", "kind"}},
        {"region", {"id", "number", "kind"}},
        {"text", {"id"}},
        {"profile", {"pe", "entry", "count", "time_ns", "exclusive_ns", "messages", "bytes"}},
        {"issue", {"count"}},
        {"meta", {"value"}},
        {"chunk", {"track", "level", "first_row", "rows", "first_begin_ns", "last_begin_ns", "max_end_ns", "kind"}}};
    const Cells& chosen = cells[choices.below(std::size(cells))];
    std::uint32_t columns = 0;
    while (columns < std::size(chosen.columns) && chosen.columns[columns]) ++columns;
    const QByteArray row = QByteArray::number(choices.below(24));
    const QByteArray value = QByteArray::number(qlonglong{choices.number()});
    return QByteArray("UPDATE OR IGNORE ") + chosen.table + " SET " + chosen.columns[choices.below(columns)] + " = "
           + value + " WHERE rowid = (SELECT rowid FROM " + chosen.table + " LIMIT 1 OFFSET " + row + ");";
}

inline QByteArray tableEdit(Choices& choices)
{
    static constexpr const char* edits[] = {
        "CREATE TABLE IF NOT EXISTS task(task, pe);",
        "CREATE VIEW IF NOT EXISTS idle AS SELECT 1;",
        "CREATE INDEX IF NOT EXISTS i ON entry(name);",
        "DELETE FROM track;",
        "DELETE FROM processor;",
        "DELETE FROM meta WHERE key = 'format';",
        "DELETE FROM entry;",
        "DELETE FROM chunk WHERE kind = 'task_source';",
        "DELETE FROM chunk WHERE kind = 'message';",
        "DELETE FROM chunk_data;",
        "DELETE FROM region;",
        "INSERT OR IGNORE INTO track SELECT id + 100, id, kind, name, pe FROM track;",
        "INSERT INTO profile SELECT * FROM profile;",
        "INSERT INTO meta SELECT * FROM meta;",
        "UPDATE entry SET name = printf('%.*c', 100000, 'x');",
        "UPDATE entry SET name = x'ff00fe';"};
    return edits[choices.below(std::size(edits))];
}

// One column of one chunk gets other numbers, in one row or in all.
inline void chunkEdit(const QString& path, Choices& choices)
{
    const auto kind = static_cast<ChunkKind>(1 + choices.below(static_cast<std::uint32_t>(chunkSpecs().size())));
    const TrackId track{choices.below(2) == 0 ? 10u : 11u};
    const auto change = [&choices](std::vector<std::vector<std::int64_t>>& columns) {
        auto& column = columns[choices.below(static_cast<std::uint32_t>(columns.size()))];
        const std::int64_t value = choices.number();
        if (choices.below(4) == 0) std::fill(column.begin(), column.end(), value);
        else column[choices.below(static_cast<std::uint32_t>(column.size()))] = value;
    };
    static_cast<void>(editChunk(path, kind, track, change));
}

// A sound store, changed a few times.
inline QString mutatedStore(const std::uint8_t* data, std::size_t size)
{
    static const QByteArray sound = [] {
        const QString path = fuzzFile("sound.longpole");
        if (!writeSmallTrace(path)) std::abort();
        return fuzzBytes(path);
    }();
    const QString path = fuzzFile("mutated.longpole");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(sound) != sound.size()) std::abort();
    file.close();
    Choices choices(data, size);
    QByteArray sql;
    for (std::uint32_t edits = 1 + choices.below(4); edits > 0; --edits) {
        switch (choices.below(4)) {
        case 0: sql += tableEdit(choices); break;
        case 1: chunkEdit(path, choices); break;
        default: sql += cellEdit(choices);
        }
    }
    static_cast<void>(editStore(path, sql));
    return path;
}

}  // namespace longpole
