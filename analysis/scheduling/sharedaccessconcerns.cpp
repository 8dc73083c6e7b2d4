// SPDX-License-Identifier: GPL-3.0-or-later
// What each concern measures, what it says, and where it can be seen.
#include "analysis/scheduling/sharedaccessconcerns.h"

#include "analysis/base/naming.h"
#include "analysis/scheduling/speculativecarriers.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace longpole {

namespace {

constexpr std::size_t mostTasks = 20;  // of one piece of evidence
constexpr std::size_t mostWitnessed = 5;
constexpr std::int64_t fewestUpdates = 10;  // that can be called frequent: fewer may come together by chance
constexpr std::int64_t fewestEntries = 10;  // whose habits are worth advice
constexpr double chance = 0.001;
constexpr std::uint32_t latencySample = 64;  // PEs whose messages are looked at

QString number(double value) { return QString::number(value, 'f', value < 10 ? 2 : value < 100 ? 1 : 0); }
QString foundOnceMetric() { return tr("share of the entries that are found once, away from where they lie"); }
QString sentence(const QString& metric) { return metric.left(1).toUpper() + metric.mid(1); }
QString notCosted() { return tr("What it cost is not in the stats."); }
bool isHeld(SharedKind kind) { return kind == SharedKind::ReadOnly || kind == SharedKind::WriteOnce; }

SharedConcern concern(const char* id, const SharedVariable& variable, const QString& metric)
{
    return {.id = QLatin1String(id), .variable = variable.name, .metric = metric};
}

SharedConcern notJudged(const char* id, const QString& metric, const QString& needs)
{
    return {.id = QLatin1String(id), .metric = metric, .isJudged = false, .seen = tr("Not recorded: %1.").arg(needs)};
}

// Samples as evidence: from the first to the last, and the tasks that made them.
class Witnesses {
public:
    explicit Witnesses(const ConcernContext& context) : m_context(context) {}

