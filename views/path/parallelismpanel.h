// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that much concurrent work waited for and that began late: what to start earlier, and the path that led there.
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
    // Order of a PE exposes nothing: what comes later on it waits for everything before.
    EdgeLevel wantedEdges() const;

    ViewState& m_state;
    EdgeLevel m_edges = EdgeLevel::Messages;  // of the tasks that are shown
    std::shared_ptr<const Tasks> m_tasks;
    std::shared_ptr<const CriticalPath> m_shown;  // the path on the timeline
    TableView* m_table;
    Watch<ExposingQuestion> m_job;
};

}  // namespace longpole
