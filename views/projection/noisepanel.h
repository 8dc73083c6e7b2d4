// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that took longer than theirs usually do: by entry method with the clusters of their durations, and the worst of
// them one by one.
#pragma once

#include "analysis/statistics/sumquestions.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>
#include <optional>

namespace longpole {

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
    void accept(const Result<std::shared_ptr<const Noise>>& noise);
    void showEntries();
    void showTasks();
    void chooseEntry(std::size_t row);
    QString summary() const;

    ViewState& m_state;
    TimeRange m_range;  // empty: the run
    std::shared_ptr<const Noise> m_noise;
    std::optional<EntryId> m_entry;     // whose tasks are listed; all without one
    std::vector<std::size_t> m_listed;  // of the worst tasks, as rows
    TableView* m_entries;
    TableView* m_tasks;
    QTimer m_settling;
    Watch<NoiseQuestion> m_job;
};

}  // namespace longpole