    void add(const SharedSample& sample)
    {
        m_range = m_isEmpty ? TimeRange{sample.time, sample.time + 1}
                            : TimeRange{std::min(m_range.begin, sample.time), std::max(m_range.end, sample.time + 1)};
        m_isEmpty = false;
        if (m_tasks.size() >= mostTasks) return;
        const std::uint32_t task = taskAt(m_context.graph, sample.pe, sample.time);
        if (task == noTask) return;
        const TaskId id = m_context.graph.id(task);
        if (std::ranges::find(m_tasks, id) == m_tasks.end()) m_tasks.push_back(id);
    }
    bool isEmpty() const { return m_isEmpty; }
    Evidence evidence(std::uint32_t pe, const QString& text) const
    {
        return {.pe = ProcessorId{pe}, .range = m_range, .tasks = m_tasks, .text = text};
    }

private:
    const ConcernContext& m_context;
    TimeRange m_range{};
    std::vector<TaskId> m_tasks;
    bool m_isEmpty = true;
};

double largestOverMean(std::span<const std::int64_t> counts)
{
    const std::int64_t sum = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    return sum == 0 ? 0 : double(*std::ranges::max_element(counts)) * double(counts.size()) / double(sum);
}

// Mean of the least latencies between different PEs: a message takes at least that long.
TimeNs messageLatency(const TraceStore& store)
{
    double sum = 0, pairs = 0;
    const std::span<const Processor> processors = store.processors();
    const std::size_t step = std::max<std::size_t>(1, processors.size() / latencySample);
    for (std::size_t i = 0; i < processors.size(); i += step) {
        const auto least = store.leastLatencies(processors[i].pe);
        if (!least) continue;
        for (const auto& [source, latency] : *least) {
            if (source == processors[i].pe) continue;
            sum += std::max(0.0, double(latency));
            ++pairs;
        }
    }
    return pairs > 0 ? static_cast<TimeNs>(sum / pairs) : 0;
}

TimeNs saved(double messages, const ConcernContext& context)
{
    return static_cast<TimeNs>(std::min(messages * double(context.latency), 9e18));
}

// What is counted by PE, against its limit.
struct Spread {
    std::vector<std::int64_t> counts{};
    QString metric{};
    double limit = 0;
    double value() const { return largestOverMean(counts); }
};

// Keys where they lie, finds where they are answered, operations where they are made: the most uneven one first.
Spread mostUneven(const RecordedVariable& variable, const Thresholds::Shared& limits)
{
    std::vector<std::int64_t> answered(variable.counts.homes.size());
    for (const SharedSample& sample : variable.samples)
        if (sample.operation == SharedOperation::Find && sample.user >= 0) ++answered[std::size_t(sample.user)];
    std::array<Spread, 3> spreads{
        {{variable.counts.homes, tr("largest number of keys on a PE / mean"), limits.keyImbalance},
         {answered, tr("finds answered by the PE that answers most / mean"), limits.accessImbalance},
         {variable.counts.accesses, tr("operations by the PE that makes most / mean"), limits.accessImbalance}}};
    const auto excess = [](const Spread& one) { return isBeyondChance(one.counts) ? one.value() / one.limit : 0.0; };
    return *std::ranges::max_element(spreads, {}, excess);
}

// Concern 1: whether keys, and what the program asks for, lie evenly over the processors.
SharedConcern keyDistribution(const RecordedVariable& variable, const ConcernContext& context)
{
    const SharedVariable& counts = variable.counts;
    const Spread spread = mostUneven(variable, context.thresholds.shared);
    SharedConcern result = concern("key_distribution", counts, spread.metric);
    result.value = spread.value();
    result.threshold = spread.limit;
    const std::int64_t known = std::accumulate(counts.homes.begin(), counts.homes.end(), std::int64_t{0});
    result.isJudged = known > 0;
    if (!result.isJudged) {
        result.seen = tr("Not recorded: where the entries of %1 lie, as the time given with its stats.")
                          .arg(counts.name);
        return result;
    }
    const auto worst = static_cast<std::uint32_t>(std::ranges::max_element(spread.counts) - spread.counts.begin());
    result.seen = tr("PE %1 holds %2 of the %3 entries of %4 (%5). %6: %7.")
                      .arg(worst)
                      .arg(formatCount(counts.homes[worst]), formatCount(known), counts.name,
                           formatShare(double(counts.homes[worst]) / double(known)), sentence(spread.metric),
                           number(result.value));
    const bool isUneven = result.value > result.threshold;
    result.fired = isUneven && isBeyondChance(spread.counts);
    if (!result.fired && isUneven) result.seen += u' ' % tr("So few may lie so by chance.");
    if (!result.fired) return result;
    result.seen += u' ' % notCosted();
    result.action = tr("Spread the keys: a hash that uses all PEs, or entries where they are used.");
    Witnesses witnesses(context);
    for (const SharedSample& sample : variable.samples)
        if (sample.user == worst) witnesses.add(sample);
    result.evidence.push_back(witnesses.evidence(
        worst, counted("home of %1 entries of %2", "home of %1 entry of %2", counts.homes[worst]).arg(counts.name)));
    return result;
}

// Concern 2: what was computed with a value that had been surpassed.
SharedConcern speculation(const SpeculativeSeries& series, const ConcernContext& context)
{
    SharedConcern result{.id = QStringLiteral("speculative"),
                         .variable = series.variable,
                         .metric = series.hasReads ? tr("share of the work done on a surpassed value")
                                                   : tr("share of the work done while a better value was on its way")};
    const auto share = [](TimeNs part, TimeNs whole) { return whole > 0 ? double(part) / double(whole) : 0.0; };
    result.value = share(series.totalOutdated, series.totalUser);
    result.threshold = context.thresholds.speculative.share;
    result.fired = result.value > result.threshold;
    result.severity = series.totalOutdated;
    result.seen = tr("%1 became better %2 times.").arg(series.variable, formatCount(std::int64_t(series.best.size())))
                  % u' '
                  % tr("%1 of the work (%2) was done between a better value and its arrival.")
                        .arg(formatShare(share(series.total, series.totalUser)), formatTime(series.total))
                  % u' '
                  % (series.hasReads ? tr("%1 of that (%2) was in tasks that had used the value before it.")
                                           .arg(formatShare(share(series.totalOutdated, series.total)),
                                                formatTime(series.totalOutdated))
                                     : tr("Reads are not recorded, so how much of it used the value is not known."));
    if (result.fired)
        result.action = tr("Deliver better values sooner: give their message a high priority.") % u' '
                        % tr("Read the value again before long work, and start with the work that promises most.");
    result.evidence = series.evidence;
    return result;
}

// Concern 3: one entry that many processors ask for again and again.
SharedConcern frequentAccess(const RecordedVariable& variable, const ConcernContext& context)
{
    const Thresholds::Shared& limits = context.thresholds.shared;
    const double many = limits.hotProcessors * double(variable.counts.accesses.size());
    SharedConcern result = concern("frequent_access", variable.counts, tr("finds of the entry that most PEs ask for"));
    result.threshold = limits.hotAccesses;
    const TableEntry* worst = nullptr;
    std::int64_t hot = 0, remote = 0;
    for (const TableEntry& entry : variable.entries) {
        const bool isHot = double(entry.finders) > many && double(entry.finds) > limits.hotAccesses;
        if (isHot) ++hot;
        if (isHot) remote += entry.remoteFinds;
        const auto rank = [&](const TableEntry& one) { return std::pair(double(one.finders) > many, one.finds); };
        if (worst == nullptr || rank(entry) > rank(*worst)) worst = &entry;
    }
    if (worst == nullptr || variable.counts.finds == 0) {
        result.isJudged = false;
        result.seen = tr("Not recorded: shared/table/find/%1.").arg(variable.counts.name);
        return result;
    }
    result.value = double(worst->finds);
    result.seen = tr("Entry %1 of %2 was found %3 times by %4 of %5 PEs.")
                      .arg(QString::number(worst->key, 'f', 0), variable.counts.name, formatCount(worst->finds),
                           formatCount(worst->finders), formatCount(std::int64_t(variable.counts.accesses.size())));
    result.fired = hot > 0 && variable.counts.accesses.size() > 1;
    if (!result.fired) return result;
    result.severity = saved(2.0 * double(remote), context);
    result.seen += u' ' % counted("%1 entries are read like this.", "%1 entry is read like this.", hot);
    result.action = tr("Make them write-once variables, which every PE has.") % u' '
                    % tr("That saves the two messages of %1 finds, %2 of latency.")
                          .arg(formatCount(remote), formatTime(result.severity));
    Witnesses witnesses(context);
    for (const SharedSample& sample : variable.samples)
        if (sample.value == worst->key && sample.operation == SharedOperation::Find) witnesses.add(sample);
    result.evidence.push_back(witnesses.evidence(
        worst->home >= 0 ? std::uint32_t(worst->home) : worst->finder,
        tr("entry %1 found %2 times").arg(QString::number(worst->key, 'f', 0), formatCount(worst->finds))));
    return result;
}

// Concern 4: a variable that every processor has a copy of, but few read.
SharedConcern rareReads(const RecordedVariable& variable, const ConcernContext& context)
{
    const auto processors = std::int64_t(variable.counts.accesses.size());
    SharedConcern result = concern("rare_reads", variable.counts, tr("reads, against one per PE"));
    result.value = double(variable.counts.reads);
    result.threshold = double(processors);
    result.isJudged = !variable.samples.empty();
    if (!result.isJudged) {
        result.seen = tr("Nothing is recorded of %1 but its name.").arg(variable.counts.name);
        return result;
    }
    result.fired = variable.counts.reads < processors && processors > 1;
    result.seen = tr("%1 was read %2 times on %3 PEs.")
                      .arg(variable.counts.name, formatCount(variable.counts.reads), formatCount(processors));
    if (!result.fired) return result;
    result.seen += u' ' % tr("A copy on every PE may cost more than the reads save.") % u' ' % notCosted();
    result.action = tr("Make it an entry of a distributed table.");
    Witnesses witnesses(context);
    for (const SharedSample& sample : variable.samples) witnesses.add(sample);
    result.evidence.push_back(witnesses.evidence(variable.samples.front().pe,
                                                 tr("the few uses of %1").arg(variable.counts.name)));
    return result;
}

// The tenth of the run in which most updates were accepted.
Evidence mostUpdates(const RecordedVariable& variable, const ConcernContext& context)
{
    std::vector<SharedSample> accepted;
    for (const SharedSample& sample : variable.samples)
        if (sample.operation == SharedOperation::Update && sample.user == 1) accepted.push_back(sample);
    const TimeNs length = std::max<TimeNs>(1, context.store.info().duration() / 10);
    std::size_t first = 0, bestFirst = 0, most = 0;
    for (std::size_t i = 0; i < accepted.size(); ++i) {
        while (accepted[i].time - accepted[first].time > length) ++first;
        if (i - first + 1 > most) {
            most = i - first + 1;
            bestFirst = first;
        }
    }
    Witnesses witnesses(context);
    for (std::size_t i = 0; i < most; ++i) witnesses.add(accepted[bestFirst + i]);
    return witnesses.evidence(accepted[bestFirst].pe, counted("%1 updates of %2", "%1 update of %2", std::int64_t(most))
                                                          .arg(variable.counts.name));
}

// Concern 5: how a better value should spread.
SharedConcern updateRate(const RecordedVariable& variable, const ConcernContext& context)
{
    const Thresholds::Shared& limits = context.thresholds.shared;
    const SharedVariable& counts = variable.counts;
    const double seconds = double(context.store.info().duration()) * 1e-9;
    SharedConcern result = concern("update_rate", counts, tr("accepted updates per second"));
    result.value = seconds > 0 ? double(counts.accepted) / seconds : 0;
    const bool isRare = result.value < limits.updatesRare;
    result.threshold = isRare ? limits.updatesRare : limits.updatesFrequent;
    result.isJudged = counts.accepted > 0 && seconds > 0;
    result.seen = tr("%1 was updated %2 times in %3 (%4 were offered): %5 a second.")
                      .arg(counts.name, formatCount(counts.accepted), formatTime(context.store.info().duration()),
                           formatCount(counts.updates), number(result.value));
    if (!result.isJudged) result.seen = tr("No accepted update of %1 is recorded.").arg(counts.name);
    if (!result.isJudged || counts.accesses.size() < 2) return result;
    const bool isFrequent = result.value > limits.updatesFrequent && counts.accepted >= fewestUpdates;
    result.fired = isRare || isFrequent;
    if (isFrequent) result.action = tr("Choose the spanning tree implementation: each value travels along a tree.");
    if (isRare) result.action = tr("Choose the flooding implementation: the few values then arrive soonest.");
    if (!result.fired) return result;
    result.seen += u' ' % notCosted();
    result.evidence.push_back(mostUpdates(variable, context));
    return result;
}

bool isElsewhere(const TableEntry& entry)
{
    return entry.isInserted && entry.finds == 1 && entry.home >= 0 && entry.home != entry.inserter
           && entry.home != entry.finder;
}

QString keyOf(const TableEntry& entry) { return QString::number(entry.key, 'f', 0); }

// A few entries on their way, each at its home.
std::vector<Evidence> waysOf(const RecordedVariable& variable, const ConcernContext& context)
{
    std::map<double, std::pair<const TableEntry*, Witnesses>> kept;
    for (const TableEntry& entry : variable.entries)
        if (isElsewhere(entry) && kept.size() < mostWitnessed) kept.try_emplace(entry.key, &entry, Witnesses(context));
    for (const SharedSample& sample : variable.samples)
        if (const auto one = kept.find(sample.value); one != kept.end()) one->second.second.add(sample);
    std::vector<Evidence> found;
    for (const auto& [key, way] : kept) {
        const auto& [entry, witnesses] = way;
        const QString text = tr("entry %1: from PE %2, on PE %3, found by PE %4")
                                 .arg(keyOf(*entry), QString::number(entry->inserter), QString::number(entry->home),
                                      QString::number(entry->finder));
        found.push_back(witnesses.evidence(std::uint32_t(entry->home), text));
    }
    return found;
}

// Concern 6: entries that travel to a home that neither uses them: one message to insert and two to find.
SharedConcern foundOnce(const RecordedVariable& variable, const ConcernContext& context)
{
    SharedConcern result = concern("found_once", variable.counts, foundOnceMetric());
    result.threshold = context.thresholds.shared.onceElsewhere;
    std::int64_t inserted = 0, elsewhere = 0, messages = 0;
    for (const TableEntry& entry : variable.entries) {
        if (entry.isInserted && entry.home >= 0) ++inserted;
        if (!isElsewhere(entry)) continue;
        ++elsewhere;
        messages += entry.inserter == entry.finder ? 3 : 1;
    }
    result.isJudged = inserted > 0 && variable.counts.finds > 0;
    if (!result.isJudged) {
        result.seen = tr("Not recorded: shared/table/insert/%1 and shared/table/find/%1, both with the home PE.")
                          .arg(variable.counts.name);
        return result;
    }
    result.value = double(elsewhere) / double(inserted);
    result.seen = tr("%1 of %2 entries of %3 (%4) are found once, and lie neither where they were inserted nor found.")
                      .arg(formatCount(elsewhere), formatCount(inserted), variable.counts.name,
                           formatShare(result.value));
    result.fired = result.value > result.threshold && inserted >= fewestEntries;
    if (!result.fired) return result;
    result.severity = saved(double(messages), context);
    result.action = tr("Insert an entry on the PE that makes it: that saves %1 messages, %2 of latency.")
                        .arg(formatCount(messages), formatTime(result.severity));
    result.evidence = waysOf(variable, context);
    return result;
}

}  // namespace

