// SPDX-License-Identifier: GPL-3.0-or-later
// A path that was found, as lines that the program prints and as files.
#include "module.h"
#include "path.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <locale>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole_module {

namespace {

const std::size_t mostRows = 12;
const char *const mergesMark = "# longpole-merges ";
const char *const olderMergesMark = "MERGE ";  // of versions that did not name the run

const char *linkName(PathLink link)
{
    switch (link) {
    case OrderLink: return "order";
    case MessageLink: return "message";
    case MergeLink: return "recorded_merge";
    default: return "start";
    }
}

// A file that gets its name when all of it is written. It replaces only one that begins as it does, and goes through no
// link: the folder may be one in which others write, too.
class WholeFile {
public:
    WholeFile(const std::string &name, std::initializer_list<const char *> marks)
        : m_name(name), m_part(name + ".part-" + std::to_string(getpid())), m_marks(marks)
    {
        m_out.imbue(std::locale::classic());  // the program's own may group digits
        m_file = open(m_part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (m_file < 0) m_wrong = std::strerror(errno);
        else m_out.open(("/dev/fd/" + std::to_string(m_file)).c_str(), std::ios::binary);
    }
    ~WholeFile()
    {
        if (m_file < 0) return;
        unlink(m_part.c_str());
        close(m_file);
    }
    WholeFile(const WholeFile &) = delete;
    WholeFile &operator=(const WholeFile &) = delete;

    std::ostream &out() { return m_out; }
    // What was wrong; empty if the file is there.
    std::string finish()
    {
        if (m_file < 0) return m_wrong;
        m_out.close();
        struct stat found;
        if (!m_out) return std::strerror(errno);
        if (lstat(m_name.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) return "a link or no file is in the way";
        if (!mayBeReplaced()) return "a file of something else is in the way";
        return std::rename(m_part.c_str(), m_name.c_str()) == 0 ? std::string() : std::strerror(errno);
    }

private:
    bool mayBeReplaced() const
    {
        const int there = open(m_name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (there < 0) return errno == ENOENT;  // what cannot be read may be anything
        bool isMarked = false;
        for (const char *const mark : m_marks) isMarked = isMarked || beginsWith(there, mark);
        close(there);
        return isMarked;
    }

    std::string m_name;
    std::string m_part;
    std::vector<const char *> m_marks;
    std::string m_wrong;
    int m_file;
    std::ofstream m_out;
};

}  // namespace

const char *nameOf(PathLevel level)
{
    switch (level) {
    case MessagesLevel: return "messages";
    case MergesLevel: return "merges";
    default: return "order";
    }
}

void sayPath(const FoundPath &path)
{
    if (path.length < 0) {
        say("no critical path: a PE did not answer");
        return;
    }
    const std::int64_t duration = path.tasks > 0 ? path.cut - path.begin : 0;
    std::string text = "critical path (" + std::string(nameOf(path.level)) + ") " + timeText(path.length);
    if (duration > 0)
        text += ", " + shareText(static_cast<double>(path.length) / static_cast<double>(duration)) + " of "
                + timeText(duration);
    say(text + ", " + counted(static_cast<std::size_t>(path.stepCount), "task", "tasks") + " of "
        + std::to_string(path.tasks));
    std::size_t rows = 0;
    for (const std::uint32_t entry : byTimeOnPath(path)) {
        if (++rows > mostRows) {
            say("  ...");
            break;
        }
        const PathReplay::Sums &sums = path.sums[entry];
        const double share = static_cast<double>(sums.onPath) / static_cast<double>(path.length);
        say("  " + shareText(share) + "  " + entryName(static_cast<int>(entry)) + ": " + timeText(sums.onPath) + " in "
            + std::to_string(sums.steps) + " of " + counted(static_cast<std::size_t>(sums.tasks), "task", "tasks")
            + ", whose messages waited " + timeText(sums.waited));
    }
    if (path.dropped > 0)
        say("the memory was too small (+longpole-memory): of "
            + counted(static_cast<std::size_t>(path.dropped), "PE", "PEs")
            + " the oldest tasks or messages are gone, and the path begins where what is kept does");
}

bool beginsWith(int file, const std::string &mark)
{
    std::string begin(mark.size(), '\0');
    const ssize_t size = pread(file, &begin[0], begin.size(), 0);
    return size == 0 || (size == static_cast<ssize_t>(mark.size()) && begin == mark);
}

std::string writePath(const FoundPath &path, const std::string &file)
{
    WholeFile whole(file, {"{\"format\":\"longpole-path\""});
    std::ostream &out = whole.out();
    out << "{\"format\":\"longpole-path\",\"version\":1,\"edges\":\"" << nameOf(path.level)
        << "\",\"length_ns\":" << path.length << ",\"duration_ns\":" << (path.tasks > 0 ? path.cut - path.begin : 0)
        << ",\"processors\":" << path.isOnPath.size() << ",\"tasks\":" << path.tasks
        << ",\"complete\":" << (path.dropped == 0 && path.length >= 0 ? "true" : "false") << ",\n\"profile\":[";
    const char *between = "\n";
    for (const std::uint32_t entry : byTimeOnPath(path)) {
        const PathReplay::Sums &sums = path.sums[entry];
        out << between << "{\"entry\":" << inJson(entryName(static_cast<int>(entry))) << ",\"ep\":" << entry
            << ",\"time_ns\":" << sums.onPath << ",\"count\":" << sums.steps << ",\"waited_ns\":" << sums.waited
            << ",\"busy_ns\":" << sums.busy << ",\"tasks\":" << sums.tasks << "}";
        between = ",\n";
    }
    out << "],\n\"steps\":[";
    between = "\n";
    for (const FoundPath::Step &step : path.steps) {
        out << between << "{\"pe\":" << step.pe << ",\"ep\":" << step.entry << ",\"begin_ns\":" << step.begin
            << ",\"weight_ns\":" << step.weight << ",\"edge\":\"" << linkName(step.link) << "\"}";
        between = ",\n";
    }
    out << "]}\n";
    return whole.finish();
}

std::string writeMerges(const FoundPath &path, const std::string &file)
{
    WholeFile whole(file, {mergesMark, olderMergesMark});
    std::ostream &out = whole.out();
    const std::time_t now = std::time(nullptr);
    struct tm parts;
    char date[32] = "";
    if (gmtime_r(&now, &parts) != nullptr) std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    out << mergesMark << date << '\n';
    for (const ActivityLog::MergeKeys &merge : path.merges)
        if (merge.task.pe >= 0 && merge.source.pe >= 0)
            out << "MERGE " << merge.task.pe << ' ' << merge.task.event << ' ' << merge.source.pe << ' '
                << merge.source.event << '\n';
    return whole.finish();
}

void removeMerges(const std::string &file)
{
    const int there = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (there < 0) return;
    struct stat found;
    const bool isOurs = fstat(there, &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0
                        && beginsWith(there, mergesMark);
    close(there);
    if (isOurs) unlink(file.c_str());
}

}  // namespace longpole_module
