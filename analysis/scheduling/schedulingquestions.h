// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about scheduling: whether priorities would help, which ones, and how the program shares information.
#pragma once

#include "analysis/base/thresholds.h"
#include "analysis/results/results.h"
#include "analysis/scheduling/prioritylist.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "analysis/scheduling/sharedaccess.h"

namespace longpole {

struct SharedAccessQuestion {
    using Answer = SharedAccess;
    static constexpr const char* id = "shared variables";

    Thresholds thresholds{};

    Result<std::shared_ptr<const SharedAccess>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const SharedAccess& access);
    friend bool operator==(const SharedAccessQuestion&, const SharedAccessQuestion&) = default;
};

struct SchedulingQuestion {
    using Answer = SchedulingAnalysis;
    static constexpr const char* id = "scheduling advice";

    Thresholds thresholds{};

    Result<std::shared_ptr<const SchedulingAnalysis>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const SchedulingAnalysis& analysis);
    friend bool operator==(const SchedulingQuestion&, const SchedulingQuestion&) = default;
};

struct PriorityListQuestion {
    using Answer = PriorityList;
    static constexpr const char* id = "priorities";

    Thresholds thresholds{};
    ListedEntries which = ListedEntries::Advised;

    Result<std::shared_ptr<const PriorityList>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const PriorityList& list);
    friend bool operator==(const PriorityListQuestion&, const PriorityListQuestion&) = default;
};

}  // namespace longpole
