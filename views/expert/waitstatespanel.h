// SPDX-License-Identifier: GPL-3.0-or-later
// What an MPI run waited for: the patterns of waiting beside their worst instances, the code that caused them, and the
// imbalance of each rank.
#pragma once

#include "analysis/mpi/calls.h"
#include "analysis/mpi/waitstates.h"
#include "views/state/latestjob.h"
#include "views/widgets/computedpanel.h"

#include <memory>

class QComboBox;
class QLabel;

namespace longpole {

class TableView;
class ViewState;

class WaitStatesPanel : public ComputedPanel {
    Q_OBJECT
public:
    enum class Show : std::uint8_t { Worst, Causes, Imbalance };

    explicit WaitStatesPanel(ViewState& state, QWidget* parent = nullptr);

    TableView& patterns() { return *m_patterns; }
    TableView& details() { return *m_details; }
    QComboBox& choice() { return *m_show; }
    QString explanation() const;

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Found {
        WaitStates waits;
        MpiProfile profile;
    };
    void createHead();
    void showExplanation();
    void createBody();
    void accept(Result<Found> found);
    void showPatterns();
    void showDetails();
    void showWorst();
    void showCauses();
    void showImbalance();
    void choosePattern(std::size_t row);
    void chooseDetail(std::size_t row, int column);
    QString summary() const;

    ViewState& m_state;
    TimeRange m_range;  // empty: the run
    std::shared_ptr<const Found> m_found;
    std::size_t m_pattern = 0;  // row of WaitStates::states
    QComboBox* m_show = nullptr;
    TableView* m_patterns = nullptr;
    QLabel* m_explanation = nullptr;
    TableView* m_details = nullptr;
    QTimer m_settling;
    LatestJob<Result<Found>> m_job;
};

}  // namespace longpole
