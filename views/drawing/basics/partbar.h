// SPDX-License-Identifier: GPL-3.0-or-later
// A whole and its parts: one stacked bar with a legend below it.
#pragma once

#include "core/base/timerange.h"
#include "views/drawing/basics/theme.h"

#include <QPainter>
#include <QRectF>
#include <QString>

#include <span>
#include <vector>

namespace longpole {

struct BarPart {
    QString name;
    TimeNs time = 0;
    QColor colour;
};

struct PartGeometry {
    double height = 0;
    QRectF bar{};
    std::vector<QRectF> parts{};   // pieces of the bar; empty where a part takes no time
    std::vector<QRectF> legend{};  // for each part its swatch and words; empty where it takes no time
};

// The legend wraps in `width`. Needs a QGuiApplication for fonts.
PartGeometry partGeometry(std::span<const BarPart> parts, double width);
QString partText(const BarPart& part, TimeNs whole);   // "latency 41.2 %"
int partAt(const PartGeometry& geometry, QPointF at);  // in the bar or the legend; -1: none

// `marked`: the part whose words are underlined; -1: none.
void paintParts(QPainter& painter, const PartGeometry& geometry, std::span<const BarPart> parts, int marked,
                const Theme& theme);

}  // namespace longpole
