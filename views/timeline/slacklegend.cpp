// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/slacklegend.h"

#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/basics/textscale.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <cmath>

namespace longpole {

namespace {

constexpr double margin = 10;  // room for half a figure
constexpr double top = 5;
constexpr double thickness = 9;
constexpr double figureHeight = 14;

}  // namespace

SlackLegend::SlackLegend(QWidget* parent) : QWidget(parent)
{
    takeFont();
    setFocusPolicy(Qt::StrongFocus);
    speakAs(*this, QAccessible::Slider);
    setAccessibleName(tr("Slack that is let through"));
    setToolTip(tr("Drag to dim tasks with more slack; drag to the right end to show all"));
    setCursor(Qt::SizeHorCursor);
    setEnabled(false);
}

void SlackLegend::takeFont() { setFixedSize(340, qRound(top + thickness + 6 + figureHeight * textScale(font()))); }

void SlackLegend::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) takeFont();
}

void SlackLegend::setScale(std::optional<SlackScale> scale)
{
    m_scale = scale;
    setEnabled(scale.has_value());
    update();
}

void SlackLegend::setMost(std::optional<TimeNs> most)
{
    m_most = most;
    update();
}

QRectF SlackLegend::colours() const { return {margin, top, width() - 2 * margin, thickness}; }

double SlackLegend::xOf(TimeNs slack) const
{
    return colours().left() + colours().width() * (m_scale ? m_scale->position(slack) : 1);
}

void SlackLegend::paintEvent(QPaintEvent*)
{
    const Theme& theme = themeOf(*this);
    QPainter painter(this);
    const QRectF area = colours();
    if (!m_scale) {
        painter.fillRect(area, theme.line);
        return;
    }
    const std::span<const QRgb, slackSteps> steps = slackColours(theme);
    const double step = area.width() / slackSteps;
    for (int i = 0; i < slackSteps; ++i)
        painter.fillRect(QRectF(area.left() + i * step, area.top(), step, area.height()),
                         QColor::fromRgb(steps[static_cast<std::size_t>(i)]));
    const double letters = textScale(font());
    painter.setFont(timelineFont(10.5 * letters));
    painter.setPen(theme.mutedText);
    const auto figure = [&](double x, const QString& text) {
        painter.drawText(QRectF(x - 40, area.bottom() + 2, 80, figureHeight * letters), Qt::AlignCenter, text);
    };
    figure(area.left() + step / 2, QStringLiteral("0"));
    double decade = std::pow(10, std::ceil(std::log10(static_cast<double>(m_scale->largest()) / 1000)));
    for (; decade < static_cast<double>(m_scale->largest()); decade *= 10) {
        const double x = xOf(static_cast<TimeNs>(decade));
        figure(x, formatTime(static_cast<TimeNs>(decade)));
        painter.fillRect(QRectF(std::round(x), area.bottom(), 1, 3), theme.faintText);
    }
    const double x = m_most ? xOf(*m_most) : area.right();
    QColor veil = theme.window;
    veil.setAlphaF(0.75f);
    painter.fillRect(QRectF(x, area.top(), area.right() - x, area.height()), veil);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.window, 1));
    painter.setBrush(hasFocus() ? theme.text : theme.mutedText);
    painter.drawRoundedRect(QRectF(x - 3, area.top() - 3, 6, area.height() + 6), 3, 3);
}

void SlackLegend::choose(double x)
{
    if (!m_scale) return;
    const double position = (x - colours().left()) / colours().width();
    m_most = position >= 1 ? std::optional<TimeNs>() : m_scale->slackAt(position);
    update();
    Q_EMIT mostChosen(m_most);
}

void SlackLegend::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) choose(event->position().x());
}

void SlackLegend::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons() & Qt::LeftButton) choose(event->position().x());
}

void SlackLegend::keyPressEvent(QKeyEvent* event)
{
    const double x = m_most ? xOf(*m_most) : colours().right();
    const double step = colours().width() / (4 * slackSteps);
    if (event->key() == Qt::Key_Left) choose(std::max(x - step, colours().left()));
    else if (event->key() == Qt::Key_Right) choose(x + step);
    else QWidget::keyPressEvent(event);
}

}  // namespace longpole
