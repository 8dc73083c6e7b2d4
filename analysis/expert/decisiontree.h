// SPDX-License-Identifier: GPL-3.0-or-later
// The decision tree of performance analysis (Sinha and Kale, section 5.2 and figure 2; docs/algorithms.md 5): when,
// where and in which kind of time the run did badly, and which of the causes A to K made it do so.
#pragma once

#include "analysis/base/evidence.h"
#include "analysis/base/thresholds.h"
#include "analysis/expert/health.h"
#include "analysis/paths/criticalpath.h"
#include "analysis/results/results.h"
#include "analysis/scheduling/advice.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "analysis/scheduling/sharedaccess.h"
#include "analysis/waiting/idlelabels.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace longpole {

enum class Verdict : std::uint8_t {
    Fired,
    NotFired,
    NotFollowed,  // its parent lost too little for the tree to look further
    NotJudged     // events are missing, which `needs` names
};
const char* name(Verdict verdict);  // "fired", "not_fired", "not_followed", "not_judged"
QString title(Verdict verdict);     // "found", "not found", "too small", "can't tell"

enum class MetricKind : std::uint8_t { Share, Ratio, Time, Count, Rate };
const char* name(MetricKind kind);  // "share", "ratio", "ns", "count", "per_second"
// A value or threshold of a test: "42.1 %", "1.85", "12.3 ms", "1 200", "120 /s".
QString metricText(MetricKind kind, double value);

// One test of a node: what it measured against its threshold.
struct NodeTest {
    QString metric{};  // "utilization of the worst stage"
    MetricKind kind = MetricKind::Share;
    double value = 0;
    double threshold = 0;
    QString key{};           // of the threshold in the file: "when.utilization"
    bool firesAbove = true;  // it fires when value > threshold (else below)
    bool fired = false;
};

struct TreeNode {
    QString id{};        // "when", "where", "kind", "idle", "overhead", "user", "parallelism", "grainsize", ...
    QString letter{};    // "A".."J", "D2"; empty above
    QString parent{};    // id; empty for the root
    QString question{};  // "Are there enough tasks for all PEs?"
    std::vector<NodeTest> tests{};  // the first one decides, in most nodes
    Verdict verdict = Verdict::NotFired;
    QString why{};        // what was found, or why nothing was: plain sentences with figures, the verdict first
    QString change{};     // what would change the verdict
    TimeNs severity = 0;  // PE-time; children's <= the parent's
    double share = 0;     // of T x PEs
    std::vector<Evidence> evidence{};
    QString advice{};       // empty unless fired
    bool isWorthIt = true;  // false if following all its advice saves too little, or nothing for sure
    QStringList needs{};    // events that are missing
};

struct DecisionTree {
    std::vector<TreeNode> nodes{};  // a parent before its children, in the order of the letters
    // Ids of the nodes that fired, from the root to the leaf with most severity x confidence (of several within a
    // twentieth the most specific one).
    std::vector<QString> path{};
    std::vector<Advice> advice{};  // of the leaves that fired, without branch E's own
    std::vector<Check> checks{};   // whether the run can be judged
    IdleLabels idle{};
    TimeRange window{};  // of the worst period found by "when"
    const TreeNode* find(const QString& id) const;
};

// What the tree takes as given about a trace. All else it asks of `results`.
struct TreeInputs {
    Results& results;
    const TraceStore& store;
    const ActivityGraph& graph;
    const CriticalPath& workAtMessages;
    const CriticalPath& workAtMerges;
    const ProcessorIdle& idle;
    const SchedulingAnalysis& scheduling;
    const SharedAccess& shared;
    const Health& health;
    const Thresholds& thresholds;
};

// Errors: damaged chunks, cancelled. A run too short to judge, with one PE or without messages has nodes that say so.
Result<DecisionTree> decisionTree(const TreeInputs& inputs, const Progress& progress);

}  // namespace longpole
