// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/phasebands.h"

#include "core/trace/format.h"
#include "views/drawing/basics/font.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace longpole {

std::vector<PhaseBand> phaseBands(std::span<const TimeRange> ranges, const TimeCoordinates& at, double least)
{
    std::vector<PhaseBand> bands;
    const auto beginsBefore = [](const TimeRange& range, TimeNs time) { return range.begin < time; };
    auto next = std::lower_bound(ranges.begin(), ranges.end(), at.range.begin, beginsBefore);
    if (next != ranges.begin()) --next;  // it may reach into the view
    bool isOpen = false;                 // the last band is of narrow ranges and may get further ones
    while (next != ranges.end() && next->begin < at.range.end) {
        const TimeRange range = *next;
        const double x0 = std::max(0.0, at.x(range.begin));
        const double x1 = std::min(at.width, at.x(range.end));
        const auto number = static_cast<std::size_t>(next - ranges.begin()) + 1;
        ++next;
        if (range.end <= at.range.begin) continue;
        const bool isNarrow = at.x(range.end) - at.x(range.begin) < least;
        if (isOpen && isNarrow && x0 - bands.back().x1 < 1) {
            // All that begin on the same pixel are taken at once, but for the last, which may be wide.
            const auto behind = std::lower_bound(next, ranges.end(), at.time(x1 + 0.5), beginsBefore);
            if (behind - next > 1) next = behind - 1;
            bands.back().x1 = std::max({bands.back().x1, x1, std::min(at.width, at.x((next - 1)->end))});
            bands.back().shared = static_cast<std::size_t>(next - ranges.begin()) + 1 - bands.back().number;
            continue;
        }
        isOpen = isNarrow;
        bands.push_back({.x0 = x0, .x1 = x1, .number = number, .shared = 1, .begins = range.begin >= at.range.begin});
    }
    return bands;
}

void paintBands(QPainter& painter, std::span<const PhaseBand> bands, double top, double height, const Theme& theme)
{
    for (const PhaseBand& band : bands)
        if (band.number % 2 == 1 && band.shared == 1)  // a tint over many would say nothing
            painter.fillRect(QRectF(band.x0, top, std::max(1.0, band.x1 - band.x0), height), theme.band);
    paintBandEdges(painter, bands, top, height, theme);
}

void paintBandEdges(QPainter& painter, std::span<const PhaseBand> bands, double top, double height, const Theme& theme)
{
    constexpr double roomForLine = 12;
    for (const PhaseBand& band : bands)
        if (band.shared == 1 && band.begins && band.x1 - band.x0 >= roomForLine)
            painter.fillRect(QRectF(std::round(band.x0), top, 1, height), theme.bandEdge);
}

void paintBandNumbers(QPainter& painter, std::span<const PhaseBand> bands, double top, double height,
                      const Theme& theme, double textScale)
{
    painter.setFont(timelineFont(10.5 * textScale));
    const QFontMetricsF metrics(painter.font());
    for (const PhaseBand& band : bands) {
        const QRectF box(band.x0, top, std::max(1.0, band.x1 - band.x0), height);
        const bool isTinted = band.number % 2 == 1 || band.shared > 1;
        painter.fillRect(box.adjusted(0, 1, 0, -1), isTinted ? theme.bandLabel : theme.raised);
        const QString text = band.shared == 1
                                 ? formatCount(static_cast<std::int64_t>(band.number))
                                 : QStringLiteral("%1 – %2").arg(
                                     formatCount(static_cast<std::int64_t>(band.number)),
                                     formatCount(static_cast<std::int64_t>(band.number + band.shared - 1)));
        if (metrics.horizontalAdvance(text) + 6 > box.width()) continue;
        painter.setPen(theme.mutedText);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

}  // namespace longpole
