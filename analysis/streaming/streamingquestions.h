// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of the path that streaming finds without a graph.
#pragma once

#include "analysis/results/results.h"
#include "analysis/streaming/storedtrace.h"

namespace longpole {

struct StreamingQuestion {
    using Answer = StreamingResult;
    static constexpr const char* id = "streaming path";

    StreamingRequest request{};

    Result<std::shared_ptr<const StreamingResult>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const StreamingResult& result);
    friend bool operator==(const StreamingQuestion&, const StreamingQuestion&) = default;
};

// The entry methods with more than 1/parts of the path.
struct TopSharesQuestion {
    using Answer = TopShares;
    static constexpr const char* id = "entry methods above a share";

    std::uint32_t parts = 1;
    TimeRange range{};

    Result<std::shared_ptr<const TopShares>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const TopShares& top);
    friend bool operator==(const TopSharesQuestion&, const TopSharesQuestion&) = default;
};

}  // namespace longpole
