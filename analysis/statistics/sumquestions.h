// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about sums over the whole trace: where the time went, how values are distributed, who talks to whom,
// and what was disturbed.
#pragma once

#include "analysis/results/results.h"
#include "analysis/statistics/commmatrix.h"
#include "analysis/statistics/distribution.h"
#include "analysis/statistics/entrytable.h"
#include "analysis/statistics/histogram.h"
#include "analysis/statistics/profile.h"

#include <vector>

namespace longpole {

struct ProfileQuestion {
    using Answer = std::vector<ProfileLine>;
    static constexpr const char* id = "profile";

    ProfileBy by = ProfileBy::Entry;

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& lines);
    friend bool operator==(const ProfileQuestion&, const ProfileQuestion&) = default;
};

struct EntryTableQuestion {
    using Answer = std::vector<EntryFigures>;
    static constexpr const char* id = "entry methods";

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& figures);
    friend bool operator==(const EntryTableQuestion&, const EntryTableQuestion&) = default;
};

struct DistributionQuestion {
    using Answer = Distribution;
    static constexpr const char* id = "distribution of values";

    DistributionRequest request{};

    Result<std::shared_ptr<const Distribution>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Distribution& values);
    friend bool operator==(const DistributionQuestion&, const DistributionQuestion&) = default;
};

// Bins of a distribution, which is asked for.
struct HistogramQuestion {
    using Answer = Histogram;
    static constexpr const char* id = "histogram";

    DistributionRequest values{};
    BinRequest bins{};

    Result<std::shared_ptr<const Histogram>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Histogram& histogram);
    friend bool operator==(const HistogramQuestion&, const HistogramQuestion&) = default;
};

struct CommMatrixQuestion {
    using Answer = CommMatrix;
    static constexpr const char* id = "communication matrix";

    CommRequest request{};

    Result<std::shared_ptr<const CommMatrix>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const CommMatrix& matrix);
    friend bool operator==(const CommMatrixQuestion&, const CommMatrixQuestion&) = default;
};

}  // namespace longpole
