// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/recording/namingprocess.h"

#include "core/base/demangle.h"
#include "core/base/limits.h"
#include "core/base/memory.h"
#include "importers/recording/openedprogram.h"

#include <QIODevice>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace longpole {
namespace {

constexpr const char* option = "--name-code-for-parent";
constexpr int mostProcesses = 3;
constexpr int mostEnds = 2;              // of one program: with its debug information, and with its symbols only
constexpr quint32 mostBytes = 32 << 20;  // of a message; frames and their texts are bounded
constexpr std::size_t mostFrames = std::size_t{limits::callPathDepth.free} + 1;

std::atomic<const char*> namer{nullptr};  // the program that is started
bool isFirst = true;                      // of the processes that name this recording's code

enum class Ask : quint8 { Open, Frames, Symbol };

// False: the other side has gone.
bool send(int socket, const QByteArray& payload)
{
    const auto size = static_cast<quint32>(payload.size());
    QByteArray bytes(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += payload;
    for (qsizetype sent = 0; sent < bytes.size();) {
        const ssize_t now = ::send(socket, bytes.constData() + sent, static_cast<std::size_t>(bytes.size() - sent),
                                   MSG_NOSIGNAL);
        if (now < 0 && errno != EINTR) return false;
        sent += std::max<ssize_t>(now, 0);
    }
    return true;
}

}  // namespace

// Messages as they come, of which several may come at once.
class NamingProcess::Received {
public:
    // Nothing: the other side has gone, or `progress` was cancelled.
    std::optional<QByteArray> next(int socket, const Progress& progress)
    {
        quint32 size = 0;
        if (!fill(socket, sizeof size, progress)) return {};
        std::memcpy(&size, m_bytes.constData(), sizeof size);
        const qsizetype whole = qsizetype{sizeof size} + qsizetype{size};
        if (size > mostBytes || !fill(socket, whole, progress)) return {};
        QByteArray payload = m_bytes.mid(sizeof size, static_cast<qsizetype>(size));
        m_bytes.remove(0, whole);
        return payload;
    }

private:
    // Until so many bytes are there.
    bool fill(int socket, qsizetype size, const Progress& progress)
    {
        constexpr int patience = 20;  // ms, until the progress is looked at again
        std::array<char, 1 << 16> block;
        while (m_bytes.size() < size) {
            pollfd waits{.fd = socket, .events = POLLIN, .revents = 0};
            if (progress.isCancelled()) return false;
            if (::poll(&waits, 1, patience) <= 0) continue;
            const ssize_t now = ::recv(socket, block.data(), block.size(), 0);
            if (now == 0 || (now < 0 && errno != EINTR)) return false;
            m_bytes.append(block.data(), std::max<ssize_t>(now, 0));
        }
        return true;
    }

    QByteArray m_bytes;
};

namespace {

// What looking at programs may take of this process: of each, so much for each byte of the files that are opened for it
// first; and what all of them share, however many there are.
class Allowances {
public:
    // What comes next is done for the program of that number. False: it has nothing left.
    bool use(quint32 program)
    {
        if (m_program != &m_programs[program]) {
            settle();
            m_program = &m_programs[program];
            m_cpuBefore = cpuTime();
            m_dataBefore = dataSize();
            limit();
        }
        return cpuTime() - m_cpuBefore < cpuLeft();
    }
    // A file is about to be read.
    void opened(const struct stat& file, std::int64_t bytes)
    {
        const std::pair key(file.st_dev, file.st_ino);
        if (m_program == nullptr || !m_files.insert(key).second) return;
        m_program->files.push_back(key);
        m_program->bytes += bytes;
        limit();
    }

    // The program is another build than the one that is asked about: its files are for the right one to count.
    void leaveFiles()
    {
        for (const auto& file : m_program->files) m_files.erase(file);
        m_program->files.clear();
        m_program->bytes = 0;
        limit();
    }

private:
    static constexpr std::int64_t second = 1'000'000'000;
    static constexpr std::int64_t sharedData = 256 << 20, dataOfByte = 16;
    static constexpr std::int64_t cpuOfByte = 2000;  // ns: 2 s for each MB

