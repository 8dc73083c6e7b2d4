// SPDX-License-Identifier: GPL-3.0-or-later
// The main function of longpole-mpi: started by an MPI's launcher, it runs the commands that all processes share.
#include "app/commandline/limitoptions.h"
#include "app/commands/commands.h"
#include "app/common/translation.h"
#include "app/docs/commanddocs.h"
#include "app/output/output.h"
#include "app/processes/interruption.h"
#include "core/base/memory.h"
#include "distributed/transport/mpiwire.h"
#include "distributed/transport/threadwire.h"
#include "importers/recording/namingprocess.h"

#include <QCoreApplication>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

using namespace longpole;

namespace {

// All processes find the same mistake in a command line, and all know its help: the first one prints it.
void leaveSpeechToOthers()
{
    sayErrors(false);
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0) return;
    ::dup2(null, STDOUT_FILENO);
    ::close(null);
}

int printed(const QString& text)
{
    auto output = Output::open({});
    output->write(text);
    const Result<> finished = output->finish();
    return static_cast<int>(finished ? ExitCode::Fine : fail(finished.error()));
}

std::vector<const Command*> sharedCommands()
{
    std::vector<const Command*> shared;
    for (const Command* command : commands())
        if (command->runsOnProcesses) shared.push_back(command);
    return shared;
}

QString help()
{
    QString text = tr("Runs analyses of Longpole as an MPI program, on the nodes where the recording lies.")
                   + QStringLiteral("\n\n")
                   + tr(
                       "Usage: mpirun -n N longpole-mpi COMMAND ... [--transport FILE] [--memory SIZE] [--wait TIME]\n"
                       "       longpole-mpi COMMAND --help      explains a command\n"
                       "       longpole-mpi --transport-source  prints the C source of the transport library\n"
                       "       longpole-mpi --version")
                   + QStringLiteral("\n\n") + tr("Commands:") + QLatin1Char('\n');
    for (const Command* command : sharedCommands())
        text += QStringLiteral("  ") + QString(QLatin1String(command->name)).leftJustified(12) + tr(command->summary)
                + QLatin1Char('\n');
    return text + QLatin1Char('\n')
           + tr(
               "The MPI is the one that started it: libraries for Open MPI and MPICH are installed. For another one, "
               "or\nanother version, make the library with the cluster's own compiler:\n"
               "  longpole-mpi --transport-source > transport.c\n"
               "  mpicc -shared -fPIC -O2 -o transport.so transport.c\n"
               "  srun longpole-mpi COMMAND ... --transport ./transport.so\n\n"
               "--memory SIZE, such as 4G, is the most that each process may take: then the work of all ends with an "
               "error.\n--wait TIME, such as 90s, is how long all may be silent before one that hangs, or whose "
               "machine has gone, is\ngiven up: 30m without it. Ctrl+C and SIGTERM end all of them; nothing half "
               "done is left.\n");
}

QString manual()
{
    QString text = QStringLiteral(
        ".\\\" Written by longpole-mpi --generate man from the list of commands.\n"
        ".TH LONGPOLE-MPI 1 \"\" \"Longpole " LONGPOLE_VERSION
        "\" \"User Commands\"\n"
        ".SH NAME\nlongpole\\-mpi \\- analyses of Longpole as an MPI program\n"
        ".SH SYNOPSIS\n.B mpirun \\-n\n.I N\n.B longpole\\-mpi\n.I COMMAND\n[\\fIoptions\\fR]\n"
        ".SH DESCRIPTION\n.nf\n");
    text += roff(help()) + QStringLiteral(".fi\n.SH COMMANDS\n");
    for (const Command* command : sharedCommands())
        text += QStringLiteral(".SS ") + QLatin1String(command->name) + QStringLiteral("\n.nf\n")
                + roff(commandHelp(*command)) + QStringLiteral(".fi\n");
    return text + QStringLiteral(".SH SEE ALSO\n.BR longpole (1)\n");
}

// Takes "--transport FILE" out of the arguments; nothing if it is not there. An empty one lacks its file.
std::optional<QString> takeTransport(QStringList& arguments)
{
    const auto at = std::find_if(arguments.begin(), arguments.end(), [](const QString& word) {
        return word == QLatin1String("--transport") || word.startsWith(QLatin1String("--transport="));
    });
    if (at == arguments.end()) return {};
    const qsizetype index = at - arguments.begin();
    if (const QString word = *at; word.contains(QLatin1Char('='))) {
        arguments.removeAt(index);
        return word.section(QLatin1Char('='), 1);
    }
    const QString file = arguments.value(index + 1);
    arguments.remove(index, std::min<qsizetype>(2, arguments.size() - index));
    return file;
}

// The processes that were started together.
Result<std::unique_ptr<Wire>> startedWire(const std::optional<QString>& file, const MpiEnvironment& launch)
{
    if (file) return startMpi(*file, launch);
    if (!launch.isUnderLauncher()) return std::move(threadWires(1).front());  // started by hand: alone
    const QString library = launch.mpi.isEmpty() ? QString() : transportLibrary(launch.mpi);
    if (!library.isEmpty()) return startMpi(library, launch);
    if (launch.processes == 1) return std::move(threadWires(1).front());
    return Error{.what = launch.mpi.isEmpty() ? tr("It is not known which MPI started this program.")
                                              : tr("There is no transport library for %1.").arg(launch.mpi),
                 .where = {},
                 .hint = tr("Make one: longpole-mpi --transport-source > transport.c && mpicc -shared -fPIC -O2 -o "
                            "transport.so transport.c, then give --transport transport.so.")};
}

