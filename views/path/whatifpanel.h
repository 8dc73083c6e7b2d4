// SPDX-License-Identifier: GPL-3.0-or-later
// What would be gained if entry methods cost less: those of the critical path, ranked by the gain at no cost at all
// (logical zeroing, Hollingsworth 1996), and the path's length against the cost of the chosen ones, with a slider.
#pragma once

#include "analysis/whatif/whatifquestions.h"
#include "core/base/result.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QSlider;

namespace longpole {

class Plot;
class TableView;

class WhatIfPanel : public QWidget {
    Q_OBJECT
public:
    explicit WhatIfPanel(ViewState& state, QWidget* parent = nullptr);

    TableView& table() { return *m_table; }
    Plot& plot() { return *m_plot; }
    bool isComputing() const { return m_ranking.isRunning() || m_curving.isRunning() || m_answering.isRunning(); }
    // The entry methods whose cost is changed together.
    const std::vector<EntryId>& chosen() const { return m_chosen; }
    void choose(std::vector<EntryId> entries);

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);
    void answered();  // a computation has ended and is shown

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void createWidgets();
    void follow();  // drops what is shown if the path or the graph is another one
    void rank();
    void showRanking();
    void chooseSelected();
    void findCurve();
    void showCurve();
    void askAtSlider();  // for the path's length, and what becomes critical, at the slider's factor
    void showSummary();
    Rational factor() const;
    PathModel model() const { return {.mode = m_mode, .edges = m_edges}; }
    // Whether the trace has events of parts of the run only: gains at no cost were computed before, others cannot be.
    bool isPart() const { return m_state.store().info().isPart(); }
    QString gainOfChosen() const;  // of such a trace
    QString namesOfChosen() const;

    ViewState& m_state;
    PathMode m_mode = PathMode::Work;
    EdgeLevel m_edges = EdgeLevel::Order;
    std::shared_ptr<const EntryGains> m_ranked;
    std::vector<EntryId> m_chosen;
    std::shared_ptr<const WhatIfCurve> m_curve;
    std::optional<WhatIfAnswer> m_answer;  // at the slider's factor
    std::optional<Error> m_error;
    bool m_stale = true;
    QLabel* m_summary = nullptr;
    QLabel* m_percent = nullptr;
    TableView* m_table = nullptr;
    Plot* m_plot = nullptr;
    QSlider* m_slider = nullptr;
    Watch<ZeroingQuestion> m_ranking;
    Watch<WhatIfCurveQuestion> m_curving;
    Watch<WhatIfQuestion> m_answering;
};

}  // namespace longpole
