// SPDX-License-Identifier: GPL-3.0-or-later
// Two traces that must be the same file, and what differs if they are not.
#pragma once

#include "core/store/tracestore.h"
#include "core/trace/columns.h"

#include <QFile>
#include <QString>

#include <algorithm>
#include <utility>

namespace longpole::test {

inline QByteArray contentOfFile(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// What differs first, for people.
inline QString difference(const QString& a, const QString& b)
{
    const auto one = TraceStore::open(a), other = TraceStore::open(b);
    if (!one || !other) return QStringLiteral("one cannot be opened");
    QString text;
    for (int kind = 1; kind < 19; ++kind) {
        const auto mine = (*one)->chunks(ChunkKind(kind)), theirs = (*other)->chunks(ChunkKind(kind));
        for (std::size_t i = 0; i < std::max(mine.size(), theirs.size()); ++i) {
            const bool isThere = i < mine.size() && i < theirs.size();
            if (isThere && mine[i].hash == theirs[i].hash && mine[i].id == theirs[i].id) continue;
            text += QStringLiteral("kind %1 chunk %2: ").arg(kind).arg(i);
            for (const auto& [store, refs] : {std::pair(*one, mine), std::pair(*other, theirs)})
                if (i < refs.size())
                    text += QStringLiteral("[id %1 track %2 level %3 first %4 rows %5] ")
                                .arg(refs[i].id)
                                .arg(index(refs[i].track))
                                .arg(refs[i].level)
                                .arg(refs[i].firstRow)
                                .arg(refs[i].rows);
            if (isThere) {
                const auto x = (*one)->read(mine[i]), y = (*other)->read(theirs[i]);
                if (x && y)
                    for (std::size_t c = 0; c < (*x)->columns.size(); ++c)
                        for (std::size_t r = 0; r < std::min((*x)->columns[c].size(), (*y)->columns[c].size()); ++r)
                            if ((*x)->columns[c][r] != (*y)->columns[c][r])
                                return text
                                       + QStringLiteral("column %1 row %2: %3 and %4")
                                             .arg(c)
                                             .arg(r)
                                             .arg((*x)->columns[c][r])
                                             .arg((*y)->columns[c][r]);
            }
            return text;
        }
    }
    for (std::size_t i = 0; i < std::max((*one)->issues().size(), (*other)->issues().size()); ++i) {
        const auto say = [i](const TraceStore& store) {
            if (i >= store.issues().size()) return QStringLiteral("-");
            const Issue& issue = store.issues()[i];
            return QStringLiteral("%1*%2 %3").arg(issue.kind).arg(issue.count).arg(issue.place);
        };
        if (say(**one) != say(**other)) return say(**one) + QStringLiteral(" and ") + say(**other);
    }
    return QStringLiteral("definitions");
}

}  // namespace longpole::test
