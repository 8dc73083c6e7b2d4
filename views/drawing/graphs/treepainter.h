// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the decision tree: nodes that fired in the accent, others in grey, those that could not be judged dashed.
#pragma once

#include "analysis/expert/decisiontree.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/graphs/treegeometry.h"

#include <QPainter>
#include <QRectF>

namespace longpole {

struct TreeStyle {
    const Theme* theme = nullptr;
    int selected = -1;  // indices of nodes; -1: none
    int hovered = -1;
    bool hasFocus = false;
};

// Lines, then boxes; only what touches `visible` (empty: all).
void paintTree(QPainter& painter, const TreeGeometry& geometry, const DecisionTree& tree, const TreeStyle& style,
               QRectF visible = {});

// A value against its threshold: a thin bar with a tick, in the accent if the test fired.
void paintMeter(QPainter& painter, const QRectF& bar, double value, double threshold, bool fired, const Theme& theme);

}  // namespace longpole
