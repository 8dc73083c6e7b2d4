// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/decisionoutput.h"

#include "analysis/base/cells.h"
#include "analysis/base/json.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

TimeNs asTime(double seconds) { return static_cast<TimeNs>(std::llround(seconds * 1e9)); }

QString decisionWords(const AutoDecision& decision)
{
    if (decision.decision == QStringLiteral("kept")) return tr("kept");
    if (decision.decision == QStringLiteral("taken back")) return tr("taken back");
    if (decision.decision == QStringLiteral("not decided")) return tr("not decided, taken back");
    if (decision.decision == QStringLiteral("nothing to try")) return tr("nothing left to try");
    if (decision.decision == QStringLiteral("drifted")) return tr("the program's pace changed, tried again");
    return onOneLine(decision.decision);
}

QString timesText(const MeasuredTimes& times)
{
    return tr("%1 (%2 to %3, %4 of them)")
        .arg(formatTime(asTime(times.median)), formatTime(asTime(times.low)), formatTime(asTime(times.high)),
             formatCount(times.count));
}

// Whether what was measured lies in what was predicted; nothing where one of them is missing.
std::optional<bool> isInside(const AutoDecision& decision, const DecisionPrediction* prediction)
{
    if (prediction == nullptr || !prediction->gain || !decision.gain) return {};
    return prediction->gain->has(*decision.gain);
}

QString predictionText(const AutoDecision& decision, const DecisionPrediction& prediction)
{
    if (!prediction.gain) return prediction.why;
    const QString gain = tr("%1 to %2")
                             .arg(formatSignedShare(prediction.gain->low), formatSignedShare(prediction.gain->high));
    const auto inside = isInside(decision, &prediction);
    if (!inside) return gain;
    return *inside ? tr("%1: measured inside").arg(gain) : tr("%1: measured outside").arg(gain);
}

// What the program tried of what the trace advises, and when.
QString advisedText(const std::vector<AutoDecision>& decisions, const PredictedDecisions& predicted)
{
    if (predicted.advised.isEmpty()) return tr("The expert prefers nothing in this trace.\n");
    const QString names = onOneLine(predicted.advised.join(QStringLiteral(", ")));
    const bool isTried = std::any_of(decisions.begin(), decisions.end(), [&](const AutoDecision& decision) {
        return decision.isTrial
               && std::all_of(predicted.advised.begin(), predicted.advised.end(),
                              [&](const QString& name) { return decision.entries.contains(name); });
    });
    return isTried ? tr("The expert prefers %1 in this trace; the program tried that.\n").arg(names)
                   : tr("The expert prefers %1 in this trace; the program did not try that.\n").arg(names);
}

void writeText(Output& output, const std::vector<AutoDecision>& decisions, const PredictedDecisions* predicted)
{
    QString text;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
        const AutoDecision& decision = decisions[i];
        text += tr("After %1: %2").arg(formatTime(asTime(decision.time)), decisionWords(decision));
        if (decision.gain) text += tr(", a gain of %1").arg(formatSignedShare(*decision.gain));
        text += QLatin1Char('\n');
        if (!decision.entries.isEmpty())
            text += tr("  Preferred  %1\n").arg(onOneLine(decision.entries.join(QStringLiteral(", "))));
        if (decision.isTrial && !decision.base.isEmpty())
            text += tr("  Before     %1\n").arg(onOneLine(decision.base.join(QStringLiteral(", "))));
        if (predicted != nullptr && decision.isTrial)
            text += tr("  Predicted  %1\n").arg(predictionText(decision, predicted->predictions[i]));
        const bool isDrift = decision.decision == QStringLiteral("drifted");
        if (decision.without)
            text += (isDrift ? tr("  Before     %1\n") : tr("  Without    %1\n")).arg(timesText(*decision.without));
        if (decision.with)
            text += (isDrift ? tr("  After      %1\n") : tr("  With       %1\n")).arg(timesText(*decision.with));
        if (decision.without) text += tr("  Measured   %1\n").arg(onOneLine(decision.measure));
    }
    if (decisions.empty()) text = tr("Nothing was decided.\n");
    if (predicted != nullptr) text += advisedText(decisions, *predicted);
    output.write(text);
}

