// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/output.h"

#include "core/base/parallel.h"

#include <QFileInfo>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <utility>

#include <unistd.h>

namespace longpole {

namespace {

// Globals, as nothing can be passed to a signal handler, and lock-free, as it may interrupt anything.
std::atomic<const Progress*> interruptible{nullptr};
std::atomic<int> request{0};
static_assert(std::atomic<const Progress*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free
              && std::atomic<int>::is_always_lock_free);

extern "C" void cancelWork(int signal)
{
    request = signal;
    if (const Progress* progress = interruptible) progress->cancel();
}

// While one lives, the first signal to end (from Ctrl+C, a batch system or a closed terminal) cancels the work, which
// then tidies up; the second one ends the program at once. A signal that the caller ignores, as nohup does, stays
// ignored.
class Interruptible {
public:
    explicit Interruptible(const Progress& progress)
    {
        interruptible = &progress;
        struct sigaction cancel {};
        cancel.sa_handler = cancelWork;
        cancel.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
        for (std::size_t i = 0; i < signals.size(); ++i) {
            sigaction(signals[i], nullptr, &m_before[i]);
            if (m_before[i].sa_handler != SIG_IGN) sigaction(signals[i], &cancel, nullptr);
        }
    }
    ~Interruptible()
    {
        for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &m_before[i], nullptr);
        interruptible = nullptr;
    }
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

private:
    static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, signals.size()> m_before{};
};

void showProgress(const QString& what, const Progress& progress, const std::function<void(const Progress&)>& work)
{
    if (!isatty(STDERR_FILENO)) {
        work(progress);
        return;
    }
    std::mutex mutex;
    std::condition_variable finished;
    bool done = false;
    const QByteArray label = what.toUtf8();
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

}  // namespace

Result<Output> Output::open(const QString& file)
{
    Output output;
    if (file.isEmpty()) return output;
    if (const QFileInfo info(file); info.exists() && !info.isFile() && !info.isDir())
        return Error{tr("This is no ordinary file; it is left as it is."), file, tr("Choose another place with -o.")};
    output.m_file = std::make_unique<QSaveFile>(file);
    output.m_file->setDirectWriteFallback(true);
    if (!output.m_file->open(QIODevice::WriteOnly))
        return Error{tr("The file cannot be written: %1.").arg(output.m_file->errorString()), file,
                     tr("Choose another place with -o.")};
    return output;
}

bool Output::write(const QByteArray& bytes)
{
    if (m_readerGone || m_failed) return false;
    if (m_file) {
        m_failed = m_file->write(bytes) != bytes.size();
        if (m_failed) m_reason = m_file->errorString();  // commit() forgets it
        return !m_failed;
    }
    const auto size = static_cast<std::size_t>(bytes.size());
    if (std::fwrite(bytes.constData(), 1, size, stdout) != size) {
        m_readerGone = errno == EPIPE;
        m_failed = !m_readerGone;
        return false;
    }
    return true;
}

Result<> Output::finish()
{
    if (m_readerGone) return Unit{};
    if (m_file) {
        const QString name = m_file->fileName();
        if (!m_failed && m_file->commit()) return Unit{};
        return Error{tr("The file cannot be written: %1.").arg(m_failed ? m_reason : m_file->errorString()), name,
                     tr("The disk may be full: free some space, or choose another place with -o.")};
    }
    const bool flushed = std::fflush(stdout) == 0;
    if (!m_failed && (flushed || errno == EPIPE)) return Unit{};
    return Error{tr("The output cannot be written."), tr("standard output"), tr("The disk may be full.")};
}

std::optional<OutputFormat> outputFormat(const CommandLine& line)
{
    const bool json = line.has("json");
    const bool csv = line.has("csv");
    if (json && csv) {
        usageError(line.command, tr("--json and --csv exclude each other"));
        return {};
    }
    std::optional<OutputFormat> byEnding;
    if (line.has("o")) {
        const QString ending = QFileInfo(line.value("o")).suffix().toLower();
        if (ending == QLatin1String("json")) byEnding = OutputFormat::Json;
        else if (ending == QLatin1String("csv")) byEnding = OutputFormat::Csv;
        else if (ending == QLatin1String("txt")) byEnding = OutputFormat::Text;
        else if (!json && !csv) {
            usageError(line.command,
                       tr("-o takes a file that ends in .json, .csv or .txt, not '%1'").arg(line.value("o")));
            return {};
        }
    }
    if (json) return OutputFormat::Json;
    if (csv) return OutputFormat::Csv;
    return byEnding.value_or(OutputFormat::Text);
}

ExitCode deliver(const CommandLine& line, const std::function<void(Output&)>& write)
{
    auto output = Output::open(line.has("o") ? line.value("o") : QString());
    if (!output) return fail(output.error());
    write(*output);
    const Result<> finished = output->finish();
    return finished ? ExitCode::Fine : fail(finished.error());
}

void withProgress(const QString& what, const std::function<void(const Progress&)>& work)
{
    const Progress progress;
    {
        const Interruptible untilDone(progress);
        showProgress(what, progress, work);
    }
    const int signal = request;
    if (signal == 0) return;
    // Ends as the signal alone would have ended the program, so that a calling script stops as well.
    std::fputs(tr("longpole: interrupted\n").toUtf8().constData(), stderr);
    std::raise(signal);
}

}  // namespace longpole
