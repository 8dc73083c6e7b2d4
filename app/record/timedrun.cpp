// SPDX-License-Identifier: GPL-3.0-or-later
// Starts the program apart, preloads the recorder's library where it is an MPI program, and reads what the run left.
#include "app/record/timedrun.h"

#include "analysis/base/cells.h"
#include "app/common/tracecache.h"
#include "app/record/mpiprogram.h"
#include "app/record/process.h"
#include "app/record/recordingfolder.h"
#include "app/record/trialfolder.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "importers/common/folderfiles.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace longpole {

namespace {

// Paths of the command count from the folder where it runs. Goes back to the folder itself: its name may be another's.
class CurrentFolder {
public:
    explicit CurrentFolder(const QString& folder)
    {
        if (folder.isEmpty()) return;
        m_before = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
        QDir::setCurrent(folder);
    }
    ~CurrentFolder()
    {
        if (m_before < 0) return;
        if (::fchdir(m_before) != 0) qWarning("longpole: the working folder cannot be entered again");
        ::close(m_before);
    }
    CurrentFolder(const CurrentFolder&) = delete;
    CurrentFolder& operator=(const CurrentFolder&) = delete;

private:
    int m_before = -1;
};

// The recorder's library that fits the command; empty if it starts no MPI program that can be recorded.
QString libraryFor(const MpiLaunch& launch)
{
    if (launch.programs.empty()) return {};
    const MpiProgram program = inspectProgram(programPath(launch.words[launch.programs.front()]));
    if (program.mpi == MpiKind::Unknown && launch.launcher == MpiLauncher::None) return {};
    const auto kind = mpiOf(launch, program);
    if (!kind) return {};
    const auto library = recorderLibrary(*kind, program.library);
    return library ? *library : QString();
}

Error failed(const TimedCommand& command, int exitCode, const QString& output)
{
    const QString words = lastWords(output);
    return {tr("A run of the command failed, with exit code %1.").arg(exitCode), command.words.join(QLatin1Char(' ')),
            words.isEmpty() ? QString() : tr("It printed last: %1").arg(onOneLine(words))};
}

// Imports into a file that is gone with the folder.
Result<std::shared_ptr<const TraceStore>> imported(const QString& trace, const QString& file, const Progress& progress)
{
    const auto importer = findImporter(trace);
    if (!importer) return importer.error();
    const auto report = (*importer)->import(trace, file, ImportOptions{}, progress);
    if (!report) return report.error();
    return TraceStore::open(file);
}

// From the first end of MPI_Init to the last begin of MPI_Finalize.
TimeNs timeBetween(const TraceStore& store)
{
    TimeRange whole{maxTime, minTime};
    for (const Processor& rank : store.processors()) {
        const TimeRange active = intersection(rank.active(), store.info().range());
        whole = {std::min(whole.begin, active.begin), std::max(whole.end, active.end)};
    }
    return whole.isEmpty() ? 0 : whole.length();
}

Result<TimeNs> recordedTime(const TimedCommand& command, const QString& folder, const QString& file,
                            const Progress& progress)
{
    TimeNs time = 0;
    for (const QString& recording : QStringList{folder} + recordingsBeside(folder)) {
        if (!recordedFolder(recording).hasIndex)
            return Error{tr("A run cannot be measured: it did not come to MPI_Finalize."),
                         command.words.join(QLatin1Char(' ')),
                         {}};
        const auto store = imported(recording, file, progress);
        if (!store) return store.error();
        time += timeBetween(**store);
    }
    return time;
}

// The .sts files of a folder, and what tells whether one was written since: not the time of day, as files have that of
// another machine, of a coarser clock, or of whoever packed them.
using WrittenLogs = std::map<QString, std::pair<qint64, QDateTime>>;

WrittenLogs logsIn(const QString& folder)
{
    WrittenLogs logs;
    for (const QFileInfo& file : filesIn(folder))
        if (file.fileName().endsWith(QLatin1String(".sts")))
            logs[file.absoluteFilePath()] = {file.size(), file.lastModified()};
    return logs;
}

// The logs that the run wrote into its folder; empty if there are none, or those of several programs.
QString logsSince(const WrittenLogs& before, const QString& folder)
{
    QStringList written;
    for (const auto& [path, state] : logsIn(folder))
        if (const auto earlier = before.find(path); earlier == before.end() || earlier->second != state)
            written << path;
    return written.size() == 1 ? written.front() : QString();
}

}  // namespace

Result<TimedRun> runTimed(const TimedCommand& command, const Progress& progress)
{
    const TrialFolder scratch;
    if (!scratch.isValid())
        return Error{tr("There is no place for what a run leaves: %1.").arg(scratch.errorString()), QDir::currentPath(),
                     tr("Run the command where you can write.")};
    QString folder;
    if (!command.copied.isEmpty()) {
        const Result<QString> copied = scratch.copyOf(command.copied, progress);
        if (!copied) return copied.error();
        folder = *copied;
    }
    const QString recording = scratch.namedPath(QStringLiteral("run.lprec"));
    const QString output = scratch.filePath(QStringLiteral("output"));
    const CurrentFolder there(folder);
    const MpiLaunch launch = readLaunch(command.words);
    const QString library = libraryFor(launch);
    Variables forRanks = command.variables;
    if (!library.isEmpty()) {
        if (const auto ready = makeRecordingFolder(recording, false); !ready) return ready.error();
        const QString preloaded = qEnvironmentVariable("LD_PRELOAD");
        forRanks.emplace_back(QStringLiteral("LD_PRELOAD"),
                              preloaded.isEmpty() ? library : QString(library + QLatin1Char(':') + preloaded));
        forRanks.emplace_back(QStringLiteral("LONGPOLE_OUTPUT"), recording);
        forRanks.emplace_back(QStringLiteral("LONGPOLE_TRACE"), QStringLiteral("0"));
    }
    const bool inherits = launch.launcher == MpiLauncher::None || launch.launcher == MpiLauncher::Environment;
    const WrittenLogs before = logsIn(QDir::currentPath());
    const auto process = startProcess({.words = withVariables(launch, forRanks),
                                       .variables = inherits ? forRanks : command.variables,
                                       .isApart = true,
                                       .folder = folder,
                                       .output = output});
    if (!process) return process.error();
    const auto ended = waitForProcess(*process, progress);
    if (!ended) return ended.error();
    if (ended->exitCode != 0) return failed(command, ended->exitCode, output);
    const QString file = scratch.filePath(QStringLiteral("run.longpole"));
    if (recordedFolder(recording).ranks > 0) {
        const auto time = recordedTime(command, recording, file, progress);
        if (!time) return time.error();
        return TimedRun{*time, MeasuredBy::MpiTimes};
    }
    if (const QString logs = logsSince(before, QDir::currentPath()); !logs.isEmpty()) {
        const auto store = imported(logs, file, progress);
        if (!store) return store.error();
        return TimedRun{(*store)->info().range().length(), MeasuredBy::ProjectionsLogs};
    }
    return TimedRun{ended->wallTime, MeasuredBy::WallTime};
}

}  // namespace longpole
