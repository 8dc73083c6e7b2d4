// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/plotbands.h"

#include "views/drawing/timeline/phasebands.h"
#include "views/plots/frame.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include <QEvent>
#include <QPainter>

#include <cmath>

namespace longpole {

PlotBands::PlotBands(PlotFrame& plot, const ViewState& state, TimeNs zero)
    : QWidget(&plot), m_plot(plot), m_state(state), m_zero(zero)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    plot.installEventFilter(this);
    connect(&plot, &PlotFrame::shownChanged, this, qOverload<>(&QWidget::update));
    connect(&state, &ViewState::phaseBandsChanged, this, qOverload<>(&QWidget::update));
    setGeometry(plot.rect());
}

bool PlotBands::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show) {
        setGeometry(m_plot.rect());
        raise();
    }
    return QWidget::eventFilter(watched, event);
}

void PlotBands::paintEvent(QPaintEvent*)
{
    const QRect axes = m_plot.axesRect();
    if (m_plot.xUnit() != PlotUnit::Time || m_state.shownBands().empty() || axes.isEmpty()) return;
    const auto [from, to] = m_plot.xShown();
    const TimeRange range{m_zero + std::llround(from), m_zero + std::llround(to)};
    if (range.isEmpty()) return;
    constexpr double numbersHeight = 13;
    const std::vector<PhaseBand> bands = phaseBands(m_state.shownBands(), {range, static_cast<double>(axes.width())});
    QPainter painter(this);
    painter.translate(axes.topLeft());
    paintBandEdges(painter, bands, 0, axes.height(), themeOf(*this));  // a tint would change the plot's colours
    painter.translate(0, -numbersHeight);                              // in the margin above the axes
    paintBandNumbers(painter, bands, 0, numbersHeight, themeOf(*this));
}

}  // namespace longpole
