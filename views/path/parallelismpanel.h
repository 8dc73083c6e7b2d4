// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that much concurrent work waited for and that began late, and should therefore be started earlier; the path
// that leads to the chosen one is drawn on the timeline.
#pragma once

#include "analysis/paths/taskquestions.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>

namespace longpole {

class TableView;
class ViewState;

class ParallelismPanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit ParallelismPanel(ViewState& state, QWidget* parent = nullptr);

    TableView& table() { return *m_table; }

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    using Tasks = std::vector<ExposingTask>;

    void accept(const Watch<ExposingQuestion>::Answer& tasks);
    void showTasks();
    void choose(std::size_t row);
    // The edges of the path that the views show, but without the order of tasks on a PE: over those every task of a PE
    // would wait for all tasks before it.
    EdgeLevel wantedEdges() const;

    ViewState& m_state;
    EdgeLevel m_edges = EdgeLevel::Messages;  // over which the shown tasks were found
    std::shared_ptr<const Tasks> m_tasks;
    std::shared_ptr<const CriticalPath> m_shown;  // the path on the timeline
    TableView* m_table;
    Watch<ExposingQuestion> m_job;
};

}  // namespace longpole
