// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/partbarview.h"

#include "core/trace/format.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tablemodel.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <cmath>

namespace longpole {

PartBar::PartBar(const QString& name, QWidget* parent) : ChartCanvas(parent), m_name(name)
{
    speakAs(*this, QAccessible::Chart);
    setAccessibleName(name);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void PartBar::setChoosable(bool on)
{
    m_choosable = on;
    setFocusPolicy(on ? Qt::StrongFocus : Qt::ClickFocus);
}

void PartBar::setParts(std::vector<BarPart> parts)
{
    m_parts = std::move(parts);
    m_marked = -1;
    m_hovered = -1;
    arrange();
}

void PartBar::setMarked(int part)
{
    m_marked = part;
    QString text = m_name;
    if (part >= 0 && part < static_cast<int>(m_parts.size()))
        text += QStringLiteral(": ") % m_parts[static_cast<std::size_t>(part)].name;
    setAccessibleName(text);
    update();
}

void PartBar::arrange()
{
    m_geometry = geometryOf(width());
    setMinimumHeight(static_cast<int>(std::ceil(m_geometry.height)));
    updateGeometry();
    update();
}

int PartBar::heightForWidth(int width) const { return static_cast<int>(std::ceil(geometryOf(width).height)); }
QSize PartBar::sizeHint() const { return {240, heightForWidth(std::max(240, width()))}; }

void PartBar::resizeEvent(QResizeEvent*) { arrange(); }

void PartBar::paintChart(QPainter& painter)
{
    paintParts(painter, m_geometry, m_parts, m_hovered >= 0 && m_choosable ? m_hovered : m_marked, theme());
    if (!hasFocus() || m_marked < 0) return;
    const QRectF& row = m_geometry.legend[static_cast<std::size_t>(m_marked)];
    painter.setPen(theme().mutedText);
    painter.setBrush(Qt::NoBrush);
    if (!row.isEmpty()) painter.drawRoundedRect(row.adjusted(-3, 1.5, 3, -1.5), 3, 3);
}

bool PartBar::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int part = partAt(m_geometry, help->pos());
        if (part < 0) QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(),
                               m_parts[static_cast<std::size_t>(part)].name % QStringLiteral(" · ")
                                   % formatTime(m_parts[static_cast<std::size_t>(part)].time),
                               this);
        return true;
    }
    // While the bar has the focus these keys are its own, not the window's shortcuts.
    if (event->type() == QEvent::ShortcutOverride && m_choosable) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Return || key == Qt::Key_Enter)
            event->accept();
    }
    return ChartCanvas::event(event);
}

void PartBar::mouseMoveEvent(QMouseEvent* event)
{
    const int part = partAt(m_geometry, event->position());
    if (m_choosable) setCursor(part >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (part == m_hovered) return;
    m_hovered = part;
    update();
}

void PartBar::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

void PartBar::mouseReleaseEvent(QMouseEvent* event)
{
    const int part = partAt(m_geometry, event->position());
    if (event->button() != Qt::LeftButton || part < 0 || !m_choosable) return;
    setMarked(part);
    Q_EMIT chosen(part);
}

void PartBar::step(bool forward)
{
    const int count = static_cast<int>(m_parts.size());
    for (int tried = 0, part = m_marked; tried < count; ++tried) {
        part = part < 0 ? (forward ? 0 : count - 1) : (part + (forward ? 1 : count - 1)) % count;
        if (m_parts[static_cast<std::size_t>(part)].time <= 0) continue;
        setMarked(part);
        return;
    }
}

void PartBar::keyPressEvent(QKeyEvent* event)
{
    if (!m_choosable) return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left: return step(false);
    case Qt::Key_Right: return step(true);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_marked >= 0) Q_EMIT chosen(m_marked);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

QByteArray PartBar::toCsv() const
{
    QByteArray csv("name,time_ns\n");
    for (const BarPart& part : m_parts)
        csv += csvField(part.name).toUtf8() % ',' % QByteArray::number(static_cast<qlonglong>(part.time)) % '\n';
    return csv;
}

}  // namespace longpole
