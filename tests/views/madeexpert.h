// SPDX-License-Identifier: GPL-3.0-or-later
// An answer of the expert made up for panels: every verdict, an advice with a prediction and one with a bound.
#pragma once

#include "analysis/expert/expert.h"

#include <memory>

namespace longpole {

inline TreeNode madeNode(const char* id, const char* letter, const char* parent, const char* question, Verdict verdict,
                         double share)
{
    TreeNode node;
    node.id = QLatin1String(id);
    node.letter = QLatin1String(letter);
    node.parent = QLatin1String(parent);
    node.question = QLatin1String(question);
    node.verdict = verdict;
    node.share = share;
    return node;
}

// Of a run of `duration` from `zero` on, on `processors` PEs.
inline DecisionTree madeTree(TimeNs zero, TimeNs duration, std::int64_t processors)
{
    DecisionTree tree;
    using enum Verdict;
    tree.nodes = {
        madeNode("when", "", "", "When did processors compute too little?", Fired, 0.42),
        madeNode("where", "", "when", "Where: on all processors, or on some?", NotFired, 0.42),
        madeNode("kind", "", "where", "What kind of time was lost?", Fired, 0.42),
        madeNode("idle", "", "kind", "Did processors idle?", Fired, 0.40),
        madeNode("parallelism", "A", "idle", "Are there enough tasks for all processors?", Fired, 0.05),
        madeNode("load_balance", "D", "idle", "Is work spread evenly?", NotFired, 0.03),
        madeNode("locality", "D2", "idle", "Do objects that talk to each other live together?", NotFired, 0.0),
        madeNode("scheduling", "E", "idle", "Do critical tasks wait in queues behind tasks that are not critical?",
                 Fired, 0.31),
        madeNode("latency", "F", "idle", "Do processors wait for messages in flight?", NotFired, 0.01),
        madeNode("synchronization", "G", "idle", "Do processors wait for reductions and barriers?", NotFired, 0.0),
        madeNode("bottleneck", "J", "idle", "Does one processor hold up the others?", NotFired, 0.0),
        madeNode("overhead", "", "kind", "Did the runtime take much time?", NotFired, 0.02),
        madeNode("grainsize", "B", "overhead", "Are tasks neither too small nor too large?", NotFollowed, 0.0),
        madeNode("shared_variables", "C", "overhead", "Is shared information accessed well?", NotJudged, 0.0),
        madeNode("user", "", "kind", "Was work done that was not needed?", NotFollowed, 0.0),
        madeNode("speculative", "H", "user", "Was work speculative?", NotJudged, 0.0),
        madeNode("serial_chain", "I", "user", "Is the critical path itself the limit?", NotFired, 0.0),
    };
    for (TreeNode& node : tree.nodes) {
        node.severity = static_cast<TimeNs>(node.share * static_cast<double>(duration * processors));
        const bool fired = node.verdict == Fired;
        if (node.verdict == NotJudged) {
            node.needs = {QStringLiteral("user stats named shared/...")};
            continue;
        }
        node.tests = {{.metric = QStringLiteral("share of idle time"),
                       .kind = MetricKind::Share,
                       .value = fired ? 0.45 : 0.08,
                       .threshold = 0.30,
                       .key = node.id + QStringLiteral(".idle_share"),
                       .firesAbove = true,
                       .fired = fired}};
        node.why = QStringLiteral("%1 % of all idle time is labelled so.").arg(fired ? 45 : 8);
        node.change = QStringLiteral("It would flip at 30 %.");
    }
    TreeNode& scheduling = tree.nodes[7];
    scheduling.tests.push_back({.metric = QStringLiteral("queue wait"),
                                .kind = MetricKind::Time,
                                .value = 12.3e6,
                                .threshold = 2e6,
                                .key = QStringLiteral("scheduling.overtaking"),
                                .firesAbove = true,
                                .fired = true});
    scheduling.advice = QStringLiteral("Give B a higher priority.");
    const TimeNs tenth = duration / 10;
    for (std::uint32_t i = 0; i < 8; ++i)
        scheduling.evidence.push_back({.pe = ProcessorId{i % static_cast<std::uint32_t>(processors)},
                                       .range = {zero + i * tenth, zero + (i + 1) * tenth},
                                       .tasks = {TaskId{ProcessorId{i % static_cast<std::uint32_t>(processors)}, 0}},
                                       .text = QStringLiteral("B waited for 11 A")});
    tree.path = {QStringLiteral("when"), QStringLiteral("where"), QStringLiteral("kind"), QStringLiteral("idle"),
                 QStringLiteral("scheduling")};
    tree.idle.total = {3 * tenth, 12 * tenth, 4 * tenth, 2 * tenth, 0, 9 * tenth};
    for (std::size_t cause = 0; cause < idleCauseCount; ++cause)
        if (tree.idle.total[cause] > 0)
            tree.idle.longest[cause] = {{.pe = ProcessorId{1},
                                         .range = {zero + tenth, zero + 2 * tenth},
                                         .cause = static_cast<IdleCause>(cause),
                                         .task = noTask}};
    return tree;
}

inline std::shared_ptr<const Expert> madeExpert(TimeNs zero, TimeNs duration, std::int64_t processors)
{
    auto expert = std::make_shared<Expert>();
    expert->tree = madeTree(zero, duration, processors);
    Advice first;
    first.id = QStringLiteral("prioritize:E1");
    first.kind = QStringLiteral("prioritize");
    first.node = QStringLiteral("scheduling");
    first.title = QStringLiteral("Give Drawn::B a higher priority");
    first.verdict = QStringLiteral("8 critical tasks of Drawn::B waited 12.3 ms in queues while Drawn::A ran.");
    first.action = QStringLiteral("Send its messages with priority -5, and they overtake what nobody waits for.");
    first.effect = QStringLiteral("Predicted saving: 34.0 % to 38.0 % of the duration, by a replay.");
    first.scope.text = QStringLiteral("the whole run");
    first.entry = EntryId{1};
    first.entryClass = EntryClass::Good;
    first.severity = expert->tree.nodes[7].severity;
    first.bound = duration * 4 / 10;
    first.estimate = duration * 37 / 100;
    first.prediction = Prediction{.recorded = duration,
                                  .baseline = duration * 102 / 100,
                                  .baselineError = 0.02,
                                  .low = duration * 62 / 100,
                                  .high = duration * 66 / 100,
                                  .gainLow = 0.34,
                                  .gainHigh = 0.38};
    first.replay = std::make_shared<const ReplayQuestion>(
        ReplayQuestion{.queue = QueueOrder::Priority, .priorities = {.entries = {{EntryId{1}, -5}}}});
    first.confidence = 0.9;
    first.doubts = {QStringLiteral("10 % of the receive times are estimates.")};
    first.evidence = expert->tree.nodes[7].evidence;
    first.range = {zero + duration / 5, zero + duration * 4 / 5};
    first.sql = QStringLiteral("SELECT entry, count(*) FROM task GROUP BY entry");
    Advice second;
    second.id = QStringLiteral("parallelism:E0");
    second.kind = QStringLiteral("parallelism");
    second.node = QStringLiteral("parallelism");
    second.title = QStringLiteral("Start more tasks at once");
    second.verdict = QStringLiteral("Only 0.6 tasks per PE are ready in the middle of the run.");
    second.action = QStringLiteral("Use more and smaller objects.");
    second.scope.text = QStringLiteral("the whole run");
    second.severity = expert->tree.nodes[4].severity;
    second.bound = duration / 25;
    second.range = {zero, zero + duration / 2};
    expert->advice = {first, second};

    SchedulingAnalysis& scheduling = expert->scheduling;
    scheduling.verdict = QStringLiteral(
        "Priorities would help: Drawn::B runs almost only on the critical path and waits behind Drawn::A.");
    scheduling.afterIdle = {.isMet = false, .count = 0, .time = 0, .threshold = duration / 100, .evidence = {}};
    scheduling.behindOthers = {
        .isMet = true, .count = 8, .time = duration / 4, .threshold = duration / 100, .evidence = first.evidence};
    scheduling.wait = {.overtaken = duration / 4, .residual = duration / 10, .self = duration / 50, .overhead = 100};
    scheduling.entries = {{.entry = EntryId{1},
                           .entryClass = EntryClass::Good,
                           .criticalCount = 8,
                           .count = 9,
                           .criticalTime = 80,
                           .time = 90,
                           .wait = {.overtaken = duration / 4, .residual = duration / 10},
                           .idleBefore = 0,
                           .isPotential = true,
                           .caveat = {}},
                          {.entry = EntryId{0},
                           .entryClass = EntryClass::Mixed,
                           .criticalCount = 3,
                           .count = 900,
                           .criticalTime = 30,
                           .time = 9000,
                           .wait = {},
                           .idleBefore = 40,
                           .isPotential = true,
                           .caveat = QStringLiteral("The same code runs critical and other instances.")}};
    scheduling.tried = {{.what = QStringLiteral("Drawn::B"),
                         .entries = {EntryId{1}},
                         .prediction = *first.prediction,
                         .isAdvised = true},
                        {.what = QStringLiteral("Drawn::A"),
                         .entries = {EntryId{0}},
                         .prediction = Prediction{.gainLow = -0.16, .gainHigh = -0.12},
                         .isAdvised = false}};
    return expert;
}

}  // namespace longpole
