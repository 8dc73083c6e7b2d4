// SPDX-License-Identifier: GPL-3.0-or-later
// What a change was predicted to gain, and above each other what pairs of runs have gained: two lanes over one axis.
#pragma once

#include "analysis/compare/trial.h"
#include "views/drawing/basics/theme.h"

#include <QRectF>
#include <QSizeF>
#include <QString>

#include <vector>

class QPainter;

namespace longpole {

// Positions inside a picture of some size.
struct GainStrip {
    QRectF axis{};               // from the least gain to the largest, with the line where nothing is gained
    double zero = 0;             // x of no gain
    QRectF predicted{};          // empty: nothing was
    QRectF measured{};           // the interval of trialGain(); empty of fewer than two pairs
    std::vector<QPointF> pairs;  // in the order of the runs
    double median = 0;           // x, if there are pairs
    QString least{}, most{};     // what stands at the axis' ends
    qreal captions = 0;          // the width that the lanes' names take, at the left
};

// Of the pairs that are complete. Pairs that gain the same lie on each other. `captions`: see above.
GainStrip gainStrip(const Trial& trial, const QSizeF& size, qreal captions);
// Of that picture; 16 pixels for each lane and for the axis.
constexpr int gainStripHeight = 48;
void paintGainStrip(QPainter& painter, const GainStrip& strip, const Theme& theme);
QString predictedLaneName();
QString measuredLaneName();

}  // namespace longpole
