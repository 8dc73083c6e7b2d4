// longpole phases: what repeats along the critical path, or in any text.
#include "analysis/pathphases.h"
#include "analysis/phases.h"
#include "app/commands/commands.h"
#include "app/commands/commandtrace.h"
#include "app/commands/pathrequest.h"
#include "app/output/pathoutput.h"
#include "app/output/phaseoutput.h"
#include "core/format.h"

#include <QFile>
#include <QStringDecoder>

#include <numeric>
#include <optional>

namespace longpole {

namespace {

struct PhaseAnswer {
    PhaseString string{};
    std::vector<Phase> phases{};
};

// Characters of UTF-8; bytes if it is none. The end of the last line is no symbol.
Result<std::vector<std::uint32_t>> textSymbols(const QString& name)
{
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly)) return Error{file.errorString(), name, QString()};
    constexpr qint64 bytesPerCharacter = 4;
    QByteArray bytes = file.read(bytesPerCharacter * longestPhaseString + 1);
    if (file.error() != QFileDevice::NoError) return Error{file.errorString(), name, QString()};
    if (bytes.endsWith('\n')) bytes.chop(bytes.endsWith("\r\n") ? 2 : 1);
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    QString text = decoder(bytes);
    if (decoder.hasError()) text = QString::fromLatin1(bytes);
    const QList<uint> characters = text.toUcs4();
    return std::vector<std::uint32_t>(characters.begin(), characters.end());
}

Result<PhaseAnswer> search(PhaseString string, const std::vector<std::uint32_t>& symbols, bool collapse,
                           const PhaseOptions& options, const Progress& progress)
{
    if (collapse) {
        CollapsedRuns runs = collapsed(symbols);
        string.searched = std::move(runs.symbols);
        string.begins = std::move(runs.begins);
    } else {
        string.searched = symbols;
        string.begins.resize(symbols.size() + 1);
        std::iota(string.begins.begin(), string.begins.end(), std::size_t{0});
    }
    auto found = phases(string.searched, options, progress);
    if (!found) return found.error();
    return PhaseAnswer{std::move(string), std::move(*found)};
}

Result<PhaseAnswer> phasesOfPath(const TraceStore& store, const PathRequest& request, TimeRange range, bool collapse,
                                 const PhaseOptions& options, const Progress& progress)
{
    const Result<PathGraph> ordered = pathGraph(store, request, range, progress);
    if (!ordered) return ordered.error();
    const Result<CriticalPath> path = findPath(*ordered, request, progress);
    if (!path) return path.error();
    PathString string = pathString(*path);
    const QString title = tr("Repeated phases of the critical path: %1, edges %2")
                              .arg(QLatin1String(name(request.mode)), QLatin1String(name(request.edges)));
    return search({.store = &store, .title = title, .parts = std::move(string.parts)}, string.symbols, collapse,
                  options, progress);
}

ExitCode deliverPhases(const CommandLine& line, OutputFormat format, const Result<PhaseAnswer>& answer,
                       const PhaseOptions& options)
{
    if (!answer) return fail(answer.error());
    return deliver(line, [&](Output& output) {
        writePhases(output, format, answer->string, answer->phases, options);
    });
}

ExitCode runText(const CommandLine& line, OutputFormat format, const PhaseOptions& options)
{
    if (!line.arguments.isEmpty()) return usageError(line.command, tr("--text reads a file instead of a TRACE"));
    for (const char* option : {"mode", "edges", "from", "until"})
        if (line.has(option))
            return usageError(line.command, tr("--%1 is about a TRACE, not about --text").arg(QLatin1String(option)));
    const QString name = line.value("text");
    const auto symbols = textSymbols(name);
    if (!symbols) return fail(symbols.error());
    std::optional<Result<PhaseAnswer>> answer;
    withProgress(tr("Looking for repeated phases"), [&](const Progress& progress) {
        answer = search({.title = tr("Repeated phases of %1").arg(name)}, *symbols, line.has("collapse"), options,
                        progress);
    });
    return deliverPhases(line, format, *answer, options);
}

ExitCode runTrace(const CommandLine& line, OutputFormat format, const PhaseOptions& options)
{
    if (line.arguments.isEmpty()) return usageError(line.command, tr("TRACE missing"));
    const auto request = pathRequest(line);
    if (!request) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const auto range = rangeOf(line, *request, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    std::optional<Result<PhaseAnswer>> answer;
    withProgress(tr("Looking for repeated phases"), [&](const Progress& progress) {
        answer = phasesOfPath(*trace->store, *request, *range, line.has("collapse"), options, progress);
    });
    return deliverPhases(line, format, *answer, options);
}

}  // namespace

ExitCode runPhases(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    PhaseOptions options{.overlapping = line.has("overlapping")};
    const auto support = countOption(line, "support", options.support);
    if (!support) return ExitCode::Usage;
    if (*support < 2)
        return usageError(line.command, tr("--support takes at least 2: what occurs once repeats nothing"));
    const auto count = countOption(line, "k", std::int64_t(options.count));
    if (!count) return ExitCode::Usage;
    options.support = *support;
    options.count = static_cast<std::size_t>(*count);
    return line.has("text") ? runText(line, *format, options) : runTrace(line, *format, options);
}

}  // namespace longpole
