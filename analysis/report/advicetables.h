// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of advice with its prediction and evidence, and of what it rests on: the queue waits of critical tasks,
// the entry methods on the path, tried priorities and the concerns about shared variables.
#pragma once

#include "analysis/base/table.h"
#include "analysis/queues/discipline.h"
#include "analysis/replay/replay.h"
#include "analysis/scheduling/advice.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "analysis/scheduling/sharedaccess.h"

#include <vector>

namespace longpole {

Table<Prediction> predictionTable(const TableScope& scope);
Table<RecordedOrder> recordedOrderTable(const TableScope& scope);
Table<Evidence> evidenceTable(const TableScope& scope);
Table<Advice> adviceTable(const TableScope& scope);
Table<Advice> adviceFile(const TableScope& scope);  // what `advise --csv` and the window write of it
Table<Condition> conditionTable(const TableScope& scope);
Table<QueueWait> queueWaitTable(const TableScope& scope);
Table<PathEntry> pathEntryTable(const TableScope& scope);
Table<TriedScheme> triedSchemeTable(const TableScope& scope);
Table<SharedConcern> sharedConcernTable(const TableScope& scope);

// "PE 3, 12.1 ms to 15.3 ms: " and the evidence's text; times count from the run's begin.
QString evidenceText(const TraceStore& store, const Evidence& evidence);
QString rangeText(const TraceStore& store, TimeRange range);  // "12.1 ms to 15.3 ms"

std::vector<TableInfo> adviceTables(Vocabulary words);

}  // namespace longpole
