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
    Calm,     // from the theme's ground through its blue: small values sink into the ground, large ones stand out
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

// Black or white, whichever is easier to read on that ground.
QRgb inkOn(QRgb ground);

// The contrast of two colours, 1 to 21 (WCAG 2.1, "contrast ratio").
double contrastRatio(QRgb one, QRgb other);

// The colour for text on that ground: as much nearer to black or white as it takes to have that contrast. 4.5 is what
// WCAG 2.1 AA asks of text, 3 of large text.
QRgb readable(QRgb colour, QRgb ground, double contrast = 4.5);

// The quantiles `low` and `high` (0 <= low <= high <= 1) of the finite values. A scale that is clipped to them is not
// flattened by a few extremes. {0, 0} without values. O(n).
std::pair<double, double> clippedRange(std::vector<double> values, double low, double high);

// The scale in `box` as a horizontal bar above its ticks; `title` stands before it.
void paintColourLegend(QPainter& painter, const QRectF& box, const ColourScale& scale, const Theme& theme,
                       const QString& title = {});
constexpr double colourLegendHeight = 34;

}  // namespace longpole
