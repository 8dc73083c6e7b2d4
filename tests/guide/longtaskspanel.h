// SPDX-License-Identifier: GPL-3.0-or-later
// Long tasks as a table in the window: the panel of docs/developer/add-a-panel.md.
#pragma once

#include "guide/longtasks.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

namespace longpole {

class TableView;
class ViewState;

class LongTasksPanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit LongTasksPanel(ViewState& state, QWidget* parent = nullptr);

protected:
    bool begin() override;
    void stop() override { m_asking.cancel(); }
    double fraction() const override { return m_asking.fraction(); }
    void clear() override;

private:
    void show(const std::shared_ptr<const std::vector<LongTask>>& tasks);

    ViewState& m_state;
    TableView* m_table;
    std::shared_ptr<const std::vector<LongTask>> m_tasks;
    Watch<LongTasksQuestion> m_asking;
};

}  // namespace longpole
