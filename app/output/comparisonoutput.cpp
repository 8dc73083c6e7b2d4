// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/comparisonoutput.h"

#include "analysis/base/naming.h"
#include "analysis/compare/comparisonwords.h"
#include "analysis/report/advicetables.h"
#include "analysis/report/comparisontables.h"
#include "analysis/report/experttables.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cstdlib>

namespace longpole {

namespace {

constexpr std::size_t methodsShown = 20;
constexpr std::size_t listed = 8;

void writeHead(Output& output, const Comparison& c, const RunNames& names)
{
    const auto run = [](const QString& letter, const QString& name, const TraceInfo& info) -> QString {
        return tr("%1  %2 on %3, %4")
                   .arg(letter, onOneLine(name), countedProcessors(info.vocabulary, info.processors),
                        formatTime(info.duration()))
               + QLatin1Char('\n');
    };
    output.write(run(QStringLiteral("A"), names.a, c.a.info) + run(QStringLiteral("B"), names.b, c.b.info));
    if (!c.notes.isEmpty()) output.write(QByteArray("\n"));
    for (const QString& note : c.notes) output.write(onOneLine(note) + QLatin1Char('\n'));
    output.write(QLatin1Char('\n') + durationSentence(c) + QLatin1Char('\n'));
    if (const QString text = iterationSentence(c); !text.isEmpty()) output.write(text + QLatin1Char('\n'));
}

// A table whose first column has `heading`; nothing if there are no rows.
void writeFigures(Output& output, const QString& heading, Table<FigureRow> table, const std::vector<FigureRow>& rows)
{
    if (rows.empty()) return;
    table.columns.front().title = heading;
    output.write(QByteArray("\n"));
    writeTable(output, OutputFormat::Text, table.data(rows), nullptr);
}

void writeMethods(Output& output, const Comparison& c)
{
    const Vocabulary words = c.a.info.vocabulary;
    output.write(QByteArray("\n"));
    writeTable(output, OutputFormat::Text,
               comparedMethodTable(words)
                   .only({"entry", "time_a_ns", "time_b_ns", "change_ns", "relative", "count_a", "count_b",
                          "grain_a_ns", "grain_b_ns", "elapsed_path_a_ns", "elapsed_path_b_ns"})
                   .data(c.methods, methodsShown),
               nullptr);
    if (c.perProcessor)
        output.write(words.say(tr("time and change: mean of a PE"), tr("time and change: mean of a rank"))
                     + QLatin1Char('\n'));
}

// A line for each of the first few methods, which `indices` has largest first, whose `size` is at least a thousandth of
// the longer run.
void writeList(Output& output, const QString& title, const Comparison& c, const std::vector<std::size_t>& indices,
               auto size, auto text)
{
    const TimeNs least = std::max(c.a.duration(), c.b.duration()) / 1000;
    QString lines;
    std::size_t shown = 0;
    while (shown < std::min(indices.size(), listed) && size(c.methods[indices[shown]]) >= least)
        lines += QStringLiteral("  ") + text(c.methods[indices[shown++]]) + QLatin1Char('\n');
    if (shown == 0) return;
    if (indices.size() > shown)
        lines += tr("  and %1 more, less each").arg(formatCount(std::int64_t(indices.size() - shown)))
                 + QLatin1Char('\n');
    output.write(QLatin1Char('\n') + title + QLatin1Char('\n') + lines);
}

void writePathsAndWaits(Output& output, const Comparison& c)
{
    const auto timeOf = [](bool inB) {
        return [inB](const ComparedMethod& m) { return inB ? m.b->onElapsedPath : m.a->onElapsedPath; };
    };
    const auto onPath = [](bool inB, const RunFigures& run) {
        return [inB, &run](const ComparedMethod& m) -> QString {
            const TimeNs time = inB ? m.b->onElapsedPath : m.a->onElapsedPath;
            const double share = run.duration() > 0 ? double(time) / double(run.duration()) : 0;
            return tr("%1: %2, %3 of the run").arg(methodName(m.any()), formatTime(time), formatShare(share));
        };
    };
    writeList(output, tr("Entered the elapsed critical path"), c, c.entered, timeOf(true), onPath(true, c.b));
    writeList(output, tr("Left the elapsed critical path"), c, c.left, timeOf(false), onPath(false, c.a));
    const auto change = [](const ComparedMethod& m) { return std::abs(waitsOf(m.b) - waitsOf(m.a)); };
    const Vocabulary words = c.a.info.vocabulary;
    const auto wait = [&words](const ComparedMethod& m) -> QString {
        const auto queued = [](const auto& f) { return formatTime(f ? f->queued : 0); };
        const auto inFlight = [](const auto& f) { return formatTime(f ? f->inFlight : 0); };
        return words
            .say(tr("%1: %2 (queue %3 to %4, network %5 to %6)"), tr("%1: %2 (in calls %3 to %4, network %5 to %6)"))
            .arg(methodName(m.any()), signedText(waitsOf(m.b) - waitsOf(m.a), CellKind::Time), queued(m.a), queued(m.b),
                 inFlight(m.a), inFlight(m.b));
    };
    const QString of = c.a.estimated > 0 || c.b.estimated > 0
                           ? tr(" (work path at messages; logs without receive times: arrivals are estimates)")
                           : tr(" (work path at messages)");
    if (words.ofRanks()) return;  // what a rank waits lies before its tasks, not in a queue
    writeList(output, tr("Critical tasks waited longer") + of, c, c.waitsGained, change, wait);
    writeList(output, tr("Critical tasks waited less") + of, c, c.waitsLost, change, wait);
}

void writeText(Output& output, const Comparison& c, const RunNames& names)
{
    const Vocabulary words = c.a.info.vocabulary;
    const Table<FigureRow> figures = figureTable(words);
    const auto ofRun = figures.only({"figure", "a", "share_a", "b", "share_b", "change", "relative"});
    writeHead(output, c, names);
    writeFigures(output, tr("Figure"), ofRun, comparedFigures(c));
    writeFigures(output, tr("Elapsed critical path"), ofRun, comparedPathParts(c));
    writeFigures(output, words.say(tr("Why PEs idled, mean of a PE"), tr("Why ranks idled, mean of a rank")),
                 figures.only({"figure", "a", "b", "change", "relative"}), comparedIdleCauses(c));
    if (!c.phase) {  // without a common phase the runs are compared by tenths of their time
        output.write(QByteArray("\n"));
        writeTable(output, OutputFormat::Text, tenthTable(words).data(comparedTenths(c)), nullptr);
    }
    writeMethods(output, c);
    writePathsAndWaits(output, c);
    if (std::none_of(c.advice.begin(), c.advice.end(), [](const AdviceCheck& checked) { return checked.saysMuch(); }))
        return;
    output.write(QLatin1Char('\n') + tr("Did the advice given on A come true in B? (B may differ for other reasons.)")
                 + QLatin1Char('\n'));
    for (const AdviceCheck& checked : c.advice)
        if (checked.saysMuch())
            output.write(QStringLiteral("  ") + onOneLine(checked.advice.title) + QStringLiteral("\n    ")
                         + onOneLine(checked.text) + QLatin1Char('\n'));
}

// A row for each value that both runs can have.
void writeCsv(Output& output, const Comparison& c)
{
    TableWriter table(output, OutputFormat::Csv,
                      {{"kind", {}},
                       {"name", {}},
                       {"a", {}, CellKind::Count},
                       {"b", {}, CellKind::Count},
                       {"change", {}, CellKind::Count}},
                      nullptr);
    const auto row = [&](const QString& kind, const QString& name, std::int64_t a, std::int64_t b) {
        table.row({kind, name, qlonglong(a), qlonglong(b), qlonglong(saturatingSubtract(b, a))});
    };
    for (const ComparedFigure& f : c.figures)
        row(QStringLiteral("figure"),
            QLatin1String(f.id) + (f.kind == CellKind::Time ? QStringLiteral("_ns") : QString()), f.a, f.b);
    if (c.phase)
        row(QStringLiteral("iteration"), QStringLiteral("median_ns"), c.phase->a.durations.median,
            c.phase->b.durations.median);
    const auto figures = methodFiguresTable(c.a.info.vocabulary)
                             .only({"count", "time_ns", "grain_ns", "work_path_ns", "elapsed_path_ns", "queued_ns",
                                    "in_flight_ns"});
    for (const ComparedMethod& m : c.methods)
        for (const TableColumn<MethodFigures>& figure : figures.columns) {
            const auto of = [&figure](const std::optional<MethodFigures>& run) {
                return run ? figure.cell(*run).toLongLong() : 0;
            };
            row(figure.key, m.any().chare + QStringLiteral("::") + m.any().name, of(m.a), of(m.b));
        }
    table.finish();
}

JsonValue partTimesJson(const PathParts& parts)
{
    return {{"compute_ns", parts.compute},   {"network_ns", parts.network},         {"queue_ns", parts.queue},
            {"overhead_ns", parts.overhead}, {"unexplained_ns", parts.unexplained}, {"startup_ns", parts.startup}};
}

JsonValue runJson(const RunFigures& run, const QString& called)
{
    JsonValue tenths = JsonValue::array();
    for (const Usage& usage : run.tenths)
        tenths.push_back({{"user_ns", usage.user}, {"idle_ns", usage.idle}, {"overhead_ns", usage.overhead}});
    return {{"name", called},
            {"program", run.info.program},
            {"processors", run.info.processors},
            {"duration_ns", run.duration()},
            {"user_ns", run.usage.user},
            {"idle_ns", run.usage.idle},
            {"overhead_ns", run.usage.overhead},
            {"elapsed_path", run.work ? partTimesJson(run.elapsed) : JsonValue(nullptr)},
            {"queued_ns", run.queued},
            {"in_flight_ns", run.inFlight},
            {"estimated_ns", run.estimated},
            {"idle_causes", run.idle ? causesJson(*run.idle) : JsonValue(nullptr)},
            {"tenths", std::move(tenths)}};
}

JsonValue methodIdJson(const MethodFigures& method) { return {{"name", method.name}, {"chare", method.chare}}; }

JsonValue iterationsJson(const Iterations& iterations, std::size_t instances)
{
    return {{"instances", instances},
            {"iterations", iterations.spans.size()},
            {"median_ns", iterations.durations.median},
            {"spread_ns", iterations.durations.spread},
            {"slow", iterations.durations.slow}};
}

JsonValue phaseJson(const Comparison& c)
{
    if (!c.phase) return nullptr;
    JsonValue pattern = JsonValue::array();
    for (const std::uint32_t method : c.phase->pattern) pattern.push_back(methodIdJson(c.a.methods[method]));
    const TimeNs a = c.phase->a.durations.median, b = c.phase->b.durations.median;
    return {{"pattern", std::move(pattern)},
            {"path", c.phase->path == PathMode::Work ? "work" : "elapsed"},
            {"a", iterationsJson(c.phase->a, c.phase->instancesA)},
            {"b", iterationsJson(c.phase->b, c.phase->instancesB)},
            {"change_ns", b - a},
            {"relative", relativeChange(double(a), double(b))},
            {"within_spread", *c.isWithinSpread()}};
}

JsonValue methodsJson(const Comparison& c)
{
    const Table<MethodFigures> figures = methodFiguresTable(c.a.info.vocabulary);
    const auto changes = comparedMethodTable(c.a.info.vocabulary).only({"change_ns", "relative"});
    const auto ofRun = [&figures](const std::optional<MethodFigures>& run) {
        return run ? rowJson(figures, *run, nullptr) : JsonValue(nullptr);
    };
    JsonValue methods = JsonValue::array();
    for (const ComparedMethod& method : c.methods) {
        JsonValue json = methodIdJson(method.any());
        json["a"] = ofRun(method.a);
        json["b"] = ofRun(method.b);
        json.update(rowJson(changes, method, nullptr));
        methods.push_back(std::move(json));
    }
    return methods;
}

JsonValue listJson(const Comparison& c, const std::vector<std::size_t>& indices, auto value)
{
    JsonValue list = JsonValue::array();
    for (const std::size_t i : indices) {
        JsonValue json = methodIdJson(c.methods[i].any());
        value(json, c.methods[i]);
        list.push_back(std::move(json));
    }
    return list;
}

JsonValue adviceJson(const Comparison& c)
{
    const auto advice = adviceTable(c.a.info.vocabulary).only({"id", "kind", "title", "predicted_gain"});
    JsonValue list = JsonValue::array();
    for (const AdviceCheck& checked : c.advice) {
        JsonValue json = rowJson(advice, checked.advice, nullptr);
        json["gain"] = c.gained();
        json["outcome"] = name(checked.outcome);
        json["text"] = checked.text;
        list.push_back(std::move(json));
    }
    return list;
}

JsonValue comparisonJson(const Comparison& c, const RunNames& names)
{
    const auto figures = figureTable(c.a.info.vocabulary).only({"id", "unit", "a", "b", "change", "relative"});
    const auto waits = [](JsonValue& json, const ComparedMethod& m) {
        json["a_ns"] = waitsOf(m.a);
        json["b_ns"] = waitsOf(m.b);
    };
    return {{"a", runJson(c.a, names.a)},
            {"b", runJson(c.b, names.b)},
            {"notes", c.notes},
            {"aligned_by", c.phase ? "phase" : "time"},
            {"entries_by", c.perProcessor ? "mean_of_a_processor" : "sum"},
            {"figures", rowsJson(figures, comparedFigures(c), nullptr)},
            {"phase", phaseJson(c)},
            {"entries", methodsJson(c)},
            {"entered_path",
             listJson(c, c.entered,
                      [](JsonValue& json, const ComparedMethod& m) { json["elapsed_path_ns"] = m.b->onElapsedPath; })},
            {"left_path",
             listJson(c, c.left,
                      [](JsonValue& json, const ComparedMethod& m) { json["elapsed_path_ns"] = m.a->onElapsedPath; })},
            {"waits_gained", listJson(c, c.waitsGained, waits)},
            {"waits_lost", listJson(c, c.waitsLost, waits)},
            {"advice", adviceJson(c)}};
}

}  // namespace

void writeComparison(Output& output, OutputFormat format, const Comparison& comparison, const RunNames& names)
{
    switch (format) {
    case OutputFormat::Text: writeText(output, comparison, names); break;
    case OutputFormat::Csv: writeCsv(output, comparison); break;
    case OutputFormat::Json: output.write(dump(comparisonJson(comparison, names))); break;
    }
}

}  // namespace longpole
