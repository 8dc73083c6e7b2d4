// SPDX-License-Identifier: GPL-3.0-or-later
// How durations, sizes and waiting times are distributed over the run, or the marked range; dragging over bars of task
// durations filters the tasks of all views.
#pragma once

#include "analysis/statistics/sumquestions.h"
#include "views/plots/histogramcanvas.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>

class QComboBox;
class QPushButton;

namespace longpole {

class ViewState;

class HistogramPanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit HistogramPanel(ViewState& state, QWidget* parent = nullptr);

    HistogramCanvas& canvas() { return *m_canvas; }
    QComboBox& quantity() { return *m_quantity; }
    QComboBox& binning() { return *m_binning; }
    QComboBox& heights() { return *m_heights; }
    const std::shared_ptr<const Histogram>& histogram() const { return m_histogram; }

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    void createHead();
    void accept(const Result<std::shared_ptr<const Distribution>>& values);
    void cutBins();  // sorts the values, which are there, into bins
    void showHistogram();
    void showBrush();  // marks the bins of the task filter
    void brush(std::size_t first, std::size_t end);
    void say(std::optional<std::size_t> hovered);
    QString summary() const;
    QString binSummary(BinRange bins) const;
    DistributedQuantity wanted() const;

    ViewState& m_state;
    const std::vector<DistributedQuantity> m_quantities;  // of the box
    QComboBox* m_quantity = nullptr;
    QComboBox* m_binning = nullptr;
    QComboBox* m_heights = nullptr;
    HistogramCanvas* m_canvas;
    TimeRange m_range;  // what was asked about; empty: the whole run
    std::shared_ptr<const Distribution> m_values;
    std::shared_ptr<const Histogram> m_histogram;
    std::vector<ChartSwatch> m_swatches;
    QTimer m_settling;
    Watch<DistributionQuestion> m_job;
};

}  // namespace longpole
