// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/overlays.h"

#include "analysis/base/naming.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/basics/softlines.h"
#include "views/drawing/timeline/phasebands.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <vector>

namespace longpole {

OverlayPainter::OverlayPainter(QPainter& painter, const Surroundings& surroundings)
    : m_painter(painter), m_in(surroundings)
{
}

void OverlayPainter::paintSelection(const TaskDetail& task)
{
    if (const std::optional<std::size_t> row = m_in.rows.rowOf(task.id.pe)) outline(*row, task.range);
}

void OverlayPainter::paintSelection(const MpiCallRow& call)
{
    std::optional<std::size_t> row = m_in.rows.rowOf(call.track);
    if (!row) row = m_in.rows.rowOf(ProcessorId{call.rank});
    if (row) outline(*row, call.range);
}

void OverlayPainter::outline(std::size_t row, TimeRange range)
{
    if (const RowKind kind = m_in.rows.rows()[row].kind; kind == RowKind::Group || kind == RowKind::Band) return;
    const RowBox box = m_in.rows.boxOf(row);
    const TimeCoordinates& at = m_in.at;
    const double x0 = std::clamp(at.x(range.begin), -10.0, at.width + 10);
    const double x1 = std::clamp(at.x(range.end), -10.0, at.width + 10);
    if (x1 < 0 || x0 > at.width) return;
    QRectF outline(std::floor(x0), box.bodyTop, std::max(3.0, std::ceil(x1) - std::floor(x0)), box.bodyHeight);
    outline = outline.adjusted(-1, -1, 1, 1);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(m_in.theme.rowBackground, 3));
    m_painter.drawRect(outline);
    m_painter.setPen(QPen(m_in.theme.selection, 1.5));
    m_painter.drawRect(outline);
}

void OverlayPainter::paintArrows(const MessageArrows& arrows)
{
    if (arrows.arrows.empty()) return;
    const TimeCoordinates& at = m_in.at;
    std::vector<SoftLine> lines;
    for (const MessageArrow& arrow : arrows.arrows) {
        const auto from = m_in.rows.rowOf(arrow.source.pe);
        const auto to = m_in.rows.rowOf(arrow.target.pe);
        if (!from || !to) continue;
        const RowBox fromBox = m_in.rows.boxOf(*from);
        const RowBox toBox = m_in.rows.boxOf(*to);
        const QPointF start(at.x(arrow.sent), fromBox.bodyTop + fromBox.bodyHeight / 2);
        const QPointF end(at.x(arrow.begin), toBox.bodyTop + toBox.bodyHeight / 2);
        if (std::max(start.x(), end.x()) < 0 || std::min(start.x(), end.x()) > at.width) continue;
        lines.push_back({start, end, arrow.estimated});
    }
    QColor colour = m_in.theme.selection;
    colour.setAlphaF(0.8f);
    paintSoftLines(m_painter, lines, colour, 1.3);
    m_painter.save();
    m_painter.setRenderHint(QPainter::Antialiasing, true);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(colour);
    for (const SoftLine& line : lines) {
        m_painter.drawEllipse(line.from, 2.2, 2.2);
        const QPointF head[3] = {line.to, line.to + QPointF(-7, -3.5), line.to + QPointF(-7, 3.5)};
        m_painter.drawPolygon(head, 3);
    }
    m_painter.restore();
}

QString OverlayPainter::notDrawnText(const MessageArrows& arrows, const RowModel& rows, std::int64_t ofPath)
{
    const std::int64_t hidden = std::count_if(arrows.arrows.begin(), arrows.arrows.end(),
                                              [&rows](const MessageArrow& arrow) {
                                                  return !rows.rowOf(arrow.source.pe) || !rows.rowOf(arrow.target.pe);
                                              });
    QStringList parts;
    if (arrows.omitted > 0)
        parts << counted("%1 more messages are not drawn", "%1 more message is not drawn", arrows.omitted);
    if (hidden > 0)
        parts << counted("%1 more lead to rows that are hidden", "%1 more leads to a row that is hidden", hidden);
    if (ofPath > 0)
        parts << counted("zoom in to see the arrows of %1 messages on the path",
                         "zoom in to see the arrow of %1 message on the path", ofPath);
    return parts.join(QStringLiteral(" \u00b7 "));
}

