// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/trialoutput.h"

#include "analysis/base/json.h"
#include "analysis/base/naming.h"
#include "app/output/tableoutput.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

namespace longpole {

namespace {

void writeText(Output& output, const Trial& trial)
{
    const TrialGain gain = trialGain(trial.runs);
    QString text = tr("Tried      %1\n").arg(onOneLine(trial.change));
    text += tr("Measured   the time %1, in %2 of runs\n")
                .arg(measuredByText(trial.by), counted("%1 pairs", "%1 pair", gain.pairs));
    text += tr("Without    %1, the median\n").arg(formatTime(gain.without));
    text += tr("With       %1, the median\n").arg(formatTime(gain.with));
    text += tr("Gain       %1\n").arg(measuredText(gain));
    text += tr("Predicted  %1\n").arg(predictedGainText(trial));
    text += QLatin1Char('\n') % verdictOf(trial) % QLatin1Char('\n');
    if (!trial.missing.empty())
        text += tr("The trace does not have %1 of the entry methods, such as %2.\n")
                    .arg(formatCount(std::int64_t(trial.missing.size())), onOneLine(trial.missing.front()));
    output.write(text);
}

QString trialCsvHead() { return QStringLiteral("run,with,duration_ns\n"); }

QString trialCsvRow(const Trial& trial, std::size_t i)
{
    return QStringLiteral("%1,%2,%3\n")
        .arg(QString::number(i + 1), QString::number(trial.runs[i].isChanged ? 1 : 0),
             QString::number(trial.runs[i].duration));
}

void writeCsv(Output& output, const Trial& trial)
{
    QString text = trialCsvHead();
    for (std::size_t i = 0; i < trial.runs.size(); ++i) text += trialCsvRow(trial, i);
    output.write(text);
}

// On a line of its own.
constexpr int onOneLineIndent = -1;

}  // namespace

void writeTrial(Output& output, OutputFormat format, const Trial& trial)
{
    if (format == OutputFormat::Text) writeText(output, trial);
    else if (format == OutputFormat::Csv) writeCsv(output, trial);
    else output.write(dump(toJson(trial)));
}

void writeTrialBegin(Output& output, OutputFormat format, const Trial& trial, std::int64_t runs)
{
    if (format == OutputFormat::Csv) output.write(trialCsvHead());
    if (format != OutputFormat::Json) return;
    const JsonValue predicted = memberOf(toJson(trial), "predicted_gain");
    output.write(dump({{"change", trial.change}, {"runs", runs}, {"predicted_gain", predicted}}, onOneLineIndent));
}

void writeTrialRun(Output& output, OutputFormat format, const Trial& trial, std::int64_t runs)
{
    const std::size_t last = trial.runs.size() - 1;
    const TrialRun& run = trial.runs[last];
    if (format == OutputFormat::Csv) return void(output.write(trialCsvRow(trial, last)));
    if (format == OutputFormat::Json) {
        JsonValue line{{"run", last + 1}};
        line.update(toJson(run));
        line["by"] = name(trial.by);
        return void(output.write(dump(line, onOneLineIndent)));
    }
    const QString which = run.isChanged ? tr("with") : tr("without");
    output.write(tr("Run %1 of %2  %3  %4\n")
                     .arg(QString::number(last + 1), QString::number(runs), which.leftJustified(tr("without").size()),
                          formatTime(run.duration)));
}

void writeTrialEnd(Output& output, OutputFormat format, const Trial& trial)
{
    if (format == OutputFormat::Text) {
        output.write(QStringLiteral("\n"));
        writeText(output, trial);
    } else if (format == OutputFormat::Json) {
        output.write(dump(toJson(trial), onOneLineIndent));
    }
}

}  // namespace longpole
