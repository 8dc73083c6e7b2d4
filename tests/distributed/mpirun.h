// SPDX-License-Identifier: GPL-3.0-or-later
// Starts longpole-mpi under each MPI, as a user does.
#pragma once

#include <QDir>
#include <QFile>
#include <QHash>
#include <QList>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QString>
#include <QStringList>

namespace longpole::tests {

struct MpiSaid {
    int code = -1;  // -1: it did not end
    QString out;
    QString error;
};

class MpiRuns {
public:
    static QStringList mpis() { return {QStringLiteral("openmpi"), QStringLiteral("mpich")}; }
    static QString library(const QString& mpi)
    {
        return QStringLiteral(LONGPOLE_TRANSPORTS "/liblongpole-transport-%1.so").arg(mpi);
    }
    static QString launcher(const QString& mpi)
    {
        const QString own = QStandardPaths::findExecutable(QStringLiteral("mpirun.") + mpi);
        if (!own.isEmpty() || mpi != QLatin1String("openmpi")) return own;
        return QStandardPaths::findExecutable(QStringLiteral("mpirun"));
    }
    // Empty: everything is there; else what is not.
    static QString missing(const QString& mpi)
    {
        if (!QFile::exists(library(mpi))) return QStringLiteral("no transport library is built for ") + mpi;
        return launcher(mpi).isEmpty() ? QStringLiteral("there is no mpirun of ") + mpi : QString();
    }

    static void start(QProcess& process, const QString& mpi, int processes, const QStringList& arguments)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                 "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
            environment.insert(QLatin1String(name), QStringLiteral("1"));
        environment.insert(QStringLiteral("OMPI_MCA_btl_vader_single_copy_mechanism"), QStringLiteral("none"));
        environment.insert(QStringLiteral("TMPDIR"), QStringLiteral("/tmp"));
        environment.insert(QStringLiteral("UCX_LOG_LEVEL"), QStringLiteral("fatal"));
        process.setProcessEnvironment(environment);
        process.start(launcher(mpi), QStringList{QStringLiteral("-n"), QString::number(processes),
                                                 QStringLiteral(LONGPOLE_MPI_PROGRAM)}
                                         + arguments);
    }
    static MpiSaid finish(QProcess& process, int milliseconds = 240'000)
    {
        if (!process.waitForFinished(milliseconds)) {
            process.kill();
            process.waitForFinished();
            return {};
        }
        const int code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        return {code, QString::fromUtf8(process.readAllStandardOutput()),
                QString::fromUtf8(process.readAllStandardError())};
    }
    static MpiSaid run(const QString& mpi, int processes, const QStringList& arguments)
    {
        QProcess process;
        start(process, mpi, processes, arguments);
        return finish(process);
    }

    // The processes of longpole-mpi that a launcher started, directly or not.
    static QList<qint64> children(qint64 launcher)
    {
        QHash<qint64, qint64> parent;
        QList<qint64> programs;
        for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
            QFile file(QStringLiteral("/proc/%1/stat").arg(name));
            if (!file.open(QIODevice::ReadOnly)) continue;
            const QByteArray line = file.readAll();
            const QList<QByteArray> rest = line.mid(line.lastIndexOf(')') + 2).split(' ');
            if (rest.size() < 2) continue;
            parent[name.toLongLong()] = rest[1].toLongLong();
            if (line.contains("(longpole-mpi)")) programs << name.toLongLong();
        }
        QList<qint64> found;
        for (const qint64 program : programs) {
            qint64 above = program;
            while (above > 1 && above != launcher) above = parent.value(above, 0);
            if (above == launcher) found << program;
        }
        return found;
    }
};

}  // namespace longpole::tests
