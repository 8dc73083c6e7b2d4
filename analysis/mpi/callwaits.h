// SPDX-License-Identifier: GPL-3.0-or-later
// The waits that the row of a call, or of a thread's barrier, stands for: `longpole waits` and the attributes of stages
// count the same ones.
#pragma once

#include "analysis/mpi/waitchoice.h"
#include "analysis/mpi/waitstates.h"
#include "core/store/rows.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {

class CallWaits {
public:
    // What of a call's row is looked at.
    static constexpr std::uint32_t fields = MpiRow::Range | MpiRow::Region | MpiRow::Seq | MpiRow::WaitAfter
                                            | MpiRow::Pattern | MpiRow::Severity | MpiRow::Culprit | MpiRow::CulpritSeq
                                            | MpiRow::Flags | MpiRow::Path;

    explicit CallWaits(const TraceStore& store);

    // Calls take(state, wait) for each wait of the call, for what is a part of another state once more.
    template <typename Take>
    void of(const MpiRow& call, std::uint32_t rank, const Take& take) const
    {
        const WaitPattern pattern = call.pattern();
        if (const auto kind = stateOf(pattern); kind && call.severity() > 0) {
            const WaitInstance wait = severityOf(call, rank);
            take(*kind, wait);
            for (const auto part : {WaitStateKind::WrongOrderSameSource, WaitStateKind::WrongOrderDifferentSource,
                                    WaitStateKind::LateComplete})
                if (WaitChoice::hasPart(pattern, call.flags(), part)) take(part, wait);
        }
        if (call.waitAfter() <= 0 || (call.flags() & MpiCallFlag::Collective) == 0) return;
        if (const auto kind = completionOf(call.region())) take(*kind, completionIn(call, rank));
    }

    // The wait of a thread at a barrier of its team or for a device; empty if it did not wait.
    static std::optional<std::pair<WaitStateKind, WaitInstance>> ofThread(const ThreadWaitRow& row, std::uint32_t rank,
                                                                          TrackId track);

private:
    static WaitInstance severityOf(const MpiRow& call, std::uint32_t rank);
    static WaitInstance completionIn(const MpiRow& call, std::uint32_t rank);
    std::optional<WaitStateKind> completionOf(RegionId region) const
    {
        return index(region) < m_completions.size() ? m_completions[index(region)] : std::nullopt;
    }

    std::vector<std::optional<WaitStateKind>> m_completions;  // by region
};

}  // namespace longpole
