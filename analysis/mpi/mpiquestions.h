// SPDX-License-Identifier: GPL-3.0-or-later
// The questions about an MPI run: its wait states with their causes, and the times in its calls.
#pragma once

#include "analysis/mpi/calls.h"
#include "analysis/mpi/calltree.h"
#include "analysis/mpi/waitstates.h"
#include "analysis/results/results.h"

namespace longpole {

// Who needs fewer of the worst waits should ask for as many as others do, so that they share one answer, and cut it
// with withWorst().
struct WaitsQuestion {
    using Answer = WaitStates;
    static constexpr const char* id = "wait states";
    static constexpr std::size_t usualWorst = 50;

    // The question for these options in the form that is shared: without a range if that is the whole run, and with at
    // least usualWorst waits of each state.
    static WaitsQuestion of(const TraceStore& store, WaitOptions options = {});

    WaitOptions options{.mostWorst = usualWorst};

    Result<std::shared_ptr<const WaitStates>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const WaitStates& waits);
    friend bool operator==(const WaitsQuestion&, const WaitsQuestion&) = default;
};

// The answer with at most so many of the worst waits of each state.
WaitStates withWorst(WaitStates waits, std::size_t most);

struct MpiProfileQuestion {
    using Answer = MpiProfile;
    static constexpr const char* id = "times in MPI calls";

    static MpiProfileQuestion of(const TraceStore& store, TimeRange range);

    TimeRange range{};  // empty: the whole run

    Result<std::shared_ptr<const MpiProfile>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const MpiProfile& profile);
    friend bool operator==(const MpiProfileQuestion&, const MpiProfileQuestion&) = default;
};

// The longest call of a rank among those that overlap the range; the first of equals, empty if there is none.
struct LongestCallQuestion {
    using Answer = std::optional<MpiCallRow>;
    static constexpr const char* id = "longest call of a rank";

    std::uint32_t rank = 0;
    TimeRange range{};
    std::optional<RegionId> region{};  // empty: of any

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer&) { return sizeof(Answer); }
    friend bool operator==(const LongestCallQuestion&, const LongestCallQuestion&) = default;
};

struct CallTreeQuestion {
    using Answer = CallTree;
    static constexpr const char* id = "call paths";

    Result<std::shared_ptr<const CallTree>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const CallTree& tree);
    friend bool operator==(const CallTreeQuestion&, const CallTreeQuestion&) = default;
};

}  // namespace longpole
