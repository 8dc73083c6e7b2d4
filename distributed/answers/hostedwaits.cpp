// SPDX-License-Identifier: GPL-3.0-or-later
// Each process sums up its own ranks; the worst waits of all are then named by the processes that host whom they were
// for.
#include "distributed/answers/hostedwaits.h"

#include "analysis/base/callpaths.h"
#include "core/base/translate.h"
#include "distributed/exchange/pack.h"

namespace longpole {
namespace {

void put(Packer& packer, const WaitStates& waits)
{
    packer.put(waits.threads);
    packer.put(waits.unjudged);
    packer.put(waits.idle);
    packer.put(static_cast<std::uint64_t>(waits.states.size()));
    for (const WaitState& state : waits.states) {
        packer.put(state.kind);
        packer.put(state.count);
        packer.put(state.time);
        packer.put(state.onRanks);
        packer.put(state.byRank);
        packer.put(state.worst);
    }
}

WaitStates waitsFrom(Unpacker& unpacker)
{
    WaitStates waits;
    waits.threads = unpacker.value<std::int64_t>();
    waits.unjudged = unpacker.value<UnjudgedTime>();
    waits.idle = unpacker.value<IdleParts>();
    for (std::size_t left = unpacker.count(1); left > 0 && unpacker.isWhole(); --left) {
        WaitState& state = waits.states.emplace_back();
        state.kind = unpacker.choice(WaitStateKind::LockCompetition);
        state.count = unpacker.value<std::int64_t>();
        state.time = unpacker.value<TimeNs>();
        state.onRanks = unpacker.value<TimeNs>();
        state.byRank = unpacker.values<TimeNs>();
        state.worst = unpacker.values<WaitInstance>();
    }
    return waits;
}

// A worst wait that a process has named, by its place in the list of all.
struct NamedWait {
    std::uint32_t place = 0;
    WaitInstance instance;
};

int hostOf(const Hosting& hosting, const WaitInstance& instance)
{
    const bool isOfThread = instance.track != noTrack;
    if (!isOfThread && (instance.culprit < 0 || instance.culprit >= hosting.ranks())) return 0;
    return hosting.hostOf(isOfThread ? instance.rank : static_cast<std::uint32_t>(instance.culprit));
}

// Names the waits for hosted ranks, and where in the source these ran meanwhile, which only their calls tell. Error: a
// damaged part.
Result<std::vector<NamedWait>> nameOwn(const Transport& transport, const HostedTrace& trace,
                                       const std::vector<WaitInstance>& worst)
{
    std::vector<NamedWait> named;
    TaskPaths functions(*trace.store);
    for (std::uint32_t place = 0; place < worst.size(); ++place) {
        if (hostOf(trace.hosting, worst[place]) != transport.process()) continue;
        named.push_back({place, worst[place]});
        WaitInstance& instance = named.back().instance;
        if (const Result<> done = nameCause(*trace.store, instance); !done) return done.error();
        instance.meanwhile.function = functions.of(instance.meanwhile.task);
    }
    return named;
}

}  // namespace

Result<WaitStates> hostedWaitStates(Transport& transport, const HostedTrace& trace, const WaitOptions& options,
                                    const Progress& progress)
{
    const Result<WaitStates> own = waitStatesOfPart(*trace.store, options, progress);
    if (!own) transport.fail(own.error());
    Packer packer;
    if (own) put(packer, *own);
    std::vector<WaitStates> parts;
    for (const Payload& bytes : transport.gather(packer.take())) {
        Unpacker unpacker(bytes);
        parts.push_back(waitsFrom(unpacker));
        if (!unpacker.isWhole())
            transport.fail(Error{tr("The waits of another process did not arrive whole."), QString(), QString()});
    }
    WaitStates found;
    std::vector<WaitInstance*> places;
    std::vector<WaitInstance> worst;
    if (transport.isRoot()) found = joinWaitStates(std::move(parts), *trace.store, options);
    for (WaitState& state : found.states)
        for (WaitInstance& instance : state.worst) {
            places.push_back(&instance);
            worst.push_back(instance);
        }
    Packer list;
    list.put(worst);
    const Payload told = transport.broadcast(list.take());
    const Result<std::vector<NamedWait>> named = nameOwn(transport, trace, Unpacker(told).values<WaitInstance>());
    if (!named) transport.fail(named.error());
    Packer names;
    if (named) names.put(*named);
    for (const Payload& bytes : transport.gather(names.take()))
        for (const NamedWait& wait : Unpacker(bytes).values<NamedWait>())
            if (wait.place < places.size()) *places[wait.place] = wait.instance;
    if (transport.failed()) return transport.failure();
    return found;
}

}  // namespace longpole
