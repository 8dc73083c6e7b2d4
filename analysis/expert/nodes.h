// SPDX-License-Identifier: GPL-3.0-or-later
// The functions behind the list of the tree's nodes, each of which judges one, and wording that they share.
#pragma once

#include "analysis/base/naming.h"
#include "analysis/expert/facts.h"

#include <QString>
#include <QStringList>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

constexpr std::size_t mostShown = 5;  // pieces of evidence of a node, or things that a sentence names

struct Judged {
    TreeNode node{};
    std::vector<Advice> advice{};
};

// `node` has its id, letter, parent and question; a judge fills in the rest. Errors: damaged chunks, cancelled.
Result<Judged> judgeWhen(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeWhere(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeKind(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeIdle(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeOverhead(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeUser(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeParallelism(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeGrainsize(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeSharedVariables(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeBalance(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeLocality(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeScheduling(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeLatency(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeSynchronization(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeSpeculative(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeSerialChain(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeBottleneck(const TreeFacts& facts, TreeNode node);
// For MPI runs.
Result<Judged> judgeLateMessages(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeCollectives(const TreeFacts& facts, TreeNode node);
Result<Judged> judgeMpiTime(const TreeFacts& facts, TreeNode node);

// Tests that fire above, or below, their threshold.
NodeTest above(const QString& metric, MetricKind kind, double value, double threshold, const char* key);
NodeTest below(const QString& metric, MetricKind kind, double value, double threshold, const char* key);
// "41.2 %", "3.5", "1.2 ms", "12", "40 per second", as the kind says.
QString valueText(double value, MetricKind kind);
// "It would not fire with at most 30 % of ...": what a test would need to come out otherwise.
QString changeText(const NodeTest& test);

// Sets the verdict: fired if `fires` and the severity is large enough for the tree to follow. Sets share, too.
void settle(const TreeFacts& facts, TreeNode& node, bool fires);
Judged notJudged(TreeNode node, const QString& why, const QStringList& needs);

// Advice of a node that fired, with the node's severity and evidence, and the window; its query lists idle time there,
// longest first.
Advice adviceOf(const TreeFacts& facts, const TreeNode& node, const QString& title, const QString& text);
QString idleSql(TimeRange range);

// The longest labelled parts of a cause that lie in the scope, as evidence with the tasks that ended them and sent
// those.
std::vector<Evidence> idleEvidence(const TreeFacts& facts, IdleCause cause, std::size_t most);
// The entry methods with most time of a cause: {entry id, time}, most first, without those that stand for none.
std::vector<std::pair<EntryId, TimeNs>> mostOf(const std::vector<IdleByCause>& byEntry, IdleCause cause,
                                               std::size_t most);
QString nameOf(const TreeFacts& facts, EntryId entry);
// "a (41 %), b (30 %)" of the whole.
QString namesOf(const TreeFacts& facts, const std::vector<std::pair<EntryId, TimeNs>>& entries, TimeNs whole);

}  // namespace longpole
