// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/output.h"

#include "analysis/base/cells.h"
#include "core/base/endsatonce.h"
#include "core/base/parallel.h"

#include <QFileInfo>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

// Globals, as nothing can be passed to a signal handler, and lock-free, as it may interrupt anything.
std::atomic<const Progress*> interruptible{nullptr};
std::atomic<int> endingRequest{0};
std::atomic<const char*> farewell{nullptr};
static_assert(std::atomic<const Progress*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free
              && std::atomic<int>::is_always_lock_free);

// In a signal handler or outside of it.
void endIfAsked()
{
    const int signal = endingRequest;
    if (signal == 0) return;
    const char* text = signal == SIGXCPU ? nullptr : farewell.load();  // that one's handler says why
    if (text) static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text)));
    std::raise(signal);  // not caught any more
}

extern "C" void cancelOrEnd(int signal)
{
    if (EndsAtOnce::applies()) {
        endingRequest = signal;
        endIfAsked();
    }
    cancelWork(signal);
}

QByteArray interruptedText() { return tr("longpole: interrupted\n").toUtf8(); }

// While one lives, the first signal to end (from Ctrl+C, a batch system or a closed terminal) cancels the work, which
// then tidies up; the second one ends the program at once. A signal that the caller ignores, as nohup does, stays
// ignored.
class Interruptible {
public:
    explicit Interruptible(const Progress& progress)
    {
        farewell = m_farewell.constData();
        interruptible = &progress;
        EndsAtOnce::setEnd(endIfAsked);
        struct sigaction cancel {};
        cancel.sa_handler = cancelOrEnd;
        cancel.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
        for (std::size_t i = 0; i < signals.size(); ++i) {
            sigaction(signals[i], nullptr, &m_before[i]);
            if (m_before[i].sa_handler != SIG_IGN) sigaction(signals[i], &cancel, nullptr);
        }
    }
    ~Interruptible()
    {
        for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &m_before[i], nullptr);
        EndsAtOnce::setEnd(nullptr);
        interruptible = nullptr;
        farewell = nullptr;
    }
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

private:
    static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, signals.size()> m_before{};
    const QByteArray m_farewell = interruptedText();
};

// Of an OutputReplacement; null: there is none.
std::atomic<const char*> nameOfPart{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free);

extern "C" void removePart(int signal)
{
    removeHalfOutput();
    std::raise(signal);  // which now ends the process
}

// Empty for a file without a name.
QByteArray nameOf(int descriptor)
{
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || status.st_nlink == 0) return {};
    std::array<char, PATH_MAX> name{};
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t size = ::readlink(link.c_str(), name.data(), name.size());
    return size > 0 ? QByteArray(name.data(), size) : QByteArray();
}

void showProgress(const QString& what, const Progress& progress, const std::function<void(const Progress&)>& work)
{
    if (!isatty(STDERR_FILENO)) {
        work(progress);
        return;
    }
    std::mutex mutex;
    std::condition_variable finished;
    bool done = false;
    const QByteArray label = onOneLine(what).toUtf8();  // it has the name of a file
    const auto show = [&] {
        std::unique_lock lock(mutex);
        bool shown = false;
        for (auto wait = std::chrono::milliseconds(500); !finished.wait_for(lock, wait, [&] { return done; });
             wait = std::chrono::milliseconds(100)) {
            std::fprintf(stderr, "\r%s %3.0f %%", label.constData(), 100 * progress.fraction());
            shown = true;
        }
        if (shown) std::fprintf(stderr, "\r\x1b[K");
    };
    // The work is part 0: it is handed out first and so runs even if there is only one thread.
    parallelFor(
        2,
        [&](std::size_t part) {
            if (part == 1) return show();
            work(progress);
            const std::lock_guard lock(mutex);
            done = true;
            finished.notify_all();
        },
        2);
}

QString reasonOf(int error) { return error == EPIPE ? tr("its reader has gone") : qt_error_string(error); }

}  // namespace

bool cancelWork(int signal)
{
    endingRequest = signal;
    const Progress* progress = interruptible;
    if (progress) progress->cancel();
    return progress != nullptr;
}

void removeHalfOutput()
{
    if (const char* name = nameOfPart) ::unlink(name);
}

bool OutputReplacement::begin()
{
    if (!ReplacingFile::begin()) return false;
    m_name = nameOf(handle());
    if (m_name.isEmpty()) return true;
    nameOfPart = m_name.constData();
    struct sigaction remove {};
    remove.sa_handler = removePart;
    remove.sa_flags = static_cast<int>(SA_RESETHAND);
    for (std::size_t i = 0; i < signals.size(); ++i) {
        sigaction(signals[i], nullptr, &m_before[i]);
        // Where it cancels work, or is ignored, that is what it goes on doing.
        if (m_before[i].sa_handler == SIG_DFL) sigaction(signals[i], &remove, nullptr);
    }
    return true;
}

