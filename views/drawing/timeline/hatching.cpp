// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/hatching.h"

#include "views/drawing/basics/palette.h"

#include <QImage>
#include <QTransform>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double lineShare = 1.0 / 3;  // of the pixels are a line's

// A pattern of diagonal lines in device pixels, so that it is as sharp as the screen.
QBrush linesOf(const QColor& colour, bool rises, double devicePixels)
{
    const int scale = std::max(1, static_cast<int>(std::lround(devicePixels)));
    const int side = static_cast<int>(hatchSpacing) * scale;
    QImage tile(side, side, QImage::Format_ARGB32_Premultiplied);
    tile.fill(Qt::transparent);
    const int width = std::max(1, static_cast<int>(std::lround(side * lineShare)));
    for (int y = 0; y < side; ++y)
        for (int i = 0; i < width; ++i) {
            const int x = rises ? (side - 1 - y + i) % side : (y + i) % side;
            tile.setPixelColor(x, y, colour);
        }
    QBrush brush(tile);
    brush.setTransform(QTransform::fromScale(1.0 / scale, 1.0 / scale));
    return brush;
}

// The same lines as shapes, cut off at the rectangle's edges.
void strokeLines(QPainter& painter, const QRectF& rect, bool rises, const QColor& colour)
{
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    painter.setPen(QPen(colour, hatchSpacing * lineShare * std::sqrt(0.5)));
    for (double x = -rect.height(); x < rect.width(); x += hatchSpacing) {
        const double from = rect.left() + x;
        const double to = from + rect.height();
        painter.drawLine(QPointF(from, rises ? rect.bottom() : rect.top()),
                         QPointF(to, rises ? rect.top() : rect.bottom()));
    }
    painter.restore();
}

}  // namespace

QRgb partColour(CallPart part, const Theme& theme, bool isHatched)
{
    const auto wait = [isHatched](const QColor& ground, const QColor& lines) {
        return isHatched ? ground.rgb() : mixed(ground.rgb(), lines.rgb(), lineShare);
    };
    switch (part) {
    case CallPart::WaitBefore: return wait(theme.waitBefore, theme.waitBeforeLines);
    case CallPart::WaitAfter: return wait(theme.waitAfter, theme.waitAfterLines);
    case CallPart::Execution: return theme.mpiExecution.rgb();
    case CallPart::None: break;
    }
    return theme.overhead.rgb();
}

Hatching::Hatching(const Theme& theme, double devicePixels, bool vector)
    : m_before(linesOf(theme.waitBeforeLines, true, devicePixels)),
      m_after(linesOf(theme.waitAfterLines, false, devicePixels)), m_vector(vector)
{
    if (!m_vector) return;
    m_before = QBrush(theme.waitBeforeLines);
    m_after = QBrush(theme.waitAfterLines);
}

void Hatching::fill(QPainter& painter, const QRectF& rect, CallPart part) const
{
    if (part != CallPart::WaitBefore && part != CallPart::WaitAfter) return;
    const bool rises = part == CallPart::WaitBefore;
    const QBrush& brush = rises ? m_before : m_after;
    if (m_vector) {
        strokeLines(painter, rect, rises, brush.color());
        return;
    }
    painter.setBrushOrigin(rect.topLeft());
    painter.fillRect(rect, brush);
    painter.setBrushOrigin(0, 0);
}

QBrush overheadBrush(OverheadKind kind, const Theme& theme)
{
    const QColor packing = theme.dark ? QColor(236, 238, 242, 190) : QColor(30, 33, 38, 170);
    switch (kind) {
    case OverheadKind::Pack: return {packing, Qt::Dense4Pattern};
    case OverheadKind::Unpack: return {packing, Qt::Dense6Pattern};
    case OverheadKind::Flush: return {theme.warning, Qt::BDiagPattern};
    case OverheadKind::Untraced: break;
    }
    return {theme.faintText, Qt::BDiagPattern};
}

QBrush unknownBrush(const Theme& theme) { return {theme.line, Qt::BDiagPattern}; }

}  // namespace longpole
