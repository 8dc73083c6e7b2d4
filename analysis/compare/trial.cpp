// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/trial.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

namespace longpole {

const char* name(MeasuredBy by)
{
    switch (by) {
    case MeasuredBy::MpiTimes: return "mpi";
    case MeasuredBy::ProjectionsLogs: return "projections";
    case MeasuredBy::WallTime: break;
    }
    return "wall";
}

std::optional<MeasuredBy> measuredByOf(const QString& text)
{
    for (const MeasuredBy by : {MeasuredBy::MpiTimes, MeasuredBy::ProjectionsLogs, MeasuredBy::WallTime})
        if (text == QLatin1String(name(by))) return by;
    return {};
}

QString measuredByText(MeasuredBy by)
{
    switch (by) {
    case MeasuredBy::MpiTimes: return tr("between MPI_Init and MPI_Finalize");
    case MeasuredBy::ProjectionsLogs: return tr("of the run, by its Projections logs");
    case MeasuredBy::WallTime: break;
    }
    return tr("of the whole command");
}

std::optional<bool> isAsPredicted(const Trial& trial)
{
    constexpr double printed = 0.0005;
    if (!trial.prediction || !trial.prediction->isUsable()) return {};
    const double measured = trialGain(trial.runs).median;
    return measured >= trial.prediction->gainLow - printed && measured <= trial.prediction->gainHigh + printed;
}

QString verdictOf(const Trial& trial)
{
    const TrialGain gain = trialGain(trial.runs);
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

QString gainIntervalText(double low, double high)
{
    const QString first = formatSignedShare(low);
    const QString last = formatSignedShare(high);
    return first == last ? first : tr("%1 to %2").arg(first, last);
}

QString predictedGainText(const Trial& trial)
{
    if (!trial.prediction) return tr("nothing: of such a change the trace tells no gain");
    if (!trial.prediction->isUsable()) return whyUnusable(*trial.prediction);
    return gainIntervalText(trial.prediction->gainLow, trial.prediction->gainHigh);
}

QString measuredText(const TrialGain& gain)
{
    return tr("%1, of the pairs %2").arg(formatSignedShare(gain.median), gainIntervalText(gain.low, gain.high));
}

QString mediansText(const TrialGain& gain)
{
    return tr("%1 without, %2 with (medians)").arg(formatTime(gain.without), formatTime(gain.with));
}

JsonValue toJson(const TrialRun& run) { return {{"with", run.isChanged}, {"duration_ns", run.duration}}; }

std::optional<TrialRun> trialRunFrom(const JsonValue& object)
{
    const TimeNs duration = integerOf(object, "duration_ns", 0);
    const JsonValue& with = memberOf(object, "with");
    if (duration <= 0 || !with.is_boolean()) return {};
    return TrialRun{with.get<bool>(), duration};
}

JsonValue toJson(const Trial& trial)
{
    const TrialGain gain = trialGain(trial.runs);
    JsonValue runs = JsonValue::array();
    for (const TrialRun& run : trial.runs) runs.push_back(toJson(run));
    JsonValue predicted;
    if (trial.prediction && trial.prediction->isUsable())
        predicted = {trial.prediction->gainLow, trial.prediction->gainHigh};
    JsonValue inside;
    if (const std::optional<bool> asPredicted = isAsPredicted(trial)) inside = *asPredicted;
    JsonValue missing = JsonValue::array();
    for (const QString& entry : trial.missing) missing.push_back(entry.toStdString());
    return {{"change", trial.change},
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
            {"missing", missing}};
}

std::optional<Trial> trialFrom(const JsonValue& object)
{
    const JsonValue& measured = memberOf(object, "measured");
    const std::optional<MeasuredBy> by = measuredByOf(textOf(measured, "by"));
    if (!by) return {};
    constexpr qsizetype most = 1024;  // as of the names of a trace
    Trial trial{.by = *by, .change = textOf(object, "change").left(most)};
    if (listOf(measured, "runs").size() > 2 * std::size_t{mostTrialPairs}) return {};
    for (const JsonValue& one : listOf(measured, "runs")) {
        const std::optional<TrialRun> run = trialRunFrom(one);
        if (!run) return {};
        trial.runs.push_back(*run);
    }
    if (trialGain(trial.runs).pairs == 0) return {};
    const JsonValue& predicted = listOf(object, "predicted_gain");
    if (predicted.size() == 2 && predicted[0].is_number() && predicted[1].is_number())
        trial.prediction = Prediction{.gainLow = predicted[0].get<double>(), .gainHigh = predicted[1].get<double>()};
    for (const JsonValue& entry : listOf(object, "missing"))
        if (entry.is_string()) trial.missing.push_back(QString::fromStdString(entry.get<std::string>()).left(most));
    return trial;
}

}  // namespace longpole