OutputReplacement::~OutputReplacement()
{
    if (autoRemove() && !m_name.isEmpty()) remove();  // while a signal still would
    if (m_name.isEmpty()) return;
    for (std::size_t i = 0; i < signals.size(); ++i)
        if (m_before[i].sa_handler == SIG_DFL) sigaction(signals[i], &m_before[i], nullptr);
    nameOfPart = nullptr;
}

QByteArray forTerminal(const QByteArray& text)
{
    QByteArray shown;
    for (const QByteArray& line : text.split('\n')) shown += onOneLine(QString::fromUtf8(line)).toUtf8() + '\n';
    shown.chop(1);  // behind the last line there was none
    return shown;
}

Result<Output> Output::open(const QString& file)
{
    Output output;
    if (file == QLatin1String("/dev/stderr")) output.m_stream = stderr;
    if (file.isEmpty() || isStandardStream(file)) return output;
    // It is written beside its name first: half a file never has that.
    output.m_file = std::make_unique<OutputReplacement>(file);
    if (!output.m_file->begin())
        return Error{tr("The file cannot be written: %1.").arg(output.m_file->errorString()), file,
                     tr("Choose another place with -o.")};
    return output;
}

bool Output::write(const QByteArray& bytes)
{
    if (m_failed) return false;
    QByteArray written = m_isSafeCsv ? safeCsv(bytes) : bytes;
    if (!m_file && isatty(fileno(m_stream))) written = forTerminal(written);
    if (m_file) {
        m_failed = m_file->write(written) != written.size();
        if (m_failed) m_reason = m_file->errorString();
        return !m_failed;
    }
    const auto size = static_cast<std::size_t>(written.size());
    m_failed = std::fwrite(written.constData(), 1, size, m_stream) != size;
    if (m_failed) m_reason = reasonOf(errno);
    return !m_failed;
}

Result<> Output::finish()
{
    if (m_file) {
        const QString name = m_file->target();
        if (!m_failed && m_file->commit()) return Unit{};
        return Error{tr("The file cannot be written: %1.").arg(m_failed ? m_reason : m_file->errorString()), name,
                     tr("The disk may be full: free some space, or choose another place with -o.")};
    }
    return flush();
}

Result<> Output::flush()
{
    if (!m_failed && (m_file || std::fflush(m_stream) == 0)) return Unit{};
    return Error{tr("The output is not whole: %1.").arg(m_failed ? m_reason : reasonOf(errno)),
                 m_stream == stderr ? tr("standard error") : tr("standard output"), QString()};
}

namespace {

QStringList& toldWithAnswer()
{
    static QStringList texts;
    return texts;
}

}  // namespace

std::optional<OutputFormat> outputFormat(const CommandLine& line)
{
    const auto asks = [&line](const char* name) {
        const bool isKnown = std::any_of(line.command.options.begin(), line.command.options.end(),
                                         [name](const auto& option) { return qstrcmp(option.name, name) == 0; });
        return isKnown && line.has(name);
    };
    const bool json = asks("json"), csv = asks("csv");
    if (json && csv) {
        usageError(line.command, tr("--json and --csv exclude each other"));
        return {};
    }
    if (json) return OutputFormat::Json;
    if (!csv && line.output.ending == QLatin1String("json")) return OutputFormat::Json;
    return csv || line.output.ending == QLatin1String("csv") ? OutputFormat::Csv : OutputFormat::Text;
}

QString nothingLeft(const CommandLine& line)
{
    QStringList given;
    for (const CommandOption& option : line.command.options)
        for (const char* filter : {"range", "pes", "entry", "from", "until", "max", "rank", "pattern", "stage-set"})
            if (qstrcmp(option.name, filter) == 0 && line.has(filter))
                given << writtenName(option) + QLatin1Char(' ') + line.values(filter).join(tr(", "));
    return given.isEmpty()
               ? tr("There is nothing to list.")
               : tr("There is nothing to list with %1; without, there may be.").arg(given.join(QLatin1Char(' ')));
}

void tellWithAnswer(const QString& text) { toldWithAnswer() << text; }

ExitCode deliver(const CommandLine& line, const std::function<void(Output&)>& write)
{
    auto output = Output::open(line.output.name);
    if (!output) return fail(output.error());
    output->sayIfEmpty(nothingLeft(line));
    if (line.output.safeCsv && outputFormat(line) == OutputFormat::Csv) output->protectCells();
    write(*output);
    if (const Result<> finished = output->finish(); !finished) return fail(finished.error());
    if (line.output.name.isEmpty() && outputFormat(line) == OutputFormat::Text)
        for (const QString& text : toldWithAnswer()) tellUser(onOneLine(text));
    toldWithAnswer().clear();
    return ExitCode::Fine;
}

void runWithProgress(const QString& what, const std::function<void(const Progress&)>& work)
{
    const Progress progress;
    {
        const Interruptible untilDone(progress);
        showProgress(what, progress, work);
    }
    const int signal = endingRequest;
    if (signal == 0) return;
    // Ends as the signal alone would have ended the program, so that a calling script stops as well.
    if (signal != SIGXCPU) std::fputs(interruptedText().constData(), stderr);
    std::raise(signal);
}

}  // namespace longpole
