// SPDX-License-Identifier: GPL-3.0-or-later
// The efficiencies of the POP project as a picture: each is the product of those to its right.
#pragma once

#include "analysis/statistics/efficiency.h"
#include "views/drawing/basics/theme.h"

#include <QPainter>
#include <QRectF>
#include <QString>

#include <vector>

namespace longpole {

struct EfficiencyNode {
    QString id;  // "load_balance": its name in files
    QString name;
    double value = 0;
    QString formula;  // "average / largest useful time: 5.2 ms / 6.1 ms"
    int parent = -1;
    QRectF rect{};
    bool isWorst = false;  // of the three factors the least one, if it is below 95 %
};

// Parallel efficiency at the left, its factors right of it, and their factors in turn; parents come before their
// children.
std::vector<EfficiencyNode> efficiencyNodes(const Efficiency& efficiency, QSizeF size);
void paintEfficiencies(QPainter& painter, const std::vector<EfficiencyNode>& nodes, const Theme& theme);

constexpr double leastEfficiencyHeight = 132;

}  // namespace longpole
