// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/phaseoutput.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/naming.h"
#include "analysis/report/phasetables.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <span>

namespace longpole {

namespace {

using Symbols = std::span<const std::uint32_t>;

constexpr std::size_t namesShown = 14;
constexpr std::size_t charactersShown = 240;
constexpr std::size_t slowShown = 5;

QString characters(Symbols pattern)
{
    std::vector<char32_t> text(pattern.begin(), pattern.end());
    return QString::fromUcs4(text.data(), static_cast<qsizetype>(text.size()));
}

std::vector<TimeRange> spansOf(const PhaseAnswer& answer, const Phase& phase)
{
    std::vector<TimeRange> spans;
    for (const std::size_t begin : phase.begins) spans.push_back(spanOf(answer, phase, begin));
    return spans;
}

// The pattern's entry methods in order, a run of five as "name ×5".
QString entryNames(const TraceStore& store, Symbols pattern)
{
    const CollapsedRuns runs = collapsed(pattern);
    QStringList names;
    for (std::size_t i = 0; i < runs.symbols.size() && i < namesShown; ++i) {
        QString name = cellText(Cell(EntryId{runs.symbols[i]}), CellKind::Entry, &store);
        const std::size_t times = runs.begins[i + 1] - runs.begins[i];
        if (times > 1) name += QStringLiteral(" ×%1").arg(formatCount(std::int64_t(times)));
        names.append(name);
    }
    if (runs.symbols.size() > namesShown)
        names.append(tr("and %1 more").arg(formatCount(std::int64_t(runs.symbols.size() - namesShown))));
    return onOneLine(names.join(QStringLiteral(", ")));
}

QString patternText(const PhaseAnswer& answer, Symbols pattern)
{
    if (answer.store) return entryNames(*answer.store, pattern);
    const QString shown = onOneLine(characters(pattern.first(std::min(pattern.size(), charactersShown))));
    if (pattern.size() <= charactersShown) return shown;
    return tr("%1 and %2 more").arg(shown, formatCount(std::int64_t(pattern.size() - charactersShown)));
}

// Says median, spread and slow instances.
QString durationsText(const PhaseAnswer& answer, const std::vector<TimeRange>& spans)
{
    const InstanceDurations durations = instanceDurations(spans);
    QString text = tr("Median %1, spread %2").arg(formatTime(durations.median), formatTime(durations.spread));
    if (durations.slow.empty()) return text;
    std::vector<std::size_t> slow = durations.slow;
    std::stable_sort(slow.begin(), slow.end(),
                     [&](std::size_t a, std::size_t b) { return spans[a].length() > spans[b].length(); });
    QStringList worst;
    for (std::size_t i = 0; i < slow.size() && i < slowShown; ++i)
        worst.append(tr("number %1 (%2, at %3)")
                         .arg(formatCount(std::int64_t(slow[i] + 1)), formatTime(spans[slow[i]].length()),
                              formatTime(spans[slow[i]].begin - answer.store->info().begin)));
    if (slow.size() > slowShown)
        worst.append(tr("and %1 more").arg(formatCount(std::int64_t(slow.size() - slowShown))));
    return text + tr("; slower than that and three times its spread: %1").arg(worst.join(QStringLiteral(", ")));
}

// What is called from there: MPI, or a function from which it is called.
QString calledName(const TraceStore& store, const CallLoop& loop)
{
    if (loop.call != anyCall) return callName(store, RegionId{loop.call});
    const auto paths = store.callPaths();
    const auto called = std::find_if(paths.begin(), paths.end(),
                                     [&loop](const CallPath& path) { return path.parent == loop.path; });
    return called != paths.end() ? called->function : QString();
}

// "MPI_Send in exchange_3 at exchange_3.f90:79, in rhs at rhs.f90:64".
QString placeText(const TraceStore& store, const CallLoop& loop)
{
    return onOneLine(tr("%1 in %2").arg(calledName(store, loop), pathText(store, loop.path)));
}

std::vector<TimeRange> iterationsOf(const PhaseAnswer& answer, const Phase& phase)
{
    return rangesOf(phasePieces(answer.found, phase, PhaseCut::Iterations));
}

// Whether the iterations of the program's loop cut it, which all phases in that have in common.
bool isInLoop(const PhaseAnswer& answer, const Phase& phase) { return answer.loop && !phase.rounds.empty(); }

// Says the iterations of the loop; empty if no phase is in it.
QString loopText(const PhaseAnswer& answer)
{
    for (const Phase& phase : answer.found.phases) {
        if (!isInLoop(answer, phase)) continue;
        const std::vector<TimeRange> ranges = iterationsOf(answer, phase);
        // A loop over neighbours within an iteration calls the function in a row.
        const QString text = answer.loop->call == anyCall
                                 ? tr(
                                     "Iterations, one for each time that a rank comes to call %1, however often in a "
                                     "row: %2. %3")
                                 : tr("Iterations, one for each time that a rank calls %1: %2. %3");
        return text.arg(placeText(*answer.store, *answer.loop), formatCount(std::int64_t(ranges.size())),
                        durationsText(answer, ranges));
    }
    return {};
}

// Says the iterations. Each begins at the phase's mark, also where the path differs from the pattern.
QString iterationsText(const PhaseAnswer& answer, const Phase& phase)
{
    const std::vector<TimeRange> ranges = iterationsOf(answer, phase);
    const QString mark = entryNames(*answer.store, {&phase.mark, 1});
    const QString count = formatCount(std::int64_t(ranges.size())), durations = durationsText(answer, ranges);
    if (phase.rounds.empty() && phase.marksEach > 1)
        return tr("Iterations, each with %1 times %2 on the path, short and long distances by turns: %3. %4")
            .arg(formatCount(std::int64_t(phase.marksEach)), mark, count, durations);
    return (phase.rounds.empty() ? tr("Iterations, each from one %1 on the path to the next: %2. %3")
                                 : tr("Iterations, one for each %1 of an object: %2. %3"))
        .arg(mark, count, durations);
}

QString phaseText(const PhaseAnswer& answer, const Phase& phase, std::size_t number)
{
    const QString indent = QStringLiteral("\n   ");
    const QString doubt = phase.proven ? QString() : tr("; not proven: another may score more");
    QString text = tr("%1. %2 occurrences of a pattern of %3, score %4%5")
                       .arg(formatCount(std::int64_t(number)), formatCount(std::int64_t(phase.begins.size())),
                            formatCount(std::int64_t(phase.pattern.size())), formatCount(phase.score), doubt);
    const QString root = patternText(answer, Symbols(phase.pattern).first(phase.rootLength));
    text += indent
            + (phase.rootLength == phase.pattern.size()
                   ? root
                   : tr("It repeats, %1 times in all: %2").arg(formatCount(phase.rootInstances), root));
    if (answer.store) {
        text += indent + durationsText(answer, spansOf(answer, phase));
        if (!isInLoop(answer, phase)) text += indent + iterationsText(answer, phase);
    }
    return text + QLatin1Char('\n');
}

void writeText(Output& output, const PhaseAnswer& answer, const PhaseOptions& options)
{
    output.write(answer.title + QLatin1Char('\n')
                 + tr("%1, at least %2")
                       .arg(counted("%1 steps", "%1 step", std::int64_t(answer.found.searched.symbols.size())),
                            counted("%1 occurrences", "%1 occurrence", options.support))
                 + QLatin1Char('\n'));
    if (!answer.leftOut.isEmpty()) output.write(answer.leftOut + QLatin1Char('\n'));
    if (const QString loop = loopText(answer); !loop.isEmpty()) output.write(loop + QLatin1Char('\n'));
    if (answer.found.phases.empty())
        output.write(QLatin1Char('\n') + tr("Nothing occurs that often") + QLatin1Char('\n'));
    for (std::size_t i = 0; i < answer.found.phases.size(); ++i)
        if (!output.write(QLatin1Char('\n') + phaseText(answer, answer.found.phases[i], i + 1))) return;
    if (!answer.found.isComplete)
        output.write(QLatin1Char('\n') + tr("The budget ended before more were looked for; --prove has none")
                     + QLatin1Char('\n'));
}

// The table of spans. Those of a text count symbols, so their columns are not called "_ns".
Table<PhaseSpan> spanTable(const PhaseAnswer& answer, std::initializer_list<const char*> keys)
{
    const auto table = phaseSpanTable(Vocabulary()).only(keys);
    if (answer.store) return table;
    return table.renamed("begin_ns", "begin").renamed("end_ns", "end").renamed("duration_ns", "length");
}

// One row per instance.
void writeCsv(Output& output, const PhaseAnswer& answer)
{
    const auto table = spanTable(answer, {"phase", "number", "begin_ns", "end_ns", "duration_ns"})
                           .renamed("number", "instance");
    TableWriter writer(output, OutputFormat::Csv, table.heads(), nullptr);
    for (std::size_t k = 0; k < answer.found.phases.size(); ++k)
        for (const PhaseSpan& span : phaseSpans(spansOf(answer, answer.found.phases[k]), k + 1))
            if (!writer.row(table.cells(span))) return;
    writer.finish();
}

// Written piece by piece: a pattern may be as long as the path, and each of its names a kilobyte. False: nobody reads
// on.
template <typename Item>
bool writeList(Output& output, std::size_t count, Item item)
{
    constexpr qsizetype atOnce = 1 << 16;
    QByteArray text("[");
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) text += ',';
        text += dump(item(i), -1).trimmed();
        if (text.size() < atOnce) continue;
        if (!output.write(text)) return false;
        text.clear();
    }
    return output.write(QByteArray(text + ']'));
}

