// SPDX-License-Identifier: GPL-3.0-or-later
// longpole tree: the decision tree of a run, and the file of its thresholds.
#include "analysis/expert/expertquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/commandline/thresholdsoption.h"
#include "app/output/treeoutput.h"

namespace longpole {

namespace {

// As the expert has it, which asked the replay what its advice saves; of a summary nothing can be replayed.
Result<std::shared_ptr<const DecisionTree>> treeOf(Results& results, const Thresholds& thresholds,
                                                   const Progress& progress)
{
    if (results.store().info().isSummary()) return results.ask(TreeQuestion{thresholds}, progress);
    const auto expert = results.ask(ExpertQuestion{thresholds}, progress);
    if (!expert) return expert.error();
    return std::shared_ptr<const DecisionTree>(*expert, &(*expert)->tree);
}

ExitCode runTree(const CommandLine& line)
{
    if (line.has("default-thresholds")) {
        if (!line.arguments.isEmpty() || line.has("thresholds") || line.has("without") || line.has("json")
            || line.has("csv"))
            return usageError(line.command, tr("--default-thresholds stands alone"));
        return deliver(line, [](Output& output) { output.write(defaultThresholdsFile()); });
    }
    if (line.output.ending == QLatin1String("toml"))
        return usageError(line.command,
                          tr("-o FILE.toml is of --default-thresholds; a tree ends in .txt, .json or .csv"));
    if (line.arguments.isEmpty()) return missingArgument(line.command, 0);
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto thresholds = thresholdsOf(line);
    if (!thresholds) return ExitCode::BadInput;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto tree = withProgress(tr("Going down the decision tree"), [&](const Progress& progress) {
        return treeOf(*trace->results, *thresholds, progress);
    });
    if (!tree) return fail(tree.error());
    return deliver(line, [&](Output& output) { writeTree(output, *format, *trace->store, **tree); });
}

constexpr CommandOption treeOptions[] = {
    thresholdsOption,
    withoutOption,
    {"default-thresholds", nullptr, "write the file of thresholds, to be copied and edited, instead of judging"},
    jsonOption,
    csvOption,
    {"o", "FILE", "write to FILE, by its ending: .txt (default), .json or .csv; thresholds: .toml", nullptr,
     "txt json csv toml"},
    symbolsOption,
};

constexpr CommandExample treeExamples[] = {
    {"longpole tree jacobi2d.sts", "where the run lost time, why, and what to do about it"},
    {"longpole tree --default-thresholds -o thresholds.toml", "the thresholds, to edit and give to --thresholds"},
};

}  // namespace

extern const Command treeCommand;  // commands.cpp lists it
const Command treeCommand{
    .name = "tree",
    .arguments = "[TRACE]",
    .summary = "the decision tree: when, where and why the run lost time, and what to change first",
    .description =
        R"(Goes down the decision tree of Sinha and Kale: when the run was slow, on which PEs, in which kind of time, then
the causes A to J: degree of parallelism, grain size, shared variables, load balance, locality, scheduling of the
critical path, latency, synchronization, speculative work, serial chain, bottleneck; of recordings of MPI programs first
whether every rank had a core (K). Each cause is found, not found,
too small, or can't be told; what was found says what it cost, where to see it, and what to do.

Every nanosecond of idle time has one cause: the message was in transit (latency) or had arrived but was not started
(scheduling), it was not sent yet while others were busy (imbalance) or without work (parallelism), a collective
ended it (synchronization), or the PE had finished (end). JSON has them by entry method, too.

The values behind it, and the thresholds, are in --json and in the appendix of the report. The thresholds lie in one
commented file: --default-thresholds writes it, --thresholds reads an edited copy. A key that is not known is an error
that names its line.)",
    .minArguments = 0,
    .maxArguments = 1,
    .saysHealth = true,
    .options = treeOptions,
    .examples = treeExamples,
    .run = runTree,
};

}  // namespace longpole
