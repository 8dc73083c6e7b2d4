// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/hostedwork.h"

#include "analysis/whatif/zeroing.h"

#include <span>

namespace longpole {
namespace {

Result<TimeNs> lengthOf(WorkPass& pass)
{
    const WhatIf asItIs{.entries = {}, .factor = {1, 1}};
    const LaneFactors factors(std::span(&asItIs, 1));
    if (const Result<> ran = pass.run(factors, 1, false); !ran) return ran.error();
    return pass.length(0);
}

}  // namespace

Result<Efficiency> hostedEfficiency(WorkPass& pass, const HostedTrace& trace, const Progress& progress)
{
    Transport& transport = pass.transport();
    const TraceStore& store = *trace.store;
    const TimeRange run = store.info().range();
    const TimeRange inside = intersection(run, activeTime(store));
    pass.narrow(inside);
    const Result<TimeNs> ideal = lengthOf(pass);
    if (!ideal) return ideal.error();
    Result<UsefulTimes> useful = usefulTimes(store, trace.hosting.ranks(), run, Startup::LeftOut, progress);
    if (!useful) transport.fail(useful.error());
    UsefulTimes all;
    if (useful) all = std::move(*useful);
    const auto add = [](TimeNs& into, const TimeNs& from) { into = saturatingAdd(into, from); };
    all.byProcessor.resize(trace.hosting.ranks());
    reduceValues(transport, std::span(all.byProcessor), add);
    all.leftOutBusy = reduceOne(transport, all.leftOutBusy, add);
    if (transport.failed()) return transport.failure();
    return efficiencyOf(std::move(all), countedProcessors(store, trace.hosting.ranks()), inside, *ideal);
}

}  // namespace longpole
