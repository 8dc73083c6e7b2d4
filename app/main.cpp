// SPDX-License-Identifier: GPL-3.0-or-later
// The command line program: finds the command, gives it the application object it needs, returns its exit code.
#include "analysis/report/experttables.h"
#include "app/commandline/cputime.h"
#include "app/commandline/limitoptions.h"
#include "app/commands/commands.h"
#include "app/common/argumentbytes.h"
#include "app/common/translation.h"
#include "app/docs/commanddocs.h"
#include "app/docs/mpicalldocs.h"
#include "app/docs/tabledocs.h"
#include "app/output/output.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "importers/recording/namingprocess.h"

#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>

#include <unistd.h>

using namespace longpole;

namespace {

void complain(const QString& text)
{
    const QByteArray bytes = text.toUtf8();
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stderr);
}

// On stdout, all of it or with an error.
int printed(const QString& text)
{
    auto output = Output::open({});
    output->write(text);
    const Result<> finished = output->finish();
    return static_cast<int>(finished ? ExitCode::Fine : fail(finished.error()));
}

// "longpole TRACE": what exists, or is written like a path, is a trace and no mistyped command.
bool looksLikeTrace(const QString& word)
{
    return QFileInfo::exists(word) || word.contains(QLatin1Char('/')) || word.contains(QLatin1Char('.'));
}

// Words of other tools for what a command does.
QString commandMeantBy(const QString& word)
{
    constexpr const char* meant[][2] = {{"timeline", "render"}, {"gui", "open"},       {"view", "open"},
                                        {"summary", "info"},    {"convert", "import"}, {"path", "critical-path"},
                                        {"diff", "compare"},    {"query", "sql"}};
    for (const auto& [other, name] : meant)
        if (word == QLatin1String(other)) return tr("; did you mean %1?").arg(QLatin1String(name));
    return {};
}

int unknownCommand(const QString& word)
{
    QStringList names;
    for (const Command* command : commands()) names << QString(QLatin1String(command->name));
    const QString meant = commandMeantBy(word);
    const QString near = meant.isEmpty() ? suggestion(word, names) : meant;
    complain(QStringLiteral("longpole: ") + tr("unknown command '%1'").arg(word)
             + (near.isEmpty() ? tr("; 'longpole --help' lists them") : near) + QLatin1Char('\n'));
    return static_cast<int>(ExitCode::Usage);
}

int runCommand(const Command& command, QStringList arguments, std::chrono::seconds cpuTime)
{
    // Behind "--", or right away, all is another program's.
    const qsizetype dashes = arguments.indexOf(QStringLiteral("--"));
    const qsizetype own = command.maxArguments == anyNumber && !command.endsInCommand ? 0
                          : dashes < 0                                                ? arguments.size()
                                                                                      : dashes;
    const auto others = arguments.begin() + own;
    const auto kept = std::remove(arguments.begin(), others, QStringLiteral("--safe-csv"));
    const bool safeCsv = kept != others;
    arguments.erase(kept, others);
    QCommandLineParser options;
    if (const auto exit = parse(command, arguments, options)) return static_cast<int>(*exit);
    OutputFile output;
    if (const auto exit = chooseOutput(command, options, output)) return static_cast<int>(*exit);
    output.safeCsv = safeCsv;
    if (!command.isOpenEnded) limitCpuTime(cpuTime.count() > 0 ? cpuTime : cpuTimeFor(inputsOf(command, options)));
    const Result<ExitCode> ran = withinMemory([&]() -> Result<ExitCode> {
        return command.run({command, options.positionalArguments(), options, output});
    });
    const ExitCode code = ran ? *ran : fail(ran.error());
    if (output.endingAdded && (code == ExitCode::Fine || code == ExitCode::ThresholdCrossed))
        complain(tr("Wrote %1").arg(output.name) + QLatin1Char('\n'));
    return static_cast<int>(code);
}

// A schema from stdin, with the rows of its tables.
int generateSchema()
{
    QFile in;
    if (!in.open(stdin, QIODevice::ReadOnly)) return static_cast<int>(ExitCode::BadInput);
    const auto schema = parseJson(in.readAll());
    const auto filled = schema ? withTables(*schema) : std::nullopt;
    if (!filled) {
        complain(QStringLiteral("longpole: ") + tr("no JSON, or a table or column that is not there")
                 + QLatin1Char('\n'));
        return static_cast<int>(ExitCode::BadInput);
    }
    return printed(QString::fromUtf8(dump(*filled)));
}

int generate(const QString& what)
{
    if (what == QLatin1String("man")) return printed(manPage());
    if (what == QLatin1String("bash-completion")) return printed(bashCompletion());
    if (what == QLatin1String("zsh-completion")) return printed(zshCompletion());
    if (what == QLatin1String("tables")) return printed(tableReference());
    if (what == QLatin1String("commands")) return printed(commandReference());
    if (what == QLatin1String("mpi-calls")) return printed(mpiCallsMarkdown());
    if (what == QLatin1String("checks")) return printed(checkReference());
    return what == QLatin1String("schema") ? generateSchema() : unknownCommand(what);
}

int help(const QString& topic)
{
    const Command* command = findCommand(topic);
    if (!command && !topic.isEmpty()) return unknownCommand(topic);
    return printed(command ? commandHelp(*command) : programHelp());
}

