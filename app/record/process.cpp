// SPDX-License-Identifier: GPL-3.0-or-later
// posix_spawn with the user's environment byte for byte, and waiting by a file descriptor of the process.
#include "app/record/process.h"

#include "core/base/memory.h"
#include "core/base/translate.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {  // which this header forgets before glibc 2.37
#include <sys/pidfd.h>
}

namespace longpole {

namespace {

// What posix_spawn takes, and releases.
class SpawnSettings {
public:
    explicit SpawnSettings(const ProcessStart& start)
    {
        posix_spawn_file_actions_init(&m_actions);
        posix_spawnattr_init(&m_attributes);
        if (!start.isApart) return;
        posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&m_attributes, 0);
        posix_spawn_file_actions_addopen(&m_actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (!start.output.isEmpty()) {
            posix_spawn_file_actions_addopen(&m_actions, STDOUT_FILENO, QFile::encodeName(start.output).constData(),
                                             O_WRONLY | O_CREAT | O_TRUNC, 0600);
            posix_spawn_file_actions_adddup2(&m_actions, STDOUT_FILENO, STDERR_FILENO);
        }
        if (!start.folder.isEmpty())
            posix_spawn_file_actions_addchdir_np(&m_actions, QFile::encodeName(start.folder).constData());
    }
    ~SpawnSettings()
    {
        posix_spawn_file_actions_destroy(&m_actions);
        posix_spawnattr_destroy(&m_attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    const posix_spawn_file_actions_t* actions() const { return &m_actions; }
    const posix_spawnattr_t* attributes() const { return &m_attributes; }

private:
    posix_spawn_file_actions_t m_actions{};
    posix_spawnattr_t m_attributes{};
};

// A null-terminated list of texts, which must outlive it.
std::vector<char*> pointersTo(std::vector<QByteArray>& texts)
{
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (QByteArray& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

// Whether it ended; waits for that at most so long.
bool hasEnded(int descriptor, std::chrono::milliseconds wait)
{
    pollfd watched{.fd = descriptor, .events = POLLIN, .revents = 0};
    return poll(&watched, 1, static_cast<int>(wait.count())) > 0;
}

}  // namespace

Result<pid_t> startProcess(const ProcessStart& start)
{
    std::vector<QByteArray> texts;
    texts.reserve(static_cast<std::size_t>(start.words.size()));
    for (const QString& word : start.words) texts.push_back(QFile::encodeName(word));
    std::vector<QByteArray> added;
    added.reserve(start.variables.size());
    for (const auto& [name, value] : start.variables)
        added.push_back(QFile::encodeName(name + QLatin1Char('=') + value));
    const auto isReplaced = [&](const char* variable) {
        return std::any_of(start.variables.begin(), start.variables.end(), [variable](const auto& other) {
            const QByteArray name = other.first.toUtf8() + '=';
            return std::strncmp(variable, name.constData(), static_cast<std::size_t>(name.size())) == 0;
        });
    };
    const std::vector<char*> arguments = pointersTo(texts);
    std::vector<char*> environment;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (!isReplaced(*variable)) environment.push_back(*variable);
    for (char* variable : pointersTo(added)) environment.push_back(variable);
    const SpawnSettings settings(start);
    const WithoutMemoryLimit unlimited;  // which is ours
    pid_t process = 0;
    const int error = posix_spawnp(&process, arguments.front(), settings.actions(), settings.attributes(),
                                   arguments.data(), environment.data());
    if (error == 0) return process;
    return Error{tr("The program cannot be started: %1.").arg(qt_error_string(error)), start.words.front(), {}};
}

int exitCodeOf(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

Result<EndedProcess> waitForProcess(pid_t process, const Progress& progress)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds betweenLooks{50};
    constexpr std::chrono::seconds grace{2};
    const Clock::time_point begin = Clock::now();
    const int descriptor = pidfd_open(process, 0);
    std::optional<Clock::time_point> killed;  // when it was asked to end
    for (bool isDone = descriptor < 0; !isDone;) {
        isDone = hasEnded(descriptor, betweenLooks);
        if (isDone || !progress.isCancelled()) continue;
        if (!killed) {
            killed = Clock::now();
            kill(-process, SIGTERM);
        } else if (Clock::now() - *killed > grace) {
            kill(-process, SIGKILL);
        }
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    const auto wall = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
    if (descriptor >= 0) close(descriptor);
    if (killed || progress.isCancelled()) {
        kill(-process, SIGKILL);  // what the first process left
        return cancelledError();
    }
    return EndedProcess{.exitCode = exitCodeOf(status), .wallTime = wall.count()};
}

QString lastWords(const QString& file)
{
    constexpr qint64 most = 2000;
    constexpr qsizetype lines = 3;
    QFile printed(file);
    if (!printed.open(QIODevice::ReadOnly)) return {};
    printed.seek(std::max<qint64>(0, printed.size() - most));
    const QStringList all = QString::fromUtf8(printed.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    return all.mid(std::max<qsizetype>(0, all.size() - lines)).join(QStringLiteral(" | "));
}

}  // namespace longpole
