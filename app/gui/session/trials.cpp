// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/trials.h"

#include "app/common/userfolders.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <sys/prctl.h>
#include <csignal>

namespace longpole {

namespace {

// How long `longpole try` takes to end what it has started: it waits two seconds before it kills.
constexpr int endingMs = 4000;
constexpr qsizetype longestLine = 16 << 20;

QString lastLine(const QByteArray& said)
{
    const QList<QByteArray> lines = said.trimmed().split('\n');
    QString last = QString::fromUtf8(lines.back()).simplified();
    const QString own = QStringLiteral("longpole: ");
    return last.startsWith(own) ? last.mid(own.size()) : last;
}

}  // namespace

QString commandLineProgram()
{
    const QString name = QStringLiteral("longpole");
    const QString here = QCoreApplication::applicationDirPath();
    for (const QString& place :
         {QString(here + QLatin1Char('/') + name), QString(here + QStringLiteral("/../") + name)})
        if (QFileInfo(place).isExecutable() && QFileInfo(place).isFile()) return QFileInfo(place).canonicalFilePath();
    return QStandardPaths::findExecutable(name);
}

Trials::Trials(QObject* parent) : QObject(parent) {}

Trials::~Trials()
{
    if (!m_process) return;
    m_process->disconnect(this);
    m_process->terminate();
    if (!m_process->waitForFinished(endingMs)) m_process->kill();
}

Result<> Trials::start(const QString& advice, const QString& trace, const TrialChoice& choice,
                       const QByteArray& priorities)
{
    if (isRunning()) return Unit{};
    const QString program = commandLineProgram();
    if (program.isEmpty())
        return Error{tr("The program longpole, which runs others, is not installed."),
                     tr("beside longpole-gui and in PATH"),
                     {}};
    QString file;
    m_priorities.reset();
    if (!priorities.isEmpty()) {
        // Beside the cache: where ranks on other machines may read it, too.
        if (const Result<> made = makeFolder(UserFolder::Cache); !made) return made;
        m_priorities = std::make_unique<ScratchFolder>(cacheFolder(), QStringLiteral("trial-"));
        file = m_priorities->namedPath(QStringLiteral("priorities.json"));
        QFile out(m_priorities->filePath(QStringLiteral("priorities.json")));
        if (!m_priorities->isValid() || !out.open(QIODevice::WriteOnly) || out.write(priorities) != priorities.size())
            return Error{tr("The priorities cannot be written: %1.").arg(out.errorString()), file, {}};
    }
    const Result<QStringList> arguments = trialArguments(choice, file);
    if (!arguments) return arguments.error();

    m_advice = advice;
    m_unread.clear();
    m_isCancelled = false;
    m_all[advice] = {.trial = {.change = trialChange(choice, !file.isEmpty())},
                     .runs = std::int64_t{2} * choice.pairs,
                     .isRunning = true};
    m_process = new QProcess(this);
    m_process->setWorkingDirectory(choice.folder);
    m_process->setStandardInputFile(QProcess::nullDevice());
    // It ends, with what it has started, when this program does, however that ends.
    m_process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGTERM); });
    connect(m_process, &QProcess::readyReadStandardOutput, this, &Trials::readLines);
    connect(m_process, &QProcess::finished, this, &Trials::finish);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end(tr("longpole cannot be started: %1.").arg(m_process->errorString()));
    });
    m_process->start(program, QStringList{QStringLiteral("try"), QFileInfo(trace).absoluteFilePath()} + *arguments);
    Q_EMIT changed();
    return Unit{};
}

void Trials::cancel()
{
    if (!m_process) return;
    m_isCancelled = true;
    m_process->terminate();
}

void Trials::readLines()
{
    m_unread += m_process->readAllStandardOutput();
    for (qsizetype end = m_unread.indexOf('\n'); end >= 0; end = m_unread.indexOf('\n')) {
        if (const std::optional<JsonValue> line = parseJson(m_unread.left(end))) accept(*line);
        m_unread.remove(0, end + 1);
    }
    if (m_unread.size() > longestLine) m_unread.clear();
}

// The lines of `longpole try --json --follow`: what will run, each run, and the trial as a whole, which is what the
// runs say.
void Trials::accept(const JsonValue& line)
{
    const std::optional<TrialRun> run = trialRunFrom(line);
    if (!run) return;
    Trial& trial = m_all[m_advice].trial;
    trial.runs.push_back(*run);
    trial.by = measuredByOf(textOf(line, "by")).value_or(trial.by);
    Q_EMIT changed();
}

void Trials::finish(int exitCode, QProcess::ExitStatus status)
{
    readLines();
    // Exit code 1 is no failure: it says that the gain lies outside of what was predicted.
    const bool isFine = status == QProcess::NormalExit && exitCode <= 1;
    if (m_isCancelled) end(tr("Cancelled: what follows is of the runs until then."));
    else if (isFine) end({});
    else if (const QString said = lastLine(m_process->readAllStandardError()); !said.isEmpty()) end(said);
    else end(tr("longpole ended before its runs had."));
}

// Ends the trial. `text`: what went wrong; empty: nothing did.
void Trials::end(const QString& text)
{
    if (!m_process) return;
    m_process->deleteLater();
    m_process = nullptr;
    m_priorities.reset();
    TriedAdvice& tried = m_all[m_advice];
    tried.isRunning = false;
    tried.error = text;
    Q_EMIT changed();
}

}  // namespace longpole
