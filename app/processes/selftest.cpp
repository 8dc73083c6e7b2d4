// SPDX-License-Identifier: GPL-3.0-or-later
// "longpole-mpi selftest": whether processes can talk here, and what it costs.
#include "app/output/output.h"
#include "app/processes/processes.h"
#include "distributed/transport/checks.h"
#include "distributed/transport/measure.h"
#include "distributed/transport/mpiwire.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

namespace longpole {

namespace {

// A check with what each process that it failed on says.
struct CheckResult {
    const char* name;
    QStringList wrong;
};

struct SelfTest {
    int processes = 1;
    std::vector<CheckResult> checks;
    TransportCosts costs;
    std::int64_t rounds = 0;
};

void gatherText(Transport& transport, const QString& own, QStringList& wrong)
{
    const QByteArray text = own.toUtf8();
    Payload bytes(static_cast<std::size_t>(text.size()));
    if (!bytes.empty()) std::memcpy(bytes.data(), text.constData(), bytes.size());
    const std::vector<Payload> all = transport.gather(std::move(bytes));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].empty())
            wrong << tr("process %1: %2")
                         .arg(QString::number(i), QString::fromUtf8(reinterpret_cast<const char*>(all[i].data()),
                                                                    static_cast<qsizetype>(all[i].size())));
}

void test(Transport& transport, std::chrono::seconds time, SelfTest& result)
{
    SelfTest own{.processes = transport.processes(), .checks = {}, .costs = {}, .rounds = 0};
    for (const TransportCheck& check : transportChecks()) own.checks.push_back({check.name, {}});
    const auto until = std::chrono::steady_clock::now() + time;
    std::int64_t goesOn = 1;
    while (goesOn != 0 && !transport.failed()) {
        for (std::size_t i = 0; i < own.checks.size(); ++i)
            gatherText(transport, transportChecks()[i].run(transport), own.checks[i].wrong);
        ++own.rounds;
        goesOn = std::chrono::steady_clock::now() < until ? 1 : 0;  // the root decides
        Payload told(sizeof(goesOn));
        std::memcpy(told.data(), &goesOn, sizeof(goesOn));
        told = transport.broadcast(std::move(told));
        if (told.size() == sizeof(goesOn)) std::memcpy(&goesOn, told.data(), sizeof(goesOn));
    }
    own.costs = measureTransport(transport);
    if (transport.isRoot()) result = std::move(own);
}

QString inMicroseconds(double seconds) { return QString::number(seconds * 1e6, 'f', 2) + QStringLiteral(" us"); }

void write(Output& output, const SelfTest& result)
{
    const QString library = mpiDescription();
    output.write(tr("%1 processes, %2")
                     .arg(QString::number(result.processes), library.isEmpty() ? tr("threads of one process") : library)
                 + QLatin1Char('\n'));
    for (const CheckResult& check : result.checks) {
        output.write(QStringLiteral("  %1  %2\n")
                         .arg(QString(QLatin1String(check.name)).leftJustified(24),
                              check.wrong.isEmpty() ? tr("right") : tr("WRONG")));
        for (const QString& wrong : check.wrong) output.write(QStringLiteral("    ") + wrong + QLatin1Char('\n'));
    }
    if (result.processes == 1) return;
    output.write(tr("  each of them %1 times\n").arg(result.rounds));
    const std::pair<QString, double> costs[] = {
        {tr("a hop, l"), result.costs.hop},
        {tr("a step of a tree, a"), result.costs.treeStep},
        {tr("an exchange of nothing"), result.costs.quietPass},
        {tr("20 bytes in a large exchange"), result.costs.exchanged20},
    };
    for (const auto& [name, seconds] : costs)
        output.write(QStringLiteral("  %1  %2\n").arg(name.leftJustified(28), inMicroseconds(seconds)));
}

ExitCode runSelfTest(const CommandLine& line)
{
    const auto seconds = countOption(line, "seconds", 1);
    if (!seconds) return ExitCode::Usage;
    SelfTest result;
    const auto body = [&](Transport& transport, const Progress&) {
        test(transport, std::chrono::seconds(*seconds), result);
    };
    if (const auto failed = runOnProcesses(line, body)) return *failed;
    if (!isRoot(line)) return ExitCode::Fine;
    const ExitCode written = deliver(line, [&](Output& output) { write(output, result); });
    const bool isRight = std::all_of(result.checks.begin(), result.checks.end(),
                                     [](const CheckResult& check) { return check.wrong.isEmpty(); });
    return isRight ? written : ExitCode::ThresholdCrossed;
}

constexpr CommandOption selfTestOptions[] = {
    processesOption,
    {"seconds", "N", "repeat the checks for so long (default: 1)"},
};

constexpr CommandExample selfTestExamples[] = {
    {"longpole selftest --processes 4", "whether processes can talk here, and what it costs"},
};

}  // namespace

extern const Command selfTestCommand;  // commands.cpp lists it
const Command selfTestCommand{
    .name = "selftest",
    .arguments = "",
    .summary = "whether the processes of longpole-mpi can talk to each other, and what it costs",
    .description =
        R"(Sends messages between all processes in every way that analyses do, and compares what comes with what must
come. Then measures what talking costs, the slowest process, the best of seven times: one hop from a process to
the next (l), one step of a reduction over a tree (a), an exchange in which nobody has anything to send, and
20 bytes, which is what a message of the analysed program costs, in an exchange of many. Run it by the cluster's own
mpirun: mpirun -n 4 longpole-mpi selftest.)",
    .minArguments = 0,
    .maxArguments = 0,
    .runsOnProcesses = true,
    .isOpenEnded = true,
    .options = selfTestOptions,
    .examples = selfTestExamples,
    .run = runSelfTest,
};

}  // namespace longpole
