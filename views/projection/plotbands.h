// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the iterations of the chosen phase over a plot against time, and lets the mouse through to the plot.
#pragma once

#include "core/base/timerange.h"

#include <QWidget>

namespace longpole {

class PlotFrame;
class ViewState;

class PlotBands : public QWidget {
    Q_OBJECT
public:
    // A child of `plot`. If the plot's x axis is one of time it counts from `zero`; over other axes nothing is drawn.
    PlotBands(PlotFrame& plot, const ViewState& state, TimeNs zero);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    PlotFrame& m_plot;
    const ViewState& m_state;
    TimeNs m_zero;
};

}  // namespace longpole
