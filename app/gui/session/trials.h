// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program with a piece of advice and without, in a child process (`longpole try`), and keeps what came of it.
#pragma once

#include "app/common/scratchfolder.h"
#include "app/record/trialchoice.h"
#include "core/base/result.h"
#include "views/expert/trialbox.h"

#include <QHash>
#include <QObject>
#include <QProcess>
#include <QString>

#include <memory>

namespace longpole {

class Trials : public QObject {
    Q_OBJECT
public:
    explicit Trials(QObject* parent = nullptr);
    // Ends what runs, with all that it started.
    ~Trials() override;

    // One at a time: while one runs nothing happens. `trace`: of the run that the advice is about. `priorities`: what
    // the changed runs read; empty: nothing. Error: nothing was started.
    Result<> start(const QString& advice, const QString& trace, const TrialChoice& choice,
                   const QByteArray& priorities);
    void cancel();
    bool isRunning() const { return m_process != nullptr; }

    // What was tried, by id of the advice.
    const QHash<QString, TriedAdvice>& all() const { return m_all; }

Q_SIGNALS:
    void changed();  // a trial began, a run of it ended, or the trial did

private:
    void readLines();
    void accept(const JsonValue& line);
    void finish(int exitCode, QProcess::ExitStatus status);
    void end(const QString& text);

    QString m_advice;
    QHash<QString, TriedAdvice> m_all;
    QProcess* m_process = nullptr;  // null: none runs
    QByteArray m_unread;            // a line that has not come to its end
    bool m_isCancelled = false;
    std::unique_ptr<ScratchFolder> m_priorities;
};

// The command line program: beside this one, in the folder above it (build tree), or in PATH. Empty: there is none.
QString commandLineProgram();

}  // namespace longpole
