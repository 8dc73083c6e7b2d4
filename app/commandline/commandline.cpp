// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commandline.h"

#include "app/docs/commanddocs.h"
#include "app/output/tableoutput.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace longpole {

namespace {

bool& isMute()
{
    static bool mute = false;
    return mute;
}

// Names of files, and what traces say, may have what a terminal obeys.
void say(const QString& text)
{
    if (isMute()) return;
    QStringList lines = text.split(QLatin1Char('\n'));
    for (QString& line : lines) line = onOneLine(line);
    const QByteArray bytes = lines.join(QLatin1Char('\n')).toUtf8();
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stderr);
}

QStringList optionNames(const Command& command)
{
    QStringList names{QStringLiteral("--help")};
    for (const CommandOption& option : command.options) names << writtenName(option);
    return names;
}

// "a, b or c".
QString oneOf(QStringList words)
{
    const QString last = words.takeLast();
    return words.isEmpty() ? last : tr("%1 or %2").arg(words.join(tr(", ")), last);
}

ExitCode needsValue(const Command& command, const CommandOption& option)
{
    return usageError(command, tr("%1 needs a value: %1 %2").arg(writtenName(option), QLatin1String(option.value)));
}

// Values are there and among the choices.
std::optional<ExitCode> checkValues(const Command& command, const QCommandLineParser& options)
{
    for (const CommandOption& option : command.options) {
        const QString name = QLatin1String(option.name);
        if (!options.isSet(name) || !option.value) continue;
        if (options.values(name).contains(QString())) return needsValue(command, option);
        if (!option.choices) continue;
        const QStringList choices = wordsOf(option.choices);
        const QString value = options.value(name);
        if (!choices.contains(value))
            return usageError(command, tr("--%1 takes %2, not '%3'").arg(name, oneOf(choices), value)
                                           + suggestion(value, choices));
    }
    return {};
}

// What a placeholder of the usage line stands for.
QString inWords(const QString& argument)
{
    if (argument.startsWith(QLatin1Char('"'))) return tr("a query");
    if (argument == QLatin1String("A") || argument == QLatin1String("B")) return tr("two traces");
    return argument == QLatin1String("COMMAND") ? tr("a command") : tr("a trace");
}

// What QCommandLineParser found wrong: an option without its value, or a flag with one.
ExitCode malformed(const Command& command, const QStringList& arguments, const QCommandLineParser& options)
{
    const QString last = arguments.isEmpty() ? QString() : arguments.last();
    for (const CommandOption& option : command.options)
        if (option.value && writtenName(option) == last) return needsValue(command, option);
    QString text = options.errorText();
    if (text.endsWith(QLatin1Char('.'))) text.chop(1);
    return usageError(command, text);
}

// Files of the cache, and what was typed for each.
std::vector<std::pair<QString, QString>>& typedNames()
{
    static std::vector<std::pair<QString, QString>> names;
    return names;
}

}  // namespace

void sayErrors(bool says) { isMute() = !says; }

QString programName()
{
    const QString mpi = QStringLiteral("longpole-mpi");
    return QCoreApplication::applicationName() == mpi ? mpi : QStringLiteral("longpole");
}

QStringList wordsOf(const char* words) { return QString(QLatin1String(words)).split(QLatin1Char(' ')); }

QStringList inputsOf(const Command& command, const QCommandLineParser& options)
{
    QStringList inputs = options.positionalArguments();
    for (const CommandOption& option : command.options)
        if (option.value && !option.choices && !option.endings) inputs << options.values(QLatin1String(option.name));
    return inputs;
}

QString writtenName(const CommandOption& option)
{
    return (qstrlen(option.name) == 1 ? QStringLiteral("-") : QStringLiteral("--")) + QLatin1String(option.name);
}

bool CommandLine::takes(const char* option) const
{
    return std::any_of(command.options.begin(), command.options.end(),
                       [option](const CommandOption& one) { return qstrcmp(one.name, option) == 0; });
}

ExitCode usageError(const Command& command, const QString& text)
{
    const QString name = QLatin1String(command.name);
    say(QStringLiteral("%1 %2: %3\n").arg(programName(), name, onOneLine(text)));
    return ExitCode::Usage;
}

ExitCode valueError(const CommandLine& line, const char* option, const Error& error)
{
    return usageError(line.command, tr("%1: %2").arg(writtenName({.name = option}),
                                                     toText({.what = error.what, .where = {}, .hint = error.hint})));
}

ExitCode missingArgument(const Command& command, int index)
{
    const QString words = QString(QLatin1String(command.arguments)).remove(QLatin1Char('['));
    say(programName() + QStringLiteral(": ")
        + tr("%1 needs %2: %3")
              .arg(QLatin1String(command.name), inWords(words.section(QLatin1Char(' '), index, index)),
                   usageLine(command))
        + QLatin1Char('\n'));
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
    QString text = toText(error);
    for (const auto& [file, typed] : typedNames()) text.replace(file, typed);
    say(programName() + QStringLiteral(": ") + onOneLine(text) + QLatin1Char('\n'));
    return ExitCode::BadInput;
}