int run(QStringList arguments)
{
    // What follows 'record PROGRAM' is the program's, and what it takes is no business of ours.
    const bool isRecord = arguments.value(0) == QLatin1String("record");
    const std::optional<std::int64_t> memory = isRecord ? std::optional<std::int64_t>(0)
                                                        : takeMemory(arguments, halfOfMemory());
    const std::optional<unsigned> threads = isRecord ? std::optional(0u) : takeThreads(arguments);
    const std::optional<std::chrono::seconds> cpuTime = isRecord ? std::chrono::seconds(0) : takeCpuTime(arguments);
    if (!memory || !threads || !cpuTime) {
        const QString usage = !memory ? memoryUsage() : threads ? cpuTimeUsage() : threadsUsage();
        complain(QStringLiteral("longpole: ") + usage + QLatin1Char('\n'));
        return static_cast<int>(ExitCode::Usage);
    }
    setDefaultThreads(*threads);
    // A program that is started from here would inherit the limit: the recorded one, the window.
    const bool isOwnWork = !isRecord && arguments.value(0) != QLatin1String("open") && findCommand(arguments.value(0));
    if (isOwnWork) limitMemory(*memory);
    const QString word = arguments.isEmpty() ? QString() : arguments.takeFirst();
    const QString next = arguments.value(0);
    if (word.isEmpty()) {
        complain(programHelp());
        return static_cast<int>(ExitCode::Usage);
    }
    if (word == QLatin1String("--help") || word == QLatin1String("-h") || word == QLatin1String("help"))
        return help(next);
    if (word == QLatin1String("--version")) return printed(programVersion());
    if (word == QLatin1String("--generate")) return generate(next);
    if (const Command* command = findCommand(word)) return runCommand(*command, arguments, *cpuTime);
    if (!word.startsWith(QLatin1Char('-')) && looksLikeTrace(word))
        return runCommand(*findCommand(QStringLiteral("open")), QStringList{word} + arguments, *cpuTime);
    return unknownCommand(word);
}

// A login node without XDG_RUNTIME_DIR is no news to anybody who draws a picture into a file.
void sayOnStderr(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    if (message.startsWith(QLatin1String("QStandardPaths: "))) return;
    complain(qFormatLogMessage(type, context, message) + QLatin1Char('\n'));
}

// "-o report.md", "-o=report.json": nothing is drawn. Other options name files, too, and what 'try' runs has options of
// its own.
bool writesOnlyText(const Command& command, int argc, char** argv)
{
    const auto end = std::find_if(argv + 1, argv + argc, [](const char* word) { return !std::strcmp(word, "--"); });
    const auto output = std::find_if(argv + 1, end, [](const char* word) { return !std::strncmp(word, "-o", 2); });
    QByteArrayView file = output == end ? QByteArrayView() : QByteArrayView(*output);
    if (file.size() == 2 && output + 1 != end) file = QByteArrayView(*(output + 1));
    if (std::strcmp(command.name, "try") == 0) return !file.endsWith(".html") && !file.endsWith(".pdf");
    return std::strcmp(command.name, "report") == 0 && (file.endsWith(".md") || file.endsWith(".json"));
}

// Pictures need fonts, hence a QGuiApplication, but no display.
// Qt gets the program's name alone: it takes words of its own out of the others, also of what 'try' runs.
std::unique_ptr<QCoreApplication> makeApplication(int argc, char** argv)
{
    static int own = 1;
    const Command* command = argc > 1 ? findCommand(QString::fromLocal8Bit(argv[1])) : nullptr;
    if (!command || !command->drawsPictures || writesOnlyText(*command, argc, argv))
        return std::make_unique<QCoreApplication>(own, argv);
    const auto before = qEnvironmentVariableIsSet("QT_QPA_PLATFORM") ? std::optional(qgetenv("QT_QPA_PLATFORM"))
                                                                     : std::nullopt;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler(sayOnStderr);
    auto application = std::make_unique<QGuiApplication>(own, argv);
    // It has been read. Programs that 'try' starts have what the user's environment says.
    if (before) qputenv("QT_QPA_PLATFORM", *before);
    else qunsetenv("QT_QPA_PLATFORM");
    return application;
}

// Qt lets no exception out of some of its functions: it ends the program instead.
[[noreturn]] void endForWantOfMemory()
{
    try {
        if (const std::exception_ptr reason = std::current_exception()) std::rethrow_exception(reason);
    } catch (const std::bad_alloc&) {
        constexpr char text[] = "longpole: This takes more memory than the program may have.\n";
        static_cast<void>(!::write(STDERR_FILENO, text, sizeof text - 1));
        std::_Exit(static_cast<int>(ExitCode::BadInput));
    } catch (...) {  // a fault of ours: to be found in the core dump
    }
    std::abort();
}

int runProgram(int argc, char** argv)
{
    // What follows 'record' is another program's, as is what 'try' runs, and the window is one.
    const bool isOwn = argc > 1 && findCommand(QString::fromLocal8Bit(argv[1])) && std::strcmp(argv[1], "record") != 0
                       && std::strcmp(argv[1], "try") != 0 && std::strcmp(argv[1], "open") != 0;
    if (isOwn)
        for (const ReplacedArgument& argument : replaceByDescriptors(argc, argv))
            nameInErrors(QString::fromUtf8(argument.path), QString::fromLatin1(argument.typed));
    QStringList words;
    for (int i = 1; i < argc; ++i) words << QString::fromLocal8Bit(argv[i]);
    const auto application = makeApplication(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("longpole"));
    QCoreApplication::setApplicationVersion(QStringLiteral(LONGPOLE_VERSION));
    const bool writesDocuments = argc > 1 && std::strcmp(argv[1], "--generate") == 0;  // which are English
    if (!writesDocuments) installTranslation();
    return run(words);
}

}  // namespace

int main(int argc, char** argv)
{
    if (isNamingProcess(argc, argv)) return nameForParent();
    std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away ends the output, not the program
    std::set_terminate(endForWantOfMemory);
    return runProgram(argc, argv);
}
