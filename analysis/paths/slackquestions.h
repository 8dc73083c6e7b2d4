// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked about all paths at once: slack, and the paths that would take over.
#pragma once

#include "analysis/paths/nearcritical.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/paths/slack.h"
#include "analysis/paths/slackpyramid.h"

#include <vector>

namespace longpole {

struct SlackQuestion {
    using Answer = Slack;
    static constexpr const char* id = "slack";

    PathModel model{};

    Result<std::shared_ptr<const Slack>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Slack& slack);
    friend bool operator==(const SlackQuestion&, const SlackQuestion&) = default;
};

// For colouring by slack; counts what it adds to slack and graph.
struct SlackPyramidQuestion {
    using Answer = SlackPyramid;
    static constexpr const char* id = "slack by place";

    PathModel model{};

    Result<std::shared_ptr<const SlackPyramid>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const SlackPyramid& pyramid) { return pyramid.bytes(); }
    friend bool operator==(const SlackPyramidQuestion&, const SlackPyramidQuestion&) = default;
};

struct NearCriticalQuestion {
    using Answer = std::vector<NearCriticalPath>;
    static constexpr const char* id = "near-critical paths";

    PathModel model{};
    NearCriticalOptions options{};

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& paths);
    friend bool operator==(const NearCriticalQuestion&, const NearCriticalQuestion&) = default;
};

}  // namespace longpole
