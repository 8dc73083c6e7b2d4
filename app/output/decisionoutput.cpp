// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/decisionoutput.h"

#include "analysis/base/cells.h"
#include "analysis/base/json.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

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

void writeText(Output& output, const std::vector<AutoDecision>& decisions)
{
    QString text;
    for (const AutoDecision& decision : decisions) {
        text += tr("After %1: %2").arg(formatTime(asTime(decision.time)), decisionWords(decision));
        if (decision.gain) text += tr(", a gain of %1").arg(formatSignedShare(*decision.gain));
        text += QLatin1Char('\n');
        if (!decision.entries.isEmpty())
            text += tr("  Preferred  %1\n").arg(onOneLine(decision.entries.join(QStringLiteral(", "))));
        const bool isDrift = decision.decision == QStringLiteral("drifted");
        if (decision.without)
            text += (isDrift ? tr("  Before     %1\n") : tr("  Without    %1\n")).arg(timesText(*decision.without));
        if (decision.with)
            text += (isDrift ? tr("  After      %1\n") : tr("  With       %1\n")).arg(timesText(*decision.with));
        if (decision.without) text += tr("  Measured   %1\n").arg(onOneLine(decision.measure));
    }
    if (decisions.empty()) text = tr("Nothing was decided.\n");
    output.write(text);
}

QString csvCell(QString text)
{
    return QLatin1Char('"') % text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) % QLatin1Char('"');
}

void writeCsv(Output& output, const std::vector<AutoDecision>& decisions)
{
    QString text = QStringLiteral("time_ns,decision,entries,gain,without_ns,with_ns,measure\n");
    for (const AutoDecision& decision : decisions) {
        const auto time = [](const std::optional<MeasuredTimes>& times) {
            return times ? QString::number(asTime(times->median)) : QString();
        };
        text += QStringList{QString::number(asTime(decision.time)),
                            csvCell(decision.decision),
                            csvCell(decision.entries.join(QStringLiteral("; "))),
                            decision.gain ? QString::number(*decision.gain, 'g', 6) : QString(),
                            time(decision.without),
                            time(decision.with),
                            csvCell(decision.measure)}
                    .join(QLatin1Char(','))
                % QLatin1Char('\n');
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

void writeAsJson(Output& output, const std::vector<AutoDecision>& decisions)
{
    JsonValue rows = JsonValue::array();
    for (const AutoDecision& decision : decisions) {
        JsonValue entries = JsonValue::array();
        for (const QString& entry : decision.entries) entries.push_back(entry.toStdString());
        rows.push_back({{"time_ns", asTime(decision.time)},
                        {"decision", decision.decision},
                        {"entries", entries},
                        {"gain", decision.gain},
                        {"without", timesJson(decision.without)},
                        {"with", timesJson(decision.with)},
                        {"measure", decision.measure}});
    }
    output.write(dump({{"decisions", rows}}));
}

}  // namespace

void writeDecisions(Output& output, OutputFormat format, const std::vector<AutoDecision>& decisions)
{
    switch (format) {
    case OutputFormat::Text: writeText(output, decisions); return;
    case OutputFormat::Csv: writeCsv(output, decisions); return;
    case OutputFormat::Json: writeAsJson(output, decisions); return;
    }
}

}  // namespace longpole