void OverlayPainter::paintNotDrawn(const QString& text)
{
    if (text.isEmpty()) return;
    m_painter.setFont(timelineFont(11 * m_in.textScale));
    const double width = QFontMetricsF(m_painter.font()).horizontalAdvance(text) + 12;
    const double height = 17 * m_in.textScale;
    const QRectF label(m_in.at.width - width - 6, m_in.height - height - 3, width, height);
    m_painter.fillRect(label, m_in.theme.raised);
    m_painter.setPen(m_in.theme.mutedText);
    m_painter.drawText(label, Qt::AlignCenter, text);
}

void OverlayPainter::paintPhaseBands()
{
    paintBands(m_painter, phaseBands(m_in.state.shownBands(), m_in.at), 0, m_in.height, m_in.theme);
}

void OverlayPainter::paintMarked()
{
    const TimeRange marked = m_in.state.marked();
    if (marked.isEmpty()) return;
    const TimeCoordinates& at = m_in.at;
    const double x0 = std::clamp(at.x(marked.begin), -2.0, at.width + 2);
    const double x1 = std::clamp(at.x(marked.end), -2.0, at.width + 2);
    m_painter.fillRect(QRectF(x0, 0, x1 - x0, m_in.height), m_in.theme.markedRange);
    QColor edge = m_in.theme.markedRange;
    edge.setAlpha(210);
    m_painter.fillRect(QRectF(std::round(x0), 0, 1, m_in.height), edge);
    m_painter.fillRect(QRectF(std::round(x1) - 1, 0, 1, m_in.height), edge);
    const QString text = formatTime(marked.length());
    m_painter.setFont(timelineFont(11 * m_in.textScale));
    const double textWidth = QFontMetricsF(m_painter.font()).horizontalAdvance(text) + 12;
    const double middle = std::clamp((x0 + x1) / 2, textWidth / 2, std::max(textWidth / 2, at.width - textWidth / 2));
    const QRectF label(middle - textWidth / 2, 1, textWidth, 16 * m_in.textScale);
    m_painter.fillRect(label, m_in.theme.raised);
    m_painter.setPen(m_in.theme.text);
    m_painter.drawText(label, Qt::AlignCenter, text);
}

void OverlayPainter::paintRuler(TimeRange ruler)
{
    const TimeCoordinates& at = m_in.at;
    const double x0 = at.x(ruler.begin);
    const double x1 = at.x(ruler.end);
    const double y = std::min(30.0, m_in.height / 2.0);
    m_painter.fillRect(QRectF(std::round(x0), 0, 1, m_in.height), m_in.theme.mutedText);
    m_painter.fillRect(QRectF(std::round(x1), 0, 1, m_in.height), m_in.theme.mutedText);
    m_painter.fillRect(QRectF(std::min(x0, x1), y, std::abs(x1 - x0), 1), m_in.theme.mutedText);
    const QString text = formatTime(std::abs(ruler.end - ruler.begin));
    m_painter.setFont(timelineFont(11.5 * m_in.textScale));
    const double textWidth = QFontMetricsF(m_painter.font()).horizontalAdvance(text) + 12;
    const double textHeight = 18 * m_in.textScale;
    const QRectF label(std::clamp((x0 + x1) / 2 - textWidth / 2, 0.0, std::max(0.0, at.width - textWidth)),
                       y - textHeight / 2, textWidth, textHeight);
    m_painter.fillRect(label, m_in.theme.raised);
    m_painter.setPen(m_in.theme.text);
    m_painter.drawText(label, Qt::AlignCenter, text);
}

void OverlayPainter::paintZoomBox(const QRectF& box)
{
    m_painter.fillRect(box, m_in.theme.markedRange);
    m_painter.setPen(QPen(m_in.theme.selection, 1, Qt::DashLine));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
}

}  // namespace longpole
