// SPDX-License-Identifier: GPL-3.0-or-later
// A line plot of a few series, with a vertical marker that the hand can drag.
#pragma once

#include "views/plots/frame.h"

#include <QColor>
#include <QString>

#include <optional>
#include <vector>

class QCPItemLine;

namespace longpole {

struct PlotSeries {
    QString name;
    QColor color;
    std::vector<double> x;  // ascending
    std::vector<double> y;
    bool hasDots = false;  // marks every point
};

class Plot : public PlotFrame {
    Q_OBJECT
public:
    explicit Plot(QWidget* parent = nullptr);

    // The axes reach over all series; the y axis begins at `yFrom` if that is given. There is no legend: what the
    // colours mean the table beside the plot says.
    void setSeries(std::vector<PlotSeries> series, std::optional<double> yFrom = {});
    // A vertical line at x that can be dragged; empty: none. `text` stands beside it.
    void setMarker(std::optional<double> x, const QString& text = {});
    // A thin horizontal line to compare with; empty: none.
    void setLevel(std::optional<double> y);

    const std::vector<PlotSeries>& series() const { return m_series; }
    QByteArray toCsv() const override;  // a line per point

Q_SIGNALS:
    void markerMoved(double x);  // while it is dragged

protected:
    void dress(const Theme& theme) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void drawSeries();
    void placeMarker();

    QCPItemLine* m_markerLine;
    QCPItemText* m_markerText;
    QCPItemLine* m_levelLine;
    std::vector<PlotSeries> m_series;
    std::optional<double> m_marker;
    std::optional<double> m_level;
    bool m_dragging = false;
};

}  // namespace longpole
