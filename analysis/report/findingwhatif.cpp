// SPDX-License-Identifier: GPL-3.0-or-later
// The finding about what could be gained: entry methods at no cost, and the paths that would become critical then.
#include "analysis/report/findings.h"

#include "analysis/graph/programentry.h"
#include "analysis/paths/slackquestions.h"
#include "analysis/report/pathtables.h"
#include "analysis/report/whatiftables.h"
#include "analysis/whatif/whatifquestions.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostRows = 10;

QString gainSentence(const TraceStore& store, const std::vector<WhatIfAnswer>& answers, const CriticalPath& path)
{
    // Nobody can shorten the run-time system's own entry methods, so long as another one saves something.
    const auto own = std::find_if(answers.begin(), answers.end(), [&store](const WhatIfAnswer& answer) {
        return answer.gain > 0 && !isOfRuntime(store, answer.question.entries.front());
    });
    const WhatIfAnswer& best = own == answers.end() ? answers.front() : *own;
    if (best.gain == 0)
        return store.words()
            .say(tr("No single entry method shortens the path of %1: another path is as long."),
                 tr("No single region shortens the path of %1: another path is as long."))
            .arg(formatTime(path.length));
    QString text = tr("If %1 took no time, the path of %2 would be %3 (%4) shorter.")
                       .arg(nameWithOwner(store, best.question.entries.front()), formatTime(path.length),
                            formatTime(best.gain), shareText(best.gain, path.length));
    if (best.nextCritical != noEntry)
        text += QLatin1Char(' ') % tr("Then %1 has most of it.").arg(nameWithOwner(store, best.nextCritical));
    return text;
}

QString nearSentence(const std::vector<NearCriticalPath>& paths)
{
    if (paths.size() < 2) return tr("No other path within 5 % of it has a fifth of its time on tasks of its own.");
    if (paths[1].slack == 0)
        return tr("Another path is as long, %1 of it on tasks of its own: shortening only what the first has alone "
                  "saves nothing.")
            .arg(formatTime(paths[1].distinct));
    return tr("Shorten the first path by more than %1 and another one takes over, which a change of the same code may "
              "shorten as well.")
        .arg(formatTime(paths[1].slack));
}

// The path and what is zeroed hold interruptions, which no change of code takes away.
QString interruptionSentence(TimeNs interrupted, TimeNs length)
{
    if (interrupted <= length / 20) return {};
    return tr("For %1 of this path its tasks had no core. Without such tasks the order may be another, as "
              "'longpole zeroing --without interrupted' says.")
        .arg(formatTime(interrupted));
}

Finding findWhatIf(const AnalysisContext& context)
{
    Finding finding;
    const TraceStore& store = context.store;
    const CriticalPath& path = context.workAtOrder;
    if (path.steps.empty() || path.length <= 0) {
        finding.notEvaluated = withoutEvents(context.store,
                                             tr("There is no path: the trace holds no tasks that take time."));
        return finding;
    }
    const auto answers = context.results.ask(ZeroingQuestion{}, context.progress);
    if (!answers.ok() || (*answers)->answers.empty()) {
        if (!answers.ok()) finding.notEvaluated = answers.error().what;
        return finding;
    }
    const auto near = context.results.ask(NearCriticalQuestion{.options = {.count = 5}}, context.progress);
    if (!near.ok()) {
        finding.notEvaluated = near.error().what;
        return finding;
    }
    finding.paragraphs
        << gainSentence(context.store, (*answers)->answers, path) % QLatin1Char(' ') % nearSentence(**near)
        << store.words().say(
               tr("That is of the path, on a free network and in the order as recorded: no prediction for "
                  "the run, which a replay makes."),
               tr("That is of the path, on a free network with every rank's order kept: no prediction for "
                  "the run."));
    const TimeNs interrupted = path.length - lengthUninterrupted(context, path);
    if (const QString sentence = interruptionSentence(interrupted, path.length); !sentence.isEmpty())
        finding.paragraphs << sentence;
    finding.appendix.paragraphs << store.words().say(
        tr("What the scheduled path loses if an entry method took no time, on a free network, every PE's tasks in "
           "the order as recorded."),
        tr("What the scheduled path loses if a region took no time, on a free network, every rank's calls in the "
           "order as recorded."))
                                << tr("What is saved is taken out wherever it was (logical zeroing, Hollingsworth "
                                      "1996).");
    const auto gains = whatIfTable(context.store, path.length);
    const auto paths = nearCriticalTable(context.store)
                           .only({"length_ns", "slack_ns", "distinct_ns", "step_count", "to", "entry"})
                           .renamed("step_count", "steps");
    finding.appendix.tables.push_back(gains.only({"entry", "share_ns", "gain_ns", "gain", "net_ns", "next_critical"})
                                          .data((*answers)->answers, mostRows));
    finding.appendix.tables.push_back(paths.data(numbered(**near)));
    finding.json = JsonValue{{"edges", name(EdgeLevel::Order)},
                             {"length_ns", path.length},
                             {"zeroing",
                              rowsJson(gains.only({"entry", "share_ns", "net_ns", "gain_ns", "next_critical"}),
                                       (*answers)->answers, &context.store)},
                             {"near_critical",
                              rowsJson(paths.only({"length_ns", "slack_ns", "distinct_ns", "steps", "to"}),
                                       numbered(**near), &context.store)}};
    return finding;
}

}  // namespace

const Analysis whatIfAnalysis{.id = "what-if",
                              .title = {QT_TRANSLATE_NOOP("longpole", "What if entry methods cost less"),
                                        QT_TRANSLATE_NOOP("longpole", "What if regions cost less")},
                              .evaluate = findWhatIf};

}  // namespace longpole
