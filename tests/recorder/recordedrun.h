// SPDX-License-Identifier: GPL-3.0-or-later
// Records small MPI programs as a user does, and reads what came out with SQL. Skips where there is no MPI.
#pragma once

#include "../app/program.h"

#include "recorder/format/format.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <map>
#include <vector>

namespace longpole::test {

struct Call {
    int rank = 0;
    int seq = 0;
    QString name;
    qint64 begin = 0, end = 0;
    int peer = -1, tag = -1;
    qint64 before = 0, execution = 0, after = 0;
    QString comm;
};

class RecordedRuns {
public:
    RecordedRuns()
    {
        for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                 "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
            m_program.set(QString::fromUtf8(name), QStringLiteral("1"));
        m_program.set(QStringLiteral("OMPI_MCA_btl_vader_single_copy_mechanism"), QStringLiteral("none"));
        m_program.set(QStringLiteral("TMPDIR"), QStringLiteral("/tmp"));
        // Where there is no /sys, UCX below MPICH warns in the middle of what others print.
        m_program.set(QStringLiteral("UCX_LOG_LEVEL"), QStringLiteral("fatal"));
    }

    // mpi: "openmpi" or "mpich". Empty: everything is there; else what is not.
    static QString missing(const QString& mpi)
    {
        if (!QFile::exists(QStringLiteral(LONGPOLE_RECORDER "/liblongpole-%1.so").arg(mpi)))
            return QStringLiteral("the recorder is not built for ") + mpi;
        if (launcher(mpi).isEmpty()) return QStringLiteral("there is no mpirun of ") + mpi;
        return QFile::exists(program("ring", mpi)) ? QString() : QStringLiteral("the test programs are not built");
    }
    static QString launcher(const QString& mpi)
    {
        const QString own = QStandardPaths::findExecutable(QStringLiteral("mpirun.") + mpi);
        if (!own.isEmpty() || mpi != QLatin1String("openmpi")) return own;
        return QStandardPaths::findExecutable(QStringLiteral("mpirun"));
    }
    static QString program(const char* name, const QString& mpi = QStringLiteral("openmpi"))
    {
        return QStringLiteral(LONGPOLE_MPI_PROGRAMS "/%1-%2").arg(QString::fromUtf8(name), mpi);
    }

    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    void set(const char* name, const QString& value) { m_program.set(QString::fromUtf8(name), value); }
    Said operator()(const QStringList& arguments) const { return m_program(arguments); }

    // As a user's shell starts it: the program's name is the word that was typed.
    Said shell(const QStringList& command) const
    {
        QProcess process;
        return m_program.run(process, QStringLiteral("/bin/sh"),
                             QStringList{QStringLiteral("-c"), QStringLiteral("\"$@\""), QStringLiteral("sh")}
                                 + command);
    }

    // longpole record [options] -o NAME -- mpirun [launcher's options] -np RANKS COMMAND
    Said record(const char* name, int ranks, const QStringList& command, const QStringList& options = {},
                const QString& mpi = QStringLiteral("openmpi"), const QStringList& launchersOptions = {}) const
    {
        return m_program(words(name, ranks, command, options, mpi, launchersOptions));
    }
    // The same, and goes on at once.
    void start(QProcess& process, const char* name, int ranks, const QStringList& command,
               const QStringList& options) const
    {
        m_program.start(process, words(name, ranks, command, options, QStringLiteral("openmpi"), {}));
    }

    // The rows of a query; empty after a failure, which fails the test by its size.
    QJsonArray sql(const QString& trace, const char* query) const
    {
        const Said said = m_program({QStringLiteral("sql"), QStringLiteral("--json"), trace, QString::fromUtf8(query)});
        if (said.code != 0) qWarning("%s", qPrintable(said.error));
        return QJsonDocument::fromJson(said.out.toUtf8()).array();
    }

    std::vector<Call> calls(const QString& trace) const
    {
        std::vector<Call> all;
        const QJsonArray rows = sql(trace, "SELECT * FROM mpi_call ORDER BY rank, seq");
        for (const auto& value : rows) {
            const QJsonObject row = value.toObject();
            const auto number = [&](const char* key) { return row[QLatin1String(key)].toInteger(-1); };
            all.push_back({int(number("rank")), int(number("seq")), row[QLatin1String("call")].toString(),
                           number("begin_ns"), number("end_ns"), int(number("peer")), int(number("tag")),
                           number("wait_before_ns"), number("execution_ns"), number("wait_after_ns"),
                           row[QLatin1String("comm")].toString()});
        }
        return all;
    }

    // Kinds of issues and how often.
    std::map<QString, qint64> issues(const QString& trace) const
    {
        std::map<QString, qint64> all;
        const QJsonArray rows = sql(trace, "SELECT kind, count FROM issue");
        for (const auto& value : rows)
            all[value.toObject()[QLatin1String("kind")].toString()] = value.toObject()[QLatin1String("count")]
                                                                          .toInteger();
        return all;
    }

    lp_header header(const char* name, int rank) const
    {
        lp_header header{};
        QFile file(path(name) + QStringLiteral("/rank-%1.lprank").arg(rank, 6, 10, QLatin1Char('0')));
        if (file.open(QIODevice::ReadOnly)) file.read(reinterpret_cast<char*>(&header), sizeof header);
        return header;
    }

private:
    QStringList words(const char* name, int ranks, const QStringList& command, const QStringList& options,
                      const QString& mpi, const QStringList& launchersOptions) const
    {
        return QStringList{QStringLiteral("record"), QStringLiteral("--force")} + options
               + QStringList{QStringLiteral("-o"), path(name), QStringLiteral("--"), launcher(mpi)} + launchersOptions
               + QStringList{QStringLiteral("-np"), QString::number(ranks)} + command;
    }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

}  // namespace longpole::test
