// SPDX-License-Identifier: GPL-3.0-or-later
// Compares two runs: what changed in their figures, iterations, entry methods, critical paths and waits, and whether
// the predictions of advice on the first came true in the second.
#pragma once

#include "analysis/base/finding.h"
#include "analysis/compare/commonphase.h"
#include "analysis/compare/runfigures.h"
#include "analysis/scheduling/advice.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// A figure that each run has one number of; `id` names it in JSON. If it is a sum over PEs, the mean of a PE, rounded
// down.
struct ComparedFigure {
    const char* id = "";
    const char* title = "";  // untranslated
    CellKind kind = CellKind::Time;
    std::int64_t a = 0, b = 0;
    bool isShareOfRun = false;  // user, idle, overhead, parts of the elapsed path: their share says more
};

// An entry method of either run. Figures are sums over PEs. What is compared is its time or, if the runs have different
// PE counts, the mean time of a PE.
struct ComparedMethod {
    std::optional<MethodFigures> a{}, b{};
    TimeNs timeA = 0, timeB = 0;  // as compared; 0 where it did not run
    TimeNs change = 0;            // timeB - timeA
    const MethodFigures& any() const { return a ? *a : *b; }
};

enum class AdviceOutcome : std::uint8_t {
    AsPredicted,  // the gain lies in the predicted interval
    Less,
    More,
    NotPredicted  // there was no usable prediction
};
const char* name(AdviceOutcome outcome);  // "as_predicted", "less", "more", "not_predicted"

// Whether b gained what advice on a predicted. Whether the advice was followed, and what else was changed, is not
// known.
struct AdviceCheck {
    Advice advice{};
    AdviceOutcome outcome = AdviceOutcome::NotPredicted;
    QString text{};
    bool isOfAnother = false;  // b is a replay, and changes something else than the advice says
    bool saysMuch() const
    {
        return !isOfAnother && (outcome != AdviceOutcome::NotPredicted || limitOf(advice).has_value());
    }
};

struct Comparison {
    RunFigures a{}, b{};
    QStringList notes{};        // what limits the comparison: other program, other PE count, doubts
    bool perProcessor = false;  // PE counts differ: entry methods are ranked by the mean of a PE
    std::vector<ComparedFigure> figures{};
    std::optional<CommonPhase> phase{};     // else runs are compared by share of their time: RunFigures::tenths
    std::vector<ComparedMethod> methods{};  // largest change first
    // Indices of methods, most time first: on the elapsed path of one run only.
    std::vector<std::size_t> entered{}, left{};
    // Their tasks on the work path at messages waited longer or shorter in queue and network; largest change first.
    std::vector<std::size_t> waitsGained{}, waitsLost{};
    std::vector<AdviceCheck> advice{};

    TimeNs durationChange() const { return b.duration() - a.duration(); }
    double gained() const;  // 1 - duration of b / duration of a
    // The medians of the iterations differ by less than the larger of their spreads; empty: there are no iterations.
    std::optional<bool> isWithinSpread() const;
};

// What notes and sentences call the runs.
struct RunLabels {
    QString a = QStringLiteral("A"), b = QStringLiteral("B");
    friend bool operator==(const RunLabels&, const RunLabels&) = default;
};

// `advice`: what the expert advised on a. O(paths x patterns + n log n of the entry methods).
Comparison compare(RunFigures a, RunFigures b, const std::vector<Advice>& advice = {}, const RunLabels& labels = {});

// b / a - 1; empty where a is 0.
std::optional<double> relativeChange(double a, double b);
TimeNs waitsOf(const std::optional<MethodFigures>& method);  // queued + inFlight; 0 without one

}  // namespace longpole
