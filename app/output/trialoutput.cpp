// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/trialoutput.h"

#include "analysis/base/json.h"
#include "analysis/base/naming.h"
#include "app/output/tableoutput.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <cmath>

namespace longpole {

namespace {

QString interval(double low, double high)
{
    const QString first = formatSignedShare(low);
    const QString last = formatSignedShare(high);
    return first == last ? first : tr("%1 to %2").arg(first, last);
}

QString measuredBy(MeasuredBy by)
{
    switch (by) {
    case MeasuredBy::MpiTimes: return tr("between MPI_Init and MPI_Finalize");
    case MeasuredBy::ProjectionsLogs: return tr("of the run, by its Projections logs");
    case MeasuredBy::WallTime: break;
    }
    return tr("of the whole command");
}

// The sentence that counts.
QString verdict(const Trial& trial, const TrialGain& gain)
{
    if (gain.pairs < TrialGain::leastPairs)
        return tr("Not decided: fewer than %1 pairs of runs may differ by chance.").arg(TrialGain::leastPairs);
    if (!gain.isDecided())
        return tr("Not decided: the runs differ among themselves by more than the change makes. Try more runs.");
    const QString direction = gain.low > 0 ? tr("The run becomes shorter.") : tr("The run becomes longer.");
    const std::optional<bool> asPredicted = isAsPredicted(trial);
    if (!asPredicted) return direction;
    return *asPredicted ? tr("%1 The gain is as predicted.").arg(direction)
                        : tr("%1 The gain is not as predicted.").arg(direction);
}

QString predictionText(const Trial& trial)
{
    if (!trial.prediction) return tr("nothing: of such a change the trace tells no gain");
    if (!trial.prediction->isUsable()) return whyUnusable(*trial.prediction);
    return interval(trial.prediction->gainLow, trial.prediction->gainHigh);
}

void writeText(Output& output, const Trial& trial)
{
    const TrialGain gain = trialGain(trial.runs);
    QString text = tr("Tried      %1\n").arg(onOneLine(trial.change));
    text += tr("Measured   the time %1, in %2 of runs\n")
                .arg(measuredBy(trial.by), counted(gain.pairs, tr("pair"), tr("pairs")));
    text += tr("Without    %1, the median\n").arg(formatTime(gain.without));
    text += tr("With       %1, the median\n").arg(formatTime(gain.with));
    text += tr("Gain       %1, of the pairs %2\n").arg(formatSignedShare(gain.median), interval(gain.low, gain.high));
    text += tr("Predicted  %1\n").arg(predictionText(trial));
    text += QLatin1Char('\n') % verdict(trial, gain) % QLatin1Char('\n');
    if (!trial.missing.empty())
        text += tr("The trace does not have %1 of the entry methods, such as %2.\n")
                    .arg(formatCount(std::int64_t(trial.missing.size())), onOneLine(trial.missing.front()));
    output.write(text);
}

void writeCsv(Output& output, const Trial& trial)
{
    QString text = QStringLiteral("run,with,duration_ns\n");
    for (std::size_t i = 0; i < trial.runs.size(); ++i)
        text += QStringLiteral("%1,%2,%3\n")
                    .arg(QString::number(i + 1), QString::number(trial.runs[i].isChanged ? 1 : 0),
                         QString::number(trial.runs[i].duration));
    output.write(text);
}

void writeAsJson(Output& output, const Trial& trial)
{
    const TrialGain gain = trialGain(trial.runs);
    JsonValue runs = JsonValue::array();
    for (const TrialRun& run : trial.runs) runs.push_back({{"with", run.isChanged}, {"duration_ns", run.duration}});
    JsonValue predicted;
    if (trial.prediction && trial.prediction->isUsable())
        predicted = {trial.prediction->gainLow, trial.prediction->gainHigh};
    JsonValue inside;
    if (const std::optional<bool> asPredicted = isAsPredicted(trial)) inside = *asPredicted;
    JsonValue missing = JsonValue::array();
    for (const QString& entry : trial.missing) missing.push_back(entry.toStdString());
    output.write(dump({{"change", trial.change},
                       {"predicted_gain", predicted},
                       {"measured",
                        {{"median", gain.median},
                         {"low", gain.low},
                         {"high", gain.high},
                         {"decided", gain.isDecided()},
                         {"without_ns", gain.without},
                         {"with_ns", gain.with},
                         {"by", name(trial.by)},
                         {"runs", runs}}},
                       {"inside", inside},
                       {"missing", missing}}));
}

}  // namespace

std::optional<bool> isAsPredicted(const Trial& trial)
{
    constexpr double printed = 0.0005;
    if (!trial.prediction || !trial.prediction->isUsable()) return {};
    const double measured = trialGain(trial.runs).median;
    return measured >= trial.prediction->gainLow - printed && measured <= trial.prediction->gainHigh + printed;
}

void writeTrial(Output& output, OutputFormat format, const Trial& trial)
{
    if (format == OutputFormat::Text) writeText(output, trial);
    else if (format == OutputFormat::Csv) writeCsv(output, trial);
    else writeAsJson(output, trial);
}

}  // namespace longpole
