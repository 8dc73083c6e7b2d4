// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpi/polling.h"

#include <algorithm>
#include <map>

namespace longpole {
namespace {

// By call: whether it completes a request or finds a message.
std::vector<bool> callsThatBring(const MpiRank& rank)
{
    std::vector<bool> brings(rank.calls.size(), false);
    const auto mark = [&brings](const auto& parts) {
        for (const auto& part : parts)
            if (part.completion != noCall) brings[part.completion] = true;
    };
    mark(rank.sends);
    mark(rank.receives);
    mark(rank.collectives);
    for (const MpiProbe& probe : rank.probes) brings[probe.call] = true;
    for (const MpiWindowStep& step : rank.windowSteps)
        if (step.step == WindowStep::Wait) brings[step.call] = true;
    return brings;
}

}  // namespace

std::vector<std::uint32_t> loopsBefore(const MpiRank& rank)
{
    const auto isLoop = [](const MpiCall& call) { return call.isPolling; };
    if (std::none_of(rank.calls.begin(), rank.calls.end(), isLoop)) return {};
    const std::vector<bool> brings = callsThatBring(rank);
    std::vector<std::uint32_t> loops(rank.calls.size(), noCall);
    std::map<std::uint32_t, std::uint32_t> last;  // by location: its last call
    for (std::uint32_t call = 0; call < rank.calls.size(); ++call) {
        const auto [before, isFirst] = last.try_emplace(rank.calls[call].location, call);
        if (!isFirst && isLoop(rank.calls[before->second]) && !brings[before->second]) loops[call] = before->second;
        before->second = call;
    }
    return loops;
}

}  // namespace longpole
