// SPDX-License-Identifier: GPL-3.0-or-later
// Finds how unevenly work is spread, without time that noise added, and whether one processor is a bottleneck that
// cannot give any of its work away.
#include "analysis/expert/facts.h"

#include "analysis/facts/factquestions.h"
#include "analysis/noise/noisequestions.h"
#include "core/base/timerange.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t parts = 10;  // the run is divided into tenths, as imbalance may move from one to the next
constexpr double nearly = 0.95;    // of the busiest one's time: to relieve one of them alone saves next to nothing

double excess(double most, double sum, std::size_t count) { return sum > 0 ? most * double(count) / sum - 1 : 0; }

// User time by processor and stage, without time that stretched tasks lost.
using UserTimes = std::vector<std::vector<TimeNs>>;

// By processor, in stages [first, last).
std::vector<double> timesIn(const UserTimes& user, std::size_t first, std::size_t last)
{
    std::vector<double> times;
    for (const std::vector<TimeNs>& pe : user) {
        TimeNs time = 0;
        for (std::size_t s = first; s < last; ++s) addSaturating(time, pe[s]);
        times.push_back(double(time));
    }
    return times;
}

struct Spread {
    double most = 0, sum = 0;
    double back = 0;  // what an even one would give back
};

Spread spreadOf(const std::vector<double>& times)
{
    Spread spread;
    for (const double time : times) {
        spread.most = std::max(spread.most, time);
        spread.sum += time;
    }
    spread.back = spread.most * double(times.size()) - spread.sum;
    return spread;
}

// Each tenth by itself, for `found`, whose top is known; returns what an even spread in each would give back.
double findTenths(const TreeFacts& facts, const UserTimes& user, Imbalance& found)
{
    const std::size_t stages = facts.stages.count();
    if (stages < parts) return 0;
    double back = 0, weights = 0;
    found.tenthsOfTop = 0;
    for (std::size_t part = 0; part < parts; ++part) {
        const std::vector<double> times = timesIn(user, part * stages / parts, (part + 1) * stages / parts);
        const Spread spread = spreadOf(times);
        back += spread.back;
        weights += spread.sum;
        const double mean = spread.sum / double(times.size());
        if (mean > 0 && times[found.top] > (1 + found.whole / 2) * mean) ++found.tenthsOfTop;
    }
    found.tenths = weights > 0 ? back / weights : 0;
    return back;
}

// The imbalance of the whole run. Bad periods would not do: they were chosen because processors idled in them, and so
// are uneven by choice.
Imbalance imbalanceOf(const TreeFacts& facts, const UserTimes& user)
{
    Imbalance found;
    const std::vector<double> times = timesIn(user, 0, facts.stages.count());
    const Spread spread = spreadOf(times);
    if (!times.empty())
        found.top = static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin());
    for (std::size_t pe = 0; pe < times.size(); ++pe)
        if (times[pe] >= nearly * spread.most) found.busiest.push_back(pe);
    found.whole = excess(spread.most, spread.sum, user.size());
    const double byTenths = findTenths(facts, user, found);
    found.givenBack = static_cast<TimeNs>(found.tenths > found.whole ? byTenths : spread.back);

    double mostTasks = 0, allTasks = 0;
    for (const ProcessorId pe : facts.pes) {
        const Processor* processor = facts.inputs.store.processor(pe);
        const double count = processor != nullptr ? double(processor->tasks) : 0;
        mostTasks = std::max(mostTasks, count);
        allTasks += count;
    }
    found.tasks = excess(mostTasks, allTasks, user.size());
    return found;
}

// Takes off the time for which tasks were interrupted (analysis/noise/noise.h), as it is not of their own work.
Result<TimeNs> removeNoise(const TreeFacts& facts, UserTimes& user)
{
    const auto found = facts.inputs.results.ask(allNoise(), facts.progress);
    if (!found) return found.error();
    TimeNs lost = 0;
    for (const StretchedTask& task : (*found)->worst) {
        const auto pe = std::find(facts.pes.begin(), facts.pes.end(), task.task.pe);
        if (!task.isInterrupted || pe == facts.pes.end()) continue;
        // When it was stretched is not known: the time is taken off from its end backward.
        TimeNs left = task.lost;
        std::size_t stage = facts.stages.at(task.begin + task.duration);
        for (std::size_t s = stage + 1; s-- > 0 && left > 0 && facts.stages.edges[s + 1] > task.begin;) {
            TimeNs& time = user[std::size_t(pe - facts.pes.begin())][s];
            const TimeNs taken = std::min(left, time);
            time -= taken;
            left -= taken;
            addSaturating(lost, taken);
        }
    }
    return lost;
}