void tellUser(const QString& text) { say(QStringLiteral("%1: %2\n").arg(programName(), text)); }

void nameInErrors(const QString& file, const QString& typed)
{
    if (file != typed) typedNames().emplace_back(file, typed);
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

// All that follows the first argument is another program's.
bool endsAtFirstArgument(const Command& command) { return command.maxArguments == anyNumber && !command.endsInCommand; }

// Gives options that can do without a value the one that they have then. One that follows is theirs if it is a choice.
QStringList withOmittedValues(const Command& command, QStringList arguments)
{
    for (qsizetype at = 0; at < arguments.size() && arguments[at] != QLatin1String("--"); ++at) {
        if (!arguments[at].startsWith(QLatin1Char('-'))) {
            if (endsAtFirstArgument(command)) break;
            continue;
        }
        const auto option = std::find_if(command.options.begin(), command.options.end(),
                                         [&](const auto& one) { return writtenName(one) == arguments[at]; });
        if (option == command.options.end()) continue;
        if (option->otherwise) {
            const bool isGiven = at + 1 < arguments.size() && option->choices
                                 && wordsOf(option->choices).contains(arguments[at + 1]);
            const QString value = isGiven ? arguments.takeAt(at + 1) : QString(QLatin1String(option->otherwise));
            arguments[at] += QLatin1Char('=') + value;
        } else if (option->value) {
            ++at;  // which is its value
        }
    }
    return arguments;
}

std::optional<ExitCode> parse(const Command& command, const QStringList& arguments, QCommandLineParser& options)
{
    addOptions(command, options);
    if (endsAtFirstArgument(command))
        options.setOptionsAfterPositionalArgumentsMode(QCommandLineParser::ParseAsPositionalArguments);
    const bool parsed = options.parse(QStringList{QStringLiteral("longpole")} + withOmittedValues(command, arguments));
    if (options.isSet(QStringLiteral("help"))) {
        auto output = Output::open({});
        output->write(commandHelp(command));
        const Result<> finished = output->finish();
        return finished ? ExitCode::Fine : fail(finished.error());
    }
    const QStringList unknown = options.unknownOptionNames();
    if (!unknown.isEmpty()) {
        const QString typed = (unknown.front().size() == 1 ? QStringLiteral("-") : QStringLiteral("--"))
                              + unknown.front();
        const QString near = suggestion(typed, optionNames(command));
        return usageError(command,
                          tr("unknown option '%1'").arg(typed)
                              + (near.isEmpty()
                                     ? tr("; '%1 %2 --help' lists them").arg(programName(), QLatin1String(command.name))
                                     : near));
    }
    if (!parsed) return malformed(command, arguments, options);
    const auto count = options.positionalArguments().size();
    if (const auto empty = options.positionalArguments().indexOf(QString());
        empty >= 0 && command.maxArguments != anyNumber)
        return missingArgument(command, int(empty));
    if (count < command.minArguments) return missingArgument(command, int(count));
    if (count > command.maxArguments)
        return usageError(command,
                          tr("unexpected argument '%1': %2")
                              .arg(options.positionalArguments().at(command.maxArguments), usageLine(command)));
    return checkValues(command, options);
}

std::optional<ExitCode> chooseOutput(const Command& command, const QCommandLineParser& options, OutputFile& output)
{
    const auto isSet = [&](const char* name) {
        const auto has = [name](const CommandOption& option) { return qstrcmp(option.name, name) == 0; };
        return std::any_of(command.options.begin(), command.options.end(), has) && options.isSet(QLatin1String(name));
    };
    const auto option = std::find_if(command.options.begin(), command.options.end(), [](const CommandOption& known) {
        return known.endings && qstrcmp(known.name, "o") == 0;
    });
    if (option == command.options.end() || !isSet("o")) return {};
    const QStringList endings = wordsOf(option->endings);
    const bool isTrace = endings.front() == QLatin1String("longpole");  // --json then says what is printed
    const bool isFormatKnown = !isTrace && (isSet("json") || isSet("csv") || isSet("format"));
    const auto file = withEnding(options.value(QLatin1String(option->name)), endings, isFormatKnown,
                                 writtenName(*option));
    if (!file) return usageError(command, toText(file.error()));
    output = *file;
    if (isTrace && isStandardStream(output.name))
        return fail({tr("A .longpole file is not written into a stream."), output.name, tr("Name a file.")});
    const auto writable = checkWritable(output.name, inputsOf(command, options));
    return writable ? std::optional<ExitCode>() : fail(writable.error());
}

}  // namespace longpole
