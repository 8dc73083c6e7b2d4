// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/zeroing.h"

#include "analysis/paths/elapseddelays.h"
#include "analysis/whatif/lanepath.h"
#include "analysis/whatif/laneplan.h"
#include "analysis/whatif/lanes.h"
#include "analysis/whatif/questioncheck.h"
#include "core/base/limits.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <tuple>

namespace longpole {

namespace {

// The longest path of one question, with all times multiplied by the denominator of its factor.
struct Lane {
    TimeNs length = 0;
    std::vector<PathProfileRow> profile;
};

std::vector<PathProfileRow> largest(std::vector<PathProfileRow> profile, std::size_t rows)
{
    if (profile.size() <= rows) return profile;
    return {profile.begin(), profile.begin() + static_cast<std::ptrdiff_t>(rows)};
}

std::optional<Error> problemWith(const ActivityGraph& graph, const WhatIfModel& model,
                                 const std::vector<WhatIf>& questions)
{
    if (const auto problem = problemWith(model, Rational{}, graph.run.length())) return problem;
    for (const WhatIf& question : questions)
        if (const auto problem = problemWith(model, question.factor, graph.run.length())) return problem;
    return {};
}

// In the order of the questions; empty if cancelled.
std::vector<Lane> answerAll(const ActivityGraph& graph, const WhatIfModel& model, const std::vector<WhatIf>& questions,
                            const Progress& progress)
{
    const LanePlan plan = lanePlan(graph, model.edges, progress);
    if (plan.slot.size() != graph.size()) return {};
    const TimeNs rest = model.mode == PathMode::Elapsed ? delayAfterLastEnd(graph) : 0;
    const std::size_t passes = (questions.size() + mostLanes - 1) / mostLanes;
    PassProgress passed(progress, passes * graph.size());
    std::vector<Lane> lanes(questions.size());
    const std::size_t mostRows = profileRowsKept(questions.size());
    std::vector<char> done(passes, 0);
    parallelFor(
        passes,
        [&](std::size_t number) {
            const std::size_t first = number * mostLanes;
            const std::span<const WhatIf> asked = std::span(questions).subspan(first).first(
                std::min(mostLanes, questions.size() - first));
            const LaneFactors factors(asked);
            const LanePass pass = lanePass(graph, model, plan, factors, asked.size(), passed);
            done[number] = pass.isDone ? 1 : 0;
            for (std::size_t k = 0; k < asked.size() && pass.isDone && !progress.isCancelled(); ++k)
                lanes[first + k] = {pass.length[k] + rest * asked[k].factor.denominator,
                                    largest(profileOfLane(graph, model, factors, pass, k), mostRows)};
        },
        std::min(passThreads, defaultThreads()));
    const bool finished = std::find(done.begin(), done.end(), 0) == done.end() && !progress.isCancelled();
    return finished ? lanes : std::vector<Lane>();
}

bool contains(const std::vector<EntryId>& entries, EntryId entry)
{
    return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

// `length` and `profile` are those of the path without the change.
WhatIfAnswer answer(const WhatIf& question, TimeNs length, const std::vector<PathProfileRow>& profile, Lane lane)
{
    WhatIfAnswer result{.question = question, .exactNet = lane.length, .profile = std::move(lane.profile)};
    for (const PathProfileRow& row : profile)
        if (contains(question.entries, row.entry)) addSaturating(result.share, row.time);
    result.net = roundedQuotient(lane.length, question.factor.denominator);
    result.gain = length - result.net;
    const auto next = std::find_if(result.profile.begin(), result.profile.end(), [&](const PathProfileRow& row) {
        return row.time > 0 && !contains(question.entries, row.entry);
    });
    if (next != result.profile.end()) result.nextCritical = next->entry;
    return result;
}

}  // namespace

Result<std::vector<WhatIfAnswer>> whatIf(const ActivityGraph& graph, const WhatIfModel& model,
                                         const std::vector<WhatIf>& questions, const Progress& progress)
{
    if (const auto problem = problemWith(graph, model, questions)) return *problem;
    std::vector<WhatIf> asked = questions;
    asked.push_back({.entries = {}, .factor = {1, 1}});  // the path as it is
    std::vector<Lane> lanes = answerAll(graph, model, asked, progress);
    if (lanes.empty()) return cancelledError();
    std::vector<WhatIfAnswer> answers;
    for (std::size_t i = 0; i < questions.size(); ++i)
        answers.push_back(answer(questions[i], lanes.back().length, lanes.back().profile, std::move(lanes[i])));
    return answers;
}

Result<std::vector<WhatIfAnswer>> zeroing(const ActivityGraph& graph, const WhatIfModel& model,
                                          const CriticalPath& path, const Progress& progress, Rational factor)
{
    std::vector<WhatIf> questions;
    const std::int64_t most = mostZeroed(static_cast<std::int64_t>(graph.size() + graph.inner.size()), path);
    for (const PathProfileRow& row : path.profile) {
        if (std::ssize(questions) == most) break;
        questions.push_back({.entries = {row.entry}, .factor = factor});
    }
    if (const auto problem = problemWith(graph, model, questions)) return *problem;
    std::vector<Lane> lanes = answerAll(graph, model, questions, progress);
    if (lanes.size() != questions.size() || progress.isCancelled()) return cancelledError();
    std::vector<WhatIfAnswer> answers;
    for (std::size_t i = 0; i < questions.size(); ++i)
        answers.push_back(answer(questions[i], path.length, path.profile, std::move(lanes[i])));
    std::stable_sort(answers.begin(), answers.end(), gainsMore);
    return answers;
}

std::int64_t mostZeroed(std::int64_t tasks, const CriticalPath& path)
{
    constexpr std::int64_t inAnyCase = 64;
    std::int64_t steps = 0;
    for (const PathProfileRow& row : path.profile) addSaturating(steps, row.count);
    const std::int64_t most = std::min(limits::zeroedTasks.free / std::max<std::int64_t>(1, tasks),
                                       limits::zeroedSteps.free / std::max<std::int64_t>(1, steps));
    return std::clamp(most, inAnyCase, limits::zeroedEntries.free);
}

// A path with thousands of entry methods has as many questions.
std::size_t profileRowsKept(std::size_t questions)
{
    constexpr std::size_t mostOfAll = 1 << 20, least = 16;
    return std::max(least, mostOfAll / std::max<std::size_t>(1, questions));
}

bool gainsMore(const WhatIfAnswer& a, const WhatIfAnswer& b)
{
    const TimeNs gainA = std::abs(a.gain), gainB = std::abs(b.gain);
    return std::tie(gainB, b.share, a.question.entries) < std::tie(gainA, a.share, b.question.entries);
}

}  // namespace longpole
