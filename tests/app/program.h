// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the command line program as a user does, and keeps what it said.
#pragma once

#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

namespace longpole::test {

struct Said {
    int code = -1;  // -1: it did not start or crashed
    QString out;
    QString error;
};

class Program {
public:
    // Imported traces, and what is kept of the user's, go into `cache` ($XDG_CACHE_HOME).
    explicit Program(const QString& cache) : m_environment(QProcessEnvironment::systemEnvironment())
    {
        m_environment.insert(QStringLiteral("XDG_CACHE_HOME"), cache);
        m_environment.insert(QStringLiteral("XDG_DATA_HOME"), cache);
        m_environment.remove(QStringLiteral("QT_QPA_PLATFORM"));
        m_environment.remove(QStringLiteral("DISPLAY"));
        m_environment.remove(QStringLiteral("WAYLAND_DISPLAY"));
        m_environment.remove(QStringLiteral("XDG_RUNTIME_DIR"));
    }

    void set(const QString& name, const QString& value) { m_environment.insert(name, value); }

    void start(QProcess& process, const QStringList& arguments) const
    {
        process.setProcessEnvironment(m_environment);
        process.start(QStringLiteral(LONGPOLE_PROGRAM), arguments);
    }

    // Another program, in the same environment.
    Said run(QProcess& process, const QString& program, const QStringList& arguments) const
    {
        process.setProcessEnvironment(m_environment);
        process.start(program, arguments);
        return finish(process);
    }

    static Said finish(QProcess& process)
    {
        if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit) return {};
        return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
                QString::fromUtf8(process.readAllStandardError())};
    }

    Said operator()(const QStringList& arguments) const
    {
        QProcess process;
        start(process, arguments);
        return finish(process);
    }

private:
    QProcessEnvironment m_environment;
};

}  // namespace longpole::test
