// SPDX-License-Identifier: GPL-3.0-or-later
// longpole report: runs every analysis and writes what they found.
#include "analysis/report/analyses.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/thresholdsoption.h"
#include "app/commands/commands.h"
#include "app/output/output.h"
#include "app/report/reportexport.h"

#include <QFileInfo>

#include <optional>

namespace longpole {

ExitCode runReport(const CommandLine& line)
{
    const QString endings = QLatin1Char('.') + reportFormats().join(tr(", ."));
    if (!line.has("o")) return usageError(line.command, tr("-o FILE is missing; it ends in %1").arg(endings));
    const QString file = line.value("o");
    if (!reportFormats().contains(QFileInfo(file).suffix().toLower()))
        return usageError(line.command, tr("-o takes a file that ends in %1, not '%2'").arg(endings, file));
    const auto thresholds = thresholdsOf(line);
    if (!thresholds) return ExitCode::BadInput;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    std::optional<Result<std::shared_ptr<const AnalysisResults>>> results;
    withProgress(tr("Analysing"),
                 [&](const Progress& progress) { results = analyse(*trace->store, progress, *thresholds); });
    if (!*results) return fail(results->error());
    const Result<> written = exportReport(*trace->store, ***results, file, Progress{});
    return written ? ExitCode::Fine : fail(written.error());
}

}  // namespace longpole
