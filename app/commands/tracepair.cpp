#include "app/commands/tracepair.h"

#include "app/commands/commandtrace.h"
#include "app/output/output.h"

#include <QFileInfo>

#include <optional>
#include <utility>

namespace longpole {

Result<RunFigures> figuresOfTrace(const CommandLine& line, const QString& path)
{
    const auto trace = openTrace(line, path);
    if (!trace) return trace.error();
    std::optional<Result<RunFigures>> figures;
    withProgress(tr("Looking at %1").arg(QFileInfo(path).fileName()), [&](const Progress& progress) {
        figures = runFigures(*trace->store, progress);
    });
    if (!*figures && figures->error().where.isEmpty()) return Error{figures->error().what, path, figures->error().hint};
    return std::move(*figures);
}

Result<FigurePair> figuresOfPair(const CommandLine& line, const QString& a, const QString& b)
{
    auto first = figuresOfTrace(line, a);
    if (!first) return first.error();
    auto second = figuresOfTrace(line, b);
    if (!second) return second.error();
    return FigurePair{std::move(*first), std::move(*second)};
}

}  // namespace longpole
