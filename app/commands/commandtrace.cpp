#include "app/commands/commandtrace.h"

#include "app/output/output.h"

#include <QFileInfo>

#include <optional>

namespace longpole {

ImportOptions importOptions(const CommandLine& line)
{
    ImportOptions options;
    if (line.has("symbols")) options.symbols = line.value("symbols");
    return options;
}

Result<OpenedTrace> openTrace(const CommandLine& line)
{
    const QString path = line.arguments.front();
    std::optional<Result<OpenedTrace>> trace;
    withProgress(tr("Importing %1").arg(QFileInfo(path).fileName()), [&](const Progress& progress) {
        trace = openTrace(path, importOptions(line), progress);
    });
    return std::move(*trace);
}

}  // namespace longpole