bool isBeyondChance(std::span<const std::int64_t> counts)
{
    if (counts.empty()) return false;
    const double mean = double(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})) / double(counts.size());
    const auto most = double(*std::ranges::max_element(counts));
    if (most <= mean) return false;
    int sign = 1;  // std::lgamma would write that of all threads
    const double log = most * std::log(mean) - mean - lgamma_r(most + 1, &sign)
                       + std::log((most + 1) / (most + 1 - mean));
    return log + std::log(double(counts.size())) < std::log(chance);
}

std::vector<SharedConcern> concerns(std::span<const RecordedVariable> variables,
                                    std::span<const SpeculativeSeries> speculative, const ConcernContext& given)
{
    ConcernContext context = given;
    if (!variables.empty()) context.latency = messageLatency(given.store);
    std::vector<SharedConcern> found;
    const auto judge = [&](auto isOfKind, auto&& judged, SharedConcern none) {
        const std::size_t before = found.size();
        for (const RecordedVariable& variable : variables)
            if (isOfKind(variable.counts.kind)) found.push_back(judged(variable, context));
        if (found.size() == before) found.push_back(std::move(none));
    };
    const auto isTable = [](SharedKind kind) { return kind == SharedKind::Table; };
    const auto isMonotonic = [](SharedKind kind) { return kind == SharedKind::Monotonic; };
    const QString table = QStringLiteral("shared/table/insert/<name>, shared/table/find/<name>");
    const QString update = QStringLiteral("shared/monotonic/update/<name>");
    judge(isTable, keyDistribution, notJudged("key_distribution", tr("largest number of keys on a PE / mean"), table));
    for (const SpeculativeSeries& series : speculative) found.push_back(speculation(series, context));
    if (speculative.empty())
        found.push_back(notJudged("speculative", tr("share of the work done on a surpassed value"),
                                  update % QStringLiteral(", shared/monotonic/read/<name>")));
    judge(isTable, frequentAccess, notJudged("frequent_access", tr("finds of the entry that most PEs ask for"), table));
    judge(isHeld, rareReads,
          notJudged("rare_reads", tr("reads, against one per PE"),
                    QStringLiteral("shared/readonly/read/<name>, shared/writeonce/deref/<name>")));
    judge(isMonotonic, updateRate, notJudged("update_rate", tr("accepted updates per second"), update));
    judge(isTable, foundOnce, notJudged("found_once", foundOnceMetric(), table));
    return found;
}

}  // namespace longpole
