// SPDX-License-Identifier: GPL-3.0-or-later
// A scale is a table of 256 colours that is made once.
#include "views/drawing/basics/colourscale.h"

#include "views/drawing/basics/font.h"
#include "views/drawing/basics/oklab.h"
#include "views/drawing/basics/palette.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

// Ten equidistant samples of cividis; between two of them linear interpolation is as good as the original.
constexpr std::array<QRgb, 10> cividis{0xff00224e, 0xff123570, 0xff3b496c, 0xff575d6d, 0xff707173,
                                       0xff8a8678, 0xffa59c74, 0xffc3b369, 0xffe1cc55, 0xfffee838};

Oklab between(const Oklab& from, const Oklab& to, double share)
{
    return {std::lerp(from.l, to.l, share), std::lerp(from.a, to.a, share), std::lerp(from.b, to.b, share)};
}

// From the ground through the theme's blue to nearly white (dark theme) or nearly black, in equal steps of lightness.
QRgb calmAt(const Theme& theme, double position)
{
    constexpr double offGround = 0.14;  // the least value is to differ from no value
    const Oklab middle = toOklab(theme.utilization.rgb());
    const Oklab first = between(toOklab(theme.idle.rgb()), middle, offGround);
    const Oklab last = toOklab(theme.dark ? qRgb(225, 238, 250) : qRgb(16, 36, 66));
    const double at = (middle.l - first.l) / (last.l - first.l);
    return fromOklab(position < at ? between(first, middle, position / at)
                                   : between(middle, last, (position - at) / (1 - at)));
}

QRgb cividisAt(double position)
{
    const double at = position * (cividis.size() - 1);
    const auto before = std::min(static_cast<std::size_t>(at), cividis.size() - 2);
    return mixed(cividis[before], cividis[before + 1], at - static_cast<double>(before));
}

}  // namespace

ColourScale::ColourScale(const Theme& theme, ColourScaleKind kind, const ValueAxis& axis)
    : m_axis(axis), m_nothing(theme.rowBackground.rgb())
{
    for (std::size_t i = 0; i < m_colours.size(); ++i) {
        const double position = static_cast<double>(i) / static_cast<double>(m_colours.size() - 1);
        m_colours[i] = kind == ColourScaleKind::Cividis ? cividisAt(position) : calmAt(theme, position);
    }
}

QRgb ColourScale::at(double position) const
{
    const double last = static_cast<double>(m_colours.size() - 1);
    return m_colours[static_cast<std::size_t>(std::lround(std::clamp(position, 0.0, 1.0) * last))];
}

QRgb ColourScale::colour(double value) const
{
    if (std::isnan(value) || (m_axis.isLog && value <= 0)) return m_nothing;
    return at(m_axis.position(value));
}

QRgb inkOn(QRgb ground)
{
    constexpr double half = 0.6;  // of Oklab's lightness
    return toOklab(ground).l > half ? qRgb(0, 0, 0) : qRgb(255, 255, 255);
}

double contrastRatio(QRgb one, QRgb other)
{
    const double a = relativeLuminance(one) + 0.05;
    const double b = relativeLuminance(other) + 0.05;
    return std::max(a, b) / std::min(a, b);
}

QRgb readable(QRgb colour, QRgb ground, double contrast)
{
    const QRgb ink = inkOn(ground);
    QRgb readable = colour;
    for (double share = 0; share <= 1 && contrastRatio(readable, ground) < contrast; share += 1.0 / 16)
        readable = mixed(colour, ink, share);
    return readable;
}

std::pair<double, double> clippedRange(std::vector<double> values, double low, double high)
{
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty()) return {0, 0};
    const auto atShare = [&values](double share) {
        const auto place = std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1));
        const auto found = values.begin() + place;
        std::nth_element(values.begin(), found, values.end());
        return *found;
    };
    const double first = atShare(low);
    return {first, std::max(first, atShare(high))};
}

void paintColourLegend(QPainter& painter, const QRectF& box, const ColourScale& scale, const Theme& theme,
                       const QString& title)
{
    constexpr double barHeight = 10;
    painter.save();
    painter.setFont(timelineFont(11));
    const QFontMetricsF metrics(painter.font());
    QRectF bar(box.left(), box.top() + 2, box.width(), barHeight);
    if (!title.isEmpty()) {
        bar.setLeft(box.left() + metrics.horizontalAdvance(title) + 12);
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(box.left(), box.top(), bar.left() - box.left(), barHeight + 4),
                         Qt::AlignLeft | Qt::AlignVCenter, title);
    }
    const int columns = std::max(1, static_cast<int>(bar.width()));
    for (int x = 0; x < columns; ++x)
        painter.fillRect(QRectF(bar.left() + x, bar.top(), 1, bar.height()), QColor(scale.at((x + 0.5) / columns)));
    painter.setPen(theme.mutedText);
    const auto write = [&](double left, const QString& text) {
        painter.drawText(QRectF(left, bar.bottom() + 3, metrics.horizontalAdvance(text) + 1, 16),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    // The ends are always labelled, ticks between them where there is room.
    const QString low = valueText(scale.axis().low, scale.axis().unit);
    const QString high = valueText(scale.axis().high, scale.axis().unit);
    const double end = bar.right() - metrics.horizontalAdvance(high);
    write(bar.left(), low);
    write(end, high);
    double free = bar.left() + metrics.horizontalAdvance(low) + 10;
    for (const ValueTick& tick : valueTicks(scale.axis(), std::max(2, columns / 70))) {
        const double x = bar.left() + tick.position * bar.width();
        painter.fillRect(QRectF(std::min(x, bar.right() - 1), bar.bottom(), 1, 3), theme.line);
        const double width = metrics.horizontalAdvance(tick.label);
        const double left = x - width / 2;
        if (tick.label.isEmpty() || left < free || left + width + 10 > end) continue;
        write(left, tick.label);
        free = left + width + 10;
    }
    painter.restore();
}

}  // namespace longpole
