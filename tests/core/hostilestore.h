// SPDX-License-Identifier: GPL-3.0-or-later
// Stores whose checksums are right and whose content is not: what a person who means it makes of a sound file.
#pragma once

#include "core/base/hash.h"
#include "core/file/codec.h"
#include "core/file/schema.h"
#include "core/file/sqlite.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace longpole {

// Makes a whole trace say that it has the events of parts only.
inline QByteArray sqlOfParts()
{
    QByteArray sql = "UPDATE meta SET value = 1 WHERE key = 'part'; ";
    for (const TableSpec& spec : tables(HasEvents::OfParts).subspan(tables(HasEvents::All).size()))
        sql.append(spec.ddl).append("; ");
    return sql;
}

// Runs SQL on the file, then makes its stamp right again.
inline Result<> editStore(const QString& path, const QByteArray& sql)
{
    Result<Database> database = Database::createForBulk(path);
    if (!database) return database.error();
    if (const Result<> edited = database->execute(sql.constData()); !edited) return edited;
    if (const Result<> cut = database->execute("DELETE FROM meta WHERE key = 'stamp'"); !cut) return cut;
    Result<ValueHasher> hasher = beginStamp(*database);
    if (!hasher) return hasher.error();
    std::int64_t left = maxTime;
    for (const TableSpec& spec : tables(HasEvents::OfParts)) {
        const std::string isThere = std::string("SELECT count(*) FROM sqlite_schema WHERE name = '") + spec.name + "'";
        const Result<std::int64_t> found = database->integer(isThere.c_str());
        if (!found) return found.error();
        if (*found == 0 || !spec.stamped) continue;
        if (const Result<> scanned = scanTable(*database, spec, *hasher, left); !scanned) return scanned;
    }
    const QByteArray insert = "INSERT INTO meta(key, value) VALUES('stamp', '" + hasher->hex().toLatin1() + "')";
    if (const Result<> stamped = database->execute(insert.constData()); !stamped) return stamped;
    return database->close();
}

// Puts what `change` makes of its bytes and rows in the place of the first chunk of that kind on that track, then makes
// its checksum and the stamp right again. Nothing made: an error.
inline Result<> replaceChunk(
    const QString& path, ChunkKind kind, TrackId track,
    const std::function<std::vector<char>(std::span<const char> bytes, std::uint32_t rows)>& change)
{
    const std::string where = std::string("kind = '") + chunkSpec(kind).name
                              + "' AND track = " + std::to_string(index(track));
    QByteArray edit;
    {
        Result<Database> database = Database::createForBulk(path);
        if (!database) return database.error();
        Result<Statement> row = database->prepare("SELECT id, rows, data FROM chunk JOIN chunk_data USING(id) WHERE "
                                                  + where + " ORDER BY first_row LIMIT 1");
        if (!row) return row.error();
        const Result<bool> found = row->step();
        if (!found) return found.error();
        if (!*found) return Error{.what = QStringLiteral("no such chunk"), .where = path, .hint = {}};
        const std::vector<char> bytes = change(row->blob(2), static_cast<std::uint32_t>(row->integer(1)));
        if (bytes.empty()) return Error{.what = QStringLiteral("no chunk"), .where = path, .hint = {}};
        const QByteArray id = QByteArray::number(qint64(row->integer(0)));
        const QByteArray hash = QByteArray::number(static_cast<qint64>(hashBytes(bytes)));
        const QByteArray data = QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())).toHex();
        edit = "UPDATE chunk_data SET data = x'" + data + "' WHERE id = " + id + "; UPDATE chunk SET hash = " + hash
               + " WHERE id = " + id;
    }
    return editStore(path, edit);
}

// Lets `change` alter the columns of the first chunk of that kind on that track.
inline Result<> editChunk(const QString& path, ChunkKind kind, TrackId track,
                          const std::function<void(std::vector<StoredColumn>&)>& change)
{
    return replaceChunk(path, kind, track, [&](std::span<const char> bytes, std::uint32_t rows) {
        std::optional<Chunk> chunk = decodeChunk(bytes, kind, track, rows);
        if (!chunk) return std::vector<char>{};
        change(chunk->columns);
        std::vector<std::int64_t> values;
        for (const auto& column : chunk->columns) values.insert(values.end(), column.begin(), column.end());
        return encodeChunk(kind, track, values, rows, rows);
    });
}

}  // namespace longpole
