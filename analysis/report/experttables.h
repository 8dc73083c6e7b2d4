// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the expert: the nodes of the decision tree and their tests, the causes of idle time, efficiencies, how
// far a trace can be trusted, and the checks that come before all verdicts.
#pragma once

#include "analysis/base/table.h"
#include "analysis/expert/decisiontree.h"
#include "analysis/expert/health.h"
#include "analysis/noise/processortime.h"
#include "analysis/statistics/efficiency.h"
#include "analysis/statistics/negativelatency.h"
#include "analysis/waiting/idlelabels.h"

#include <span>
#include <vector>

namespace longpole {

Table<TreeNode> treeNodeTable(const TableScope& scope);
QString nameOf(const TreeNode& node);   // its letter and its question
QString whyText(const TreeNode& node);  // why it fired or did not, or what is missing to judge it

struct NodeTestRow {
    const TreeNode* node = nullptr;
    NodeTest test;
};
std::vector<NodeTestRow> nodeTests(const TreeNode& node);
Table<NodeTestRow> nodeTestTable(const TableScope& scope);

// A cause of idling, with its time and its share of all idle time.
struct IdleCauseRow {
    IdleCause cause = IdleCause::End;
    TimeNs time = 0;
    double share = 0;
};
std::vector<IdleCauseRow> idleCauses(const IdleLabels& idle);
Table<IdleCauseRow> idleCauseTable(const TableScope& scope);

// The causes of the idle time that tasks of an entry method ended; noEntry: of that which no task ended.
struct EntryIdle {
    EntryId entry = noEntry;
    IdleByCause causes{};
};
std::vector<EntryIdle> idleByEntry(const IdleLabels& idle);
Table<EntryIdle> entryIdleTable(const TableScope& scope);
JsonValue causesJson(const IdleByCause& causes);

Table<EfficiencyPhase> efficiencyTable(const TableScope& scope);

Table<HealthIssue> healthIssueTable(const TableScope& scope);
JsonValue healthJson(const TableScope& scope, const Health& health);
Table<NegativeLatencyPair> negativeLatencyTable(const TableScope& scope);

// Defined in checktables.cpp.
QString title(CheckLevel level);  // "passed", "can't tell", "doubt", "failed"

Table<Check> checkTable(const TableScope& scope);
// {checks: [{id, passed, value, says}]}, as tree, advise and the report have it before all else.
JsonValue judgedJson(const TableScope& scope, std::span<const Check> checks);

Table<PeProcessorTime> processorTimeTable(const TableScope& scope);

// The reference of the checks in docs/: which verdicts each one withdraws or weakens.
QString checkReference();

std::vector<TableInfo> checkTables(Vocabulary words);

std::vector<TableInfo> expertTables(Vocabulary words);

}  // namespace longpole
