// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/replayedrun.h"

#include "analysis/expert/expert.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/paths/runpaths.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/writtentrace.h"
#include "analysis/scheduling/prioritylist.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QStringList>

namespace longpole {

namespace {

struct Change {
    std::shared_ptr<const ReplayModel> model{};
    ReplayQuestion question{};
    QString words{};
};

// The priorities of the first advice that has any, and is predicted to gain.
Result<Change> advised(Results& results, const Progress& progress)
{
    const TraceStore& store = results.store();
    const auto paths = results.ask(RunPathsQuestion{}, progress);
    if (!paths) return paths.error();
    const auto found = expert(store, **paths, Thresholds{}, progress);
    if (!found) return found.error();
    const PriorityList list = priorityList(store, (*found)->scheduling, ListedEntries::Advised);
    if (list.rows.empty())
        return Error{tr("No priorities by entry method are predicted to make this run shorter."), QString(),
                     (*found)->scheduling.verdict};
    Change change{.model = (*found)->replay};
    change.question.queue = QueueOrder::Priority;
    QStringList names;
    for (const PriorityList::Row& row : list.rows) {
        change.question.priorities.entries.push_back({row.entry, row.priority});
        const Entry* entry = store.entry(row.entry);
        names << (entry ? entryName(*entry) : row.name);
    }
    change.words = tr("%1 first").arg(names.join(QStringLiteral(", ")));
    return change;
}

Result<Change> idealised(Results& results, ReplayChange kind, const Progress& progress)
{
    const auto graph = results.ask(GraphQuestion{}, progress);
    if (!graph) return graph.error();
    const auto merges = results.ask(MergesQuestion{}, progress);
    if (!merges) return merges.error();
    const auto model = replayModel(results.store(), *graph, **merges, progress);
    if (!model) return model.error();
    Change change{.model = *model};
    switch (kind) {
    case ReplayChange::IdealNetwork:
        change.question.network = NetworkModel::Ideal;
        change.words = tr("messages taking no time");
        break;
    case ReplayChange::ZeroLatency:
        change.question.network = NetworkModel::ZeroLatency;
        change.words = tr("messages without latency");
        break;
    case ReplayChange::PerfectBalance:
        change.question.perfectBalance = true;
        change.words = tr("all processors with the same work");
        break;
    case ReplayChange::Advised: break;
    }
    return change;
}

}  // namespace

Result<ReplayedTrace> replayedTrace(Results& results, ReplayChange kind, const QString& file, const Progress& progress)
{
    const auto change = kind == ReplayChange::Advised ? advised(results, progress) : idealised(results, kind, progress);
    if (!change) return change.error();
    const auto run = replay(*change->model, change->question, ArrivalReading::Likely, progress);
    if (!run) return run.error();
    if (const auto written = writeReplayedTrace(results.store(), *change->model, *run, change->words, file, progress);
        !written)
        return written.error();
    auto replayed = TraceStore::open(file);
    if (!replayed) return replayed.error();
    return ReplayedTrace{*replayed, tr("replay: %1").arg(change->words)};
}

}  // namespace longpole
