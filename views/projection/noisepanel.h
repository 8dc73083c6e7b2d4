// SPDX-License-Identifier: GPL-3.0-or-later
// Noise: tasks that took longer than their entry method usually does, by entry method with the clusters of durations,
// and the worst tasks one by one.
#pragma once

#include "analysis/noise/noisequestions.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>
#include <optional>

namespace longpole {

class SideBySide;
class TableView;
class ViewState;

class NoisePanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit NoisePanel(ViewState& state, QWidget* parent = nullptr);

    TableView& entries() { return *m_entries; }
    TableView& tasks() { return *m_tasks; }

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    void accept(const Result<std::shared_ptr<const Noise>>& found);
    void showEntries();
    void showTasks();
    void chooseEntry(std::size_t row);
    QString summary() const;

    ViewState& m_state;
    TimeRange m_range;  // what was asked about; empty: the whole run
    std::shared_ptr<const Noise> m_noise;
    std::optional<EntryId> m_entry;     // the entry method whose tasks are listed; empty: all tasks are
    std::vector<std::size_t> m_listed;  // by row: the index of the task among the worst ones
    SideBySide* m_parts;
    TableView* m_entries;
    TableView* m_tasks;
    QTimer m_settling;
    Watch<NoiseQuestion> m_job;
};

}  // namespace longpole
