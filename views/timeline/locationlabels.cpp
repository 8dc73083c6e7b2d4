// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/locationlabels.h"

#include "views/drawing/basics/font.h"
#include "views/drawing/basics/textscale.h"
#include "views/widgets/spoken.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace longpole {

namespace {

constexpr double usualPixels = 12;  // of the letters
constexpr double leastLetters = 8;
constexpr double indentation = 12;
constexpr double rightGap = 12;
constexpr double arrowRoom = 16;

}  // namespace

LocationLabels::LocationLabels(RowModel* rows, QWidget* parent) : QWidget(parent), m_rows(rows)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    speakAs(*this, QAccessible::List);
    setAccessibleName(tr("Row names"));
    connect(rows, &RowModel::changed, this, qOverload<>(&QWidget::update));
}

void LocationLabels::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

int LocationLabels::wantedWidth() const
{
    const double letters = textScale(font());
    const QFontMetricsF metrics(timelineFont(usualPixels * letters));
    double wanted = 0;
    // Names of one kind are about equally long: every n-th of them, about 256, will do.
    const std::size_t step = std::max<std::size_t>(1, m_rows->rows().size() / 256);
    for (std::size_t i = 0; i < m_rows->rows().size(); i += step) {
        const TimelineRow& row = m_rows->rows()[i];
        wanted = std::max(wanted, metrics.horizontalAdvance(row.label) + indentation * row.depth + arrowRoom);
    }
    return std::clamp(static_cast<int>(wanted + rightGap + 8), qRound(84 * letters), qRound(240 * letters));
}

void LocationLabels::paintRow(QPainter& painter, const PlacedRow& placed) const
{
    const TimelineRow& row = m_rows->rows()[placed.row];
    const RowBox& box = placed.box;
    const double letters = textScale(this->font());
    const double pixels = std::min(usualPixels * letters, box.height - 1);
    if (pixels >= leastLetters) {
        const bool group = row.kind == RowKind::Group;
        QFont font = timelineFont(pixels);
        if (group) font.setWeight(QFont::Medium);
        painter.setFont(font);
        const QFontMetricsF metrics(font);
        const double left = 8 + indentation * row.depth + (row.foldable ? arrowRoom : 0);
        const QRectF rect(left, box.top, width() - left - rightGap, box.height - 1);
        const QColor colour = !row.hasLog ? m_theme.faintText : group ? m_theme.text : m_theme.mutedText;
        painter.setPen(colour);
        const QString text = metrics.elidedText(row.label, Qt::ElideMiddle, rect.width());
        const double middle = box.bodyTop + box.bodyHeight / 2;
        const bool inTree = group || row.depth > 0 || row.foldable;
        painter.drawText(QRectF(rect.left(), middle - 10 * letters, rect.width(), 20 * letters),
                         (inTree ? int{Qt::AlignLeft} : int{Qt::AlignRight}) | int{Qt::AlignVCenter}, text);
        if (row.foldable) {
            const QPointF at(left - arrowRoom + 5, middle);
            QPainterPath arrow;
            if (row.folded) {
                arrow.moveTo(at + QPointF(-2, -4));
                arrow.lineTo(at + QPointF(2, 0));
                arrow.lineTo(at + QPointF(-2, 4));
            } else {
                arrow.moveTo(at + QPointF(-4, -2));
                arrow.lineTo(at + QPointF(0, 2));
                arrow.lineTo(at + QPointF(4, -2));
            }
            painter.setRenderHint(QPainter::Antialiasing, true);
            painter.setPen(QPen(m_theme.faintText, 1.4));
            painter.setBrush(Qt::NoBrush);
            painter.drawPath(arrow);
            painter.setRenderHint(QPainter::Antialiasing, false);
        }
        if (row.pinned) painter.fillRect(QRectF(2, middle - 5, 2, 10), m_theme.utilization);
    }
    if (box.height >= 12) painter.fillRect(QRectF(0, box.bottom() - 1, width(), 1), m_theme.line);
}

// Rows too low for their names: as many of them are named as have room.
void LocationLabels::paintSparseNames(QPainter& painter, const std::vector<PlacedRow>& placed) const
{
    const double letters = textScale(font());
    const double room = std::round(20 * letters);
    painter.setFont(timelineFont(usualPixels * letters));
    painter.setPen(m_theme.mutedText);
    const QFontMetricsF metrics(painter.font());
    double free = m_rows->pinnedHeight();
    for (const PlacedRow& place : placed) {
        const TimelineRow& row = m_rows->rows()[place.row];
        if (row.pinned || place.box.height - 1 >= leastLetters || place.box.top < free) continue;
        const QRectF rect(8, place.box.top, width() - 8 - rightGap, room);
        if (rect.bottom() > height()) return;
        painter.drawText(rect, Qt::AlignRight | Qt::AlignTop,
                         metrics.elidedText(m_rows->shortLabel(row), Qt::ElideMiddle, rect.width()));
        free = rect.bottom() + room;
    }
}

void LocationLabels::paintPicture(QPainter& painter) const
{
    painter.save();
    painter.fillRect(rect(), m_theme.panel);
    const std::vector<PlacedRow> placed = m_rows->placed();
    const double pinned = m_rows->pinnedHeight();
    painter.setClipRect(QRectF(0, pinned, width(), height()));
    for (const PlacedRow& place : placed)
        if (!m_rows->rows()[place.row].pinned) paintRow(painter, place);
    paintSparseNames(painter, placed);
    painter.setClipRect(rect());
    for (const PlacedRow& place : placed)
        if (m_rows->rows()[place.row].pinned) paintRow(painter, place);
    if (pinned > 0) painter.fillRect(QRectF(0, pinned - 2, width(), 2), m_theme.line);
    painter.restore();
}

void LocationLabels::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintPicture(painter);
}

void LocationLabels::mousePressEvent(QMouseEvent* event)
{
    const std::optional<std::size_t> row = m_rows->rowAt(event->position().y());
    if (!row) return;
    if (event->button() == Qt::LeftButton && m_rows->rows()[*row].foldable)
        m_rows->toggleFold(m_rows->rows()[*row].track);
    else if (event->button() == Qt::RightButton) Q_EMIT contextMenuRequested(*row, event->globalPosition().toPoint());
}

void LocationLabels::wheelEvent(QWheelEvent* event)
{
    m_rows->setScroll(m_rows->scroll() - event->angleDelta().y() / 120.0 * std::max(48.0, m_rows->rowHeight()));
    event->accept();
}

bool LocationLabels::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::optional<std::size_t> row = m_rows->rowAt(help->pos().y());
        if (row) QToolTip::showText(help->globalPos(), m_rows->rows()[*row].label, this);
        else QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

}  // namespace longpole
