// SPDX-License-Identifier: GPL-3.0-or-later
// Where a command's answer goes, stdout or the file that -o names, and in which format: text, CSV or JSON.
#pragma once

#include "app/commandline/commandline.h"
#include "core/base/namedfile.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <QByteArray>
#include <QString>

#include <array>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace longpole {

// A file that replaces an old one only when it is committed. On file systems without unnamed files (NFS, Lustre) it has
// a name until then: a signal that ends the process removes that. One at a time.
class OutputReplacement : public ReplacingFile {
public:
    using ReplacingFile::ReplacingFile;
    ~OutputReplacement() override;
    bool begin() override;

private:
    static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
    QByteArray m_name;  // empty: it has none
    std::array<struct sigaction, signals.size()> m_before{};
};

// For handlers of signals. Cancels what runWithProgress() runs, which then tidies up, and raises the signal again:
// false if nothing runs there. And removes what an OutputReplacement has written so far, where that has a name.
bool cancelWork(int signal);
void removeHalfOutput();

enum class OutputFormat { Text, Csv, Json };

// Writes bytes to stdout, or to a file that replaces an old one only after all was written.
class Output {
public:
    // An empty name is stdout; /dev/stdout and /dev/stderr are streams too. Error: the file cannot be written.
    static Result<Output> open(const QString& file);

    // False when nothing more can be written: the disk is full, or the reader of the pipe has gone.
    bool write(const QByteArray& bytes);
    bool write(const QString& text) { return write(text.toUtf8()); }

    // What a text says in place of a table without rows.
    void sayIfEmpty(const QString& text) { m_ifEmpty = text; }
    const QString& ifEmpty() const { return m_ifEmpty; }

    // From now on cells of CSV are safe for spreadsheets (safeCsv()). What is written must be whole lines.
    void protectCells() { m_isSafeCsv = true; }

    // Hands on what was written so far to whoever reads the stream. Error: nobody does any more, or the disk is full.
    Result<> flush();
    // Completes the file. Errors: it, or the stream, could not be written to its end.
    Result<> finish();

private:
    Output() = default;
    std::unique_ptr<OutputReplacement> m_file;
    std::FILE* m_stream = stdout;
    bool m_failed = false;
    bool m_isSafeCsv = false;
    QString m_reason;
    QString m_ifEmpty;
};

// The format that --json, --csv or the ending of -o asks for. Empty after a usage error, which was printed.
std::optional<OutputFormat> outputFormat(const CommandLine& line);

// "There is nothing to list with --pes 3; without, there may be."
QString nothingLeft(const CommandLine& line);

// Opens the file that -o names, or stdout, lets `write` fill it and completes it. Prints errors; returns the exit code.
ExitCode deliver(const CommandLine& line, const std::function<void(Output&)>& write);

// Says something on standard error behind the answer that deliver() writes to standard output as text: who reads it by
// program asks for that.
void tellWithAnswer(const QString& text);

// Text as a terminal gets it: names in CSV and JSON are as they are, and may have characters that command it.
QByteArray forTerminal(const QByteArray& text);

// Shows the progress of `work` on stderr while it runs, when stderr is a terminal and it takes longer than half a
// second. Ctrl+C, SIGTERM and SIGHUP cancel the work and, once it has tidied up, end the program.
void runWithProgress(const QString& what, const std::function<void(const Progress&)>& work);

// Does the same, and returns what the work returns.
template <typename Work>
auto withProgress(const QString& what, const Work& work)
{
    using Answer = std::invoke_result_t<const Work&, const Progress&>;
    if constexpr (std::is_void_v<Answer>) {
        runWithProgress(what, work);
    } else {
        std::optional<Answer> answer;
        runWithProgress(what, [&](const Progress& progress) { answer.emplace(work(progress)); });
        return std::move(*answer);
    }
}

}  // namespace longpole
