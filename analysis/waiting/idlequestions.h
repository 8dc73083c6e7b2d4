// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about idle time: where it lies, what synchronized the run, and what each part of it waited for.
#pragma once

#include "analysis/results/results.h"
#include "analysis/waiting/idlelabels.h"

namespace longpole {

struct ProcessorIdleQuestion {
    using Answer = ProcessorIdle;
    static constexpr const char* id = "idle intervals";

    Result<std::shared_ptr<const ProcessorIdle>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const ProcessorIdle& idle);
    friend bool operator==(const ProcessorIdleQuestion&, const ProcessorIdleQuestion&) = default;
};

struct SynchronizationsQuestion {
    using Answer = Synchronizations;
    static constexpr const char* id = "synchronizations";

    Result<std::shared_ptr<const Synchronizations>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Synchronizations& found);
    friend bool operator==(const SynchronizationsQuestion&, const SynchronizationsQuestion&) = default;
};

struct IdleLabelsQuestion {
    using Answer = IdleLabels;
    static constexpr const char* id = "idle causes";

    std::int64_t stages = 100;   // the decision tree's default; it only changes the sums by stage
    std::vector<bool> chosen{};  // stages that byEntry and blamed are of; empty: all

    Result<std::shared_ptr<const IdleLabels>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const IdleLabels& labels);
    friend bool operator==(const IdleLabelsQuestion&, const IdleLabelsQuestion&) = default;
};

}  // namespace longpole
