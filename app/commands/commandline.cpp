#include "app/commands/commandline.h"

#include "app/commands/commanddocs.h"
#include "app/output/tableoutput.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

namespace longpole {

namespace {

void say(const QString& text)
{
    const QByteArray bytes = text.toUtf8();
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stderr);
}

// Edits (insert, remove, replace, swap of neighbours) between two names. O(a b).
int editDistance(const QString& a, const QString& b)
{
    const auto width = static_cast<std::size_t>(b.size()) + 1;
    std::vector<int> before(width), above(width), row(width);
    std::iota(above.begin(), above.end(), 0);
    for (qsizetype i = 1; i <= a.size(); ++i) {
        row[0] = static_cast<int>(i);
        for (qsizetype j = 1; j <= b.size(); ++j) {
            const auto at = static_cast<std::size_t>(j);
            row[at] = std::min({above[at] + 1, row[at - 1] + 1, above[at - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[at] = std::min(row[at], before[at - 2] + 1);
        }
        before.swap(above);
        above.swap(row);
    }
    return above.back();
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
    say(QStringLiteral("longpole %1: %2\n").arg(name, text)
        + tr("Usage: %1").arg(usageLine(command)) + QLatin1Char('\n')
        + tr("'longpole %1 --help' explains it.").arg(name) + QLatin1Char('\n'));
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

QStringList nearestNames(const QString& typed, const QStringList& names)
{
    std::vector<std::pair<int, QString>> near;
    for (const QString& name : names) {
        const bool starts = typed.size() >= 2 && name.startsWith(typed, Qt::CaseInsensitive);
        const int distance = starts ? 0 : editDistance(typed.toLower(), name.toLower());
        if (distance <= std::max<qsizetype>(1, typed.size() / 3)) near.emplace_back(distance, name);
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    QStringList result;
    for (const auto& [distance, name] : near)
        if (result.size() < 3) result << name;
    return result;
}

QString suggestion(const QString& typed, const QStringList& names)
{
    const QStringList near = nearestNames(typed, names);
    return near.isEmpty() ? QString() : tr("; did you mean %1?").arg(near.join(tr(" or ")));
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
        return usageError(command, tr("%1 missing").arg(QString(QLatin1String(command.arguments))
                                                            .section(QLatin1Char(' '), int(count), int(count))));
    if (count > command.maxArguments)
        return usageError(command, tr("unexpected argument '%1'").arg(
                                       options.positionalArguments().at(command.maxArguments)));
    return checkChoices(command, options);
}

}  // namespace longpole
