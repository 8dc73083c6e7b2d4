// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/tracepair.h"

#include "analysis/compare/comparequestions.h"
#include "app/commandline/commandtrace.h"
#include "app/output/output.h"

#include <QFileInfo>

namespace longpole {

namespace {

template <typename Q>
Result<std::shared_ptr<const typename Q::Answer>> askAbout(Results& results, const Q& question, const QString& path)
{
    const auto answer = withProgress(tr("Looking at %1").arg(QFileInfo(path).fileName()),
                                     [&](const Progress& progress) { return results.ask(question, progress); });
    if (!answer && answer.error().where.isEmpty()) return Error{answer.error().what, path, answer.error().hint};
    return answer;
}

}  // namespace

Result<std::shared_ptr<const RunFigures>> figuresOfTrace(const CommandLine& line, const QString& path)
{
    const auto trace = openTrace(line, path);
    if (!trace) return trace.error();
    return askAbout(*trace->results, RunFiguresQuestion{}, path);
}

// The answers about the first run are kept, within the usual bound, until the second run has been looked at.
Result<std::shared_ptr<const Comparison>> comparisonOf(const CommandLine& line, const QString& first,
                                                       const QString& second,
                                                       const std::optional<Thresholds>& thresholds,
                                                       const RunLabels& labels)
{
    const auto trace = openTrace(line, first);
    if (!trace) return trace.error();
    if (const auto figures = askAbout(*trace->results, RunFiguresQuestion{}, first); !figures) return figures.error();
    const auto figures = figuresOfTrace(line, second);
    if (!figures) return figures.error();
    return askAbout(*trace->results, ComparisonQuestion{*figures, thresholds, labels}, first);
}

}  // namespace longpole
