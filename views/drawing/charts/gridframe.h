// SPDX-License-Identifier: GPL-3.0-or-later
// One frame of the animation: processors on a grid, coloured by an attribute's value in a stage, with the critical path
// walking over them.
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
    const std::vector<std::vector<GridVisit>>* path = nullptr;  // by stage; null: not drawn
    std::size_t stage = 0;
    std::optional<std::size_t> hovered{};  // place of a processor
};

// Cells with PE numbers and values where they are large enough, nodes' numbers at the left where rows are nodes; the
// path as a line through the processors it visits in this stage, faint through those of the stage before.
void paintGridFrame(QPainter& painter, const QRectF& box, const GridFrame& frame);

// The scale for all frames of a projection: from 0, or on a logarithmic axis the least value above 0, to its largest.
ColourScale frameScale(const Projection& projection, const Theme& theme, ColourScaleKind kind, bool isLog);
ValueUnit valueUnit(AttributeUnit unit);

// "stage 17 of 100 · 126.0 ... 127.2 ms"
QString stageText(const Stages& stages, std::size_t stage, TimeNs zero);

}  // namespace longpole
