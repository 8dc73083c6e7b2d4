// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/replayedrun.h"

#include "analysis/replay/model.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/replay/writtentrace.h"
#include "analysis/scheduling/changewords.h"
#include "analysis/scheduling/schedulingquestions.h"
#include "core/base/translate.h"

namespace longpole {

namespace {

ReplayWish wishOf(const TraceStore& store, const ReplayQuestion& question)
{
    return {question, changeWords(store, question)};
}

Result<ReplayWish> advised(Results& results, const Thresholds& thresholds, const Progress& progress)
{
    const auto list = results.ask(PriorityListQuestion{thresholds}, progress);
    if (!list) return list.error();
    if ((*list)->rows.empty()) {
        const auto scheduling = results.ask(SchedulingQuestion{thresholds}, progress);
        return Error{tr("No priorities by entry method are predicted to make this run shorter."), QString(),
                     scheduling ? (*scheduling)->verdict : QString()};
    }
    ReplayQuestion question{.queue = QueueOrder::Priority};
    for (const PriorityList::Row& row : (*list)->rows) question.priorities.entries.push_back({row.entry, row.priority});
    return wishOf(results.store(), question);
}

}  // namespace

Result<ReplayWish> replayWish(Results& results, ReplayChange change, const Thresholds& thresholds,
                              const Progress& progress)
{
    const TraceStore& store = results.store();
    switch (change) {
    case ReplayChange::IdealNetwork: return wishOf(store, {.network = NetworkModel::Ideal});
    case ReplayChange::ZeroLatency: return wishOf(store, {.network = NetworkModel::ZeroLatency});
    case ReplayChange::PerfectBalance: return wishOf(store, {.perfectBalance = true});
    case ReplayChange::Advised: break;
    }
    return advised(results, thresholds, progress);
}

ReplayWish replayWish(const TraceStore& store, const Advice& advice) { return wishOf(store, *advice.replay); }

Result<ReplayedTrace> replayedTrace(Results& results, const ReplayWish& wish, const QString& file,
                                    const Progress& progress)
{
    const auto model = results.ask(ReplayModelQuestion{}, progress);
    if (!model) return model.error();
    const auto run = results.ask(ReplayedRunQuestion{wish.question}, progress);
    if (!run) return run.error();
    if (const auto written = writeReplayedTrace(results.store(), **model, **run, wish.words, file, progress); !written)
        return written.error();
    auto replayed = TraceStore::open(file);
    if (!replayed) return replayed.error();
    return ReplayedTrace{*replayed, tr("replay: %1").arg(wish.words)};
}

}  // namespace longpole