Error outOfMemoryOfMany(int processes)
{
    Error error = outOfMemory();
    error.hint = tr("Each of %1 processes may take as much as --memory says: start more of them, which then have fewer "
                    "ranks each, or allow more.")
                     .arg(processes);
    return error;
}

// How the program ends after a failure of all, which the root has to say.
int endOf(const Transport& transport)
{
    const bool isEnded = transport.failure().kind == ErrorKind::Cancelled;
    if (transport.isRoot() && isEnded) tellUser(tr("interrupted"));
    if (transport.isRoot() && !isEnded) fail(transport.failure());
    return isEnded ? Interruption::exitCode() : static_cast<int>(ExitCode::BadInput);
}

int runTogether(const Command& command, const QCommandLineParser& options, const OutputFile& output,
                std::unique_ptr<Wire> wire, const TransportLimits& limits)
{
    const Interruption untilDone;
    Transport transport(std::move(wire), limits);
    ExitCode code = ExitCode::Fine;
    try {
        code = command.run({command, options.positionalArguments(), options, output, &transport});
    } catch (const std::bad_alloc&) {
        transport.fail(outOfMemoryOfMany(transport.processes()));
    } catch (const std::length_error&) {  // more than any memory has
        transport.fail(outOfMemoryOfMany(transport.processes()));
    }
    // What this process found wrong by itself it has printed, if it prints; the others must not wait for it.
    const bool isOwn = code != ExitCode::Fine && code != ExitCode::ThresholdCrossed && !transport.failed();
    if (isOwn) transport.fail({tr("Process %1 could not begin.").arg(transport.process()), {}, {}});
    transport.finish();
    transport.leave(std::chrono::seconds(10));
    return !transport.failed() || isOwn ? static_cast<int>(code) : endOf(transport);
}

int runCommand(const Command& command, QStringList arguments)
{
    const MpiEnvironment launch = mpiEnvironment();
    const std::optional<QString> file = takeTransport(arguments);
    if (file && file->isEmpty())
        return static_cast<int>(usageError(command, tr("--transport needs a value: --transport FILE")));
    const std::optional<std::int64_t> memory = takeMemory(arguments, 0);
    if (!memory) return static_cast<int>(usageError(command, memoryUsage()));
    limitMemory(*memory);
    TransportLimits limits;
    const auto wait = takeWait(arguments, limits.wait);
    if (!wait) return static_cast<int>(usageError(command, waitUsage()));
    limits.wait = *wait;
    QCommandLineParser options;
    if (const auto exit = parse(command, arguments, options)) return static_cast<int>(*exit);
    OutputFile output;
    if (const auto exit = chooseOutput(command, options, output)) return static_cast<int>(*exit);
    Result<std::unique_ptr<Wire>> wire = startedWire(file, launch);
    if (!wire) {
        // Most likely all processes fail alike. Else the first one goes on, and this one's reason has to be said.
        if (launch.process > 0) std::this_thread::sleep_for(std::chrono::seconds(3));
        sayErrors(true);
        return static_cast<int>(fail(wire.error()));
    }
    const bool isAlone = (*wire)->processes() == 1;
    const bool isRootProcess = (*wire)->process() == 0;
    const int code = runTogether(command, options, output, std::move(*wire), limits);
    std::fflush(stdout);
    const bool isFine = code == static_cast<int>(ExitCode::Fine)
                        || code == static_cast<int>(ExitCode::ThresholdCrossed);
    if (isFine || isAlone) {
        finishMpi();
        return code;
    }
    // What others sent and nobody took any more would keep MPI from its end. The root has the last word, which the
    // launcher has to hand on before it hears that all is over.
    std::this_thread::sleep_for(isRootProcess ? std::chrono::milliseconds(200) : std::chrono::seconds(5));
    stopMpi(code);
}

int run(const QStringList& arguments)
{
    if (mpiEnvironment().process > 0) leaveSpeechToOthers();
    const QString word = arguments.value(0);
    if (word == QLatin1String("--help") || word == QLatin1String("-h") || word == QLatin1String("help"))
        return printed(help());
    if (word == QLatin1String("--version")) return printed(QStringLiteral("longpole-mpi " LONGPOLE_VERSION "\n"));
    if (word == QLatin1String("--transport-source")) return printed(QString::fromUtf8(transportSource()));
    if (word == QLatin1String("--generate") && arguments.value(1) == QLatin1String("man")) return printed(manual());
    for (const Command* command : sharedCommands())
        if (word == QLatin1String(command->name)) return runCommand(*command, arguments.mid(1));
    if (word.isEmpty()) tellUser(tr("a command is missing; 'longpole-mpi --help' lists them"));
    else tellUser(tr("unknown command '%1'; 'longpole-mpi --help' lists them").arg(word));
    return static_cast<int>(ExitCode::Usage);
}

}  // namespace

int main(int argc, char** argv)
{
    if (isNamingProcess(argc, argv)) return nameForParent();
    std::signal(SIGPIPE, SIG_IGN);
    const QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("longpole-mpi"));
    QCoreApplication::setApplicationVersion(QStringLiteral(LONGPOLE_VERSION));
    installTranslation();
    const int code = run(QCoreApplication::arguments().mid(1));
    // All processes find the same wrong option; the launcher ends all when the first one ends, which may be before the
    // root has said what is wrong.
    if (code == static_cast<int>(ExitCode::Usage) && mpiEnvironment().process > 0)
        std::this_thread::sleep_for(std::chrono::seconds(3));
    return code;
}
