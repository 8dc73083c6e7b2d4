// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of the replay: what it knows of the run, what a change is predicted to make of it, and the run that
// would have been.
#pragma once

#include "analysis/replay/replay.h"
#include "analysis/results/results.h"

namespace longpole {

// Of message-driven programs; else an error.
struct ReplayModelQuestion {
    using Answer = ReplayModel;
    static constexpr const char* id = "replay model";

    Result<std::shared_ptr<const ReplayModel>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const ReplayModel& model);  // beyond the graph
    friend bool operator==(const ReplayModelQuestion&, const ReplayModelQuestion&) = default;
};

struct PredictionQuestion {
    using Answer = Prediction;
    static constexpr const char* id = "prediction";

    ReplayQuestion replay{};

    Result<std::shared_ptr<const Prediction>> compute(Results& results, const Progress& progress) const;
    std::int64_t bytes(const Prediction& prediction) const;  // with the question, which may be the larger part
    friend bool operator==(const PredictionQuestion&, const PredictionQuestion&) = default;
};

// With likely arrivals.
struct ReplayedRunQuestion {
    using Answer = ReplayedRun;
    static constexpr const char* id = "replayed run";

    ReplayQuestion replay{};

    Result<std::shared_ptr<const ReplayedRun>> compute(Results& results, const Progress& progress) const;
    std::int64_t bytes(const ReplayedRun& run) const;
    friend bool operator==(const ReplayedRunQuestion&, const ReplayedRunQuestion&) = default;
};

}  // namespace longpole
