// SPDX-License-Identifier: GPL-3.0-or-later
// The steps in which waits are put down to code, shared by one process that knows all ranks and by several that know
// some each: what a wait is divided among, in which order waits that end together are dealt with, and the sums.
#pragma once

#include "analysis/mpi/commonsyncs.h"
#include "analysis/mpi/delaycosts.h"
#include "analysis/mpi/waitrecords.h"
#include "core/base/shares.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// A wait's time is divided among at most so many causes: it is not looked into.
constexpr std::uint32_t tooManyCauses = 0xffffffffu;

// From the end of the wait in the call in which both ranks last met to the begin of the call `until`.
TimeRange timeSince(const WaitRank& rank, std::uint32_t since, std::uint32_t until);

// The culprit's waits since both met, before its call that was waited for.
std::span<const WaitCall> waitsSince(const WaitRank& culprit, std::uint32_t since, std::uint32_t culpritCall);

// What a code ran longer than on the rank that waited is excess, which its places share by their times. Both by code.
void keepExcess(std::vector<CodeTime>& theirs, const std::vector<CodeTime>& mine);

// Divides a wait's own time, and what later waits have handed to it, among causes of `whole` in all.
class WaitShares {
public:
    WaitShares(TimeNs own, TimeNs handed, TimeNs whole) : m_direct(own, whole), m_propagated(handed, whole) {}
    void addCode(TimeNs time, DelayCost& cost)
    {
        cost.direct = saturatingAdd(cost.direct, m_direct.next(time));
        cost.propagated = saturatingAdd(cost.propagated, m_propagated.next(time));
    }
    TimeNs ofWait(TimeNs waited) { return saturatingAdd(m_direct.next(waited), m_propagated.next(waited)); }

private:
    Shares m_direct, m_propagated;
};

// Of several waits that end together.
struct TiedWait {
    std::uint32_t rank = 0;
    std::uint32_t place = 0;  // among the rank's waits
    std::uint32_t call = noWaitCall;
    std::int32_t culprit = -1;
    std::uint32_t culpritCall = noWaitCall;
};
// Orders waits that end together and are in falling order of rank and place. Each leads to one other at most, the wait
// of its culprit, and comes before that. Cycles, which occur if clocks disagree, are broken anywhere.
void orderTiedWaits(std::span<TiedWait> tie);

// What a code at a place cost on a rank.
struct CodeCost {
    std::uint32_t rank = 0;
    std::uint32_t code = 0;
    std::uint32_t path = noCallPath;
    TimeNs direct = 0;
    TimeNs propagated = 0;
};
// Adds up the costs of codes at their places; a code's place is the one with most.
DelayCosts sumOfCosts(const std::vector<CodeCost>& costs);

}  // namespace longpole
