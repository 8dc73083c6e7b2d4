// SPDX-License-Identifier: GPL-3.0-or-later
// longpole import: a raw trace becomes a .longpole file in the cache or where -o says.
#include "analysis/base/naming.h"
#include "analysis/report/tracetables.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/common/sourcefiles.h"
#include "app/output/output.h"
#include "core/trace/format.h"

#include <QFileInfo>

#include <cstdio>

namespace longpole {

namespace {

ExitCode printReport(const CommandLine& line, const ImportReport& report, bool fromCache)
{
    auto output = Output::open({});
    if (line.has("json")) {
        output->write(dump({{"file", report.file},
                            {"records", report.records},
                            {"seconds", report.seconds},
                            {"parts", report.parts},
                            {"issues", rowsJson(issueTable(Vocabulary()), report.issues, nullptr)}}));
    } else {
        output->write(QString(report.file + QLatin1Char('\n')));
        if (!fromCache) {
            const QString time = formatTime(TimeNs(report.seconds * 1e9));
            const QString summary = report.parts > 1
                                        ? tr("%1 records in %2, read in %3 parts")
                                              .arg(formatCount(report.records), time, formatCount(report.parts))
                                        : counted("%1 records in %2", "%1 record in %2", report.records).arg(time);
            std::fprintf(stderr, "%s\n", summary.toUtf8().constData());
        }
    }
    const Result<> finished = output->finish();
    return finished ? ExitCode::Fine : fail(finished.error());
}

ExitCode importTo(const CommandLine& line, const QString& target)
{
    const QString source = line.arguments.front();
    if (!QFileInfo::exists(source)) return fail({tr("There is no such file or folder."), source, {}});
    if (isLongpoleFile(source)) return fail({tr("This file is imported already."), source, tr("Copy it instead.")});
    const auto known = cacheFile(source, importOptions(line));
    if (!known) return fail(known.error());
    const auto importer = findImporter(source);
    if (!importer) return fail(importer.error());
    for (const QString& read : readFilesOf(line)) writeWithRightsOf(read, target);
    const auto report = withProgress(tr("Importing %1").arg(QFileInfo(source).fileName()),
                                     [&](const Progress& progress) {
                                         return (*importer)->import(source, target, importOptions(line), progress);
                                     });
    return report ? printReport(line, *report, false) : fail(report.error());
}

ExitCode runImport(const CommandLine& line)
{
    if (line.has("o")) return importTo(line, line.output.name);
    const auto trace = openTrace(line);
    return trace ? printReport(line, trace->report, trace->fromCache) : fail(trace.error());
}

constexpr CommandOption importCommandOptions[] = {
    {"o", "FILE", "write FILE, which gets the ending .longpole, instead of into the cache", nullptr, "longpole"},
    symbolsOption,
    jsonOption,
};

constexpr CommandExample importCommandExamples[] = {
    {"longpole import jacobi2d.sts -o jacobi2d.longpole", "the whole run as one file, to be opened anywhere"},
};

}  // namespace

extern const Command importCommand;  // commands.cpp lists it
const Command importCommand{
    .name = "import",
    .arguments = "TRACE",
    .summary = "turn a raw trace into one .longpole file",
    .description =
        R"(Imports a raw trace into the cache and prints the path of the file, or writes the file that -o names, which gets
the ending .longpole. Longpole opens Charm++ logs and summaries, OTF2, Longpole recordings.
What had to be skipped or repaired is counted; 'longpole info' lists it.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = importCommandOptions,
    .examples = importCommandExamples,
    .run = runImport,
};

}  // namespace longpole
