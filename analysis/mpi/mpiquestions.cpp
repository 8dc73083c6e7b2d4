// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/mpiquestions.h"

#include "analysis/graph/graphquestions.h"
#include "analysis/mpi/delaycosts.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

#include <algorithm>
#include <utility>

namespace longpole {

WaitsQuestion WaitsQuestion::of(const TraceStore& store, WaitOptions options)
{
    if (options.range && partOf(store, *options.range).isEmpty()) options.range.reset();
    options.mostWorst = std::max(options.mostWorst, usualWorst);
    return {options};
}

Result<std::shared_ptr<const WaitStates>> WaitsQuestion::compute(Results& results, const Progress& progress) const
{
    if (const Result<> run = requireRun(results.store()); !run) return run.error();
    const WaitsQuestion computed = of(results.store(), {.withCauses = options.withCauses});
    if (results.store().info().isPart() && *this == computed) return storedWaits(results.store(), options.withCauses);
    if (!options.withCauses) return sharedAnswer(waitStates(results.store(), options, progress));
    WaitsQuestion states = *this;
    states.options.withCauses = false;
    const auto found = results.ask(states, progress);
    if (!found.ok()) return found.error();
    WaitStates waits = **found;
    if (const Result<> caused = findCauses(results.store(), options, waits, progress); !caused.ok())
        return caused.error();
    return std::make_shared<const WaitStates>(std::move(waits));
}

std::int64_t WaitsQuestion::bytes(const WaitStates& waits)
{
    return bytesOfAll(waits.states, [](const WaitState& state) { return bytesOf(state.byRank) + bytesOf(state.worst); })
           + bytesOf(waits.causes) + bytesOf(waits.causesByRank);
}

WaitStates withWorst(WaitStates waits, std::size_t most)
{
    for (WaitState& state : waits.states)
        if (state.worst.size() > most) state.worst.resize(most);
    return waits;
}

MpiProfileQuestion MpiProfileQuestion::of(const TraceStore& store, TimeRange range) { return {partOf(store, range)}; }

Result<std::shared_ptr<const MpiProfile>> MpiProfileQuestion::compute(Results& results, const Progress& progress) const
{
    const TraceStore& store = results.store();
    return sharedAnswer(mpiProfile(store, range.isEmpty() ? store.info().range() : range, progress));
}

std::int64_t MpiProfileQuestion::bytes(const MpiProfile& profile)
{
    return bytesOf(profile.calls) + bytesOf(profile.cells) + bytesOf(profile.firstCell) + bytesOf(profile.byRank)
           + bytesOf(profile.program);
}

Result<std::shared_ptr<const std::optional<MpiCallRow>>> LongestCallQuestion::compute(Results& results,
                                                                                      const Progress&) const
{
    Result<std::vector<MpiCallRow>> calls = mpiCalls(results.store(), rank, range);
    if (!calls) return calls.error();
    if (region) std::erase_if(*calls, [this](const MpiCallRow& call) { return call.region != *region; });
    const auto longest = std::max_element(calls->begin(), calls->end(), [](const MpiCallRow& a, const MpiCallRow& b) {
        return a.range.length() < b.range.length();
    });
    return std::make_shared<const Answer>(longest == calls->end() ? Answer{} : Answer{*longest});
}

Result<std::shared_ptr<const CallTree>> CallTreeQuestion::compute(Results& results, const Progress& progress) const
{
    if (const Result<> paths = requireCallPaths(results.store()); !paths) return paths.error();
    const auto path = results.ask(PathQuestion{}, progress);
    if (!path) return path.error();
    return sharedAnswer(callTree(results.store(), **path, progress));
}

std::int64_t CallTreeQuestion::bytes(const CallTree& tree) { return bytesOf(tree.rows); }

}  // namespace longpole