// The entry method that the busiest processor runs longest beyond the mean of the others.
void findExcess(const BesideBusy& beside, TimeNs others, Bottleneck& found)
{
    for (const auto& [entry, time] : beside.more)
        if (time / others > found.more) {
            found.more = time / others;
            found.entry = EntryId{entry};
        }
}

UserTimes userTimes(const TreeFacts& facts)
{
    UserTimes user;
    user.reserve(facts.pes.size());
    for (std::size_t pe = 0; pe < facts.pes.size(); ++pe) {
        std::vector<TimeNs>& times = user.emplace_back(facts.stages.count());
        for (std::size_t s = 0; s < times.size(); ++s)
            if (!facts.isLeftOut(s)) times[s] = facts.usage(pe, s).user;
    }
    return user;
}

bool isUneven(const TreeFacts& facts, const Imbalance& imbalance)
{
    return facts.hasTasks() && imbalance.work() > facts.inputs.thresholds.balance.work;
}

}  // namespace

bool isUneven(const TreeFacts& facts) { return isUneven(facts, imbalanceOf(facts, userTimes(facts))); }

Result<> findImbalance(TreeFacts& facts)
{
    UserTimes user = userTimes(facts);
    facts.imbalance = imbalanceOf(facts, user);
    if (!isUneven(facts, facts.imbalance)) return Unit{};
    const Result<TimeNs> lost = removeNoise(facts, user);
    if (!lost) return lost.error();
    if (*lost == 0) return Unit{};
    facts.imbalance = imbalanceOf(facts, user);
    facts.imbalance.noise = *lost;
    return Unit{};
}

void findBusiest(TreeFacts& facts)
{
    if (facts.pes.size() < 2 || !facts.hasTasks()) return;
    Bottleneck& found = facts.bottleneck;
    const auto busiest = std::max_element(facts.scope.perPe.begin(), facts.scope.perPe.end(),
                                          [](const Usage& a, const Usage& b) { return a.user < b.user; });
    found.pe = static_cast<std::size_t>(busiest - facts.scope.perPe.begin());
    const double length = double(std::max<TimeNs>(facts.scope.length, 1));
    found.busy = double(facts.scope.perPe[found.pe].user) / length;
    found.others = (double(facts.scope.usage.user) / length - found.busy) / double(facts.pes.size() - 1);
    const Thresholds& thresholds = facts.inputs.thresholds;
    const double asBusy = nearly * double(busiest->user);
    found.asBusy = std::count_if(facts.scope.perPe.begin(), facts.scope.perPe.end(),
                                 [asBusy](const Usage& usage) { return double(usage.user) >= asBusy; })
                   - 1;
    found.isBusy = found.busy > thresholds.bottleneck.busy && found.others < thresholds.when.utilization
                   && found.asBusy <= 0;
}

Result<> findBottleneck(TreeFacts& facts)
{
    findBusiest(facts);
    Bottleneck& found = facts.bottleneck;
    if (!found.isBusy) return Unit{};  // nor is there one if no PE has a log
    found.isAwaited = areAwaited(facts, std::span(&found.pe, 1));
    if (!found.isAwaited) return Unit{};
    const ProcessorId pe = facts.pes[found.pe];
    const auto objects = facts.inputs.results.ask(ProcessorLoadsQuestion{pe, facts.scope.periods}, facts.progress);
    if (!objects) return objects.error();
    found.objects = **objects;
    constexpr std::int64_t many = 10;
    TimeNs fixed = 0, all = 0;
    std::int64_t tasks = 0, owners = 0;
    for (const ObjectLoad& object : found.objects) addSaturating(all, object.time);
    for (const ObjectLoad& object : found.objects)
        if (!object.canMove || saturatingMultiply(object.time, 2) > all) {
            addSaturating(fixed, object.time);
            addSaturating(tasks, object.tasks);
            owners += object.time > 0 ? 1 : 0;
        }
    found.isOfOne = owners == 1;
    found.isOfMany = tasks >= many;
    found.fixed = all > 0 ? double(fixed) / double(all) : 0;
    if (!found.isThere()) return Unit{};
    const std::int64_t others = std::ssize(facts.pes) - 1;
    const auto beside = facts.inputs.results.ask(BesideBusyQuestion{pe, others, facts.scope.periods}, facts.progress);
    if (!beside) return beside.error();
    found.idleBeside = (*beside)->idle;
    // Its work spread over the others, the next busiest has most, or all have the mean.
    TimeNs next = facts.scope.usage.user / std::ssize(facts.pes);
    for (std::size_t other = 0; other < facts.scope.perPe.size(); ++other)
        if (other != found.pe) next = std::max(next, facts.scope.perPe[other].user);
    found.givenBack = saturatingMultiply(std::ssize(facts.pes),
                                         saturatingSubtract(facts.scope.perPe[found.pe].user, next));
    findExcess(**beside, others, found);
    return Unit{};
}

}  // namespace longpole
