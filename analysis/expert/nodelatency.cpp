// SPDX-License-Identifier: GPL-3.0-or-later
// Branches F and D2: processors that wait for messages under way, and objects that should be on the same processor.
#include "analysis/expert/nodes.h"

#include "analysis/statistics/messagelatency.h"
#include "analysis/statistics/objecttraffic.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

// Idle time in which a message was under way: the one that ended it or, while nobody worked and no task waited, one
// that the sender of that was waiting for.
TimeNs underWay(const TreeFacts& facts)
{
    return facts.scope.idleOf(IdleCause::Latency) + facts.scope.parallelism.none;
}

QString fitText(const LatencyFit& fit, const QString& where)
{
    return tr("%1 + %2 ns per byte %3 (median %4, least %5, of %6)")
        .arg(formatTime(static_cast<TimeNs>(fit.base)), QString::number(fit.perByte, 'g', 2), where,
             formatTime(fit.median), formatTime(fit.least), formatCount(fit.messages));
}

QString fitsText(const MessageLatency& latency)
{
    const QString ways[] = {tr("within a processor"), tr("within a node"), tr("between nodes")};
    QStringList texts;
    for (std::size_t way = 0; way < messageWays; ++way)
        if (latency.fits[way].messages > 0) texts << fitText(latency.fits[way], ways[way]);
    return texts.isEmpty() ? QString() : tr("Awaited messages took %1.").arg(texts.join(QStringLiteral("; ")));
}

struct Receivers {
    std::size_t hot = 0;
    double ratio = 0;  // most / mean
};

Receivers receivers(const MessageLatency& latency)
{
    Receivers found;
    std::int64_t sum = 0;
    for (std::size_t pe = 0; pe < latency.received.size(); ++pe) {
        sum += latency.received[pe];
        if (latency.received[pe] > latency.received[found.hot]) found.hot = pe;
    }
    if (sum > 0) found.ratio = double(latency.received[found.hot]) * double(latency.received.size()) / double(sum);
    return found;
}

Advice latencyAdvice(const TreeFacts& facts, const TreeNode& node, const MessageLatency& latency)
{
    const Receivers at = receivers(latency);
    const bool isHot = node.tests[1].fired, isSmall = node.tests[2].fired;
    const auto waiting = mostOf(facts.labels.byEntry, IdleCause::Latency, 3);
    const QString what = waiting.empty() ? tr("messages") : nameOf(facts, waiting.front().first);
    QString title = isHot     ? tr("Spread the messages that PE %1 receives").arg(at.hot)
                    : isSmall ? tr("Send what %1 needs earlier, and in fewer messages").arg(what)
                              : tr("Send what %1 needs earlier").arg(what);
    QString text = node.why;
    if (!waiting.empty())
        text += QLatin1Char(' ')
                % tr("Most was waited for %1.")
                      .arg(namesOf(facts, waiting, facts.labels.total[std::size_t(IdleCause::Latency)]));
    text += QLatin1Char(' ') % fitsText(latency) % QLatin1Char(' ');
    text += isHot ? tr("PE %1 receives %2 times the mean.").arg(at.hot).arg(QString::number(at.ratio, 'g', 3))
            : isSmall
                ? tr(
                    "Several small messages to one place in one pay the fixed cost once; more objects per processor "
                    "have something to do meanwhile.")
                : tr(
                    "More objects per processor, or asking for data before it is needed, hide what the network takes.");
    Advice advice = adviceOf(facts, node, title, text);
    if (facts.labels.estimated > 0) {
        const TimeNs all = facts.labels.total[std::size_t(IdleCause::Latency)];
        advice.confidence *= all > 0 ? 1 - 0.25 * std::min(1.0, double(facts.labels.estimated) / double(all)) : 1;
        advice.doubts << tr(
            "The log does not say when messages arrived: a message that was awaited counts as under way until it "
            "was begun.");
    }
    if (!waiting.empty()) advice.entry = waiting.front().first;
    advice
        .sql = QStringLiteral(
                   "SELECT task, pe, begin_ns, begin_ns - sent_ns AS latency_ns, source FROM task WHERE sent_ns IS NOT "
                   "NULL AND begin_ns >= %1 AND begin_ns < %2 ORDER BY latency_ns DESC LIMIT 100")
                   .arg(advice.range.begin)
                   .arg(advice.range.end);
    return advice;
}

}  // namespace

