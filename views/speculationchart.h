// The speculative part of the work for one monotonic variable over time; a click chooses a stage.
#pragma once

#include "analysis/sharedaccess.h"
#include "views/chartcanvas.h"
#include "views/drawing/speculation.h"

namespace longpole {

class SpeculationChart : public ChartCanvas {
    Q_OBJECT
public:
    explicit SpeculationChart(SpeculativeSeries series, QWidget* parent = nullptr);

    QByteArray toCsv() const override;  // a line for each stage
    QString summary() const;

Q_SIGNALS:
    void rangeChosen(longpole::TimeRange range);

protected:
    void paintChart(QPainter& painter) override;
    bool event(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    SpeculationGeometry geometryNow() const { return speculationGeometry(m_series, width(), height()); }
    TimeRange rangeOf(int stage) const;
    QString tip(int stage) const;

    SpeculativeSeries m_series;
    int m_hovered = -1;
};

}  // namespace longpole
