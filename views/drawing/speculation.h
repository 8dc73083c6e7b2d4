// What of the work was speculative, over time: for each stage a bar of the work of all processors, in it what was done
// between a better value and its delivery, above it the updates that made the value better.
#pragma once

#include "analysis/sharedaccess.h"
#include "views/drawing/theme.h"

#include <QPainter>
#include <QRectF>

#include <vector>

namespace longpole {

struct SpeculationGeometry {
    struct Stage {
        QRectF user;         // all work
        QRectF speculative;  // its lower part
        QRectF outdated;     // the lower part of that
    };
    QRectF plot;
    std::vector<Stage> stages;     // by SpeculativeSeries::edges
    std::vector<double> best;      // x of the updates that made the best value better
};

// In [0, width) x [0, height), the last line of which is the axis. Heights are shares of the busiest stage.
SpeculationGeometry speculationGeometry(const SpeculativeSeries& series, double width, double height);

// The stage at a point, -1: none.
int stageAt(const SpeculationGeometry& geometry, QPointF at);

void paintSpeculation(QPainter& painter, const SpeculationGeometry& geometry, const Theme& theme, int hovered = -1);

}  // namespace longpole