bool writePattern(Output& output, const PhaseAnswer& answer, Symbols pattern)
{
    if (!answer.store) return output.write(dump(JsonValue(characters(pattern)), -1).trimmed());
    return writeList(output, pattern.size(),
                     [&](std::size_t i) { return entryJson(*answer.store, EntryId{pattern[i]}); });
}

bool writeSpans(Output& output, const PhaseAnswer& answer, const std::vector<TimeRange>& ranges)
{
    const auto table = spanTable(answer, {"begin_ns", "end_ns"});
    const std::vector<PhaseSpan> spans = phaseSpans(ranges);
    return writeList(output, spans.size(), [&](std::size_t i) { return rowJson(table, spans[i], nullptr); });
}

bool writePhaseJson(Output& output, const PhaseAnswer& answer, const Phase& phase)
{
    const Symbols pattern(phase.pattern);
    const auto write = [&output](const QByteArray& text) { return output.write(text); };
    const QByteArray figures = dump(
        rowJson(phaseTable(Vocabulary()).only({"instances", "pattern_length", "score", "proven"}), {.phase = &phase},
                nullptr),
        -1);
    const bool isWritten = write("{\"pattern\":") && writePattern(output, answer, pattern) && write(",\"root\":")
                           && writePattern(output, answer, pattern.first(phase.rootLength))
                           && write(',' + figures.trimmed().sliced(1).chopped(1) + ",\"spans\":")
                           && writeSpans(output, answer, spansOf(answer, phase));
    if (!isWritten) return false;
    if (!answer.store) return write("}");
    const std::vector<TimeRange> iterations = iterationsOf(answer, phase);
    const QByteArray mark = dump(entryJson(*answer.store, EntryId{phase.mark}), -1).trimmed();
    QByteArray place;
    if (answer.loop && !phase.rounds.empty())
        place = ",\"place\":" + dump(JsonValue(placeText(*answer.store, *answer.loop)), -1).trimmed();
    return write(",\"iteration_count\":" + QByteArray::number(qulonglong(iterations.size()))
                 + ",\"iterations\":{\"mark\":" + mark + ",\"spans\":")
           && writeSpans(output, answer, iterations) && write(place + "}}");
}

