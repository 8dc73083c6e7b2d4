// SPDX-License-Identifier: GPL-3.0-or-later

// QCustomPlot's header is written with Qt's keywords.
#undef QT_NO_KEYWORDS
#undef QT_NO_FOREACH
#undef QT_NO_CAST_FROM_ASCII

#include "views/plots/plot.h"

#include "views/widgets/tableview.h"

#include <qcustomplot.h>

#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace longpole {

Plot::Plot(QWidget* parent) : PlotFrame(parent)
{
    QCustomPlot* plot = &canvas();
    m_levelLine = new QCPItemLine(plot);
    m_markerLine = new QCPItemLine(plot);
    m_markerText = new QCPItemText(plot);
    for (QCPItemLine* line : {m_levelLine, m_markerLine})
        for (QCPItemPosition* end : {line->start, line->end}) {
            const bool isLevel = line == m_levelLine;
            end->setTypeX(isLevel ? QCPItemPosition::ptAxisRectRatio : QCPItemPosition::ptPlotCoords);
            end->setTypeY(isLevel ? QCPItemPosition::ptPlotCoords : QCPItemPosition::ptAxisRectRatio);
        }
    m_markerText->position->setTypeX(QCPItemPosition::ptPlotCoords);
    m_markerText->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_markerText->setClipToAxisRect(false);
    connect(this, &PlotFrame::doubleClicked, this, &PlotFrame::showAll);
    dress(themeOf(*this));
    placeMarker();
}

void Plot::setSeries(std::vector<PlotSeries> series, std::optional<double> yFrom)
{
    m_series = std::move(series);
    drawSeries();
    QCustomPlot& plot = canvas();
    const QCPRange xBefore = plot.xAxis->range(), yBefore = plot.yAxis->range();
    plot.rescaleAxes();
    const QCPRange x = plot.xAxis->range();
    QCPRange y = plot.yAxis->range();
    plot.xAxis->setRange(xBefore);  // setWhole decides what shows
    plot.yAxis->setRange(yBefore);
    if (yFrom) y.lower = *yFrom;
    if (y.size() <= 0) y.upper = y.lower + std::max(1.0, std::abs(y.lower) * 0.1);
    y.upper += y.size() * 0.06;
    setWhole({x.lower, x.upper}, {y.lower, y.upper});
    placeMarker();
}

void Plot::drawSeries()
{
    QCustomPlot& plot = canvas();
    plot.clearGraphs();
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) axis->setVisible(!m_series.empty());
    const Theme& theme = themeOf(*this);
    for (const PlotSeries& one : m_series) {
        QCPGraph* graph = plot.addGraph();
        graph->setName(one.name);
        graph->setPen(QPen(one.color, 1.8));
        if (one.hasDots)
            graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(one.color), theme.window, 5));
        graph->setData(QVector<double>(one.x.begin(), one.x.end()), QVector<double>(one.y.begin(), one.y.end()), true);
    }
}

void Plot::setMarker(std::optional<double> x, const QString& text)
{
    m_marker = x;
    m_markerText->setText(text);
    placeMarker();
}

void Plot::setLevel(std::optional<double> y)
{
    m_level = y;
    placeMarker();
}

void Plot::placeMarker()
{
    const bool isThere = m_marker.has_value() && !m_series.empty();
    m_markerLine->setVisible(isThere);
    m_markerText->setVisible(isThere && !m_markerText->text().isEmpty());
    if (isThere) {
        m_markerLine->start->setCoords(*m_marker, 0);
        m_markerLine->end->setCoords(*m_marker, 1);
        const bool isRight = *m_marker > canvas().xAxis->range().center();
        m_markerText->position->setCoords(*m_marker, 0.02);
        m_markerText->setPositionAlignment(Qt::AlignTop | (isRight ? Qt::AlignRight : Qt::AlignLeft));
    }
    m_levelLine->setVisible(m_level.has_value() && !m_series.empty());
    if (m_level) {
        m_levelLine->start->setCoords(0, *m_level);
        m_levelLine->end->setCoords(1, *m_level);
    }
    draw();
}

void Plot::dress(const Theme& theme)
{
    PlotFrame::dress(theme);
    m_levelLine->setPen(QPen(theme.faintText, 1, Qt::DashLine));
    m_markerLine->setPen(QPen(theme.text, 1));
    m_markerText->setColor(theme.text);
    m_markerText->setFont(font());
    m_markerText->setPadding(QMargins(6, 2, 6, 2));
    m_markerText->setBrush(theme.panel);
}

bool Plot::eventFilter(QObject* watched, QEvent* event)
{
    const auto* mouse = dynamic_cast<const QMouseEvent*>(event);
    if (watched != &canvas() || !m_marker || mouse == nullptr) return PlotFrame::eventFilter(watched, event);
    const bool isLeft = mouse->button() == Qt::LeftButton;
    if (event->type() == QEvent::MouseButtonPress && isLeft && !(mouse->modifiers() & Qt::ShiftModifier))
        m_dragging = true;
    if (!m_dragging) return PlotFrame::eventFilter(watched, event);
    Q_EMIT markerMoved(at(mouse->position()).x());
    if (event->type() == QEvent::MouseButtonRelease && isLeft) m_dragging = false;
    return true;
}

QByteArray Plot::toCsv() const
{
    QString text = QStringLiteral("\"series\",") % csvQuoted(xAxis().title) % QLatin1Char(',')
                   % csvQuoted(yAxis().title) % QStringLiteral("\r\n");
    for (const PlotSeries& one : m_series)
        for (std::size_t i = 0; i < one.x.size(); ++i)
            text += csvQuoted(one.name) % QLatin1Char(',') % csvNumber(one.x[i]) % QLatin1Char(',')
                    % csvNumber(one.y[i]) % QStringLiteral("\r\n");
    return text.toUtf8();
}

}  // namespace longpole
