// SPDX-License-Identifier: GPL-3.0-or-later
// The wait states of an MPI run: the patterns of waiting, beside the longest waits of each, the code that caused them,
// or the imbalance of each rank.
#pragma once

#include "analysis/mpi/mpiquestions.h"
#include "views/state/watch.h"
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

Q_SIGNALS:
    void pathActivated(std::uint32_t path);  // of a row that was made somewhere in the source

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override
    {
        return m_waiting.isRunning() ? m_waiting.fraction() / 2 : 0.5 + m_profiling.fraction() / 2;
    }
    void clear() override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Found {
        std::shared_ptr<const WaitStates> waits = std::make_shared<const WaitStates>();
        std::shared_ptr<const MpiProfile> profile = std::make_shared<const MpiProfile>();
    };
    void createHead();
    void showExplanation();
    void createBody();
    void askProfile(const std::shared_ptr<const WaitStates>& waits);
    void accept(Found found);
    void showPatterns();
    void showDetails();
    void showWorst();
    void showCauses();
    void showImbalance();
    void choosePattern(std::size_t row);
    void chooseDetail(std::size_t row, int column);
    void activateDetail(std::size_t row, int column);
    std::uint32_t pathOfDetail(std::size_t row, int column) const;
    QString summary() const;

    ViewState& m_state;
    TimeRange m_range;  // what was asked about; empty: the whole run
    std::shared_ptr<const Found> m_found;
    std::size_t m_pattern = 0;  // the chosen one, an index into WaitStates::states
    QComboBox* m_show = nullptr;
    TableView* m_patterns = nullptr;
    QLabel* m_explanation = nullptr;
    TableView* m_details = nullptr;
    QTimer m_settling;
    Watch<WaitsQuestion> m_waiting;
    Watch<MpiProfileQuestion> m_profiling;
};

}  // namespace longpole
