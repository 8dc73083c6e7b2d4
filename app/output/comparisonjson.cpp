// SPDX-License-Identifier: GPL-3.0-or-later
// Two compared runs as JSON.
#include "app/output/comparisonoutput.h"

#include <string>

namespace longpole {

namespace {

JsonValue relativeJson(double a, double b)
{
    const auto change = relativeChange(a, b);
    return change ? JsonValue(*change) : JsonValue(nullptr);
}

JsonValue partsJson(const PathParts& parts)
{
    return {{"compute_ns", parts.compute},
            {"network_ns", parts.network},
            {"queue_ns", parts.queue},
            {"overhead_ns", parts.overhead},
            {"unexplained_ns", parts.unexplained}};
}

JsonValue causesJson(const std::optional<IdleByCause>& causes)
{
    if (!causes) return nullptr;
    JsonValue json = JsonValue::object();
    for (std::size_t i = 0; i < idleCauseCount; ++i)
        json[std::string(name(static_cast<IdleCause>(i))) + "_ns"] = (*causes)[i];
    return json;
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
            {"elapsed_path", run.work ? partsJson(run.elapsed) : JsonValue(nullptr)},
            {"queued_ns", run.queued},
            {"in_flight_ns", run.inFlight},
            {"estimated_ns", run.estimated},
            {"idle_causes", causesJson(run.idle)},
            {"tenths", std::move(tenths)}};
}

JsonValue figuresJson(const Comparison& c)
{
    JsonValue figures = JsonValue::array();
    for (const ComparedFigure& figure : c.figures) {
        const char* unit = figure.kind == CellKind::Time ? "ns" : figure.kind == CellKind::Bytes ? "bytes" : "count";
        figures.push_back({{"id", figure.id},
                           {"unit", unit},
                           {"a", figure.a},
                           {"b", figure.b},
                           {"change", saturatingSubtract(figure.b, figure.a)},
                           {"relative", relativeJson(double(figure.a), double(figure.b))}});
    }
    return figures;
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
            {"relative", relativeJson(double(a), double(b))},
            {"within_spread", *c.isWithinSpread()}};
}

JsonValue methodFiguresJson(const std::optional<MethodFigures>& m)
{
    if (!m) return nullptr;
    return {{"id", index(m->entry)},
            {"count", m->count},
            {"time_ns", m->time},
            {"grain_ns", m->meanGrain()},
            {"messages", m->messages},
            {"bytes", m->bytes},
            {"work_path_ns", m->onWorkPath},
            {"elapsed_path_ns", m->onElapsedPath},
            {"queued_ns", m->queued},
            {"in_flight_ns", m->inFlight}};
}

JsonValue methodsJson(const Comparison& c)
{
    JsonValue methods = JsonValue::array();
    for (const ComparedMethod& method : c.methods) {
        JsonValue json = methodIdJson(method.any());
        json["a"] = methodFiguresJson(method.a);
        json["b"] = methodFiguresJson(method.b);
        json["change_ns"] = method.change;
        json["relative"] = relativeJson(method.a ? double(method.a->time) : 0, method.b ? double(method.b->time) : 0);
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
    JsonValue list = JsonValue::array();
    for (const AdviceCheck& checked : c.advice) {
        const Advice& advice = checked.advice;
        JsonValue predicted = nullptr;
        if (advice.prediction && advice.prediction->isUsable())
            predicted = {advice.prediction->gainLow, advice.prediction->gainHigh};
        list.push_back({{"id", advice.id},
                        {"kind", advice.kind},
                        {"title", advice.title},
                        {"predicted_gain", std::move(predicted)},
                        {"gain", c.gained()},
                        {"outcome", name(checked.outcome)},
                        {"text", checked.text}});
    }
    return list;
}

}  // namespace

JsonValue comparisonJson(const Comparison& c, const RunNames& names)
{
    JsonValue notes = JsonValue::array();
    for (const QString& note : c.notes) notes.push_back(note);
    const auto waits = [](JsonValue& json, const ComparedMethod& m) {
        json["a_ns"] = waitsOf(m.a);
        json["b_ns"] = waitsOf(m.b);
    };
    return {{"a", runJson(c.a, names.a)},
            {"b", runJson(c.b, names.b)},
            {"notes", std::move(notes)},
            {"aligned_by", c.phase ? "phase" : "time"},
            {"entries_by", c.perProcessor ? "mean_of_a_processor" : "sum"},
            {"figures", figuresJson(c)},
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

}  // namespace longpole
