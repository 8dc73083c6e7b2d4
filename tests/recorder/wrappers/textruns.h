// SPDX-License-Identifier: GPL-3.0-or-later
// Programs under mpirun with the wrappers and a storage that writes text: a run, and what each rank recorded.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QList>
#include <QProcess>
#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <QTest>

#include <initializer_list>
#include <vector>

namespace longpole::test {

struct Mpi {
    const char* name;
    const char* mpirun;
    bool hasFortran;
};

inline const QList<Mpi> mpis = {
#ifdef MPIRUN_openmpi
    {"openmpi", MPIRUN_openmpi,
#ifdef HAS_FORTRAN_openmpi
     true
#else
     false
#endif
    },
#endif
#ifdef MPIRUN_mpich
    {"mpich", MPIRUN_mpich,
#ifdef HAS_FORTRAN_mpich
     true
#else
     false
#endif
    },
#endif
};

using Lines = QList<QByteArray>;

struct Run {
    int exitCode = -1;
    QByteArray output;
    QByteArray errors;
    std::vector<Lines> ranks;  // what each recorded; empty without a recorder
};

inline QString library(const Mpi& mpi)
{
    return QStringLiteral("%1/liblongpole-text-%2.so").arg(QStringLiteral(LIBRARIES), QString::fromLatin1(mpi.name));
}

inline QString program(const Mpi& mpi, const QString& name, const QString& binding = {})
{
    return QStringLiteral("%1/%2-%3%4").arg(QStringLiteral(PROGRAMS), name, QString::fromLatin1(mpi.name), binding);
}

inline Lines linesOf(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    Lines lines = file.readAll().split('\n');
    lines.removeAll(QByteArray());
    return lines;
}

// Without what the libraries below MPI report of the machine, as UCX does in a container that has no /sys.
inline QByteArray withoutWarningsOfMpi(const QByteArray& printed)
{
    static const QRegularExpression warning(QStringLiteral(R"(\[\d+\.\d+\] \[[^\]]*\] +\S+:\d+ +UCX +[A-Z]+ .*\n?)"));
    return QString::fromUtf8(printed).remove(warning).toUtf8();
}

inline Run run(const Mpi& mpi, int ranks, const QString& preload, const QStringList& command)
{
    const QTemporaryDir folder;
    const QString text = folder.filePath(QStringLiteral("text"));
    QStringList arguments;
    if (qstrcmp(mpi.name, "openmpi") == 0)
        arguments = {QStringLiteral("--allow-run-as-root"), QStringLiteral("--oversubscribe")};
    arguments += {QStringLiteral("-np"), QString::number(ranks)};
    for (const QString& variable : {QStringLiteral("LD_PRELOAD"), QStringLiteral("LONGPOLE_TEXT")}) {
        const QString value = variable == QLatin1String("LD_PRELOAD") ? preload : text;
        if (value.isEmpty()) continue;
        if (qstrcmp(mpi.name, "openmpi") == 0) arguments += {QStringLiteral("-x"), variable + QLatin1Char('=') + value};
        else arguments += {QStringLiteral("-genv"), variable, value};
    }
    QProcess process;
    process.setWorkingDirectory(folder.path());
    // Said by several ranks at once, such lines would be torn.
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("UCX_LOG_LEVEL"), QStringLiteral("fatal"));
    process.setProcessEnvironment(environment);
    process.start(QString::fromLatin1(mpi.mpirun), arguments + command);
    Run result;
    if (!process.waitForFinished(120000)) {
        process.kill();
        process.waitForFinished();
        qWarning("%s did not end", qPrintable(command.join(QLatin1Char(' '))));
        return result;
    }
    result.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    result.output = withoutWarningsOfMpi(process.readAllStandardOutput());
    result.errors = withoutWarningsOfMpi(process.readAllStandardError());
    for (int rank = 0; rank < ranks && !preload.isEmpty(); ++rank)
        result.ranks.push_back(linesOf(QStringLiteral("%1.%2").arg(text).arg(rank)));
    return result;
}

// Rows of a test: each MPI in each of these languages that it has, or each MPI.
inline void eachLanguage(std::initializer_list<const char*> bindings)
{
    QTest::addColumn<int>("mpi");
    QTest::addColumn<QString>("binding");
    for (int mpi = 0; mpi < mpis.size(); ++mpi) {
        for (const char* binding : bindings) {
            if (!*binding || mpis[mpi].hasFortran)
                QTest::addRow("%s%s", mpis[mpi].name, binding) << mpi << QString::fromLatin1(binding);
        }
    }
}

inline void eachMpi()
{
    QTest::addColumn<int>("mpi");
    for (int mpi = 0; mpi < mpis.size(); ++mpi) QTest::newRow(mpis[mpi].name) << mpi;
}

}  // namespace longpole::test
