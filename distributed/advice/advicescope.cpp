// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/advice/advicescope.h"

#include "core/base/timerange.h"

#include "analysis/waiting/idlequestions.h"
#include "distributed/advice/gathered.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace longpole {

namespace {

// Process 0's, on all.
ScopeNeeds toldNeeds(Transport& transport, const ScopeNeeds& needs)
{
    Packer packer;
    packer.put(needs.periods);
    packer.put(needs.window);
    packer.put(needs.busiest.has_value());
    packer.put(needs.busiest.value_or(ProcessorId{0}));
    packer.put(needs.others);
    packer.put(needs.interruptions);
    const Payload bytes = transport.broadcast(packer.take());
    Unpacker unpacker(bytes);
    ScopeNeeds found{.periods = unpacker.values<TimeRange>(), .window = unpacker.value<TimeRange>()};
    const bool hasBusiest = unpacker.value<bool>();
    const auto busiest = unpacker.value<ProcessorId>();
    if (hasBusiest) found.busiest = busiest;
    found.others = unpacker.value<std::int64_t>();
    found.interruptions = unpacker.value<bool>();
    if (!unpacker.isWhole()) tellNotWhole(transport);
    return found;
}

// Of the processors that are hosted here.
Result<TimeNs> startedHere(const WorkPass& pass, const TraceStore& store, const std::vector<TimeRange>& periods,
                           const Progress& progress)
{
    TimeNs sum = 0;
    for (std::size_t local = 0; local < pass.ranks().size(); ++local) {
        const auto rank = pass.firstRank() + static_cast<std::uint32_t>(local);
        const Processor* const processor = store.processor(ProcessorId{rank});
        if (processor == nullptr) continue;
        const Result<TimeNs> time = startAndStop(store, *processor, periods, progress);
        if (!time) return time.error();
        sum = saturatingAdd(sum, *time);
    }
    return sum;
}

MpiProfile profileOfAll(Transport& transport, const TraceStore& store, TimeRange window, const Progress& progress)
{
    const MpiProfile own = orFail(transport, mpiProfile(store, window, progress));
    std::vector<MpiCallSums> calls;
    for (std::size_t call = 0; call < own.calls.size(); ++call) calls.push_back({own.calls[call], own.ofCall(call)});
    Packer packer;
    packer.put(calls);
    std::map<RegionId, MpiSums> all;
    eachGathered(transport, packer, [&all](Unpacker& unpacker) {
        for (const MpiCallSums& one : unpacker.values<MpiCallSums>()) all[one.call] += one.sums;
    });
    calls.clear();
    for (const auto& [call, sums] : all) calls.push_back({call, sums});
    return profileOfCalls(own.range, std::move(calls));
}

// What the busiest rank did: its host tells process 0 its loads, and all when it was busy in the periods.
std::vector<TimeRange> busyTimes(const WorkPass& pass, const TraceStore& store, const ScopeNeeds& needs,
                                 std::vector<ObjectLoad>& loads, const Progress& progress)
{
    Transport& transport = pass.transport();
    const std::uint32_t rank = index(*needs.busiest);
    Packer packer;
    if (pass.hosting().hosts(transport.process(), rank)) {
        std::vector<TimeRange> busy;
        const HostedTasks& tasks = pass.ranks()[rank - pass.firstRank()].tasks;
        for (std::size_t task = 0; task < tasks.begin.size(); ++task)
            addBusy(busy, {tasks.begin[task], tasks.begin[task] + tasks.duration[task]});
        packer.put(common(busy, needs.periods));
        packer.put(orFail(transport, objectLoads(store, std::array{*needs.busiest}, needs.periods, progress)));
    }
    std::vector<TimeRange> during;
    for (const Payload& bytes : transport.gather(packer.take())) {
        if (bytes.empty()) continue;
        Unpacker unpacker(bytes);
        during = unpacker.values<TimeRange>();
        loads = unpacker.values<ObjectLoad>();
        if (!unpacker.isWhole()) tellNotWhole(transport);
    }
    Packer busy;
    busy.put(during);
    const Payload bytes = transport.broadcast(busy.take());
    return Unpacker(bytes).values<TimeRange>();
}

BesideBusy besideOnAll(const WorkPass& pass, const TraceStore& store, const ScopeNeeds& needs,
                       const std::vector<TimeRange>& busy, const Progress& progress)
{
    Transport& transport = pass.transport();
    const QueuedTime during(busy);
    const ProcessorIdle idle = orFail(transport, processorIdle(store, progress));
    BesideBusy own;
    std::map<std::uint32_t, TimeNs> more;
    for (std::size_t local = 0; local < pass.ranks().size(); ++local) {
        const std::size_t rank = pass.firstRank() + local;
        const bool isBusiest = rank == index(*needs.busiest);
        if (!isBusiest && rank < idle.size())
            for (const TimeRange& range : idle[rank]) addSaturating(own.idle, during.inside(range));
        const HostedTasks& tasks = pass.ranks()[local].tasks;
        for (std::size_t task = 0; task < tasks.begin.size(); ++task) {
            const TimeNs time = timeInside(needs.periods,
                                           {tasks.begin[task], tasks.begin[task] + tasks.duration[task]});
            if (time > 0)
                addSaturating(more[tasks.entry[task]], isBusiest ? saturatingMultiply(time, needs.others) : -time);
        }
    }
    own.more.assign(more.begin(), more.end());
    Packer packer;
    packer.put(own.idle);
    packer.put(static_cast<std::uint64_t>(own.more.size()));
    for (const auto& [entry, time] : own.more) {
        packer.put(entry);
        packer.put(time);
    }
    BesideBusy all;
    more.clear();
    eachGathered(transport, packer, [&](Unpacker& unpacker) {
        addSaturating(all.idle, unpacker.value<TimeNs>());
        for (std::size_t left = unpacker.count(sizeof(std::uint32_t)); left > 0 && unpacker.isWhole(); --left) {
            const auto entry = unpacker.value<std::uint32_t>();
            addSaturating(more[entry], unpacker.value<TimeNs>());
        }
    });
    all.more.assign(more.begin(), more.end());
    return all;
}

}  // namespace

Result<> findInScope(const WorkPass& pass, const TraceStore& store, const HostedNoise& noise, RankInputs& inputs,
                     const Progress& progress)
{
    Transport& transport = pass.transport();
    const ScopeNeeds needs = toldNeeds(transport, inputs.scope);
    if (transport.failed()) return transport.failure();
    const auto add = [](TimeNs& into, const TimeNs& from) { into = saturatingAdd(into, from); };
    inputs.starting = reduceOne(transport, orFail(transport, startedHere(pass, store, needs.periods, progress)), add);
    if (!needs.window.isEmpty()) inputs.profile = profileOfAll(transport, store, needs.window, progress);
    if (needs.interruptions) inputs.interrupted = hostedInterruptions(transport, noise);
    if (needs.busiest) {
        const std::vector<TimeRange> busy = busyTimes(pass, store, needs, inputs.loads, progress);
        inputs.beside = besideOnAll(pass, store, needs, busy, progress);
    }
    if (transport.failed()) return transport.failure();
    return Unit{};
}

}  // namespace longpole
