// SPDX-License-Identifier: GPL-3.0-or-later
// longpole advise: what to change first and what that is predicted to gain, and priorities as a file.
#include "analysis/expert/expert.h"
#include "analysis/scheduling/prioritylist.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/thresholdsoption.h"
#include "app/commands/commands.h"
#include "app/output/adviceoutput.h"

#include <QSaveFile>

#include <optional>

namespace longpole {

namespace {

Result<> writePriorities(const PriorityList& list, const QString& fileName)
{
    const Result<QByteArray> text = priorityFile(list, fileName);
    if (!text) return text.error();
    QSaveFile file(fileName);
    if (!file.open(QIODevice::WriteOnly) || file.write(*text) != text->size() || !file.commit())
        return Error{file.errorString(), fileName, QString()};
    return Unit{};
}

}  // namespace

ExitCode runAdvise(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const QString priorities = line.value("priorities");
    const bool allEntries = line.has("all-path-entries");
    if (line.has("priorities"))
        if (const auto known = priorityFile({}, priorities); !known)
            return usageError(line.command, toText(known.error()));
    if (allEntries && !line.has("priorities"))
        return usageError(line.command, tr("--all-path-entries is about the file of --priorities"));
    const auto thresholds = thresholdsOf(line);
    if (!thresholds) return ExitCode::BadInput;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    std::optional<Result<std::shared_ptr<const Expert>>> answer;
    withProgress(tr("Replaying the run with priorities"),
                 [&](const Progress& progress) { answer = expert(*trace->store, *thresholds, progress); });
    if (!*answer) return fail(answer->error());
    const Expert& found = ***answer;
    if (line.has("priorities")) {
        const auto which = allEntries ? ListedEntries::OnThePath : ListedEntries::Advised;
        const Result<> written = writePriorities(priorityList(*trace->store, found.scheduling, which), priorities);
        if (!written) return fail(written.error());
    }
    return deliver(line, [&](Output& output) {
        writeAdvice(output, *format, *trace->store, found.advice, found.scheduling);
    });
}

}  // namespace longpole
