// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that are recorded with their path, the samples of it in online.jsonl, and figures in these.
#pragma once

#include "recorder/recordedrun.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <vector>

namespace longpole::test {

class OnlineRuns : public RecordedRuns {
public:
    std::vector<QJsonObject> samples(const char* name) const
    {
        QFile file(path(name) + QStringLiteral("/online.jsonl"));
        std::vector<QJsonObject> all;
        if (!file.open(QIODevice::ReadOnly)) return all;
        for (const QByteArray& line : file.readAll().split('\n'))
            if (!line.isEmpty()) all.push_back(QJsonDocument::fromJson(line).object());
        return all;
    }
    QJsonObject last(const char* name) const
    {
        const std::vector<QJsonObject> all = samples(name);
        return all.empty() ? QJsonObject() : all.back();
    }
};

inline qint64 figure(const QJsonObject& object, const char* key) { return object[QLatin1String(key)].toInteger(); }

inline qint64 sum(const QJsonValue& rows, const char* key)
{
    qint64 sum = 0;
    for (const auto row : rows.toArray()) sum += figure(row.toObject(), key);
    return sum;
}

// Rows of a test.
inline void addMpis()
{
    QTest::addColumn<QString>("mpi");
    for (const char* mpi : {"openmpi", "mpich"}) QTest::newRow(mpi) << QString::fromUtf8(mpi);
}

}  // namespace longpole::test
