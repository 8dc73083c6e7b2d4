// SPDX-License-Identifier: GPL-3.0-or-later
// The functions behind the list of the tree's nodes, each of which judges one, and wording that they share.
#pragma once

#include "analysis/base/naming.h"
#include "analysis/expert/facts.h"
#include "analysis/results/results.h"

#include <QString>
#include <QStringList>

#include <cstddef>
#include <cstdint>
#include <memory>
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
Result<Judged> judgeCores(const TreeFacts& facts, TreeNode node);

// Tests of a value that has to be above, or below, its threshold.
NodeTest above(const QString& metric, MetricKind kind, double value, double threshold, const char* key);
NodeTest below(const QString& metric, MetricKind kind, double value, double threshold, const char* key);
// "41.2 %", "3.5", "1.2 ms", "12", "40 per second", as the kind says.
QString valueText(double value, MetricKind kind);
// "idle time ... above 30 % (latency.idle_share)": what a value would need to come out otherwise.
QString changeText(const NodeTest& test);

// Sets the verdict: found if `fires` and the severity is large enough for the tree to follow. Sets share, too.
void settle(const TreeFacts& facts, TreeNode& node, bool fires);
Judged notJudged(TreeNode node, const QString& why, const QStringList& needs);

// What a cause that was found says; its advice says the same.
struct NodeWords {
    QString verdict{};  // one sentence
    QString meaning{};  // may be empty
    QString action{};
};
// The node's reason: verdict and meaning.
QString whyOf(const NodeWords& words);
// Advice of a node that was found, with the node's severity and evidence, and the tree's scope. `sql` must add up to
// the severity.
Advice adviceOf(const TreeFacts& facts, const TreeNode& node, const QString& title, const NodeWords& words,
                const QString& sql);
// "It explains 3.1 % of the idle time."
QString explainsOnly(const TreeFacts& facts, TimeNs time);
// Why waiting was no cause: there was none; most of `all` (%1) would go with an even load (%2), which leaves `time`; or
// it was seldom.
QString seldomWaited(const TreeFacts& facts, TimeNs all, TimeNs time, const QString& none, const QString& mostlyEven,
                     const QString& seldom);

// The longest labelled parts of a cause, as far as they lie in the scope, as evidence with the tasks that ended them
// and sent those.
std::vector<Evidence> idleEvidence(const TreeFacts& facts, IdleCause cause, std::size_t most);
// Of ranks: their longest waits for others that came late, in messages and collective calls.
std::vector<Evidence> waitsForOthers(const TreeFacts& facts, std::size_t most);
// The entry methods with most time of a cause: {entry id, time}, most first, without those that stand for none.
std::vector<std::pair<EntryId, TimeNs>> mostOf(const std::vector<IdleByCause>& byEntry, IdleCause cause,
                                               std::size_t most);
QString nameOf(const TreeFacts& facts, EntryId entry);
// An entry method as advice names it. Of the run-time system's, which nobody can change, the program's own behind it.
struct NamedEntry {
    QString name{};   // "W::start"; "the runtime's CkArray::ckDestroy" where the trace shows none
    QString owner{};  // "The runtime runs it in CkArray::recvBroadcast."; empty for the program's own
};
NamedEntry namedEntry(const TreeFacts& facts, EntryId entry);
// "256 ms of overhead lie away from tasks, 240 ms of that in start-up." if that is much of it; else empty.
QString awayText(const TreeFacts& facts);
// Of an MPI run: "89.6 % of all waiting traces back to init_cuda, which took longer on the late ranks.", and a second
// cause of much of it; else empty.
QString delayText(const TreeFacts& facts);
// Where most waiting traces back to several ranks, each late in code of its own, as phases of a program can have them:
// the rank of each such code, that of most waiting first; else empty, also where one of them is an MPI call.
std::vector<DelayCost> lateInOtherCode(const TreeFacts& facts);

}  // namespace longpole
