// SPDX-License-Identifier: GPL-3.0-or-later
// How the program shares information: the work that was done before a better value of a monotonic variable came, over
// time, and the paper's six concerns about shared variables (Sinha and Kale, section 5.2).
#pragma once

#include "analysis/scheduling/schedulingquestions.h"
#include "views/plots/stack.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>

class QComboBox;
class QScrollArea;

namespace longpole {

class EvidenceList;
class LinkLabel;
class SideBySide;
class TableView;
class ViewState;

class SpeculativePanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit SpeculativePanel(ViewState& state, QWidget* parent = nullptr);

    PlotStack& plot() { return *m_plot; }
    TableView& table() { return *m_table; }
    const EvidenceList* evidence() const { return m_evidence; }  // of the chosen concern; null if it has none
    // The plotted series; null if there is none.
    const SpeculativeSeries* series() const;

public Q_SLOTS:
    void chooseConcern(std::size_t row);

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* createPlot();
    QWidget* createDetail();
    void accept(const Watch<SharedAccessQuestion>::Answer& access);
    void showAll();
    void showSeries();
    void showConcerns();
    void showReadout(std::optional<std::size_t> at);
    QString summary() const;
    QColor colour(std::size_t layer) const;
    TimeRange part(double x) const;

    ViewState& m_state;
    std::shared_ptr<const SharedAccess> m_access;
    Watch<SharedAccessQuestion> m_job;
    SideBySide* m_parts = nullptr;
    QWidget* m_empty = nullptr;
    QComboBox* m_variable = nullptr;  // which series, where there are several
    QLabel* m_readout = nullptr;
    PlotStack* m_plot = nullptr;
    TableView* m_table = nullptr;
    QScrollArea* m_detail = nullptr;
    EvidenceList* m_evidence = nullptr;
    std::size_t m_chosen = 0;  // the concern, a row of the table, whose text shows
};

}  // namespace longpole
