// SPDX-License-Identifier: GPL-3.0-or-later
// One frame of the animation of a projection: processors on a grid, coloured by an attribute's value in one stage, and
// the critical path that visits them.
#pragma once

#include "analysis/projection/projection.h"
#include "views/drawing/basics/colourscale.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/charts/gridpath.h"
#include "views/drawing/charts/processorgrid.h"

#include <QPainter>
#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

namespace longpole {

struct GridFrame {
    const Projection* projection = nullptr;
    const ProcessorGrid* grid = nullptr;
    const ColourScale* scale = nullptr;
    const Theme* theme = nullptr;
    const std::vector<std::vector<GridVisit>>* path = nullptr;  // of gridPath; null: not drawn
    std::size_t stage = 0;
    std::optional<std::size_t> hovered{};  // place of a processor among the projection's
};

// Cells bear the PE's number and value where they are large enough; rows that are nodes have their numbers at the left.
// The path is a line through the processors that it visits in this stage, and a faint one through those of the stage
// before.
void paintGridFrame(QPainter& painter, const QRectF& box, const GridFrame& frame);

// The scale for all frames of a projection: shares from 0 to 1, other values as axisOf has them.
ColourScale frameScale(const Projection& projection, const Theme& theme, ColourScaleKind kind, bool isLog);
ValueUnit valueUnit(AttributeUnit unit);

// "stage 17 of 100 · 126.0 ... 127.2 ms"
QString stageText(const Stages& stages, std::size_t stage, TimeNs zero);

}  // namespace longpole
