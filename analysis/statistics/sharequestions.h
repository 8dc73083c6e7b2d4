// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about whose time a critical path is, beside what each has of all work.
#pragma once

#include "analysis/paths/pathquestions.h"
#include "analysis/statistics/pathshares.h"

#include <vector>

namespace longpole {

// Of a range, or of the run where it is empty.
struct BusyTimesQuestion {
    using Answer = BusyTimes;
    static constexpr const char* id = "busy times";

    TimeRange range{};
    ProfileBy by = ProfileBy::Entry;

    Result<std::shared_ptr<const BusyTimes>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const BusyTimes& busy);
    friend bool operator==(const BusyTimesQuestion&, const BusyTimesQuestion&) = default;
};

// The path's profile beside that of its range, or of the run.
struct PathSharesQuestion {
    using Answer = std::vector<PathShare>;
    static constexpr const char* id = "shares of the path";

    PathQuestion path{};
    ProfileBy by = ProfileBy::Entry;

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& shares);
    friend bool operator==(const PathSharesQuestion&, const PathSharesQuestion&) = default;
};

}  // namespace longpole
