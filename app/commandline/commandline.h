// SPDX-License-Identifier: GPL-3.0-or-later
// The description of a command of the command line, and how its arguments become options, errors and exit codes.
#pragma once

#include "app/commandline/outputfile.h"
#include "core/base/nearestnames.h"
#include "core/base/result.h"
#include "core/base/translate.h"

#include <QCommandLineParser>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace longpole {

enum class ExitCode : int {
    Fine = 0,
    ThresholdCrossed = 1,
    Usage = 2,
    BadInput = 3,  // a missing, unreadable or wrong file
};

// `value` names the argument, null for a flag. `choices`, separated by blanks, are its possible values, which are
// checked and completed. `endings`, of -o, are those that its file can have; a name without one gets the first.
struct CommandOption {
    const char* name;  // "json" is written --json, "o" -o
    const char* value = nullptr;
    const char* help = "";
    const char* choices = nullptr;
    const char* endings = nullptr;
    const char* otherwise = nullptr;  // the value of "--name" alone
};

QString writtenName(const CommandOption& option);  // "--json", "-o"

// maxArguments of a command that runs another program: all that follows its first argument, options too, is that
// program's; with Command::endsInCommand all that follows "--".
constexpr int anyNumber = 0x7fffffff;

// A command line as it is typed, "longpole" first, and what it shows or does, in a few words. Tests run all of them.
struct CommandExample {
    const char* line;
    const char* shows;
};

struct CommandLine;
class Transport;

// The traces that a command can answer about.
enum class Needs : std::uint8_t { AnyTrace, Ranks, Queues };

struct Command {
    const char* name;
    const char* arguments;    // as the usage line shows them, e.g. "TRACE [SQL]"
    const char* summary;      // one line, in the list of commands
    const char* description;  // paragraphs of --help and the man page, with their line breaks
    int minArguments;
    int maxArguments;
    bool drawsPictures = false;    // needs QGuiApplication
    bool endsInCommand = false;    // see anyNumber
    bool saysHealth = false;       // its answer itself says what speaks against the trace
    bool runsOnProcesses = false;  // of longpole-mpi, too, where all processes run it together
    bool isOpenEnded = false;  // what it does, and how long, is not its input's: another program, the user's own SQL
    Needs needs = Needs::AnyTrace;
    const char* instead = nullptr;  // the command to try on a trace of the other kind
    std::span<const CommandOption> options{};
    std::span<const CommandExample> examples;
    ExitCode (*run)(const CommandLine& line);
};

// A parsed command line that fits its command: number of arguments, known options, listed choices.
struct CommandLine {
    const Command& command;
    QStringList arguments;
    const QCommandLineParser& options;
    OutputFile output{};             // of -o, if the option has endings; the standard output without it
    Transport* transport = nullptr;  // the processes that run the command together; null: it was started alone

    bool takes(const char* option) const;  // whether the command has it
    bool has(const char* option) const { return options.isSet(QLatin1String(option)); }
    QString value(const char* option) const { return options.value(QLatin1String(option)); }
    QStringList values(const char* option) const { return options.values(QLatin1String(option)); }  // as often as given
};

// "longpole", or "longpole-mpi" in that program.
QString programName();

// Whether this process prints errors: of several that find the same mistake in a command line one says it.
void sayErrors(bool says);

// Prints on stderr, on one line, what is wrong with the call; returns ExitCode::Usage.
ExitCode usageError(const Command& command, const QString& text);

// The same of what an option was given, which the error quotes: "--range: what. hint".
ExitCode valueError(const CommandLine& line, const char* option, const Error& error);

// The same of an argument that is not there: "info needs a trace: longpole info TRACE [options]".
ExitCode missingArgument(const Command& command, int index);

// The integer above zero that an option gives, `otherwise` without it; empty after a usage error, which was printed.
std::optional<std::int64_t> countOption(const CommandLine& line, const char* option, std::int64_t otherwise);

// What countOption gives a table that `--limit` does not bound: so many rows as text, all for programs.
constexpr std::int64_t rowsOfText = 50;
constexpr std::int64_t allRows = std::numeric_limits<std::int64_t>::max();

// Prints an error on stderr as "longpole: what (where). hint"; returns ExitCode::BadInput.
ExitCode fail(const Error& error);

// Says "longpole: TEXT" on standard error: what is about to happen, or has.
void tellUser(const QString& text);

// From now on errors about `file`, which lies in the cache, name what the user typed for it.
void nameInErrors(const QString& file, const QString& typed);

// Makes `options` understand the options of a command.
void addOptions(const Command& command, QCommandLineParser& options);

// Parses what follows the command's name. If it prints help or a usage error it returns the exit code, else nothing.
std::optional<ExitCode> parse(const Command& command, const QStringList& arguments, QCommandLineParser& options);

// All files that the command may read: its arguments and what its options name.
QStringList inputsOf(const Command& command, const QCommandLineParser& options);

QStringList wordsOf(const char* words);  // that blanks separate

// Finds where -o writes. If it cannot write there it prints the error and returns the exit code, else nothing.
std::optional<ExitCode> chooseOutput(const Command& command, const QCommandLineParser& options, OutputFile& output);

}  // namespace longpole
