// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/charts/gainstrip.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QPainter>

#include <algorithm>

namespace longpole {

namespace {

constexpr double laneHeight = 16, dotRadius = 3, intervalHeight = 6;

// The gain of each pair, as trialGain() takes them.
std::vector<double> gainsOfPairs(const Trial& trial)
{
    std::vector<double> without, with, gains;
    for (const TrialRun& run : trial.runs) (run.isChanged ? with : without).push_back(double(run.duration));
    for (std::size_t i = 0; i < std::min(without.size(), with.size()); ++i) gains.push_back(1 - with[i] / without[i]);
    return gains;
}

}  // namespace

QString predictedLaneName() { return tr("predicted"); }
QString measuredLaneName() { return tr("measured"); }

GainStrip gainStrip(const Trial& trial, const QSizeF& size, qreal captions)
{
    GainStrip strip;
    strip.captions = captions;
    const std::vector<double> gains = gainsOfPairs(trial);
    const bool isPredicted = trial.prediction && trial.prediction->isUsable();
    double least = 0, most = 0;
    const auto include = [&](double gain) {
        least = std::min(least, gain);
        most = std::max(most, gain);
    };
    for (const double gain : gains) include(gain);
    if (isPredicted) {
        include(trial.prediction->gainLow);
        include(trial.prediction->gainHigh);
    }
    constexpr double narrowest = 0.01;
    if (most - least < narrowest) most = least + narrowest;
    strip.axis = QRectF(captions + dotRadius, 2 * laneHeight, std::max(size.width() - captions - 2 * dotRadius, 1.0),
                        laneHeight);
    strip.least = formatSignedShare(least);
    strip.most = formatSignedShare(most);
    const auto at = [&](double gain) {
        return strip.axis.left() + (gain - least) / (most - least) * strip.axis.width();
    };
    // A lane that is as thin as a hair can still be seen.
    const auto lane = [&](double low, double high, double middle) {
        const double left = at(low), right = std::max(at(high), left + 2);
        return QRectF(left, middle - intervalHeight / 2, right - left, intervalHeight);
    };
    strip.zero = at(0);
    if (isPredicted) strip.predicted = lane(trial.prediction->gainLow, trial.prediction->gainHigh, laneHeight / 2);
    const double middle = 1.5 * laneHeight;
    for (const double gain : gains) strip.pairs.emplace_back(at(gain), middle);
    if (gains.empty()) return strip;
    const TrialGain gain = trialGain(trial.runs);
    strip.median = at(gain.median);
    if (gains.size() > 1) strip.measured = lane(gain.low, gain.high, middle);
    return strip;
}

void paintGainStrip(QPainter& painter, const GainStrip& strip, const Theme& theme)
{
    painter.setRenderHint(QPainter::Antialiasing);
    const auto caption = [&](const QString& text, double top) {
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(0, top, strip.captions, laneHeight), Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    if (!strip.predicted.isEmpty()) caption(predictedLaneName(), 0);
    caption(measuredLaneName(), laneHeight);
    painter.setPen(QPen(theme.line, 1));
    painter.drawLine(strip.axis.topLeft(), strip.axis.topRight());
    painter.setPen(QPen(theme.mutedText, 1));
    painter.drawLine(QPointF(strip.zero, 0), QPointF(strip.zero, strip.axis.top() + 2));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    if (!strip.predicted.isEmpty()) painter.drawRoundedRect(strip.predicted, 2, 2);
    QColor interval = theme.utilization;
    interval.setAlpha(110);
    painter.setBrush(interval);
    if (!strip.measured.isEmpty()) painter.drawRoundedRect(strip.measured, 2, 2);
    painter.setPen(QPen(theme.panel, 1));
    painter.setBrush(theme.utilization);
    for (const QPointF& pair : strip.pairs) painter.drawEllipse(pair, dotRadius, dotRadius);
    if (!strip.pairs.empty()) {
        painter.setPen(QPen(theme.text, 2));
        const double middle = strip.pairs.front().y();
        painter.drawLine(QPointF(strip.median, middle - 6), QPointF(strip.median, middle + 6));
    }
    painter.setPen(theme.mutedText);
    painter.drawText(strip.axis, Qt::AlignLeft | Qt::AlignVCenter, strip.least);
    painter.drawText(strip.axis, Qt::AlignRight | Qt::AlignVCenter, strip.most);
}

}  // namespace longpole
