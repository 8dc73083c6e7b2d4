// SPDX-License-Identifier: GPL-3.0-or-later
// A histogram as a widget that tells which bin is under the cursor, and lets the hand choose bins by dragging (a
// brush).
#pragma once

#include "views/drawing/pictures/renderhistogram.h"
#include "views/plots/chartcanvas.h"

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

using BinRange = std::pair<std::size_t, std::size_t>;  // bins [first, second)

class HistogramCanvas : public ChartCanvas {
    Q_OBJECT
public:
    explicit HistogramCanvas(QWidget* parent = nullptr);

    // `swatches`: names and colours of the series.
    void setHistogram(std::shared_ptr<const Histogram> histogram, std::vector<ChartSwatch> swatches);
    void setLook(const HistogramLook& look);
    void setBrush(std::optional<BinRange> bins);
    std::optional<BinRange> brush() const { return m_brush; }

    QRectF plot() const;  // where the bars stand
    QByteArray toCsv() const override;

Q_SIGNALS:
    void hovered(std::optional<std::size_t> bin);
    void brushed(std::size_t first, std::size_t end);  // bins [first, end): a drag, or a click on one
    void brushCleared();                               // a click beside the bars, or Esc

protected:
    void paintChart(QPainter& painter) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    std::optional<std::size_t> binAt(QPointF point) const;
    std::optional<std::size_t> nearestBin(QPointF point) const;  // also of a point beside the plot
    void hover(std::optional<std::size_t> bin);
    void measure();

    std::shared_ptr<const Histogram> m_histogram;
    std::vector<ChartSwatch> m_swatches;
    HistogramLook m_look;
    HistogramGeometry m_geometry;
    double m_left = 0;  // of the plot
    double m_legendHeight = 0;
    std::optional<BinRange> m_brush;
    std::optional<std::size_t> m_hovered;
    std::optional<std::size_t> m_pressed;  // the bin where a drag began
    std::optional<std::size_t> m_dragged;  // where it is
};

}  // namespace longpole
