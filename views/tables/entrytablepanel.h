// SPDX-License-Identifier: GPL-3.0-or-later
// All entry methods that ran, as one table: counts, times, grain, messages, and their share of the path; a click dims
// all others in the timeline.
#pragma once

#include "analysis/statistics/sumquestions.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>

namespace longpole {

class TableView;
class ViewState;

class EntryTablePanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit EntryTablePanel(ViewState& state, QWidget* parent = nullptr);

    TableView& table() { return *m_table; }

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    using Figures = std::vector<EntryFigures>;

    void accept(const Result<std::shared_ptr<const Figures>>& figures);
    void showFigures();
    void choose(std::size_t row);
    QString summary() const;

    ViewState& m_state;
    std::shared_ptr<const Figures> m_figures;
    TableView* m_table;
    Watch<EntryTableQuestion> m_job;
};

}  // namespace longpole
