// SPDX-License-Identifier: GPL-3.0-or-later
// Finding the original logs of an imported run again.
#include "core/base/checked.h"
#include "core/base/translate.h"
#include "importers/projections/reduce.h"
#include "importers/projections/stswriter.h"

#include <QFileInfo>

#include <algorithm>

namespace longpole {
namespace {

// The names that the import took from another run's .sts, which was given with it.
ProjectionsSymbols symbolsOf(const TraceStore& trace)
{
    ProjectionsSymbols symbols;
    symbols.version = trace.info().version.isEmpty() ? QStringLiteral("11.0") : trace.info().version;
    symbols.versionNumber = symbols.version.toDouble();
    symbols.processors = std::int64_t(trace.processors().size());
    symbols.machine = trace.info().machine;
    symbols.isEmpty = false;
    for (const Chare& chare : trace.chares()) symbols.chares[index(chare.id)] = {chare.name, chare.dimensions};
    for (const Entry& entry : trace.entries()) {
        if (!symbols.chares.contains(index(entry.chareId))) continue;
        symbols.entries[index(entry.id)] = {entry.name, static_cast<std::int32_t>(index(entry.chareId))};
    }
    for (const Region& region : trace.regions()) {
        const std::optional<std::uint32_t> number = checked<std::uint32_t>(region.number);
        if (!number) continue;
        if (region.kind == RegionKind::UserEvent) symbols.events[*number] = region.name;
        if (region.kind == RegionKind::Stat) symbols.statistics[*number] = region.name;
        if (region.kind == RegionKind::Counter && *number < mostPapiCounters) {
            symbols.counters[*number] = region.name;
            symbols.papiCounters = std::max(symbols.papiCounters, *number + 1);
        }
    }
    return symbols;
}

QString hintOfSource()
{
    return tr(
        "Put it back as it was, or name the logs themselves instead of the .longpole file: they are imported "
        "then.");
}

// Error: logs of processors were imported and are not there any more.
Result<> checkLogs(const TraceStore& trace, const ProjectionsFiles& files)
{
    std::int64_t gone = 0;
    std::uint32_t first = 0;
    auto log = files.logs.begin();
    for (const Processor& processor : trace.processors()) {
        while (log != files.logs.end() && log->pe < index(processor.pe)) ++log;
        const bool isThere = log != files.logs.end() && log->pe == index(processor.pe);
        if (isThere || !processor.hasLog) continue;
        if (gone++ == 0) first = index(processor.pe);
    }
    if (gone == 0) return Unit{};
    const QString several = tr("The original logs of %1 PEs are gone, the first that of PE %2.");
    return Error{.what = gone == 1 ? tr("The original log of PE %1 is gone.").arg(first) : several.arg(gone).arg(first),
                 .where = files.folder,
                 .hint = hintOfSource()};
}

}  // namespace

Result<ProjectionsSource> projectionsSource(const TraceStore& trace, const QString& path)
{
    if (!trace.info().format.startsWith(QLatin1String("projections"))) {
        return Error{.what = tr("Only Projections traces can be reduced, and this is none."),
                     .where = trace.path(),
                     .hint = {}};
    }
    if (!QFileInfo::exists(path)) {
        return Error{.what = tr("The original trace is gone."), .where = path, .hint = hintOfSource()};
    }
    Result<ProjectionsFiles> files = findProjectionsRun(path);
    if (!files) return Error{files.error().what, files.error().where, hintOfSource()};

    ProjectionsSource source{.files = std::move(*files), .symbols = {}, .symbolsText = {}};
    if (!source.files.symbols.isEmpty()) {
        Result<QByteArray> text = readSymbolsFile(source.files.symbols);
        if (!text) return text.error();
        ImportLog ignored;
        source.symbols = parseSymbols(*text, ignored);
        source.symbolsText = std::move(*text);
    }
    source.files.takeForeignLogs(source.symbols.processors);
    if (Result<> checked = checkLogs(trace, source.files); !checked) return checked.error();
    const Result<QString> fingerprint = fingerprintOf(source.files);
    if (!fingerprint) return fingerprint.error();
    if (*fingerprint != trace.info().fingerprint) {
        return Error{.what = tr("The original trace has changed since it was imported."),
                     .where = path,
                     .hint = hintOfSource()};
    }
    if (source.symbols.entries.empty() && !trace.chares().empty()) {
        // Read back: the .longpole may come from a stranger, and what no .sts may say is left out.
        source.symbolsText = symbolsText(symbolsOf(trace));
        ImportLog ignored;
        source.symbols = parseSymbols(source.symbolsText, ignored);
    }
    return source;
}

}  // namespace longpole