    struct Program {
        std::vector<std::pair<dev_t, ino_t>> files;  // that nobody had opened before
        std::int64_t bytes = 0;
        std::int64_t cpu = 0;                      // ns
        std::int64_t data = 0;                     // bytes that are kept for it
        std::int64_t cpuTaken = 0, dataTaken = 0;  // of what all share, as it was when another one was looked at
        std::int64_t cpuOverdrawn() const { return std::max<std::int64_t>(0, cpu - cpuOfByte * bytes); }
        std::int64_t dataOverdrawn() const { return std::max<std::int64_t>(0, data - dataOfByte * bytes); }
        std::int64_t cpuLeft() const { return std::max<std::int64_t>(0, cpuOfByte * bytes - cpu); }
        std::int64_t dataLeft() const { return std::max<std::int64_t>(0, dataOfByte * bytes - data); }
    };

    static std::int64_t cpuTime()
    {
        timespec used{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        return std::int64_t{used.tv_sec} * second + used.tv_nsec;
    }
    // What RLIMIT_DATA counts; 0 where nobody says it.
    static std::int64_t dataSize()
    {
        static const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
        static const std::int64_t page = ::sysconf(_SC_PAGESIZE);
        std::array<char, 256> text{};
        long long pages = 0;
        if (::pread(file, text.data(), text.size() - 1, 0) <= 0) return 0;
        return std::sscanf(text.data(), "%*s %*s %*s %*s %*s %lld", &pages) == 1 ? page * pages : 0;
    }
    // No more than the process had at its begin: that is what the command as a whole may take.
    static void limitTo(__rlimit_resource resource, const rlimit& inherited, std::int64_t most)
    {
        const rlimit limit{.rlim_cur = std::min(inherited.rlim_cur, static_cast<rlim_t>(most)),
                           .rlim_max = inherited.rlim_max};
        ::setrlimit(resource, &limit);
    }
    static rlimit limitOf(__rlimit_resource resource)
    {
        rlimit limit{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
        ::getrlimit(resource, &limit);
        return limit;
    }

    // What the last program has taken.
    void settle()
    {
        if (m_program == nullptr) return;
        m_program->cpu += cpuTime() - m_cpuBefore;
        m_program->data += dataSize() - m_dataBefore;
        // Files that were opened meanwhile make that less, too.
        m_cpuOverdrawn += m_program->cpuOverdrawn() - std::exchange(m_program->cpuTaken, m_program->cpuOverdrawn());
        m_dataOverdrawn += m_program->dataOverdrawn() - std::exchange(m_program->dataTaken, m_program->dataOverdrawn());
    }
    // Of what all share processes that came before have taken.
    std::int64_t cpuLeft() const
    {
        return m_program->cpuLeft() + std::max<std::int64_t>(0, (isFirst ? 2 : 1) * second - m_cpuOverdrawn);
    }
    void limit() const
    {
        if (hasSanitizer()) return;
        const std::int64_t data = m_program->dataLeft() + std::max<std::int64_t>(0, sharedData - m_dataOverdrawn);
        limitTo(RLIMIT_DATA, m_inheritedData, m_dataBefore + data);
        limitTo(RLIMIT_CPU, m_inheritedCpu, (m_cpuBefore + cpuLeft()) / second + 1);
    }

    const rlimit m_inheritedData = limitOf(RLIMIT_DATA), m_inheritedCpu = limitOf(RLIMIT_CPU);
    std::map<quint32, Program> m_programs;
    Program* m_program = nullptr;               // that is looked at
    std::set<std::pair<dev_t, ino_t>> m_files;  // that were opened
    std::int64_t m_cpuBefore = 0, m_dataBefore = 0;
    std::int64_t m_cpuOverdrawn = 0, m_dataOverdrawn = 0;  // of what all share
};

Allowances& allowances()
{
    static Allowances ofThisProcess;
    return ofThisProcess;
}

pid_t parent = 0;

extern "C" void endWithoutParent(int)
{
    if (::getppid() != parent) std::_Exit(0);
}

// However long a question takes: the process looks each second whether somebody still wants the answer.
void endWithParent()
{
    parent = ::getppid();
    struct sigaction look {};
    look.sa_handler = endWithoutParent;
    look.sa_flags = static_cast<int>(SA_RESTART);
    ::sigaction(SIGALRM, &look, nullptr);
    constexpr timeval second{.tv_sec = 1, .tv_usec = 0};
    const itimerval each{.it_interval = second, .it_value = second};
    ::setitimer(ITIMER_REAL, &each, nullptr);
}

// A process that names code, as its parent knows its programs.
class Names {
public:
    // False: the question is none.
    bool answer(QDataStream& asked, QDataStream& said)
    {
        quint8 what = 0;
        quint32 number = 0;
        asked >> what >> number;
        return !allowances().use(number) || answer(what, number, asked, said);  // nothing left: without an answer
    }

private:
    bool answer(quint8 what, quint32 number, QDataStream& asked, QDataStream& said)
    {
        quint64 offset = 0;
        if (what == static_cast<quint8>(Ask::Open)) {
            NamedProgram program;
            qint64 begun = 0;
            asked >> program.name >> program.path >> program.buildId >> begun >> program.symbolsOnly;
            program.begun = begun;
            auto& names = m_programs[number];
            names = std::make_unique<ProgramNames>(std::move(program), m_progress);
            said << names->isAsItRan();
            if (!names->isAsItRan()) allowances().leaveFiles();
            return asked.status() == QDataStream::Ok;
        }
        asked >> offset;
        const auto known = m_programs.find(number);
        if (asked.status() != QDataStream::Ok || known == m_programs.end()) return false;
        if (what == static_cast<quint8>(Ask::Symbol)) {
            said << known->second->symbol(offset);
            return true;
        }
        std::vector<SourceFrame> frames = known->second->at(offset);
        frames.resize(std::min(frames.size(), mostFrames));
        said << static_cast<quint32>(frames.size());
        for (const SourceFrame& frame : frames) said << frame.function << frame.file << static_cast<qint32>(frame.line);
        return true;
    }

    Progress m_progress;
    std::map<quint32, std::unique_ptr<ProgramNames>> m_programs;
};

}  // namespace

bool isNamingProcess(int argc, char** argv)
{
    if (argc == 3 && std::strcmp(argv[1], option) == 0) {
        isFirst = std::strcmp(argv[2], "1") == 0;
        return true;
    }
    nameCodeBy("/proc/self/exe");
    return false;
}

void nameCodeBy(const char* program) { namer = program; }

int nameForParent()
{
    std::signal(SIGINT, SIG_IGN);  // of a terminal it is the parent's, which ends this process
    ::prctl(PR_SET_NAME, "longpole-names");
    endWithParent();
    const rlimit noCore{};
    ::setrlimit(RLIMIT_CORE, &noCore);
    OpenedProgram::tellOpened([](const struct stat& file, std::int64_t bytes) { allowances().opened(file, bytes); });
    beginDemangling();
    Names names;
    NamingProcess::Received questions;
    const Progress untilTheParentHasGone;
    while (const auto question = questions.next(STDIN_FILENO, untilTheParentHasGone)) {
        QByteArray answer;
        QDataStream asked(*question), said(&answer, QIODevice::WriteOnly);
        if (!names.answer(asked, said) || !send(STDIN_FILENO, answer)) return 1;
    }
    return 0;
}

namespace {

auto questionAbout(Ask what, std::size_t program, std::uint64_t offset)
{
    return [=](QDataStream& ask) {
        ask << static_cast<quint8>(what) << static_cast<quint32>(program) << static_cast<quint64>(offset);
    };
}

}  // namespace

NamingProcess::NamingProcess(const Progress& progress) : m_progress(progress) {}

NamingProcess::~NamingProcess() { end(); }

bool NamingProcess::isOffered()
{
    const char* const program = namer;
    return program != nullptr && ::access(program, X_OK) == 0;
}

std::size_t NamingProcess::add(NamedProgram program)
{
    m_programs.push_back({.program = std::move(program)});
    return m_programs.size() - 1;
}

bool NamingProcess::isAsItRan(std::size_t program)
{
    if (m_programs[program].program.path.isEmpty()) return false;
    static_cast<void>(answer(m_programs[program], nullptr));
    return m_programs[program].isRight;
}

std::vector<SourceFrame> NamingProcess::at(std::size_t program, std::uint64_t offset)
{
    Program& of = m_programs[program];
    std::vector<SourceFrame> frames;
    const auto answered = of.isRight ? answer(of, questionAbout(Ask::Frames, program, offset)) : std::nullopt;
    if (answered) {
        QDataStream said(*answered);
        quint32 size = 0;
        said >> size;
        for (frames.resize(std::min<std::size_t>(size, mostFrames)); SourceFrame & frame : frames) {
            qint32 line = 0;
            said >> frame.function >> frame.file >> line;
            frame.line = std::max(line, 0);
        }
        if (said.status() != QDataStream::Ok) frames.clear();
    }
    if (frames.empty()) frames.push_back(unnamedFrame(of.program.name, offset));
    return frames;
}

QByteArray NamingProcess::symbol(std::size_t program, std::uint64_t offset)
{
    Program& of = m_programs[program];
    QByteArray symbol;
    const auto answered = of.isRight ? answer(of, questionAbout(Ask::Symbol, program, offset)) : std::nullopt;
    if (!answered) return symbol;
    QDataStream said(*answered);
    said >> symbol;
    return symbol;
}

// Nothing: the processes ended that were asked. Without a question: an empty answer once isRight is known.
std::optional<QByteArray> NamingProcess::answer(Program& program, const Question& question)
{
    while (program.ends < mostEnds && !m_progress.isCancelled()) {
        if (m_process == 0 && !start()) {
            ++program.ends;
            return {};
        }
        bool isThere = true;
        if (program.knownTo != m_started) {
            const auto opened = exchange([&](QDataStream& ask) {
                const NamedProgram& of = program.program;
                ask << static_cast<quint8>(Ask::Open) << static_cast<quint32>(&program - m_programs.data()) << of.name
                    << of.path << of.buildId << static_cast<qint64>(of.begun) << (program.ends > 0);
            });
            isThere = opened.has_value();
            if (isThere && opened->isEmpty()) return nothingLeft(program);
            if (isThere) {
                QDataStream(*opened) >> program.isRight;
                program.knownTo = m_started;
            }
        }
        if (isThere && (!question || !program.isRight)) return QByteArray();
        if (isThere)
            if (auto answered = exchange(question)) return answered->isEmpty() ? nothingLeft(program) : answered;
        end();
        if (!m_progress.isCancelled()) ++program.ends;
    }
    return {};
}

// The process has no more to spend on it.
std::optional<QByteArray> NamingProcess::nothingLeft(Program& program)
{
    program.ends = mostEnds;
    return {};
}

std::optional<QByteArray> NamingProcess::exchange(const Question& question)
{
    QByteArray payload;
    QDataStream ask(&payload, QIODevice::WriteOnly);
    question(ask);
    if (!send(m_socket, payload)) return {};
    return m_answers->next(m_socket, m_progress);
}

bool NamingProcess::start()
{
    std::array<int, 2> sockets{};
    if (m_started >= mostProcesses || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
        return false;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, sockets[1], STDIN_FILENO);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGXCPU);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::array<QByteArray, 3> words{"longpole", option, QByteArray::number(m_started + 1)};
    std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
    const bool isStarted = ::posix_spawn(&m_process, namer, &files, &attributes, arguments.data(), environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    ::close(sockets[1]);
    m_socket = sockets[0];
    m_answers = std::make_unique<Received>();
    ++m_started;
    if (!isStarted) {
        m_process = 0;
        end();
    }
    return isStarted;
}

void NamingProcess::end()
{
    if (m_socket >= 0) ::close(m_socket);
    m_socket = -1;
    if (m_process == 0) return;
    ::kill(m_process, SIGKILL);
    while (::waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) {}
    m_process = 0;
}

}  // namespace longpole
