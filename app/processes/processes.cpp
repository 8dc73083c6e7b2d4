// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/processes.h"

#include "app/output/output.h"
#include "app/processes/interruption.h"
#include "core/base/parallel.h"
#include "distributed/transport/threadwire.h"

namespace longpole {

bool isRoot(const CommandLine& line) { return line.transport == nullptr || line.transport->isRoot(); }

std::optional<ExitCode> runOnProcesses(const CommandLine& line, const ProcessBody& body)
{
    const auto run = [&body](Transport& transport, const Progress& progress) {
        transport.stopWhen([&progress] { return progress.isCancelled(); });
        body(transport, progress);
        transport.stopWhen({});
    };
    if (line.transport != nullptr) {
        if (line.has("processes"))
            return usageError(line.command, tr("--processes is longpole's: here mpirun says how many processes"));
        const Progress* const own = interruptedWork();
        const Progress alone;
        run(*line.transport, own != nullptr ? *own : alone);
        // Prints nothing: the program says it, at its end.
        return line.transport->failed() ? std::optional(ExitCode::BadInput) : std::nullopt;
    }
    const auto threads = countOption(line, "processes", 1);
    if (!threads) return ExitCode::Usage;
    if (*threads > std::int64_t{mostThreads})
        return usageError(line.command, tr("--processes takes at most %1").arg(mostThreads));
    Result<> ran = Unit{};
    withProgress(tr("Reading with %1 processes").arg(*threads), [&](const Progress& progress) {
        ran = runOnThreads(static_cast<int>(*threads), [&](Transport& transport) { run(transport, progress); });
    });
    return ran ? std::optional<ExitCode>() : fail(ran.error());
}

}  // namespace longpole
