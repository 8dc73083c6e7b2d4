// SPDX-License-Identifier: GPL-3.0-or-later
// The questions for tasks that were stretched, and for processor time.
#pragma once

#include "analysis/noise/noise.h"
#include "analysis/noise/processortime.h"
#include "analysis/results/results.h"

#include <memory>

namespace longpole {

struct ProcessorTimeQuestion {
    using Answer = ProcessorTime;
    static constexpr const char* id = "processor time";

    Result<std::shared_ptr<const ProcessorTime>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const ProcessorTime& time);
    friend bool operator==(const ProcessorTimeQuestion&, const ProcessorTimeQuestion&) = default;
};

struct NoiseQuestion {
    using Answer = Noise;
    static constexpr const char* id = "noise";

    NoiseRequest request{};

    Result<std::shared_ptr<const Noise>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Noise& noise);
    friend bool operator==(const NoiseQuestion&, const NoiseQuestion&) = default;
};

// Of the whole run, with every task that was interrupted by name: who leaves them out asks this.
NoiseQuestion allNoise();

}  // namespace longpole