void writeJson(Output& output, const PhaseAnswer& answer)
{
    output.write(QByteArray("{\n  \"length\": " + QByteArray::number(qulonglong(answer.found.searched.symbols.size()))
                            + ",\n  \"phases\": ["));
    for (std::size_t i = 0; i < answer.found.phases.size(); ++i)
        if (!output.write(QByteArray(i == 0 ? "\n    " : ",\n    "))
            || !writePhaseJson(output, answer, answer.found.phases[i]))
            return;
    output.write(QByteArray(answer.found.phases.empty() ? "]" : "\n  ]")
                 + ",\n  \"complete\": " + (answer.found.isComplete ? "true" : "false") + "\n}\n");
}

}  // namespace

TimeRange spanOf(const PhaseAnswer& answer, const Phase& phase, std::size_t begin)
{
    const std::size_t first = answer.found.searched.begins[begin];
    const std::size_t end = answer.found.searched.begins[begin + phase.pattern.size()];
    if (!answer.store) return {static_cast<TimeNs>(first), static_cast<TimeNs>(end)};
    return {answer.found.path.parts[first].begin, answer.found.path.parts[end - 1].end};
}

void writePhases(Output& output, OutputFormat format, const PhaseAnswer& answer, const PhaseOptions& options)
{
    if (format == OutputFormat::Text) writeText(output, answer, options);
    else if (format == OutputFormat::Csv) writeCsv(output, answer);
    else writeJson(output, answer);
}

}  // namespace longpole
