// SPDX-License-Identifier: GPL-3.0-or-later
// The six concerns of branch C, each a function over the samples of one variable.
#include "analysis/scheduling/sharedaccess.h"

#include "analysis/scheduling/sharedaccessconcerns.h"
#include "analysis/scheduling/sharedaccessstats.h"
#include "analysis/scheduling/speculativework.h"
#include "core/base/limits.h"
#include "core/base/translate.h"

#include <algorithm>
#include <functional>

namespace longpole {

namespace {

// Monotonic ones that are updated. Each costs a walk over all tasks, so of many tasks fewer are looked at.
std::vector<const RecordedVariable*> updatedVariables(const RecordedVariables& recorded, std::size_t tasks)
{
    constexpr std::size_t walked = 1 << 23, always = 4;  // tasks; variables
    const std::size_t most = std::min(static_cast<std::size_t>(limits::monotonicVariables.free),
                                      std::max(always, walked / std::max<std::size_t>(tasks, 1)));
    std::vector<const RecordedVariable*> updated;
    for (const RecordedVariable& variable : recorded.variables)
        if (variable.counts.kind == SharedKind::Monotonic && variable.counts.updates > 0) updated.push_back(&variable);
    if (updated.size() <= most) return updated;
    std::ranges::stable_sort(updated, std::ranges::greater(), [](const auto* one) { return one->counts.updates; });
    updated.resize(most);
    std::ranges::sort(updated);  // as they stand in the list
    return updated;
}

}  // namespace

Result<SharedAccess> sharedAccess(const TraceStore& store, const ActivityGraph& graph, const Thresholds& thresholds,
                                  const Progress& progress)
{
    Result<RecordedVariables> recorded = readSharedStats(store, progress);
    if (!recorded) return recorded.error();
    SharedAccess result;
    result.isRecorded = recorded->isRecorded;
    result.issues = std::move(recorded->issues);
    for (const RecordedVariable* variable : updatedVariables(*recorded, graph.size())) {
        Result<SpeculativeSeries> series = speculativeWork(store, graph, *variable, progress);
        if (!series) return series.error();
        result.speculative.push_back(std::move(*series));
    }
    result.concerns = concerns(recorded->variables, result.speculative, {store, graph, thresholds});
    for (RecordedVariable& variable : recorded->variables) result.variables.push_back(std::move(variable.counts));
    return result;
}

QString sharedStatExample()
{
    return QStringLiteral(
        "enum { INSERT = 1, FIND, READ, UPDATE };\n"
        "traceRegisterUserStat(\"shared/table/insert/cities\", INSERT);  // once, on every PE\n"
        "traceRegisterUserStat(\"shared/table/find/cities\", FIND);\n"
        "traceRegisterUserStat(\"shared/monotonic/read/bound\", READ);\n"
        "traceRegisterUserStat(\"shared/monotonic/update/bound\", UPDATE);\n"
        "// where the program does it:\n"
        "updateStatPair(INSERT, key, home);  // home: the PE that holds the entry\n"
        "updateStatPair(FIND, key, home);\n"
        "updateStatPair(READ, bound, -1);    // what this PE knows\n"
        "updateStatPair(UPDATE, cost, cost < bound ? 1 : 0);  // 1: accepted\n");
}

}  // namespace longpole
