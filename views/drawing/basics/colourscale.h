// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of values: sequential scales in which equal steps look equal, with the legend that says what they mean.
#pragma once

#include "views/drawing/basics/theme.h"
#include "views/drawing/basics/valueaxis.h"

#include <QPainter>
#include <QRectF>
#include <QRgb>

#include <array>
#include <cstdint>
#include <vector>

namespace longpole {

enum class ColourScaleKind : std::uint8_t {
    Calm,     // from the theme's ground through its blue: little is nearly nothing, much stands out
    Cividis,  // Nunez, Anderton, Renslow 2018: the same to eyes with and without colour vision deficiency
};

// Values map linearly or by logarithm, as the axis says; those beyond its ends have the colours of its ends.
class ColourScale {
public:
    ColourScale() : ColourScale(darkTheme(), ColourScaleKind::Calm, {}) {}
    ColourScale(const Theme& theme, ColourScaleKind kind, const ValueAxis& axis);

    const ValueAxis& axis() const { return m_axis; }
    QRgb colour(double value) const;            // NaN, and on a logarithmic axis zero and less: nothing()
    QRgb at(double position) const;             // 0..1
    QRgb nothing() const { return m_nothing; }  // where there is no value

private:
    ValueAxis m_axis;
    std::array<QRgb, 256> m_colours;
    QRgb m_nothing;
};

// Black or white, which is easier to read on that ground.
QRgb inkOn(QRgb ground);

// The values at two shares of all that are finite, 0 <= low <= high <= 1: what to clip a scale to so that single
// extremes do not flatten the rest. {0, 0} without values. O(n).
std::pair<double, double> clippedRange(std::vector<double> values, double low, double high);

// The scale as a horizontal bar with its ticks and their unit below, in `box`; `title` stands before it.
void paintColourLegend(QPainter& painter, const QRectF& box, const ColourScale& scale, const Theme& theme,
                       const QString& title = {});
constexpr double colourLegendHeight = 34;

}  // namespace longpole
