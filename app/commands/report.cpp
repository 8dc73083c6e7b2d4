// SPDX-License-Identifier: GPL-3.0-or-later
// longpole report: runs every analysis and writes what they found.
#include "analysis/compare/trialfinding.h"
#include "analysis/report/analyses.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/commandline/thresholdsoption.h"
#include "app/common/tracelink.h"
#include "app/output/output.h"
#include "app/report/reportexport.h"
#include "core/base/namedfile.h"
#include "core/base/nearestnames.h"

#include <QFileInfo>

#include <optional>

namespace longpole {

namespace {

QStringList sectionNames()
{
    QStringList names;
    for (const Analysis* analysis : analyses()) names << QLatin1String(analysis->id);
    return names;
}

// The ids of the sections that --sections names, all without it; empty after a usage error, which was printed.
std::optional<QStringList> sectionsOf(const CommandLine& line)
{
    const QStringList names = sectionNames();
    if (!line.has("sections")) return names;
    const QStringList asked = line.value("sections").split(QLatin1Char(','));
    for (const QString& section : asked) {
        if (names.contains(section)) continue;
        usageError(line.command,
                   tr("--sections: there is no section '%1'%2 Sections: %3")
                       .arg(onOneLine(section),
                            suggestion(section, names).isEmpty() ? QStringLiteral(".") : suggestion(section, names),
                            names.join(QStringLiteral(", "))));
        return {};
    }
    return asked;
}

// What `longpole try -o FILE.json` wrote.
Result<Trial> readTrial(const QString& name)
{
    constexpr qint64 mostBytes = 16 << 20;
    const Result<QByteArray> bytes = bytesOfNamedFile(name, mostBytes);
    if (!bytes) return Error{tr("It cannot be read: %1.").arg(bytes.error().what), name, {}};
    if (const std::optional<JsonValue> json = parseJson(*bytes))
        if (std::optional<Trial> trial = trialFrom(*json)) return std::move(*trial);
    return Error{tr("This file does not hold what was tried."), name, tr("'longpole try -o FILE.json' writes one.")};
}

ExitCode runReport(const CommandLine& line)
{
    if (!line.has("o")) return usageError(line.command, tr("-o FILE is missing: it ends in .html, .md, .json or .pdf"));
    const auto thresholds = thresholdsOf(line);
    if (!thresholds) return ExitCode::BadInput;
    const auto sections = sectionsOf(line);
    if (!sections) return ExitCode::Usage;
    std::vector<Trial> trials;
    for (const QString& file : line.values("tried")) {
        auto trial = readTrial(file);
        if (!trial) return fail(trial.error());
        trials.push_back(std::move(*trial));
    }
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto results = withProgress(tr("Analysing"), [&](const Progress& progress) {
        return trace->results->ask(AnalysesQuestion{*thresholds}, progress);
    });
    if (!results) return fail(results.error());
    AnalysisResults linked = withLinks(**results, *trace->store, line.arguments.first());
    std::erase_if(linked.findings, [&](const Finding& finding) { return !sections->contains(finding.id); });
    if (linked.findings.empty())
        return fail(Error{.what = tr("The report of this run has none of these sections."),
                          .where = line.arguments.front(),
                          .hint = tr("Leave --sections out.")});
    addTrials(linked.findings, trials);
    const auto bytes = reportBytes(*trace->store, linked, line.output.ending, Progress{});
    if (!bytes) return fail(bytes.error());
    return deliver(line, [&](Output& output) { output.write(*bytes); });
}

constexpr CommandOption reportOptions[] = {
    {"o", "FILE", "the report, by its ending: .html (default), .md, .json or .pdf", nullptr, "html md json pdf"},
    {"sections", "LIST",
     "these sections only, in the report's order: advice, run, health, utilization, entries, mpi, waits, "
     "critical-path, what-if, parallelism, phases, tree, not-evaluated"},
    {"tried", "FILE",
     "what 'longpole try -o FILE.json' has measured, as a section behind the advice; may be given several times"},
    thresholdsOption,
    withoutOption,
    symbolsOption,
};

constexpr CommandExample reportExamples[] = {
    {"longpole report jacobi2d.sts -o jacobi2d.html", "everything that was found, as one page to pass on"},
    {"longpole report jacobi2d.sts --sections advice,health -o jacobi2d.md", "what to do, and how far to trust it"},
};

}  // namespace

extern const Command reportCommand;  // commands.cpp lists it
const Command reportCommand{
    .name = "report",
    .arguments = "TRACE",
    .summary = "the expert report as a file",
    .description =
        R"(Writes what the analyses found, the expert's ranked advice first, each piece with its evidence and picture. Then the
run, its health, utilization, the entry methods that cost most, the critical path and what repeats, in a few pages.
Tables, thresholds, the decision tree, queries and what could not be evaluated are in the appendix. An .html report is
one self-contained file.)",
    .minArguments = 1,
    .maxArguments = 1,
    .drawsPictures = true,
    .saysHealth = true,
    .options = reportOptions,
    .examples = reportExamples,
    .run = runReport,
};

}  // namespace longpole