Result<Judged> judgeLatency(const TreeFacts& facts, TreeNode node)
{
    if (!facts.hasMessages())
        return notJudged(std::move(node), tr("No execution's message is known, so that nothing says how long it took."),
                         {tr("creations of messages")});
    const Thresholds::Latency& limits = facts.inputs.thresholds.latency;
    const TimeNs idle = facts.scope.usage.idle;
    node.severity = underWay(facts);
    node.tests = {above(tr("idle time with messages under way and nothing else to do, of idle time"), MetricKind::Share,
                        idle > 0 ? double(node.severity) / double(idle) : 0, limits.idleShare, "latency.idle_share")};
    node.why =
        tr("%1 of the idle time passed while the message was under way (%2) or while nobody worked, so that its sender "
           "waited for one as well.")
            .arg(shareText(double(node.severity), double(idle)),
                 shareText(double(facts.scope.idleOf(IdleCause::Latency)), double(idle)));
    const NodeTest first = node.tests.front();
    if (first.fired && facts.isFollowed(node.severity)) {
        const auto latency = messageLatency(facts.inputs.store, facts.inputs.graph,
                                            static_cast<std::int64_t>(limits.smallBytes), facts.progress);
        if (!latency) return latency.error();
        node.tests.push_back(above(tr("messages to the processor that receives most, over the mean"), MetricKind::Ratio,
                                   receivers(*latency).ratio, limits.hotReceiver, "latency.hot_receiver"));
        node.tests.push_back(above(tr("messages below %1").arg(formatBytes(std::int64_t(limits.smallBytes))),
                                   MetricKind::Share,
                                   latency->all() > 0 ? double(latency->small) / double(latency->all()) : 0,
                                   limits.smallShare, "latency.small_share"));
        node.why += QLatin1Char(' ') % tr("The first test decides; the others say what to do.");
        node.change = tr("It would not fire with %1.").arg(changeText(first));
        settle(facts, node, true);
        node.evidence = idleEvidence(facts, IdleCause::Latency, mostShown);
        Advice advice = latencyAdvice(facts, node, *latency);
        node.advice = advice.title;
        return Judged{std::move(node), {std::move(advice)}};
    }
    settle(facts, node, first.fired);
    return Judged{std::move(node), {}};
}

Result<Judged> judgeLocality(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one processor: everything is local."),
                         {tr("a second processor")});
    if (!facts.hasMessages())
        return notJudged(std::move(node), tr("No execution's message is known."), {tr("creations of messages")});
    const Thresholds::Locality& limits = facts.inputs.thresholds.locality;
    const TimeNs idle = facts.scope.usage.idle;
    node.severity = underWay(facts);
    node.tests = {above(tr("idle time with messages under way, of idle time"), MetricKind::Share,
                        idle > 0 ? double(node.severity) / double(idle) : 0, limits.idleShare, "locality.idle_share")};
    const std::vector<std::uint32_t> nodes = nodesOf(facts.inputs.store);
    const bool isOneNode = std::all_of(nodes.begin(), nodes.end(),
                                       [&nodes](std::uint32_t n) { return n == nodes.front(); });
    if (!node.tests[0].fired || !facts.isFollowed(node.severity) || isOneNode) {
        node.why = isOneNode ? tr("All processors are on one node: no message leaves it.")
                             : tr("%1 of the idle time passed with messages under way.")
                                   .arg(shareText(double(node.severity), double(idle)));
        settle(facts, node, false);
        return Judged{std::move(node), {}};
    }
    const auto traffic = objectTraffic(facts.inputs.store, facts.inputs.graph, facts.progress);
    if (!traffic) return traffic.error();
    const double bytes = double(std::max<std::int64_t>(traffic->bytes, 1));
    node.tests.push_back(above(tr("bytes that leave their node"), MetricKind::Share,
                               double(traffic->remoteBytes) / bytes, limits.remoteBytes, "locality.remote_bytes"));
    node.tests.push_back(
        above(tr("of these, what moving objects to those they talk to would keep on a node"), MetricKind::Share,
              traffic->remoteBytes > 0 ? 1 - double(traffic->remoteAfter) / double(traffic->remoteBytes) : 0, 0.5, ""));
    node.why = tr("%1 of the bytes leave their node; with %2 objects moved to where most of their messages come from "
                  "and go to, "
                  "and the load kept even, it would be %3. It takes all three.")
                   .arg(formatShare(double(traffic->remoteBytes) / bytes), formatCount(traffic->moves),
                        formatShare(double(traffic->remoteAfter) / bytes));
    settle(facts, node,
           std::all_of(node.tests.begin(), node.tests.end(), [](const NodeTest& test) { return test.fired; }));
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = idleEvidence(facts, IdleCause::Latency, mostShown);
    QStringList pairs;
    for (const TalkingPair& pair : traffic->pairs)
        pairs << tr("%1 and %2 (%3)").arg(pair.first, pair.second, formatBytes(pair.bytes));
    Advice advice = adviceOf(facts, node, tr("Place objects that exchange most on the same node"),
                             node.why % QLatin1Char(' ')
                                 % tr("Most goes between %1.").arg(pairs.join(QStringLiteral(", "))));
    advice.sql =
        QStringLiteral(
            "SELECT source.pe AS from_pe, task.pe AS to_pe, count(*) AS messages FROM task JOIN task AS source ON "
            "source.task = task.source WHERE task.begin_ns < %1 GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 100")
            .arg(facts.stages.whole().begin + facts.duration / 10);
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
