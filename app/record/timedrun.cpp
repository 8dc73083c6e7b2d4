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
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

    // Whether a relative link never leads above the folder: by its parts, none of which before a ".." is a link itself.
    bool staysInside(const fs::path& folder, const fs::path& target) const
    {
        int depth = 0;
        for (const fs::path& part : folder.lexically_relative(m_from)) depth += part == "." ? 0 : 1;
        fs::path at = folder;
        bool isOverLink = false;
        for (const fs::path& part : target) {
            if (part == "." || part.empty()) continue;
            if (part == "..") {
                if (isOverLink || --depth < 0) return false;
                at = at.parent_path();
                continue;
            }
            ++depth;
            at /= part;
            std::error_code unknown;
            isOverLink = isOverLink || fs::is_symlink(fs::symlink_status(at, unknown));
        }
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
        if (target.is_relative() && staysInside(from.parent_path(), target)) {
            leads = target;
        } else if (whereLeads(textOf(leads), textOf(m_from)) != Leads::ToOtherHost) {
            std::error_code unknown;  // the link may lead nowhere
            const fs::path inside = fs::weakly_canonical(leads, unknown).lexically_relative(m_from);
            if (!unknown && isInside(inside)) leads = (m_to / inside).lexically_normal();
        }
        fs::create_symlink(leads, to, m_error);
    }

    // In blocks, so that it ends when it is told to; with its holes, which may be larger than the disk; and as old as
    // what is copied, for make and the like.
    void copyFile(const fs::path& from, const fs::path& to)
    {
        const Descriptor in(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        const Descriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        struct stat status {};
        if (in.number < 0 || out.number < 0 || ::fstat(in.number, &status) != 0) return fail();
        if (status.st_nlink > 1) {  // a file of many names is one in the copy, too
            const auto [known, isNew] = m_copies.try_emplace({status.st_dev, status.st_ino}, to);
            if (!isNew) {
                fs::remove(to, m_error);
                if (!m_error) fs::create_hard_link(known->second, to, m_error);
                return;
            }
        }
        struct statvfs disk {};
        constexpr std::uint64_t blockBytes = 512;  // of st_blocks
        if (::fstatvfs(out.number, &disk) == 0
            && static_cast<std::uint64_t>(status.st_blocks) > disk.f_bavail * disk.f_frsize / blockBytes)
            return fail(ENOSPC);
        off_t end = 0;
        while (!isOver()) {
            off_t begin = ::lseek(in.number, end, SEEK_DATA);
            if (begin < 0 && errno == ENXIO) break;  // none behind
            if (begin < 0) begin = end;              // not known: all of it
            end = ::lseek(in.number, begin, SEEK_HOLE);
            if (end < 0) end = status.st_size;
            if (end <= begin) break;
            copyPart(in.number, out.number, begin, end);
        }
        if (isOver()) return;
        const std::array times{status.st_atim, status.st_mtim};
        if (::ftruncate(out.number, status.st_size) != 0 || ::fchmod(out.number, status.st_mode & 07777) != 0
            || ::futimens(out.number, times.data()) != 0)
            fail();
    }

    void copyPart(int in, int out, off_t begin, off_t end)
    {
        while (!isOver() && begin < end) {
            const auto most = std::min(static_cast<off_t>(m_block.size()), end - begin);
            const ssize_t read = ::pread(in, m_block.data(), static_cast<std::size_t>(most), begin);
            if (read < 0) return fail();
            if (read == 0) return;  // it has been cut meanwhile
            for (ssize_t done = 0; done < read;) {
                const ssize_t written = ::pwrite(out, m_block.data() + done, static_cast<std::size_t>(read - done),
                                                 begin + done);
                if (written <= 0) return fail(written == 0 ? ENOSPC : errno);
                done += written;
            }
            begin += read;
        }
    }

    void fail(int number = errno) { m_error = std::error_code(number != 0 ? number : EIO, std::generic_category()); }

    struct Descriptor {
        explicit Descriptor(int opened) : number(opened) {}
        ~Descriptor()
        {
            if (number >= 0) ::close(number);
        }
        Descriptor(const Descriptor&) = delete;
        Descriptor& operator=(const Descriptor&) = delete;
        const int number;
    };

    fs::path m_from, m_to;
    fs::path m_without;
    const Progress& m_progress;
    std::error_code m_error;
    std::map<std::pair<dev_t, ino_t>, fs::path> m_copies;
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
