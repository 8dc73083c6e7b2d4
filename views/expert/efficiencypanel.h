// SPDX-License-Identifier: GPL-3.0-or-later
// How much of the run's time was useful, and what took the rest: the efficiencies of the POP project as a picture, of
// the run, the marked range or a phase, beside the phases as a table.
#pragma once

#include "analysis/statistics/efficiencyquestions.h"
#include "views/drawing/charts/efficiencytree.h"
#include "views/plots/chartcanvas.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>
#include <vector>

namespace longpole {

class TableView;
class ViewState;

class EfficiencyCanvas : public ChartCanvas {
    Q_OBJECT
public:
    explicit EfficiencyCanvas(QWidget* parent = nullptr);

    void setEfficiency(const std::optional<Efficiency>& efficiency);
    std::vector<EfficiencyNode> nodes() const;  // as they are painted; empty while nothing is known
    QByteArray toCsv() const override;

protected:
    void paintChart(QPainter& painter) override;
    bool event(QEvent* event) override;

private:
    std::optional<Efficiency> m_efficiency;
};

class EfficiencyPanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit EfficiencyPanel(ViewState& state, QWidget* parent = nullptr);

    EfficiencyCanvas& canvas() { return *m_canvas; }
    TableView& phases() { return *m_phases; }

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override
    {
        return m_asking.isRunning() ? m_asking.fraction() / 2 : 0.5 + m_cutting.fraction() / 2;
    }
    void clear() override;

private:
    using Parts = std::vector<EfficiencyPhase>;  // the whole first, then its phases
    void askPhases(Parts parts);
    void accept(Parts parts);
    void showPhases();
    void choose(std::size_t row);
    QString summary() const;

    ViewState& m_state;
    TimeRange m_range;  // what was asked about; empty: the whole run
    std::shared_ptr<const Parts> m_parts;
    EfficiencyCanvas* m_canvas;
    TableView* m_phases;
    QTimer m_settling;
    Watch<EfficiencyQuestion> m_asking;
    Watch<EfficiencyPhasesQuestion> m_cutting;
};

}  // namespace longpole
