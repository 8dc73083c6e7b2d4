// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/histogramcanvas.h"

#include "core/trace/format.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace longpole {

namespace {

constexpr double binsMargin = 12;
constexpr double aboveBins = 18;  // for the names of percentiles
constexpr int roomy = 260;        // pixels: a lower chart has one line of the legend; the cursor tells the other names
constexpr int low = 120;          // and a chart lower than this has none
constexpr double oneLine = 20;

}  // namespace

HistogramCanvas::HistogramCanvas(QWidget* parent) : ChartCanvas(parent) { setAccessibleName(tr("Histogram")); }

void HistogramCanvas::setHistogram(std::shared_ptr<const Histogram> histogram, std::vector<ChartSwatch> swatches)
{
    m_histogram = std::move(histogram);
    m_swatches = std::move(swatches);
    m_hovered.reset();
    measure();
}

void HistogramCanvas::setLook(const HistogramLook& look)
{
    m_look = look;
    measure();
}

void HistogramCanvas::setBrush(std::optional<BinRange> bins)
{
    m_brush = bins;
    update();
}

void HistogramCanvas::measure()
{
    m_geometry = {};
    if (m_histogram) {
        m_legendHeight = paintSwatches(nullptr, m_swatches, width() - 2 * binsMargin, theme());
        if (height() < roomy) m_legendHeight = std::min(m_legendHeight, height() < low ? 0.0 : oneLine);
        m_geometry = histogramGeometry(*m_histogram, m_look, width());
        m_left = binsMargin + leftAxisWidth(m_geometry.heights, height());
    }
    update();
}

QRectF HistogramCanvas::plot() const
{
    const double bottom = height() - 6 - m_legendHeight - chartAxisHeight;
    return {m_left, aboveBins, std::max(10.0, width() - m_left - binsMargin), std::max(10.0, bottom - aboveBins)};
}

void HistogramCanvas::paintChart(QPainter& painter)
{
    if (!m_histogram || m_histogram->edges.empty()) return;
    const QRectF area = plot();
    HistogramPaint paint{.theme = &theme(), .colours = {}, .brush = m_brush, .hovered = m_hovered};
    for (const ChartSwatch& swatch : m_swatches) paint.colours.push_back(swatch.colour);
    if (m_pressed && m_dragged)
        paint.brush = BinRange{std::min(*m_pressed, *m_dragged), std::max(*m_pressed, *m_dragged) + 1};
    if (paint.brush) {
        const double left = area.left() + m_geometry.edges[paint.brush->first] * area.width();
        const double right = area.left() + m_geometry.edges[paint.brush->second] * area.width();
        painter.fillRect(QRectF(left, area.top(), right - left, area.height()), theme().markedRange);
    }
    paintLeftAxis(painter, area, m_geometry.heights, theme());
    paintHistogram(painter, area, *m_histogram, m_geometry, paint);
    paintTicksBelow(painter, area, m_geometry.ticks, theme());
    painter.save();
    painter.translate(binsMargin, height() - m_legendHeight - 4);
    painter.setClipRect(QRectF(0, 0, width(), m_legendHeight));
    paintSwatches(&painter, m_swatches, width() - 2 * binsMargin, theme());
    painter.restore();
}

std::optional<std::size_t> HistogramCanvas::binAt(QPointF point) const
{
    const QRectF area = plot();
    if (!area.contains(point)) return {};
    return m_geometry.binAt((point.x() - area.left()) / area.width());
}

std::optional<std::size_t> HistogramCanvas::nearestBin(QPointF point) const
{
    const QRectF area = plot();
    const double x = (point.x() - area.left()) / area.width();
    return m_geometry.binAt(std::clamp(x, 0.0, 1.0 - 1e-9));
}

void HistogramCanvas::hover(std::optional<std::size_t> bin)
{
    if (bin == m_hovered) return;
    m_hovered = bin;
    update();
    Q_EMIT hovered(bin);
}

void HistogramCanvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return;
    m_pressed = binAt(event->position());
    m_dragged.reset();
    if (!m_pressed) Q_EMIT brushCleared();
}

void HistogramCanvas::mouseMoveEvent(QMouseEvent* event)
{
    hover(m_pressed ? nearestBin(event->position()) : binAt(event->position()));
    if (!m_pressed) return;
    m_dragged = nearestBin(event->position());
    update();
}

void HistogramCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_pressed) return;
    const std::size_t from = *m_pressed;
    const std::size_t to = nearestBin(event->position()).value_or(from);
    const bool isClick = !m_dragged || *m_dragged == from;
    m_pressed.reset();
    m_dragged.reset();
    update();
    const bool isEmptyBin = m_histogram && m_histogram->counts[from] == 0;
    if (isClick && (isEmptyBin || m_brush == BinRange{from, from + 1})) Q_EMIT brushCleared();
    else Q_EMIT brushed(std::min(from, to), std::max(from, to) + 1);
}

void HistogramCanvas::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_brush) Q_EMIT brushCleared();
    else ChartCanvas::keyPressEvent(event);
}

void HistogramCanvas::leaveEvent(QEvent*) { hover({}); }

void HistogramCanvas::resizeEvent(QResizeEvent* event)
{
    ChartCanvas::resizeEvent(event);
    measure();
}

QByteArray HistogramCanvas::toCsv() const
{
    if (!m_histogram) return {};
    const auto quoted = [](QString text) -> QString {
        return QLatin1Char('"') % text.replace(QLatin1Char('"'), QLatin1String("\"\"")) % QLatin1Char('"');
    };
    const QString unit = isTime(m_histogram->of) ? QStringLiteral("ns") : QStringLiteral("bytes");
    QString text = QStringLiteral("series,from_%1,to_%1,count,sum_%1\r\n").arg(unit);
    for (std::size_t s = 0; s < m_histogram->series.size(); ++s)
        for (std::size_t bin = 0; bin < m_histogram->bins(); ++bin)
            if (m_histogram->series[s].counts[bin] > 0)
                text += quoted(s < m_swatches.size() ? m_swatches[s].name : QString())
                        % QStringLiteral(",%1,%2,%3,%4\r\n")
                              .arg(m_histogram->edges[bin])
                              .arg(m_histogram->edges[bin + 1])
                              .arg(m_histogram->series[s].counts[bin])
                              .arg(m_histogram->series[s].sums[bin]);
    return text.toUtf8();
}

}  // namespace longpole
