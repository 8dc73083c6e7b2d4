// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/replayedrun.h"

#include "analysis/replay/model.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/replay/writtentrace.h"
#include "analysis/scheduling/schedulingquestions.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QStringList>

namespace longpole {

namespace {

QString firstWords(const TraceStore& store, const std::vector<QueuePriorities::OfEntry>& entries)
{
    QStringList names;
    for (const QueuePriorities::OfEntry& one : entries)
        if (const Entry* entry = store.entry(one.entry)) names << entryName(*entry);
    return tr("%1 first").arg(names.join(QStringLiteral(", ")));
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
    ReplayWish wish;
    wish.question.queue = QueueOrder::Priority;
    for (const PriorityList::Row& row : (*list)->rows)
        wish.question.priorities.entries.push_back({row.entry, row.priority});
    wish.words = firstWords(results.store(), wish.question.priorities.entries);
    return wish;
}

}  // namespace

Result<ReplayWish> replayWish(Results& results, ReplayChange change, const Thresholds& thresholds,
                              const Progress& progress)
{
    switch (change) {
    case ReplayChange::IdealNetwork: return ReplayWish{{.network = NetworkModel::Ideal}, tr("messages taking no time")};
    case ReplayChange::ZeroLatency:
        return ReplayWish{{.network = NetworkModel::ZeroLatency}, tr("messages without latency")};
    case ReplayChange::PerfectBalance: return ReplayWish{{.perfectBalance = true}, tr("all PEs with the same work")};
    case ReplayChange::Advised: break;
    }
    return advised(results, thresholds, progress);
}

ReplayWish replayWish(const TraceStore& store, const Advice& advice)
{
    const ReplayQuestion& question = *advice.replay;
    if (question.perfectBalance)
        return {question, question.balanceParts == 1 ? tr("all PEs with the same work")
                                                     : tr("all PEs with the same work in every tenth of the run")};
    if (question.network == NetworkModel::Ideal) return {question, tr("messages taking no time")};
    return {question, firstWords(store, question.priorities.entries)};
}

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
