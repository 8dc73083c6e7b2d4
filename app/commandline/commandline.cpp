// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commandline.h"

#include "app/commands/commanddocs.h"
#include "app/output/tableoutput.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace longpole {

namespace {

void say(const QString& text)
{
    const QByteArray bytes = text.toUtf8();
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stderr);
}

QStringList optionNames(const Command& command)
{
    QStringList names{QStringLiteral("--help")};
    for (const CommandOption& option : command.options) names << writtenName(option);
    return names;
}

std::optional<ExitCode> checkChoices(const Command& command, const QCommandLineParser& options)
{
    for (const CommandOption& option : command.options) {
        const QString name = QLatin1String(option.name);
        if (!option.choices || !options.isSet(name)) continue;
        const QStringList choices = QString(QLatin1String(option.choices)).split(QLatin1Char(' '));
        const QString value = options.value(name);
        if (!choices.contains(value))
            return usageError(command, tr("--%1 takes %2, not '%3'").arg(name, choices.join(tr(" or ")), value)
                                           + suggestion(value, choices));
    }
    return {};
}

}  // namespace

QString writtenName(const CommandOption& option)
{
    return (qstrlen(option.name) == 1 ? QStringLiteral("-") : QStringLiteral("--")) + QLatin1String(option.name);
}

ExitCode usageError(const Command& command, const QString& text)
{
    const QString name = QLatin1String(command.name);
    say(QStringLiteral("longpole %1: %2\n").arg(name, text) + tr("Usage: %1").arg(usageLine(command))
        + QLatin1Char('\n') + tr("'longpole %1 --help' explains it.").arg(name) + QLatin1Char('\n'));
    return ExitCode::Usage;
}

std::optional<std::int64_t> countOption(const CommandLine& line, const char* option, std::int64_t otherwise)
{
    if (!line.has(option)) return otherwise;
    bool isNumber = false;
    const qlonglong count = line.value(option).toLongLong(&isNumber);
    if (isNumber && count > 0) return count;
    usageError(line.command, tr("%1 takes a whole number above zero, not '%2'")
                                 .arg(writtenName({.name = option}), line.value(option)));
    return {};
}

ExitCode fail(const Error& error)
{
    say(QStringLiteral("longpole: ") + onOneLine(toText(error)) + QLatin1Char('\n'));
    return ExitCode::BadInput;
}

void addOptions(const Command& command, QCommandLineParser& options)
{
    options.addOption(QCommandLineOption(QStringList{QStringLiteral("h"), QStringLiteral("help")}));
    for (const CommandOption& option : command.options) {
        QCommandLineOption added{QString(QLatin1String(option.name))};
        if (option.value) added.setValueName(QLatin1String(option.value));
        options.addOption(added);
    }
}

std::optional<ExitCode> parse(const Command& command, const QStringList& arguments, QCommandLineParser& options)
{
    addOptions(command, options);
    if (command.maxArguments == anyNumber)
        options.setOptionsAfterPositionalArgumentsMode(QCommandLineParser::ParseAsPositionalArguments);
    const bool parsed = options.parse(QStringList{QStringLiteral("longpole")} + arguments);
    if (options.isSet(QStringLiteral("help"))) {
        const QByteArray help = commandHelp(command).toUtf8();
        std::fwrite(help.constData(), 1, static_cast<std::size_t>(help.size()), stdout);
        return ExitCode::Fine;
    }
    const QStringList unknown = options.unknownOptionNames();
    if (!unknown.isEmpty()) {
        const QString typed = (unknown.front().size() == 1 ? QStringLiteral("-") : QStringLiteral("--"))
                              + unknown.front();
        return usageError(command, tr("unknown option '%1'").arg(typed) + suggestion(typed, optionNames(command)));
    }
    if (!parsed) return usageError(command, options.errorText());
    const auto count = options.positionalArguments().size();
    if (count < command.minArguments)
        return usageError(
            command,
            tr("%1 missing")
                .arg(QString(QLatin1String(command.arguments)).section(QLatin1Char(' '), int(count), int(count))));
    if (count > command.maxArguments)
        return usageError(command,
                          tr("unexpected argument '%1'").arg(options.positionalArguments().at(command.maxArguments)));
    return checkChoices(command, options);
}

}  // namespace longpole
