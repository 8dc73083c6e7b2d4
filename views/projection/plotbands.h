// SPDX-License-Identifier: GPL-3.0-or-later
// The iterations of the chosen phase over a plot against time: lies over the plot and lets the mouse through.
#pragma once

#include "core/base/timerange.h"

#include <QWidget>

namespace longpole {

class PlotFrame;
class ViewState;

class PlotBands : public QWidget {
    Q_OBJECT
public:
    // Belongs to `plot`, whose x axis counts from `zero` where it is one of time; over others nothing is drawn.
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
