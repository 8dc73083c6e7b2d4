// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/replayoutput.h"

#include "analysis/queues/orderwords.h"
#include "analysis/report/advicetables.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

QString interval(const QString& low, const QString& high) { return low == high ? low : tr("%1 to %2").arg(low, high); }

// Of a prediction that can be used.
QString verdict(const Prediction& prediction)
{
    constexpr double noticeable = 0.01;
    if (prediction.gainLow > 0 && prediction.gainHigh >= noticeable) return tr("The run becomes shorter.");
    if (prediction.gainHigh < 0 && prediction.gainLow <= -noticeable) return tr("The run becomes longer.");
    if (prediction.gainLow > -noticeable && prediction.gainHigh < noticeable)
        return tr("This makes next to no difference.");
    return tr("Whether the run becomes shorter or longer is open.");
}

// The text broken at blanks into lines of at most 110 columns.
QString inLines(const QString& text)
{
    constexpr qsizetype columns = 110;
    QString lines = text;
    for (qsizetype first = 0; lines.size() - first > columns;) {
        const qsizetype blank = lines.lastIndexOf(QLatin1Char(' '), first + columns);
        if (blank <= first) break;
        lines[blank] = QLatin1Char('\n');
        first = blank + 1;
    }
    return lines;
}

// Reasons to doubt the prediction: a replay that is off even without a change, and a queue that is not the one assumed.
QString doubt(const ReplayAnswer& answer)
{
    constexpr double good = 0.05;
    constexpr std::int64_t oneIn = 10;
    QString text;
    if (std::abs(answer.prediction.baselineError) > good)
        text += tr("The replay of the run as it was is off by %1: not all that decided its times is in the trace.\n")
                    .arg(formatShare(std::abs(answer.prediction.baselineError)));
    if (answer.outOfOrder * oneIn > answer.ordered)
        text += tr("%1 of %2 tasks that waited ran in an order that no priorities of entry methods explain: "
                   "single\nmessages may have some.\n")
                    .arg(formatCount(answer.outOfOrder), formatCount(answer.ordered));
    return text;
}

void writeText(Output& output, const TraceStore& store, const ReplayAnswer& answer)
{
    const Prediction& prediction = answer.prediction;
    QString text = tr("Recorded   %1\n").arg(formatTime(prediction.recorded));
    text += tr("As it was  %1 when replayed (off by %2)\n")
                .arg(formatTime(prediction.baseline), formatSignedShare(prediction.baselineError));
    text += tr("Unfitted   off by %1 when arrivals are not fitted to the record\n")
                .arg(formatSignedShare(prediction.freeBaselineError));
    if (prediction.noise > 0)
        text += tr("Noise      %1 of the duration, as iterations differ\n").arg(formatShare(prediction.noise));
    if (!answer.change.isEmpty() && !prediction.isUsable()) {
        text += tr("Predicted  nothing, %1\n").arg(answer.change);
        text += QLatin1Char('\n') % inLines(whyUnusable(prediction)) % QLatin1Char('\n');
    } else if (!answer.change.isEmpty()) {
        text += tr("Predicted  %1, %2\n")
                    .arg(interval(formatTime(prediction.low), formatTime(prediction.high)), answer.change);
        text += tr("Gain       %1\n")
                    .arg(interval(formatSignedShare(prediction.gainLow), formatSignedShare(prediction.gainHigh)));
        text += QLatin1Char('\n') % verdict(prediction) % QLatin1Char('\n');
    }
    if (const QString order = recordedOrderWords(answer.recordedOrder, store); !order.isEmpty())
        text += QLatin1Char('\n') % inLines(onOneLine(order)) % QLatin1Char('\n');
    if (const QString doubts = doubt(answer); !doubts.isEmpty()) text += QLatin1Char('\n') % doubts;
    output.write(text);
}

}  // namespace

void writeReplay(Output& output, OutputFormat format, const TraceStore& store, const ReplayAnswer& answer)
{
    const Table<Prediction> table = predictionTable(Vocabulary());
    if (format == OutputFormat::Text) return writeText(output, store, answer);
    if (format == OutputFormat::Csv)
        return writeTable(output, format,
                          table
                              .only({"recorded_ns", "baseline_ns", "baseline_error", "free_baseline_error", "noise",
                                     "predicted_low_ns", "predicted_high_ns", "gain_low", "gain_high", "usable",
                                     "reason"})
                              .data(std::vector{answer.prediction}),
                          nullptr);
    JsonValue json = rowJson(table
                                 .only({"recorded_ns", "baseline_ns", "baseline_error", "free_baseline_error", "noise",
                                        "predicted_duration_ns", "predicted_gain", "usable", "reason"})
                                 .renamed("predicted_duration_ns", "predicted_ns")
                                 .renamed("predicted_gain", "gain"),
                             answer.prediction, nullptr);
    json["recorded_order"] = rowsJson(recordedOrderTable(store), answer.recordedOrder, &store);
    output.write(dump(json));
}

}  // namespace longpole
