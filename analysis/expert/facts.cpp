// SPDX-License-Identifier: GPL-3.0-or-later
// Finds utilization by stage and processor, the bad periods, and the causes of idle time in them.
#include "analysis/expert/facts.h"

#include "analysis/mpi/mpiquestions.h"
#include "analysis/noise/noisequestions.h"
#include "analysis/projection/attribute.h"
#include "analysis/projection/stagetiles.h"
#include "analysis/waiting/idlequestions.h"
#include "core/base/result.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace longpole {

namespace {

constexpr std::int64_t fewestTasks = 10;

void add(Usage& sum, const Usage& value)
{
    addSaturating(sum.user, value.user);
    addSaturating(sum.idle, value.idle);
    addSaturating(sum.overhead, value.overhead);
}
void add(WorkMeanwhile& sum, const WorkMeanwhile& value)
{
    addSaturating(sum.none, value.none);
    addSaturating(sum.nothing, value.nothing);
    addSaturating(sum.one, value.one);
    addSaturating(sum.more, value.more);
}

// User and idle time by processor and stage. A summary has bins instead of events; a bin that a stage's edge cuts is
// divided in proportion.
Result<std::shared_ptr<const StageUse>> summaryTimes(const TreeFacts& facts)
{
    const TraceStore& store = facts.inputs.store;
    const std::array measures{Measure{StageQuantity::User}, Measure{StageQuantity::Idle}};
    const TimeRange run = store.info().range();
    const TimeNs resolution = std::max<TimeNs>(1, run.length() / static_cast<TimeNs>(facts.stages.count()) / 8);
    const auto tiles = StageTiles::load(store, measures, facts.pes, run, resolution, facts.progress);
    if (!tiles) return tiles.error();
    auto use = std::make_shared<StageUse>();
    for (std::vector<TimeNs>* const times : {&use->user, &use->idle}) {
        const auto name = times == &use->user ? QStringLiteral("user") : QStringLiteral("idle");
        const auto attribute = parsePlainAttribute(name, store);
        if (!attribute) return attribute.error();
        const Projection found = (*tiles)->project(*attribute, facts.stages);
        for (const double value : found.values) times->push_back(static_cast<TimeNs>(value));
    }
    return std::shared_ptr<const StageUse>(std::move(use));
}

Result<std::shared_ptr<const StageUse>> exactTimes(const TreeFacts& facts)
{
    return facts.inputs.results.ask(StageUseQuestion{static_cast<std::int64_t>(facts.stages.count())}, facts.progress);
}

Result<> findUsage(TreeFacts& facts)
{
    const std::size_t stages = facts.stages.count();
    facts.perStage.assign(stages, {});
    facts.starting.assign(stages, 0);
    if (facts.pes.empty()) return Unit{};
    const auto use = facts.inputs.store.info().isSummary() ? summaryTimes(facts) : exactTimes(facts);
    if (!use) return use.error();
    facts.use = *use;
    for (std::size_t pe = 0; pe < facts.pes.size(); ++pe)
        for (std::size_t s = 0; s < stages; ++s) add(facts.perStage[s], facts.usage(pe, s));
    facts.starting = startTimes(facts.inputs.store, facts.stages.edges, facts.perStage);
    return Unit{};
}

// Start-up and shut-down of ranks are paid once: no loss.
TimeNs lostIn(const TreeFacts& facts, std::size_t stage)
{
    return facts.perStage[stage].idle + facts.perStage[stage].overhead - facts.starting[stage];
}

double utilizationOf(const Usage& usage) { return usage.sum() > 0 ? double(usage.user) / double(usage.sum()) : 1; }

// Stages that did badly, by hysteresis; periods too short to count are left out.
std::vector<bool> badStages(TreeFacts& facts)
{
    const Thresholds::When& when = facts.inputs.thresholds.when;
    const std::size_t stages = facts.stages.count();
    std::vector<bool> bad(stages);
    const auto isAside = [&facts](std::size_t stage) {
        return facts.isLeftOut(stage) || isStarting(facts.perStage[stage], facts.starting[stage]);
    };
    TimeNs worstLoss = 0;
    for (std::size_t first = 0; first < stages;) {
        if (isAside(first) || utilizationOf(facts.perStage[first]) >= when.utilization) {
            ++first;
            continue;
        }
        Usage sum;
        TimeNs lost = 0;
        std::size_t last = first;
        for (; last < stages && !isAside(last) && utilizationOf(facts.perStage[last]) < when.exit; ++last) {
            add(sum, facts.perStage[last]);
            addSaturating(lost, lostIn(facts, last));
        }
        const TimeRange period{facts.stages.edges[first], facts.stages.edges[last]};
        if (double(last - first) >= when.stages || double(period.length()) >= when.share * double(facts.duration)) {
            std::fill(bad.begin() + std::ptrdiff_t(first), bad.begin() + std::ptrdiff_t(last), true);
            facts.badPeriods.push_back(period);
            addSaturating(facts.badLoss, sum.idle + sum.overhead);
            if (lost > worstLoss) {
                worstLoss = lost;
                facts.worstUtilization = utilizationOf(sum);
            }
        }
        first = last;
    }
    if (facts.badPeriods.empty())
        for (std::size_t s = 0; s < stages; ++s)
            if (!isAside(s))
                facts.worstUtilization = std::min(facts.worstUtilization, utilizationOf(facts.perStage[s]));
    return bad;
}

void addStage(TreeFacts& facts, std::size_t s)
{
    TreeScope& scope = facts.scope;
    addSaturating(scope.length, facts.stages.range(s).length());
    add(scope.usage, facts.perStage[s]);
    addSaturating(scope.starting, facts.starting[s]);
    for (std::size_t pe = 0; pe < facts.pes.size(); ++pe) add(scope.perPe[pe], facts.usage(pe, s));
    if (s < facts.labels.byStage.size()) {
        for (std::size_t c = 0; c < idleCauseCount; ++c) addSaturating(scope.idle[c], facts.labels.byStage[s][c]);
        add(scope.parallelism, facts.labels.parallelismByStage[s]);
        add(scope.synchronization, facts.labels.synchronizationByStage[s]);
    }
    const TimeRange range = facts.stages.range(s);
    if (!scope.periods.empty() && scope.periods.back().end == range.begin) scope.periods.back().end = range.end;
    else scope.periods.push_back(range);
}

// Finds the stages that are to be left out: whatever an interrupted task had begun and not ended in them, on any
// processor, waited for it or ran beside it.
Result<> findLeftOut(TreeFacts& facts)
{
    const Thresholds::Without& without = facts.inputs.thresholds.without;
    if (!without.any()) return Unit{};
    facts.leftOut.resize(facts.stages.count());
    const auto leaveOut = [&facts](TimeRange range) {
        const std::vector<TimeNs>& edges = facts.stages.edges;
        const auto behind = std::upper_bound(edges.begin(), edges.end(), range.begin) - edges.begin();
        for (auto s = static_cast<std::size_t>(std::max<std::ptrdiff_t>(behind, 1)) - 1;
             s < facts.stages.count() && edges[s] < range.end; ++s)
            if (facts.stages.range(s).overlaps(range)) facts.leftOut[s] = true;
    };
    if (without.startup > 0 && !facts.inputs.health.startUp.range.isEmpty())
        leaveOut(facts.inputs.health.startUp.range);
    if (without.interrupted <= 0 || !facts.hasTasks()) return Unit{};
    const auto noise = facts.inputs.results.ask(allNoise(), facts.progress);
    if (!noise) return noise.error();
    for (const StretchedTask& task : (*noise)->worst)
        if (task.isInterrupted) leaveOut({task.begin, saturatingAdd(task.begin, task.duration)});
    return Unit{};
}

// The bad periods if most was lost there, or if the run as a whole did not do badly.
void findScope(TreeFacts& facts)
{
    std::vector<bool> bad = badStages(facts);
    const TimeNs lost = saturatingSubtract(facts.processorTime, facts.work);
    const bool isWhole = facts.badPeriods.empty()
                         || (saturatingMultiply(facts.badLoss, 2) < lost
                             && double(facts.work) < facts.inputs.thresholds.when.whole * double(facts.processorTime));
    if (isWhole)
        for (std::size_t s = 0; s < bad.size(); ++s) bad[s] = !facts.isLeftOut(s);
    facts.scope.has = std::move(bad);
    facts.scope.isWhole = std::all_of(facts.scope.has.begin(), facts.scope.has.end(), [](bool b) { return b; });
    facts.scope.perPe.resize(facts.pes.size());
    TimeNs most = -1, here = 0;
    for (std::size_t s = 0; s < facts.stages.count(); ++s) {
        if (!facts.scope.has[s]) continue;
        const bool continues = s > 0 && facts.scope.has[s - 1];
        addStage(facts, s);
        here = (continues ? here : 0) + lostIn(facts, s);
        if (here <= most) continue;
        most = here;
        facts.scope.window = facts.scope.periods.back();
    }
    for (const TimeRange& period : facts.scope.periods)
        if (period.overlaps(facts.scope.window)) facts.scope.window = period;
}

Result<> findLabels(TreeFacts& facts)
{
    Results& results = facts.inputs.results;
    const auto found = results.ask(SynchronizationsQuestion{}, facts.progress);
    if (!found) return found.error();
    facts.gathering = (*found)->gathering;
    const auto labels = results.ask(IdleLabelsQuestion{static_cast<std::int64_t>(facts.stages.count())},
                                    facts.progress);
    if (!labels) return labels.error();
    facts.labels = **labels;
    return Unit{};
}

// What idle time of the scope waited for, which may be something else than that of the run.
Result<> findAwaited(TreeFacts& facts)
{
    TreeScope& scope = facts.scope;
    scope.byEntry = facts.labels.byEntry;
    scope.blamed = facts.labels.blamed;
    // Of ranks no branch asks which code it was.
    if (scope.isWhole || !facts.hasTasks() || facts.inputs.graph.hasRanks) return Unit{};
    const auto labels = facts.inputs.results.ask(IdleLabelsQuestion{static_cast<std::int64_t>(facts.stages.count()),
                                                                    scope.has},
                                                 facts.progress);
    if (!labels) return labels.error();
    scope.byEntry = (*labels)->byEntry;
    scope.blamed = (*labels)->blamed;
    return Unit{};
}

// Ranks with most work hold nobody up if the waiting traces back to others. What steps divide among the ranks by turns
// is not asked.
void findAwaitedRanks(TreeFacts& facts)
{
    if (facts.pes.empty()) return;
    const bool isPersistent = facts.imbalance.whole
                              >= facts.inputs.thresholds.balance.persistent * facts.imbalance.tenths;
    facts.imbalance.isAwaited = !isPersistent || areAwaited(facts, facts.imbalance.busiest);
}

// What the replay predicts that a piece of scheduling advice gains; without a prediction its estimate.
TimeNs gainOf(const Advice& advice, const SchedulingAnalysis& scheduling)
{
    if (!advice.prediction) return std::max<TimeNs>(0, advice.estimate.value_or(0));
    const Prediction& prediction = *advice.prediction;
    if (!prediction.gains()) return 0;
    const double gain = (prediction.gainLow + prediction.gainHigh) / 2;
    const TimeNs baseline = prediction.recorded > 0 ? prediction.recorded : scheduling.baseline;
    return std::max<TimeNs>(0, static_cast<TimeNs>(gain * double(baseline)));
}

TimeNs gainOfPriorities(const TreeFacts& facts)
{
    TimeNs gain = 0;
    const SchedulingAnalysis& scheduling = facts.inputs.scheduling;
    for (const Advice& advice : scheduling.advice) gain = std::max(gain, gainOf(advice, scheduling));
    return std::min(facts.scope.usage.idle, saturatingMultiply(gain, static_cast<std::int64_t>(facts.pes.size())));
}

}  // namespace

