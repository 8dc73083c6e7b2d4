// SPDX-License-Identifier: GPL-3.0-or-later
// Branches F and D2: processors that wait for messages under way, and objects that should be on the same processor.
#include "analysis/expert/nodes.h"

#include "analysis/expert/lossql.h"
#include "analysis/expert/objecttraffic.h"
#include "analysis/statistics/messagelatency.h"
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

// What awaited messages took between different PEs, in the median.
QString medianText(const MessageLatency& latency)
{
    TimeNs median = 0;
    std::int64_t most = 0;
    for (std::size_t way = 1; way < messageWays; ++way)
        if (latency.fits[way].messages > most) {
            most = latency.fits[way].messages;
            median = latency.fits[way].median;
        }
    return most > 0 ? tr("An awaited message took %1 in the median.").arg(formatTime(median)) : QString();
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

// What the loss is made of: idle time with the awaited message in transit, and such with nobody at work meanwhile.
constexpr const char* underWaySql = "cause = 'latency' OR (cause = 'parallelism' AND working = 'none')";

NodeWords latencyWords(const TreeFacts& facts, const MessageLatency& latency, bool isHot, bool isSmall)
{
    const auto waiting = mostOf(facts.scope.byEntry, IdleCause::Latency, 1);
    NodeWords words;
    words.verdict = waiting.empty() ? tr("PEs sit waiting for messages in transit.")
                                    : tr("PEs sit waiting for messages in transit, mostly for %1.")
                                          .arg(namedEntry(facts, waiting.front().first).name);
    const auto ofIdle = [&facts](TimeNs time) { return shareText(double(time), double(facts.scope.usage.idle)); };
    const TimeNs ofSenders = facts.scope.parallelism.none;
    QStringList meaning{ofSenders == 0 ? tr("That is %1 of their idle time.").arg(ofIdle(underWay(facts)))
                                       : tr("That is %1 of their idle time. For %2 the awaited message was in transit, "
                                            "for %3 one that its sender waited "
                                            "for while no PE worked.")
                                             .arg(ofIdle(underWay(facts)),
                                                  ofIdle(facts.scope.idleOf(IdleCause::Latency)), ofIdle(ofSenders))};
    if (const QString owner = waiting.empty() ? QString() : namedEntry(facts, waiting.front().first).owner;
        !owner.isEmpty())
        meaning.prepend(owner);
    if (const QString median = medianText(latency); !median.isEmpty()) meaning << median;
    const Receivers at = receivers(latency);
    if (isHot) meaning << tr("PE %1 receives %2 times the mean.").arg(at.hot).arg(QString::number(at.ratio, 'g', 3));
    words.meaning = meaning.join(QLatin1Char(' '));
    words.action = isHot     ? tr("Spread what PE %1 receives over other PEs.").arg(at.hot)
                   : isSmall ? tr("Put several small messages to one place into one, and send them earlier.")
                             : tr("Send the data earlier, or give each PE more objects.");
    return words;
}

Advice latencyAdvice(const TreeFacts& facts, const TreeNode& node, const MessageLatency& latency,
                     const NodeWords& words)
{
    const Receivers at = receivers(latency);
    const bool isHot = node.tests[1].fired, isSmall = node.tests[2].fired;
    const auto waiting = mostOf(facts.scope.byEntry, IdleCause::Latency, 1);
    const QString what = waiting.empty() ? tr("messages") : namedEntry(facts, waiting.front().first).name;
    const QString title = isHot     ? tr("Spread the messages that PE %1 receives").arg(at.hot)
                          : isSmall ? tr("Send what %1 needs earlier, and in fewer messages").arg(what)
                                    : tr("Send what %1 needs earlier").arg(what);
    Advice advice = adviceOf(facts, node, title, words, LossSql(facts).idle(underWaySql).text());
    if (!waiting.empty()) advice.entry = waiting.front().first;
    return advice;
}

}  // namespace

