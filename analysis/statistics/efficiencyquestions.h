// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about the efficiencies of a run: of all of it or a range, and of its phases.
#pragma once

#include "analysis/results/results.h"
#include "analysis/statistics/efficiency.h"

namespace longpole {

struct EfficiencyQuestion {
    using Answer = Efficiency;
    static constexpr const char* id = "efficiency";

    static EfficiencyQuestion of(const TraceStore& store, TimeRange range, Startup startup = Startup::LeftOut);

    TimeRange range{};  // empty: the whole run
    Startup startup = Startup::LeftOut;

    Result<std::shared_ptr<const Efficiency>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Efficiency& efficiency);
    friend bool operator==(const EfficiencyQuestion&, const EfficiencyQuestion&) = default;
};

struct EfficiencyPhasesQuestion {
    using Answer = std::vector<EfficiencyPhase>;
    static constexpr const char* id = "efficiency by phase";

    std::size_t most = 1;
    Startup startup = Startup::LeftOut;

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& phases);
    friend bool operator==(const EfficiencyPhasesQuestion&, const EfficiencyPhasesQuestion&) = default;
};

}  // namespace longpole
