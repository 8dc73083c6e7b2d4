// SPDX-License-Identifier: GPL-3.0-or-later
// How ranks spend their time in MPI: a heat map of calls by rank, and below it the calls of each rank on top of each
// other, ranks in order of their time in MPI so that an uneven landscape shows (Korkhov et al., section 5.6.1).
#pragma once

#include "analysis/mpi/mpiquestions.h"
#include "views/plots/matrix.h"
#include "views/plots/stack.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>
#include <optional>
#include <vector>

class QComboBox;

namespace longpole {

class ColourBar;
class ViewState;

class MpiCallsPanel : public ComputedPanel {
    Q_OBJECT
public:
    enum class Measure : std::uint8_t { Wait, Time, Execution, Calls };
    enum class Order : std::uint8_t { ByTime, ByRank };

    explicit MpiCallsPanel(ViewState& state, QWidget* parent = nullptr);

    PlotMatrix& map() { return *m_map; }
    PlotStack& stack() { return *m_stack; }
    QComboBox& measure() { return *m_measure; }
    QComboBox& order() { return *m_order; }
    // The rank of each column, in the order shown.
    const std::vector<std::uint32_t>& ranks() const { return m_ranks; }

Q_SIGNALS:
    void timelineRequested();  // for a call that was double-clicked, or for ranks that were dragged over

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    struct Place {
        std::size_t column = 0;
        std::optional<std::size_t> call{};  // index into the profile's calls; empty: all calls
    };
    void createHead();
    void connectPlots();
    void accept(const Result<std::shared_ptr<const MpiProfile>>& profile);
    void showPlots();
    void showMap();
    void showStack();
    void showScale();
    void arrange();
    void follow(PlotFrame& moved, PlotFrame& other);
    std::optional<Place> inMap(double x, double y) const;
    std::optional<Place> inStack(double x, double y) const;
    void say(std::optional<Place> place);
    void choose(std::optional<Place> place, bool goes);
    void showOnly(double from, double to);
    TimeRange wantedRange() const;
    double valueOf(const MpiSums& sums) const;
    QString summary() const;
    QString text(const Place& place) const;
    QString nameOf(std::size_t call) const;

    ViewState& m_state;
    TimeRange m_range;
    std::shared_ptr<const MpiProfile> m_profile;
    std::vector<std::uint32_t> m_ranks;
    std::vector<std::uint32_t> m_columnOf;  // by rank; of those that have a column
    std::size_t m_ownRows = 0;              // of the map: calls with a row of their own; the rest shares the last row
    std::vector<std::size_t> m_layers;      // calls of the profile, from the bottom; the rest shares the last layer
    std::optional<std::pair<double, double>> m_ends;  // of the colour scale, if the user has set them
    QComboBox* m_measure = nullptr;
    QComboBox* m_order = nullptr;
    ColourBar* m_colours = nullptr;
    PlotMatrix* m_map;
    PlotStack* m_stack;
    QTimer m_settling;
    Watch<MpiProfileQuestion> m_job;
    Watch<LongestCallQuestion> m_finding;  // in a clicked place
};

}  // namespace longpole
