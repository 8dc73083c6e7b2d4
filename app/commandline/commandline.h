// SPDX-License-Identifier: GPL-3.0-or-later
// What a command of the command line is made of, and how its arguments become options, errors and exit codes.
#pragma once

#include "core/base/nearestnames.h"
#include "core/base/result.h"
#include "core/base/translate.h"

#include <QCommandLineParser>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <span>

namespace longpole {

enum class ExitCode : int {
    Fine = 0,
    ThresholdCrossed = 1,
    Usage = 2,
    BadInput = 3,  // also a missing or unreadable file
};

// `choices`, separated by blanks, are checked and completed; `value` names the argument, null for a flag.
struct CommandOption {
    const char* name;  // "json" is written --json, "o" -o
    const char* value = nullptr;
    const char* help = "";
    const char* choices = nullptr;
};

QString writtenName(const CommandOption& option);  // "--json", "-o"

// Of a command that runs another one: what follows its first argument belongs to that, options too.
constexpr int anyNumber = 0x7fffffff;

// A command line as it is typed, "longpole" first, and what it shows or does, in a few words. Tests run it.
struct CommandExample {
    const char* line;
    const char* shows;
};

struct CommandLine;

struct Command {
    const char* name;
    const char* arguments;    // as the usage line shows them, e.g. "TRACE [SQL]"
    const char* summary;      // one line, in the list of commands
    const char* description;  // paragraphs of --help and the man page; lines are filled by hand
    int minArguments;
    int maxArguments;
    bool drawsPictures = false;  // needs QGuiApplication
    std::span<const CommandOption> options{};
    std::span<const CommandExample> examples;
    ExitCode (*run)(const CommandLine& line);
};

// A parsed command line that fits its command: number of arguments, known options, listed choices.
struct CommandLine {
    const Command& command;
    QStringList arguments;
    const QCommandLineParser& options;

    bool has(const char* option) const { return options.isSet(QLatin1String(option)); }
    QString value(const char* option) const { return options.value(QLatin1String(option)); }
    QStringList values(const char* option) const { return options.values(QLatin1String(option)); }  // as often as given
};

// Says on stderr what is wrong with the call and where to read more; returns ExitCode::Usage.
ExitCode usageError(const Command& command, const QString& text);

// The whole number above zero that an option gives, `otherwise` without it; empty after a usage error, which was said.
std::optional<std::int64_t> countOption(const CommandLine& line, const char* option, std::int64_t otherwise);

// Says an error on stderr as "longpole: what (where). hint"; returns ExitCode::BadInput.
ExitCode fail(const Error& error);

// The option that makes `options` understand what a command takes.
void addOptions(const Command& command, QCommandLineParser& options);

// Parses what follows the command's name; prints help or the usage error itself and then gives the exit code.
std::optional<ExitCode> parse(const Command& command, const QStringList& arguments, QCommandLineParser& options);

}  // namespace longpole