QString csvCell(QString text)
{
    return QLatin1Char('"') % text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) % QLatin1Char('"');
}

void writeCsv(Output& output, const std::vector<AutoDecision>& decisions, const PredictedDecisions* predicted)
{
    QString text = QStringLiteral("time_ns,decision,entries,gain,without_ns,with_ns,measure");
    if (predicted != nullptr) text += QStringLiteral(",before,predicted_low,predicted_high,inside");
    text += QLatin1Char('\n');
    for (std::size_t i = 0; i < decisions.size(); ++i) {
        const AutoDecision& decision = decisions[i];
        const auto time = [](const std::optional<MeasuredTimes>& times) {
            return times ? QString::number(asTime(times->median)) : QString();
        };
        const auto share = [](std::optional<double> gain) { return gain ? QString::number(*gain, 'g', 6) : QString(); };
        QStringList cells{QString::number(asTime(decision.time)),
                          csvCell(decision.decision),
                          csvCell(decision.entries.join(QStringLiteral("; "))),
                          share(decision.gain),
                          time(decision.without),
                          time(decision.with),
                          csvCell(decision.measure)};
        if (predicted != nullptr) {
            const DecisionPrediction& prediction = predicted->predictions[i];
            const auto inside = isInside(decision, &prediction);
            cells << csvCell(decision.base.join(QStringLiteral("; ")));
            cells << (prediction.gain ? share(prediction.gain->low) : QString());
            cells << (prediction.gain ? share(prediction.gain->high) : QString());
            cells << (inside ? QString::number(int(*inside)) : QString());
        }
        text += cells.join(QLatin1Char(',')) % QLatin1Char('\n');
    }
    output.write(text);
}

JsonValue timesJson(const std::optional<MeasuredTimes>& times)
{
    if (!times) return nullptr;
    return {{"median_ns", asTime(times->median)},
            {"low_ns", asTime(times->low)},
            {"high_ns", asTime(times->high)},
            {"count", times->count}};
}

JsonValue namesJson(const QStringList& names)
{
    JsonValue list = JsonValue::array();
    for (const QString& name : names) list.push_back(name.toStdString());
    return list;
}

void writeAsJson(Output& output, const std::vector<AutoDecision>& decisions, const PredictedDecisions* predicted)
{
    JsonValue rows = JsonValue::array();
    for (std::size_t i = 0; i < decisions.size(); ++i) {
        const AutoDecision& decision = decisions[i];
        JsonValue row{{"time_ns", asTime(decision.time)},
                      {"decision", decision.decision},
                      {"entries", namesJson(decision.entries)},
                      {"before", namesJson(decision.base)},
                      {"gain", decision.gain},
                      {"without", timesJson(decision.without)},
                      {"with", timesJson(decision.with)},
                      {"measure", decision.measure}};
        if (predicted != nullptr) {
            const DecisionPrediction& prediction = predicted->predictions[i];
            row["predicted"] = prediction.gain ? JsonValue{prediction.gain->low, prediction.gain->high} : JsonValue();
            row["why_not"] = prediction.why.isEmpty() ? JsonValue() : JsonValue(prediction.why);
            const auto inside = isInside(decision, &prediction);
            row["inside"] = inside ? JsonValue(*inside) : JsonValue();
        }
        rows.push_back(std::move(row));
    }
    JsonValue answer{{"decisions", rows}};
    if (predicted != nullptr) answer["advised"] = namesJson(predicted->advised);
    output.write(dump(answer));
}

}  // namespace

void writeDecisions(Output& output, OutputFormat format, const std::vector<AutoDecision>& decisions,
                    const PredictedDecisions* predicted)
{
    switch (format) {
    case OutputFormat::Text: writeText(output, decisions, predicted); return;
    case OutputFormat::Csv: writeCsv(output, decisions, predicted); return;
    case OutputFormat::Json: writeAsJson(output, decisions, predicted); return;
    }
}

}  // namespace longpole
