// SPDX-License-Identifier: GPL-3.0-or-later
// Near-critical paths: the next longest ones that share little with those before them, one of which becomes critical
// when the critical path gets shorter. The chosen one is drawn beside the critical path on the timeline.
#pragma once

#include "analysis/paths/slackquestions.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>

namespace longpole {

class TableView;
class ViewState;

class NearCriticalPanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit NearCriticalPanel(ViewState& state, QWidget* parent = nullptr);

    TableView& table() { return *m_table; }

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    using Paths = std::vector<NearCriticalPath>;

    void accept(const Watch<NearCriticalQuestion>::Answer& paths);
    void showPaths();
    void choose(std::size_t row);
    QString summary() const;

    ViewState& m_state;
    PathModel m_model;  // mode and edges of the paths that are shown
    std::shared_ptr<const Paths> m_paths;
    std::shared_ptr<const CriticalPath> m_shown;  // the one on the timeline
    TableView* m_table;
    Watch<NearCriticalQuestion> m_job;
};

}  // namespace longpole