bool areAwaited(const TreeFacts& facts, std::span<const std::size_t> some)
{
    std::vector<std::uint32_t> ranks;  // causes may be as many as ranks x codes
    for (const std::size_t pe : some) ranks.push_back(index(facts.pes[pe]));
    std::sort(ranks.begin(), ranks.end());
    TimeNs all = 0, ofThem = 0;
    for (const DelayCost& cost : facts.waits.causesByRank) {
        addSaturating(all, cost.sum());
        if (std::binary_search(ranks.begin(), ranks.end(), cost.rank)) addSaturating(ofThem, cost.sum());
    }
    return all == 0 || saturatingMultiply(ofThem, 2) >= all;
}

TimeNs TreeScope::inside(TimeRange range) const { return timeInside(periods, range); }

TimeNs TreeFacts::least() const
{
    return static_cast<TimeNs>(std::ceil(inputs.thresholds.tree.stopBelow * double(processorTime)));
}
bool TreeFacts::isShort() const
{
    return pes.empty() || duration < static_cast<TimeNs>(inputs.thresholds.tree.stages)
           || (!inputs.store.info().isSummary() && tasks < fewestTasks);
}
bool TreeFacts::hasMessages() const { return inputs.store.info().messagesMatched > 0; }
bool TreeFacts::hasSerialChain() const
{
    return chainShare > inputs.thresholds.serialChain.share && isFollowed(besideOne());
}
TimeNs TreeFacts::tracing() const
{
    TimeNs sum = 0;
    for (const ProcessorId pe : pes)
        if (const Processor* processor = inputs.store.processor(pe))
            addSaturating(sum, saturatingAdd(processor->flush, processor->untraced));
    return sum;
}
double TreeFacts::share(TimeNs time) const
{
    const double all = double(duration)
                       * double(std::max<std::int64_t>(inputs.store.info().processors, std::ssize(pes)));
    return all > 0 ? double(time) / all : 0;
}
bool TreeFacts::isSerial() const
{
    return inputs.store.info().hasRanks() && hasMessages() && pes.size() >= 2
           && chainShare > inputs.thresholds.serialChain.share && work - chain <= work / 10
           && leastInPlace() <= work / 3 * 2;
}
TimeNs TreeFacts::fillable() const
{
    return scope.idleOf(IdleCause::Imbalance) + scope.synchronization.one + scope.synchronization.more
           + scope.idleOf(IdleCause::End);
}
TimeNs TreeFacts::besideOne() const { return std::max<TimeNs>(0, scope.parallelism.one - schedulingGain); }
TimeNs TreeFacts::besideSome() const
{
    return std::max<TimeNs>(0, scope.parallelism.one + scope.parallelism.more - schedulingGain) - besideOne();
}
bool TreeFacts::isImbalanced() const
{
    return pes.size() > 1 && imbalance.isAwaited && imbalance.work() > inputs.thresholds.balance.work && !isSerial();
}
Usage TreeFacts::usage(std::size_t pe, std::size_t stage) const
{
    const std::size_t cell = pe * stages.count() + stage;
    const TimeNs length = stages.range(stage).length();
    Usage usage;
    usage.user = std::clamp<TimeNs>(use->user[cell], 0, length);
    usage.idle = std::clamp<TimeNs>(use->idle[cell], 0, length - usage.user);
    usage.overhead = length - usage.user - usage.idle;
    return usage;
}
Usage TreeFacts::usageIn(TimeRange period, std::size_t pe) const
{
    Usage sum;
    for (std::size_t s = 0; s < stages.count(); ++s)
        if (stages.edges[s] >= period.begin && stages.edges[s + 1] <= period.end) add(sum, usage(pe, s));
    return sum;
}
double TreeFacts::leftOutShare() const
{
    const auto count = std::count(leftOut.begin(), leftOut.end(), true);
    return stages.count() > 0 ? double(count) / double(stages.count()) : 0;
}
TimeNs TreeFacts::workPerProcessor() const { return pes.empty() ? 0 : work / static_cast<TimeNs>(pes.size()); }
TimeNs TreeFacts::leastDuration() const { return std::max(workPerProcessor(), inputs.workAtMerges.length); }
TimeNs TreeFacts::leastInPlace() const
{
    TimeNs most = 0;
    for (std::size_t pe = 0; pe < pes.size(); ++pe) {
        TimeNs user = 0;
        for (std::size_t s = 0; s < stages.count(); ++s) addSaturating(user, usage(pe, s).user);
        most = std::max(most, user);
    }
    return most;
}

