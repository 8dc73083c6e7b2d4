// SPDX-License-Identifier: GPL-3.0-or-later
// Starts the program apart, preloads the recorder's library where it is an MPI program, and reads what the run left.
#include "app/record/timedrun.h"

#include "analysis/base/cells.h"
#include "app/common/tracecache.h"
#include "app/record/mpiprogram.h"
#include "app/record/process.h"
#include "app/record/recordingfolder.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "importers/common/folderfiles.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

namespace longpole {

namespace {

constexpr const char* trialPrefix = ".longpole-try-";

namespace fs = std::filesystem;

// Paths of the command count from the folder where it runs.
class CurrentFolder {
public:
    explicit CurrentFolder(const QString& folder) : m_before(QDir::currentPath())
    {
        if (!folder.isEmpty()) QDir::setCurrent(folder);
    }
    ~CurrentFolder() { QDir::setCurrent(m_before); }
    CurrentFolder(const CurrentFolder&) = delete;
    CurrentFolder& operator=(const CurrentFolder&) = delete;

private:
    QString m_before;
};

// Copies what lies in a folder, but not `without`: where the copy lies in it, it would get a copy of itself, and so on.
class FolderCopy {
public:
    FolderCopy(fs::path from, fs::path to, fs::path without, const Progress& progress)
        : m_from(std::move(from)), m_to(std::move(to)), m_without(std::move(without)), m_progress(progress)
    {
        m_from = fs::canonical(m_from, m_error);
        if (!m_error) copy(m_from, m_to);
    }
    const std::error_code& error() const { return m_error; }

private:
    void copy(const fs::path& from, const fs::path& to)
    {
        fs::create_directory(to, from, m_error);  // with its rights
        for (fs::directory_iterator item(from, m_error), end; !isOver() && item != end; item.increment(m_error)) {
            const fs::path target = to / item->path().filename();
            const fs::file_type type = fs::symlink_status(item->path(), m_error).type();
            if (m_error) return;
            if (type == fs::file_type::symlink) copyLink(item->path(), target);
            else if (type == fs::file_type::regular) copyFile(item->path(), target);
            else if (type != fs::file_type::directory) fs::copy(item->path(), target, m_error);
            else if (!isTrial(item->path()) && !m_error) copy(item->path(), target);
            if (m_error) return;
        }
    }
    bool isOver() const { return m_error || m_progress.isCancelled(); }

    // This one's folder, or one that a trial which was killed has left.
    bool isTrial(const fs::path& folder)
    {
        return folder.filename().string().rfind(trialPrefix, 0) == 0 || fs::equivalent(folder, m_without, m_error);
    }

    // A path from the folder on that never goes above it.
    static bool staysInside(const fs::path& path)
    {
        int depth = 0;
        for (const fs::path& part : path)
            if (part != "." && (depth += part == ".." ? -1 : 1) < 0) return false;
        return true;
    }

    // What leads into the folder by its whole path, or over folders around it, leads into the copy from there: a run
    // would write into the folder. What leads out of it leads to the same place from the copy.
    void copyLink(const fs::path& from, const fs::path& to)
    {
        const fs::path target = fs::read_symlink(from, m_error);
        if (m_error) return;
        const auto isInside = [](const fs::path& relative) { return !relative.empty() && *relative.begin() != ".."; };
        const auto textOf = [](const fs::path& path) { return QFile::decodeName(path.c_str()); };
        fs::path leads = from.parent_path() / target;
        if (target.is_relative() && staysInside(from.parent_path().lexically_relative(m_from) / target)) {
            leads = target;
        } else if (whereLeads(textOf(leads), textOf(m_from)) != Leads::ToOtherHost) {
            std::error_code unknown;  // the link may lead nowhere
            const fs::path inside = fs::weakly_canonical(leads, unknown).lexically_relative(m_from);
            if (!unknown && isInside(inside)) leads = (m_to / inside).lexically_normal();
        }
        fs::create_symlink(leads, to, m_error);
    }

    // In blocks, so that it ends when it is told to; and as old as what is copied, for make and for logsSince().
    void copyFile(const fs::path& from, const fs::path& to)
    {
        std::ifstream in(from, std::ios::binary);
        std::ofstream out(to, std::ios::binary);
        while (in && out && !isOver()) {
            in.read(m_block.data(), static_cast<std::streamsize>(m_block.size()));
            out.write(m_block.data(), in.gcount());
        }
        if (isOver()) return;
        out.close();
        if (!in.eof() || !out) m_error = std::error_code(errno != 0 ? errno : EIO, std::generic_category());
        else fs::permissions(to, fs::status(from, m_error).permissions(), m_error);
        if (m_error) return;
        if (const auto written = fs::last_write_time(from, m_error); !m_error)
            fs::last_write_time(to, written, m_error);
    }

    fs::path m_from, m_to;
    fs::path m_without;
    const Progress& m_progress;
    std::error_code m_error;
    std::vector<char> m_block = std::vector<char>(std::size_t{1} << 20);
};

Result<> copyFolder(const QString& from, const QString& to, const QString& without, const Progress& progress)
{
    const auto pathOf = [](const QString& path) { return fs::path(QFile::encodeName(path).toStdString()); };
    const FolderCopy copy(pathOf(from), pathOf(to), pathOf(without), progress);
    if (progress.isCancelled()) return cancelledError();
    if (!copy.error()) return Unit{};
    return Error{tr("The folder cannot be copied: %1.").arg(QString::fromStdString(copy.error().message())), from, {}};
}

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

// The time now by the clock that dates files in this folder: it is coarser than ours, and may be another machine's.
Result<QDateTime> timeOfFiles(const QString& folder)
{
    QFile dated(folder + QStringLiteral("/begin"));
    if (dated.open(QIODevice::WriteOnly)) return QFileInfo(dated).lastModified();
    return Error{tr("There is no place for what a run leaves: %1.").arg(dated.errorString()), folder, {}};
}

// The logs that the run wrote into its folder; empty if there are none, or those of several programs.
QString logsSince(const QDateTime& begin, const QString& folder)
{
    QStringList written;
    for (const QFileInfo& file : filesIn(folder))
        if (file.fileName().endsWith(QLatin1String(".sts")) && file.lastModified() >= begin)
            written << file.absoluteFilePath();
    return written.size() == 1 ? written.front() : QString();
}

}  // namespace

Result<TimedRun> runTimed(const TimedCommand& command, const Progress& progress)
{
    // Where all ranks see it, wherever they run.
    const QTemporaryDir scratch(QDir::current().filePath(QLatin1String(trialPrefix) + QStringLiteral("XXXXXX")));
    if (!scratch.isValid())
        return Error{tr("There is no place for what a run leaves: %1.").arg(scratch.errorString()), QDir::currentPath(),
                     tr("Run the command where you can write.")};
    QString folder;
    if (!command.copied.isEmpty()) {
        folder = scratch.filePath(QStringLiteral("copy"));
        if (const auto copied = copyFolder(command.copied, folder, scratch.path(), progress); !copied)
            return copied.error();
    }
    const QString recording = scratch.filePath(QStringLiteral("run.lprec"));
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
    const auto begin = timeOfFiles(scratch.path());
    if (!begin) return begin.error();
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
    if (const QString logs = logsSince(*begin, QDir::currentPath()); !logs.isEmpty()) {
        const auto store = imported(logs, file, progress);
        if (!store) return store.error();
        return TimedRun{(*store)->info().range().length(), MeasuredBy::ProjectionsLogs};
    }
    return TimedRun{ended->wallTime, MeasuredBy::WallTime};
}

}  // namespace longpole
