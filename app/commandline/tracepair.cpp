// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/tracepair.h"

#include "analysis/expert/expert.h"
#include "analysis/paths/runpaths.h"
#include "app/commandline/commandtrace.h"
#include "app/output/output.h"

#include <QFileInfo>

#include <utility>

namespace longpole {

namespace {

struct Answer {
    RunFigures figures;
    std::vector<Advice> advice{};
};

Result<Answer> look(const TraceStore& store, const std::optional<Thresholds>& thresholds, const Progress& progress)
{
    const auto paths = runPaths(store, progress);
    if (!paths) return paths.error();
    auto figures = runFigures(store, *paths, progress);
    if (!figures) return figures.error();
    Answer answer{std::move(*figures)};
    if (!thresholds || !answer.figures.work) return answer;
    const auto asked = expert(store, *paths, *thresholds, progress);
    if (!asked) return asked.error();
    answer.advice = (*asked)->advice;
    return answer;
}

Result<Answer> answerOf(const CommandLine& line, const QString& path, const std::optional<Thresholds>& thresholds)
{
    const auto trace = openTrace(line, path);
    if (!trace) return trace.error();
    std::optional<Result<Answer>> answer;
    withProgress(tr("Looking at %1").arg(QFileInfo(path).fileName()),
                 [&](const Progress& progress) { answer = look(*trace->store, thresholds, progress); });
    if (!*answer && answer->error().where.isEmpty()) return Error{answer->error().what, path, answer->error().hint};
    return std::move(*answer);
}

}  // namespace

Result<RunFigures> figuresOfTrace(const CommandLine& line, const QString& path)
{
    auto answer = answerOf(line, path, {});
    if (!answer) return answer.error();
    return std::move(answer->figures);
}

Result<FigurePair> figuresOfPair(const CommandLine& line, const QString& a, const QString& b,
                                 const std::optional<Thresholds>& thresholds)
{
    auto first = answerOf(line, a, thresholds);
    if (!first) return first.error();
    auto second = answerOf(line, b, {});
    if (!second) return second.error();
    return FigurePair{std::move(first->figures), std::move(second->figures), std::move(first->advice)};
}

}  // namespace longpole
