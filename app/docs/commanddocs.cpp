// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/docs/commanddocs.h"

#include "analysis/scheduling/sharedaccess.h"
#include "app/commands/commands.h"
#include "importers/common/formats.h"

#include <QStringList>

#include <algorithm>

namespace longpole {

namespace {

QString optionText(const CommandOption& option)
{
    QString text = writtenName(option);
    if (option.otherwise)
        text += QStringLiteral("[=")
                + QString(QLatin1String(option.choices)).replace(QLatin1Char(' '), QLatin1Char('|')) + QLatin1Char(']');
    else if (option.choices)
        text += QLatin1Char(' ') + QString(QLatin1String(option.choices)).replace(QLatin1Char(' '), QLatin1Char('|'));
    else if (option.value) text += QLatin1Char(' ') + QString(QLatin1String(option.value));
    return text;
}

constexpr const char* exitCodes[][2] = {
    {"0", "fine"},
    {"1", "a limit of 'check' was crossed"},
    {"2", "the command line is wrong"},
    {"3", "bad input: missing, unreadable, damaged, or nothing that Longpole can import"},
    {"130", "interrupted by Ctrl+C; nothing half done is left"},
};

constexpr const char* traceWords =
    "TRACE is a .longpole file or a raw trace: a Projections .sts, one of its logs or summaries (.sum, .sumd), or the\n"
    "folder of a run; a recording of \"longpole record\" (run.lprec), or its table of MPI calls (.csv); of an OTF2 "
    "archive the\n"
    "anchor file (NAME.otf2), the NAME.def beside it, or the folder that holds them. A summary holds no tasks:\n"
    "commands that need them say so.\n"
    "A raw trace is imported into the cache once and opened from there ever after; it is never changed.";

constexpr const char* grammarText =
    "Times are numbers with ns, us, ms, s or m, added up (\"1s 20ms\"), nanoseconds without a unit, counted from the\n"
    "first task of the run. Ranges are A..B; either side may be empty. PEs or ranks are \"1,3-9:3,11\".\n"
    "A task is pe:index, the index-th task on that PE.";

constexpr const char* outputText =
    "-o writes by the ending of the file's name and adds a missing one. It replaces a file only when all was written, "
    "and\n"
    "leaves alone links (but /dev/stdout and /dev/stderr), devices, and what the command reads.";

bool namesFile(const CommandOption& option)
{
    return option.endings || qstrcmp(option.name, "o") == 0 || qstrcmp(option.name, "symbols") == 0
           || (qstrcmp(option.name, "thresholds") == 0 && option.value);
}

QStringList zshOptions(const Command& command)
{
    QStringList specs;
    for (const CommandOption& option : command.options) {
        QString help = tr(option.help);
        help.replace(QLatin1Char('['), QStringLiteral("\\[")).replace(QLatin1Char(']'), QStringLiteral("\\]"));
        help.replace(QLatin1Char('\''), QStringLiteral("'\\''")).replace(QLatin1Char(':'), QStringLiteral("\\:"));
        QString spec = writtenName(option) + (option.otherwise ? QStringLiteral("=-[") : QStringLiteral("[")) + help
                       + QLatin1Char(']');
        if (option.choices)
            spec += QString(option.otherwise ? QStringLiteral("::value:(") : QStringLiteral(":value:("))
                    + QLatin1String(option.choices) + QLatin1Char(')');
        else if (option.value)
            spec += QLatin1Char(':') + QString(QLatin1String(option.value)).toLower() + QLatin1Char(':')
                    + (namesFile(option) ? QStringLiteral("_files") : QString());
        specs << QString(QLatin1Char('\'') + spec + QLatin1Char('\''));
    }
    return specs;
}

constexpr const char* mergesText =
    "Beside PROGRAM.sts: merge edges that the program recorded, one \"MERGE PE EVENT PE EVENT\" a line. The "
    "executions\n"
    "of the first message (creating PE and event number, as in the logs) also waited for the second. A user note with\n"
    "the same text does the same. Blank lines and lines that begin with # are left out.";

// What the recorder's library reads; without "longpole record" they are set by hand.
constexpr const char* documentedVariables[][2] = {
    {"LONGPOLE_OUTPUT", "the folder of the recording (PROGRAM.lprec)"},
    {"LONGPOLE_THRESHOLD", "join computations shorter than this with the calls around them: 50us, 1ms (none)"},
    {"LONGPOLE_COMPRESSION", "off, min (columns, zstd level 1; default) or max (zstd level 9)"},
    {"LONGPOLE_CLOCK", "auto (default), rtt, barrier or none"},
    {"LONGPOLE_SUMMARY", "1: statistics on standard error at MPI_Finalize"},
    {"LONGPOLE_CALLS", "a CSV file: then also one row per call"},
    {"LONGPOLE_BUFFER", "of each thread: 64K to 64M (256K)"},
    {"LONGPOLE_TRACE", "0: nothing but MPI_Init and MPI_Finalize is recorded, as for longpole try and --no-trace (1)"},
    {"LONGPOLE_CONFIG", "a file with these settings, \"threshold = 50us\" a line; # begins a comment; variables win"},
};

constexpr const char* sharedStatsText =
    "Longpole judges how a program shares information by user stats that it records under names\n"
    "shared/KIND/OPERATION/VARIABLE: table (insert, find, delete), readonly (read), writeonce (create, deref),\n"
    "accumulator (add, collect), monotonic (update, read). The value is a table's key, below 2^53, or the variable's\n"
    "value; the user time is a table entry's home PE, 1 or 0 for an update that was accepted or not, else -1.";

QString roff(const char* text) { return longpole::roff(QString::fromUtf8(text)); }

}  // namespace

// Escapes what roff would take for commands: backslashes, and dots and quotes at the beginning of a line. An escaped
// '-' stays a minus, not a hyphen, so that options can be copied from the man page.
QString roff(const QString& text)
{
    QString escaped = text;
    escaped.replace(QLatin1Char('\\'), QStringLiteral("\\e")).replace(QLatin1Char('-'), QStringLiteral("\\-"));
    QStringList lines = escaped.split(QLatin1Char('\n'));
    for (QString& line : lines)
        if (line.startsWith(QLatin1Char('.')) || line.startsWith(QLatin1Char('\'')))
            line.prepend(QStringLiteral("\\&"));
    return lines.join(QLatin1Char('\n'));
}

QString traceText() { return tr("Longpole opens %1.").arg(tr(openedFormats)) + QLatin1Char('\n') + tr(traceWords); }

QString usageLine(const Command& command)
{
    QString line = programName() + QLatin1Char(' ') + QLatin1String(command.name);
    if (command.maxArguments == anyNumber && !command.endsInCommand)
        return line + QStringLiteral(" [options] -- ") + QLatin1String(command.arguments);
    if (*command.arguments) line += QLatin1Char(' ') + QString(QLatin1String(command.arguments));
    return command.options.empty() ? line : line + QStringLiteral(" [options]");
}

QString commandHelp(const Command& command)
{
    QString text = tr("Usage: %1").arg(usageLine(command)) + QStringLiteral("\n\n") + tr(command.description)
                   + QLatin1Char('\n');
    qsizetype width = 0;
    for (const CommandOption& option : command.options) width = std::max(width, optionText(option).size());
    if (!command.options.empty()) text += QLatin1Char('\n') + tr("Options:") + QLatin1Char('\n');
    for (const CommandOption& option : command.options)
        text += QStringLiteral("  ") + optionText(option).leftJustified(width) + QStringLiteral("  ") + tr(option.help)
                + QLatin1Char('\n');
    text += QLatin1Char('\n') + tr("Examples:") + QLatin1Char('\n');
    for (const CommandExample& example : command.examples)
        text += QStringLiteral("  ") + QLatin1String(example.line) + QStringLiteral("\n      ") + tr(example.shows)
                + QLatin1Char('\n');
    if (command.options.size() > 1) text += QLatin1Char('\n') + tr(grammarText) + QLatin1Char('\n');
    if (std::any_of(command.options.begin(), command.options.end(),
                    [](const CommandOption& option) { return option.endings; }))
        text += QLatin1Char('\n') + tr(outputText) + QLatin1Char('\n');
    return text;
}

QString programHelp()
{
    QString text = tr("Longpole shows where a parallel program spends its time, what its critical path is, and what to "
                      "change first.")
                   + QStringLiteral("\n\n")
                   + tr(
                       "Usage: longpole COMMAND TRACE [options]\n"
                       "       longpole TRACE             opens the desktop program\n"
                       "       longpole COMMAND --help    explains a command\n"
                       "       longpole --version")
                   + QStringLiteral("\n\n") + tr("Start here:") + QLatin1Char('\n');
    for (const CommandExample& step : firstSteps())
        text += QStringLiteral("  ") + QLatin1String(step.line) + QStringLiteral("\n      ") + tr(step.shows)
                + QLatin1Char('\n');
    for (const CommandGroup& group : commandGroups()) {
        text += QLatin1Char('\n') + tr(group.title) + QStringLiteral(":\n");
        for (const Command* command : group.commands)
            text += QStringLiteral("  ") + QString(QLatin1String(command->name)).leftJustified(15)
                    + tr(command->summary) + QLatin1Char('\n');
    }
    text +=
        QLatin1Char('\n') + traceText() + QStringLiteral("\n\n")
        + tr(
            "Every command takes --memory SIZE, such as 4G: the most it may take (half of what is free), --cpu-time\n"
            "TIME, such as 10m: how long it may compute (a minute, and 20 s for each MB of its input), --threads N: "
            "how\n"
            "many it works with (those of the machine, at most 16), and --safe-csv: cells of CSV that a spreadsheet\n"
            "would compute begin with an apostrophe.")
        + QStringLiteral("\n\n") + tr("Exit codes:") + QLatin1Char('\n');
    for (const auto& [code, meaning] : exitCodes)
        text += QStringLiteral("  ") + QLatin1String(code) + QStringLiteral("  ") + tr(meaning) + QLatin1Char('\n');
    return text;
}

QString programVersion() { return QStringLiteral("longpole " LONGPOLE_VERSION "\n"); }

QString manPage()
{
    QString text = QStringLiteral(
        ".\\\" Written by longpole --generate man from the list of commands.\n"
        ".TH LONGPOLE 1 \"\" \"Longpole " LONGPOLE_VERSION
        "\" \"User Commands\"\n"
        ".SH NAME\nlongpole \\- performance visualizer and expert for parallel programs\n"
        ".SH SYNOPSIS\n.B longpole\n.I COMMAND TRACE\n[\\fIoptions\\fR]\n.br\n"
        ".B longpole\n.I TRACE\n"
        ".SH DESCRIPTION\n");
    text +=
        roff(
            "Longpole turns the trace of a parallel program into one file, shows it as timelines, finds its critical\n"
            "path, and reports what costs most.")
        + QStringLiteral("\n.PP\n") + roff(traceText()) + QStringLiteral("\n.PP\n") + roff(grammarText)
        + QStringLiteral("\n.PP\n") + roff(outputText) + QStringLiteral("\n.SH COMMANDS\n");
    for (const Command* command : commands()) {
        text += QStringLiteral(".SS ") + roff(usageLine(*command)) + QLatin1Char('\n')
                + roff(command->description).replace(QStringLiteral("\n\n"), QStringLiteral("\n.PP\n"))
                + QLatin1Char('\n');
        for (const CommandOption& option : command->options)
            text += QStringLiteral(".TP\n.B ") + roff(optionText(option)) + QLatin1Char('\n') + roff(option.help)
                    + QLatin1Char('\n');
    }
    text += QStringLiteral(".SH EXAMPLES\n");
    for (const CommandExample& step : firstSteps())
        text += QStringLiteral(".TP\n.B ") + roff(step.line) + QLatin1Char('\n') + roff(step.shows) + QLatin1Char('\n');
    for (const Command* command : commands())
        for (const CommandExample& example : command->examples)
            text += QStringLiteral(".TP\n.B ") + roff(example.line) + QLatin1Char('\n') + roff(example.shows)
                    + QLatin1Char('\n');
    text += QStringLiteral(".SH ENVIRONMENT\n")
            + roff("Of the recorder's library (/usr/lib/longpole), which \"longpole record\" preloads:")
            + QLatin1Char('\n');
    for (const auto& [name, meaning] : documentedVariables)
        text += QStringLiteral(".TP\n.B ") + roff(name) + QLatin1Char('\n') + roff(meaning) + QLatin1Char('\n');
    text += QStringLiteral(".SH EXIT STATUS\n");
    for (const auto& [code, meaning] : exitCodes)
        text += QStringLiteral(".TP\n.B ") + QLatin1String(code) + QLatin1Char('\n') + roff(meaning)
                + QLatin1Char('\n');
    text += QStringLiteral(".SH FILES\n.TP\n.I $XDG_CACHE_HOME/longpole\n")
            + roff("Imported traces, 20 GB at most; the ones not used for longest go first.")
            + QStringLiteral("\n.TP\n.I PROGRAM.merges\n") + roff(mergesText)
            + QStringLiteral("\n.TP\n.I /usr/share/longpole/thresholds.toml\n")
            + roff(
                "The thresholds of the decision tree with a comment for each, as \"longpole tree "
                "--default-thresholds\" writes\n"
                "them: copy it, edit it, and give it to --thresholds.")
            + QStringLiteral("\n.SH USER STATS\n") + roff(sharedStatsText) + QStringLiteral("\n.PP\n.nf\n")
            + roff(sharedStatExample()) + QStringLiteral(".fi")
            + QStringLiteral("\n.SH SEE ALSO\n.BR longpole\\-gui (1)\n");
    return text;
}

QString commandReference()
{
    QString text = QStringLiteral("# Commands\n\n")
                   + tr(
                       "Every command, its options and examples, as `longpole COMMAND --help` and `man longpole` say "
                       "them. What scripts can rely on is in [The command line](../command-line.md).")
                   + QStringLiteral("\n\n<!-- Written by script/generate from the program's own list. -->\n");
    for (const CommandGroup& group : commandGroups()) {
        text += QStringLiteral("\n## %1\n").arg(tr(group.title));
        for (const Command* command : group.commands) {
            QString summary = tr(command->summary);
            summary[0] = summary[0].toUpper();
            text += QStringLiteral("\n### %1\n\n%2.\n\n```text\n%3```\n")
                        .arg(QLatin1String(command->name), summary, commandHelp(*command));
        }
    }
    return text;
}

QString bashCompletion()
{
    QStringList names;
    QString cases;
    QString choices;
    for (const Command* command : commands()) {
        names << QString(QLatin1String(command->name));
        QStringList options{QStringLiteral("--help")};
        for (const CommandOption& option : command->options) {
            const QString name = writtenName(option);
            options << name;
            if (option.choices)
                choices += QStringLiteral(
                               "        \"%1 %2\") COMPREPLY=($(compgen -W \"%3\" -- \"$cur\")); return ;;\n")
                               .arg(names.back(), name, QLatin1String(option.choices));
        }
        cases += QStringLiteral("        %1) options=\"%2\" ;;\n").arg(names.back(), options.join(QLatin1Char(' ')));
    }
    return QStringLiteral(
               "# bash completion for longpole; written by longpole --generate bash-completion\n"
               "_longpole()\n{\n"
               "    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options\n"
               "    COMPREPLY=()\n"
               "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
               "        COMPREPLY=($(compgen -W \"%1 help --help --version\" -- \"$cur\") "
               "$(compgen -f -- \"$cur\"))\n"
               "        return\n"
               "    fi\n"
               "    case \"${COMP_WORDS[1]} $previous\" in\n%2"
               "        \"help help\") COMPREPLY=($(compgen -W \"%1\" -- \"$cur\")); return ;;\n"
               "    esac\n"
               "    case ${COMP_WORDS[1]} in\n%3"
               "    esac\n"
               "    if [[ $cur == -* ]]; then\n"
               "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
               "    else\n"
               "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
               "    fi\n"
               "}\n"
               "complete -o filenames -F _longpole longpole\n")
        .arg(names.join(QLatin1Char(' ')), choices, cases);
}

QString zshCompletion()
{
    QString described;
    QString cases;
    for (const Command* command : commands()) {
        QString summary = tr(command->summary);
        summary.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
        described += QStringLiteral("        '%1:%2'\n").arg(QLatin1String(command->name), summary);
        QStringList specs = zshOptions(*command);
        specs << QStringLiteral("'--help[explain the command]'") << QStringLiteral("'*:file:_files'");
        cases += QStringLiteral("        %1) _arguments %2 ;;\n")
                     .arg(QLatin1String(command->name), specs.join(QLatin1Char(' ')));
    }
    return QStringLiteral(
               "#compdef longpole\n# written by longpole --generate zsh-completion\n"
               "_longpole()\n{\n"
               "    local -a longpole_commands\n"
               "    longpole_commands=(\n%1    )\n"
               "    if (( CURRENT == 2 )); then\n"
               "        _describe 'command' longpole_commands\n"
               "        _files\n"
               "        return\n"
               "    fi\n"
               "    local command=$words[2]\n"
               "    shift words\n"
               "    (( CURRENT-- ))\n"
               "    case $command in\n%2"
               "    esac\n"
               "}\n"
               "_longpole \"$@\"\n")
        .arg(described, cases);
}

}  // namespace longpole