Result<Judged> judgeLatency(const TreeFacts& facts, TreeNode node)
{
    if (!facts.hasMessages())
        return notJudged(std::move(node), tr("No task's message is known, so nothing says how long one took."),
                         {tr("creations of messages")});
    const Thresholds::Latency& limits = facts.inputs.thresholds.latency;
    const TimeNs idle = facts.scope.usage.idle;
    node.severity = underWay(facts);
    node.tests = {above(tr("idle time with messages in transit and nothing else to do, of idle time"),
                        MetricKind::Share, idle > 0 ? double(node.severity) / double(idle) : 0, limits.idleShare,
                        "latency.idle_share")};
    const NodeTest first = node.tests.front();
    if (!first.fired || !facts.isFollowed(node.severity)) {
        node.why = node.severity > 0 ? tr("PEs seldom waited for messages in transit.") % QLatin1Char(' ')
                                           % explainsOnly(facts, node.severity)
                                     : tr("No PE waited for a message in transit.");
        settle(facts, node, first.fired);
        return Judged{std::move(node), {}};
    }
    const auto latency = messageLatency(facts.inputs.store, facts.inputs.graph,
                                        static_cast<std::int64_t>(limits.smallBytes), facts.progress);
    if (!latency) return latency.error();
    node.tests.push_back(above(tr("messages to the PE that receives most, over the mean"), MetricKind::Ratio,
                               receivers(*latency).ratio, limits.hotReceiver, "latency.hot_receiver"));
    node.tests.push_back(above(tr("messages below %1").arg(formatBytes(std::int64_t(limits.smallBytes))),
                               MetricKind::Share,
                               latency->all() > 0 ? double(latency->small) / double(latency->all()) : 0,
                               limits.smallShare, "latency.small_share"));
    const NodeWords words = latencyWords(facts, *latency, node.tests[1].fired, node.tests[2].fired);
    node.why = whyOf(words);
    node.change = tr("Not found with %1.").arg(changeText(first));
    settle(facts, node, true);
    node.evidence = idleEvidence(facts, IdleCause::Latency, mostShown);
    if (node.evidence.empty()) node.evidence = idleEvidence(facts, IdleCause::Parallelism, mostShown);
    Advice advice = latencyAdvice(facts, node, *latency, words);
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

Result<Judged> judgeLocality(const TreeFacts& facts, TreeNode node)
{
    if (facts.pes.size() < 2)
        return notJudged(std::move(node), tr("The run has one PE: everything is local."), {tr("a second PE")});
    if (!facts.hasMessages())
        return notJudged(std::move(node), tr("No task's message is known."), {tr("creations of messages")});
    const Thresholds::Locality& limits = facts.inputs.thresholds.locality;
    const TimeNs idle = facts.scope.usage.idle;
    node.severity = underWay(facts);
    node.tests = {above(tr("idle time with messages in transit, of idle time"), MetricKind::Share,
                        idle > 0 ? double(node.severity) / double(idle) : 0, limits.idleShare, "locality.idle_share")};
    const std::vector<std::uint32_t> nodes = nodesOf(facts.inputs.store);
    const bool isOneNode = std::all_of(nodes.begin(), nodes.end(),
                                       [&nodes](std::uint32_t n) { return n == nodes.front(); });
    if (!node.tests[0].fired || !facts.isFollowed(node.severity) || isOneNode) {
        node.why = isOneNode ? tr("All PEs are on one node: no message leaves it.")
                             : tr("PEs seldom waited for messages in transit.") % QLatin1Char(' ')
                                   % explainsOnly(facts, node.severity);
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
    const bool isFound = std::all_of(node.tests.begin(), node.tests.end(), [](const NodeTest& t) { return t.fired; });
    NodeWords words{.verdict = tr("Objects that talk to each other lie apart: %1 of the bytes leave their node.")
                                   .arg(formatShare(double(traffic->remoteBytes) / bytes)),
                    .meaning = tr("With %1 objects moved, and the load kept even, it would be %2.")
                                   .arg(formatCount(traffic->moves), formatShare(double(traffic->remoteAfter) / bytes)),
                    .action = tr("Place objects that exchange most on one node.")};
    if (!traffic->pairs.empty()) {
        const TalkingPair& pair = traffic->pairs.front();
        words.action += QLatin1Char(' ')
                        % tr("Most goes between %1 and %2 (%3).").arg(pair.first, pair.second, formatBytes(pair.bytes));
    }
    node.why = isFound ? whyOf(words)
                       : tr("Moving objects would not help: %1 of the bytes leave their node, and %2 still would.")
                             .arg(formatShare(double(traffic->remoteBytes) / bytes),
                                  formatShare(double(traffic->remoteAfter) / bytes));
    settle(facts, node, isFound);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    node.evidence = idleEvidence(facts, IdleCause::Latency, mostShown);
    Advice advice = adviceOf(facts, node, tr("Place objects that exchange most on the same node"), words,
                             LossSql(facts).idle(underWaySql).text());
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