Result<TreeFacts> factsOfScope(const TreeInputs& inputs, const Progress& progress)
{
    TreeFacts facts{.inputs = inputs, .progress = progress};
    const TraceInfo& info = inputs.store.info();
    facts.pes = judgedProcessors(inputs.store);
    facts.duration = info.duration();
    facts.processorTime = saturatingMultiply(facts.duration, static_cast<std::int64_t>(facts.pes.size()));
    facts.work = info.busy;
    facts.tasks = info.tasks;
    facts.stages = equalStages(info.range(), static_cast<std::int64_t>(inputs.thresholds.tree.stages));
    if (const Result<> used = findUsage(facts); !used) return used.error();
    if (progress.isCancelled()) return cancelledError();
    if (facts.hasTasks())
        if (const Result<> labelled = findLabels(facts); !labelled) return labelled.error();
    if (facts.hasTasks() && info.hasRanks()) {
        constexpr std::size_t worstLookedAt = 10;
        const auto waits = inputs.results.ask(WaitsQuestion::of(inputs.store), progress);
        if (!waits) return waits.error();
        facts.waits = withWorst(**waits, worstLookedAt);
    }
    if (const Result<> leftOut = findLeftOut(facts); !leftOut) return leftOut.error();
    findScope(facts);
    if (const Result<> awaited = findAwaited(facts); !awaited) return awaited.error();
    findOverhead(facts);
    return facts;
}

Result<TreeFacts> treeFacts(const TreeInputs& inputs, const Progress& progress)
{
    Result<TreeFacts> found = factsOfScope(inputs, progress);
    if (!found) return found.error();
    TreeFacts& facts = *found;
    if (const Result<> balanced = findImbalance(facts); !balanced) return balanced.error();
    findAwaitedRanks(facts);
    facts.chain = inputs.workAtMessages.length;
    if (facts.duration > 0) facts.chainShare = double(inputs.workAtMessages.length) / double(facts.duration);
    facts.schedulingGain = gainOfPriorities(facts);
    if (const Result<> looked = findBottleneck(facts); !looked) return looked.error();
    return found;
}

}  // namespace longpole
