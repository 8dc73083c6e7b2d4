// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of programs with known call paths: their call trees, and the places in the source that frames name.
#pragma once

#include "recorder/recordedrun.h"

#include <QRegularExpression>
#include <QTest>

#include <map>

namespace longpole::test {

// The line of a program's source that bears the mark.
inline int lineOf(const char* source, const char* mark)
{
    QFile file(QStringLiteral(LONGPOLE_PROGRAM_SOURCES "/") + QString::fromUtf8(source));
    if (!file.open(QIODevice::ReadOnly)) return -1;
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
    const QRegularExpression wanted(QStringLiteral("mark: %1$").arg(QString::fromUtf8(mark)));
    for (int i = 0; i < lines.size(); ++i)
        if (wanted.match(lines[i]).hasMatch()) return i + 1;
    return -1;
}

// "solve (stacks.c:59)".
inline QString frame(const char* function, const char* source, const char* mark)
{
    return QStringLiteral("%1 (%2:%3)")
        .arg(QString::fromUtf8(function), QString::fromUtf8(source))
        .arg(lineOf(source, mark));
}

inline QString pathOf(const QJsonObject& row)
{
    QStringList frames;
    const QJsonArray path = row[QLatin1String("path")].toArray();
    for (const auto& one : path) frames << one.toString();
    return frames.join(QStringLiteral(" > "));
}

inline qint64 number(const QJsonObject& row, const char* key) { return row[QLatin1String(key)].toInteger(-1); }

class StackRuns {
protected:
    static void addMpis()
    {
        QTest::addColumn<QString>("mpi");
        QTest::newRow("Open MPI") << QStringLiteral("openmpi");
        QTest::newRow("MPICH") << QStringLiteral("mpich");
    }
    // Rows by path; empty after a failure.
    std::map<QString, QJsonObject> tree(const char* name) const
    {
        std::map<QString, QJsonObject> rows;
        for (const auto& value : answer({"profile", name, "--by", "callpath", "--json"}))
            rows[pathOf(value.toObject())] = value.toObject();
        return rows;
    }
    QJsonArray answer(const QList<const char*>& words) const
    {
        QStringList arguments;
        for (const char* word : words)
            arguments << (QByteArray(word).endsWith(".lprec") ? m_runs.path(word) : QString::fromUtf8(word));
        const Said said = m_runs(arguments);
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return QJsonDocument::fromJson(said.out.toUtf8()).array();
    }
    bool record(const char* name, const char* program, const QString& mpi, int ranks = 3,
                const QStringList& options = {})
    {
        const Said said = m_runs.record(name, ranks, {RecordedRuns::program(program, mpi)}, options, mpi);
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return said.code == 0;
    }

    RecordedRuns m_runs;
};

}  // namespace longpole::test

#define SKIP_WITHOUT(mpi) \
    if (const QString missing = RecordedRuns::missing(mpi); !missing.isEmpty()) QSKIP(qPrintable(missing))
