// SPDX-License-Identifier: GPL-3.0-or-later
// Branches C and H: how the program shares information, and work in vain, as its own user stats tell.
#include "analysis/base/naming.h"
#include "analysis/expert/nodes.h"

#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <set>

namespace longpole {

namespace {

const char* convention = "user stats named shared/<kind>/<operation>/<variable>";
// What an estimate from user stats rests on: no row of the trace has the loss itself.
QString estimateSql(TimeNs loss)
{
    return QStringLiteral(
               "SELECT 'estimated from these user stats' AS part, NULL AS samples, NULL AS least, NULL AS "
               "most, %1 AS lost_ns\n"
               "UNION ALL\nSELECT name, count(*), min(value), max(value), NULL FROM counter WHERE name LIKE "
               "'shared/%' GROUP BY name")
        .arg(loss);
}

struct ConcernWords {
    const char* id;
    MetricKind kind;
    const char* key;
    const char* title;  // about the variable
};
constexpr ConcernWords concernWords[] = {
    {"key_distribution", MetricKind::Ratio, "shared.key_imbalance",
     QT_TRANSLATE_NOOP("longpole", "Spread the keys of %1 over all PEs")},
    {"frequent_access", MetricKind::Ratio, "shared.hot_accesses",
     QT_TRANSLATE_NOOP("longpole", "Make what is asked for often in %1 write-once")},
    {"rare_reads", MetricKind::Count, "shared",
     QT_TRANSLATE_NOOP("longpole", "Make %1 an entry of a distributed table")},
    {"update_rate", MetricKind::Rate, "shared.updates_frequent",
     QT_TRANSLATE_NOOP("longpole", "Choose the other implementation of %1")},
    {"found_once", MetricKind::Share, "shared.once_elsewhere",
     QT_TRANSLATE_NOOP("longpole", "Insert entries of %1 where they are made")},
    {"speculative", MetricKind::Share, "speculative.share", QT_TRANSLATE_NOOP("longpole", "Deliver %1 sooner")},
};

const ConcernWords& wordsFor(const SharedConcern& concern)
{
    for (const ConcernWords& words : concernWords)
        if (concern.id == QLatin1String(words.id)) return words;
    return concernWords[0];
}

NodeTest testOf(const SharedConcern& concern)
{
    const ConcernWords& words = wordsFor(concern);
    NodeTest test = above(concern.variable.isEmpty() ? concern.metric
                                                     : tr("%1: %2").arg(concern.variable, concern.metric),
                          words.kind, concern.value, concern.threshold, words.key);
    test.firesAbove = concern.fired ? concern.value > concern.threshold : concern.value <= concern.threshold;
    test.fired = concern.fired;
    return test;
}

// Branch H is about it.
bool isSpeculative(const SharedConcern& concern) { return concern.id == QLatin1String("speculative"); }

// Names of tables of which most lies on the processor that is also the busiest.
std::set<QString> hotTables(const TreeFacts& facts)
{
    std::set<QString> hot, seen;
    if (!facts.isImbalanced()) return hot;
    for (const SharedVariable& variable : facts.inputs.shared.variables) {
        if (variable.kind != SharedKind::Table || variable.homes.empty() || !seen.insert(variable.name).second)
            continue;
        const auto most = std::max_element(variable.homes.begin(), variable.homes.end());
        if (std::size_t(most - variable.homes.begin()) == index(facts.pes[facts.imbalance.top]))
            hot.insert(variable.name);
    }
    return hot;
}

// The cost of keys or accesses on one processor that is also the busiest: idle time that its work could have filled.
TimeNs costOfHotHome(const TreeFacts& facts, const std::set<QString>& hot, const SharedConcern& concern)
{
    if (concern.id != QLatin1String("key_distribution") && concern.id != QLatin1String("frequent_access")) return 0;
    if (!hot.contains(concern.variable)) return 0;
    return std::min(facts.scope.usage.idle, facts.fillable() + facts.besideOne() + facts.besideSome());
}

struct FiredConcern {
    const SharedConcern* concern = nullptr;
    TimeNs hot = 0;
    TimeNs cost() const { return std::max(concern->severity, hot); }
};

QString hotHomeText(TimeNs cost)
{
    return cost <= 0 ? QString()
                     : tr("That PE is also the busiest: the others idled for %1 that work elsewhere could have filled.")
                           .arg(formatTime(cost));
}

NodeWords wordsOf(const SharedConcern& concern, TimeNs hot)
{
    const qsizetype end = concern.seen.indexOf(QStringLiteral(". "));
    NodeWords words{.verdict = end < 0 ? concern.seen : concern.seen.left(end + 1),
                    .meaning = end < 0 ? QString() : concern.seen.mid(end + 2),
                    .action = concern.action};
    if (const QString more = hotHomeText(hot); !more.isEmpty())
        words.meaning = words.meaning.isEmpty() ? more : words.meaning % QLatin1Char(' ') % more;
    return words;
}

}  // namespace

Result<Judged> judgeSharedVariables(const TreeFacts& facts, TreeNode node)
{
    const SharedAccess& shared = facts.inputs.shared;
    if (!shared.isRecorded)
        return notJudged(std::move(node), tr("The program does not record how it accesses shared variables."),
                         {tr(convention)});
    const auto hot = hotTables(facts);
    std::vector<FiredConcern> fired;
    TimeNs cost = 0;
    for (const SharedConcern& concern : shared.concerns) {
        if (!concern.isJudged) continue;
        node.tests.push_back(testOf(concern));
        if (!concern.fired) continue;
        fired.push_back({&concern, costOfHotHome(facts, hot, concern)});
        if (!isSpeculative(concern)) addSaturating(cost, fired.back().cost());
    }
    std::stable_sort(fired.begin(), fired.end(),
                     [](const FiredConcern& a, const FiredConcern& b) { return a.cost() > b.cost(); });
    const bool isIdle = facts.scope.usage.idle >= facts.scope.usage.overhead;
    if (isIdle) node.parent = QStringLiteral("idle");
    node.severity = std::min(cost, isIdle ? facts.scope.usage.idle : facts.scope.usage.overhead);
    QStringList why;
    for (const FiredConcern& one : fired) why << whyOf(wordsOf(*one.concern, one.hot));
    node.why = fired.empty() ? tr("None of the six concerns about shared variables is there.")
                             : why.join(QLatin1Char(' '));
    node.change = fired.empty() ? tr("Found with any one of these.") : tr("Not found with none of these.");
    // A concern is there even if its cost in time is small or not known.
    node.share = facts.share(node.severity);
    node.verdict = fired.empty() ? Verdict::NotFired : Verdict::Fired;
    std::vector<Advice> advice;
    for (const auto& [concern, ofHome] : fired) {
        if (isSpeculative(*concern)) continue;
        const TimeNs loss = std::min(std::max(concern->severity, ofHome), node.severity);
        Advice one = adviceOf(facts, node, tr(wordsFor(*concern).title).arg(concern->variable),
                              wordsOf(*concern, ofHome), estimateSql(loss));
        one.scope = {};  // user stats are of the whole run
        one.id = node.id % QLatin1Char(':') % concern->id
                 % (concern->variable.isEmpty() ? QString() : QLatin1Char(':') % concern->variable);
        one.severity = loss;
        one.evidence = concern->evidence;
        advice.push_back(std::move(one));
    }
    for (const FiredConcern& one : fired)
        node.evidence.insert(node.evidence.end(), one.concern->evidence.begin(), one.concern->evidence.end());
    if (!advice.empty()) node.advice = advice.front().title;
    return Judged{std::move(node), std::move(advice)};
}

Result<Judged> judgeSpeculative(const TreeFacts& facts, TreeNode node)
{
    const std::vector<SpeculativeSeries>& series = facts.inputs.shared.speculative;
    if (series.empty())
        return notJudged(std::move(node), tr("Nothing says which work was speculative."),
                         {tr("user stats named shared/monotonic/update/<variable>")});
    const auto most = std::max_element(series.begin(), series.end(),
                                       [](const SpeculativeSeries& a, const SpeculativeSeries& b) {
                                           return a.totalOutdated < b.totalOutdated;
                                       });
    node.severity = most->totalOutdated;
    node.tests = {above(tr("busy time on values of %1 that were out of date").arg(most->variable), MetricKind::Share,
                        facts.work > 0 ? double(most->totalOutdated) / double(facts.work) : 0,
                        facts.inputs.thresholds.speculative.share, "speculative.share")};
    const NodeWords words{
        .verdict = tr("%1 of busy time went into tasks that used an outdated value of %2.")
                       .arg(shareText(double(most->totalOutdated), double(facts.work)), most->variable),
        .meaning = tr("Better values were on their way for %1 of busy time; there were %2.")
                       .arg(shareText(double(most->total), double(facts.work)),
                            counted("%1 updates", "%1 update", std::int64_t(most->updates.size()))),
        .action = tr("Give messages that carry %1 a higher priority, and do what is most promising first.")
                      .arg(most->variable)};
    node.why = node.tests[0].fired
                   ? whyOf(words)
                   : tr("Little was done in vain: %1 of busy time used an outdated value of %2.")
                         .arg(shareText(double(most->totalOutdated), double(facts.work)), most->variable);
    settle(facts, node, node.tests[0].fired);
    if (node.verdict != Verdict::Fired) return Judged{std::move(node), {}};
    for (const SpeculativeSeries::Update& update : most->updates) {
        if (!update.accepted || node.evidence.size() == 5) continue;
        node.evidence.push_back({.pe = update.pe,
                                 .range = {update.time, update.time},
                                 .text = tr("%1 became %2").arg(most->variable, QString::number(update.value))});
    }
    Advice advice = adviceOf(facts, node,
                             tr("Deliver %1 sooner, or do what is most promising first").arg(most->variable), words,
                             estimateSql(node.severity));
    advice.scope = {};
    advice.bound = std::max<TimeNs>(0, facts.duration - facts.leastDuration()) + most->totalOutdated;
    advice.bound = std::min(*advice.bound, facts.duration);
    node.advice = advice.title;
    return Judged{std::move(node), {std::move(advice)}};
}

}  // namespace longpole
