// SPDX-License-Identifier: GPL-3.0-or-later
// One pass with a measure for each of the entry methods that matter.
#include "analysis/projection/entrystacks.h"

#include "analysis/statistics/utilization.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace longpole {

namespace {

constexpr TimeNs leastShare = 1000;       // a thousandth of the time in entry methods has a part of its own
constexpr std::size_t mostMeasured = 64;  // that could be among the busiest ones of the stages

// All entry methods if they are few, else by exclusive time in the whole run on these processors.
std::vector<EntryId> busiest(const TraceStore& store, const std::vector<ProcessorId>& pes)
{
    std::vector<EntryId> all;
    for (const Entry& entry : store.entries()) all.push_back(entry.id);
    if (all.size() <= mostMeasured) return all;
    const std::set<ProcessorId> wanted(pes.begin(), pes.end());
    std::map<EntryId, TimeNs> times;
    for (const ProfileRow& row : store.profile())
        if (wanted.contains(row.pe)) times[row.entry] = saturatingAdd(times[row.entry], row.exclusive);
    std::vector<EntryId> entries;
    for (const auto& [entry, time] : times)
        if (time > 0) entries.push_back(entry);
    std::stable_sort(entries.begin(), entries.end(), [&](EntryId a, EntryId b) { return times[a] > times[b]; });
    if (entries.size() > mostMeasured) entries.resize(mostMeasured);
    return entries;
}

// Runs of stages that are kept or left out as one stage each: what is added up over stages needs no more.
struct Runs {
    Stages stages;
    std::vector<bool> kept;
};

Runs runsOf(const EntryStacksRequest& request)
{
    Runs runs;
    for (std::size_t i = 0; i < request.stages.count(); ++i) {
        const bool kept = request.kept.empty() || request.kept[i];
        if (!runs.kept.empty() && runs.kept.back() == kept) continue;
        runs.stages.edges.push_back(request.stages.edges[i]);
        runs.kept.push_back(kept);
    }
    runs.stages.edges.push_back(request.stages.edges.back());
    return runs;
}

bool isKept(const EntryStacksRequest& request, std::size_t stage)
{
    return request.kept.empty() || request.kept[stage];
}

// A measure by column of the result.
std::vector<TimeNs> columnsOf(const StageCells& cells, std::size_t measure, const EntryStacksRequest& request,
                              const Runs& runs)
{
    std::vector<TimeNs> values;
    if (!request.overStages) {
        const std::span<const std::int64_t> row = cells.counts(measure, 0);
        for (std::size_t stage = 0; stage < row.size(); ++stage)
            values.push_back(isKept(request, stage) ? row[stage] : 0);
        return values;
    }
    for (std::size_t pe = 0; pe < cells.rows(); ++pe) {
        TimeNs sum = 0;
        for (std::size_t run = 0; run < runs.kept.size(); ++run)
            if (runs.kept[run]) addSaturating(sum, cells.counts(measure, pe)[run]);
        values.push_back(sum);
    }
    return values;
}

StackPart part(StackPart::Kind kind, EntryId entry, std::vector<TimeNs> times)
{
    StackPart part{.kind = kind, .entry = entry, .times = std::move(times)};
    part.total = std::accumulate(part.times.begin(), part.times.end(), TimeNs{0}, saturatingAdd);
    return part;
}

void takeAway(std::vector<TimeNs>& from, const std::vector<TimeNs>& values)
{
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= values[i];
}

std::vector<TimeNs> lengthsOf(const EntryStacksRequest& request)
{
    std::vector<TimeNs> lengths;
    TimeNs sum = 0;
    for (std::size_t stage = 0; stage < request.stages.count(); ++stage) {
        lengths.push_back(isKept(request, stage) ? request.stages.range(stage).length() : 0);
        addSaturating(sum, lengths.back());
    }
    if (request.overStages) lengths.assign(request.pes.size(), sum);
    return lengths;
}

EntryStacks emptyStacks(EntryStacksRequest request)
{
    EntryStacks stacks{.request = std::move(request), .parts = {}, .whole = {}, .lengths = {}};
    stacks.lengths = stacks.whole = lengthsOf(stacks.request);
    if (!stacks.request.overStages)
        for (TimeNs& whole : stacks.whole) whole *= static_cast<TimeNs>(stacks.request.pes.size());
    return stacks;
}

// Time of entry methods in executions that the durations leave out.
Result<StackPart> leftOut(const TraceStore& store, const EntryStacksRequest& request, const Runs& runs,
                          const std::vector<TimeNs>& user, const Progress& progress)
{
    StageRequest wanted{.measures = {{StageQuantity::User, {}}},
                        .stages = request.overStages ? runs.stages : request.stages,
                        .pes = request.pes,
                        .axis = request.overStages ? StageAxis::Cells : StageAxis::Stage};
    const auto counted = stageCells(store, std::move(wanted), progress);
    if (!counted) return counted.error();
    std::vector<TimeNs> rest = columnsOf(**counted, 0, request, runs);
    takeAway(rest, user);
    return part(StackPart::Kind::LeftOut, noEntry, std::move(rest));
}

// Time of processors whose logs are missing, of which nobody knows what they did.
std::vector<TimeNs> missingTimes(const TraceStore& store, const EntryStacks& stacks)
{
    std::vector<TimeNs> times(stacks.columns());
    for (std::size_t i = 0; i < stacks.request.pes.size(); ++i) {
        if (!lacksLog(store, stacks.request.pes[i])) continue;
        if (stacks.request.overStages) times[i] = stacks.lengths[i];
        else
            for (std::size_t stage = 0; stage < times.size(); ++stage)
                addSaturating(times[stage], stacks.lengths[stage]);
    }
    return times;
}

// Idle, what is missing, and overhead as what all others leave.
void finish(const TraceStore& store, EntryStacks& stacks, std::vector<TimeNs> idle)
{
    stacks.parts.push_back(part(StackPart::Kind::Idle, noEntry, std::move(idle)));
    std::vector<TimeNs> left = stacks.whole;
    for (const StackPart& one : stacks.parts) takeAway(left, one.times);
    std::vector<TimeNs> missing = missingTimes(store, stacks);
    for (std::size_t i = 0; i < left.size(); ++i) missing[i] = std::clamp<TimeNs>(left[i], 0, missing[i]);
    takeAway(left, missing);
    stacks.parts.push_back(part(StackPart::Kind::Overhead, noEntry, std::move(left)));
    StackPart lost = part(StackPart::Kind::Missing, noEntry, std::move(missing));
    if (lost.total != 0) stacks.parts.push_back(std::move(lost));
}

}  // namespace

Result<EntryStacks> entryStacks(const TraceStore& store, EntryStacksRequest request, const Progress& progress)
{
    const std::vector<EntryId> entries = busiest(store, request.pes);
    const Runs runs = runsOf(request);
    StageRequest wanted{.measures = {{StageQuantity::User, {}}, {StageQuantity::Idle, {}}},
                        .stages = request.overStages ? runs.stages : request.stages,
                        .pes = request.pes,
                        .axis = request.overStages ? StageAxis::Cells : StageAxis::Stage,
                        .grain = request.grain};
    for (const EntryId entry : entries) wanted.measures.push_back({StageQuantity::User, subjectOf(entry)});
    const auto counted = stageCells(store, std::move(wanted), progress);
    if (!counted) return counted.error();
    const StageCells& cells = **counted;
    EntryStacks stacks = emptyStacks(std::move(request));
    std::vector<TimeNs> others = columnsOf(cells, 0, stacks.request, runs);
    const std::vector<TimeNs> user = others;
    for (std::size_t i = 0; i < entries.size(); ++i)
        stacks.parts.push_back(part(StackPart::Kind::Entry, entries[i], columnsOf(cells, 2 + i, stacks.request, runs)));
    std::erase_if(stacks.parts, [](const StackPart& one) { return one.total == 0; });
    std::stable_sort(stacks.parts.begin(), stacks.parts.end(),
                     [](const StackPart& a, const StackPart& b) { return a.total > b.total; });
    const TimeNs all = std::accumulate(user.begin(), user.end(), TimeNs{0}, saturatingAdd);
    std::size_t named = 0;
    while (named < std::min(stacks.parts.size(), stacks.request.mostEntries)
           && stacks.parts[named].total >= all / leastShare)
        ++named;
    const std::size_t rest = stacks.parts.size() - named;
    stacks.parts.resize(named);
    for (const StackPart& one : stacks.parts) takeAway(others, one.times);
    StackPart other = part(StackPart::Kind::OtherEntries, noEntry, std::move(others));
    other.entries = rest;
    if (other.total != 0) stacks.parts.push_back(std::move(other));
    if (stacks.request.grain) {
        Result<StackPart> left = leftOut(store, stacks.request, runs, user, progress);
        if (!left) return left.error();
        stacks.parts.push_back(std::move(*left));
    }
    finish(store, stacks, columnsOf(cells, 1, stacks.request, runs));
    return stacks;
}

EntryStacks entryStacksOf(const TraceStore& store, EntryStacksRequest request, const Projection& user,
                          const Projection& idle)
{
    EntryStacks stacks = emptyStacks(std::move(request));
    const auto columns = [&](const Projection& projection) {
        std::vector<TimeNs> values = stacks.request.overStages ? projection.countsPerProcessor
                                                               : projection.countsPerStage;
        values.resize(stacks.columns());
        return values;
    };
    stacks.parts.push_back(part(StackPart::Kind::AllEntries, noEntry, columns(user)));
    finish(store, stacks, columns(idle));
    stacks.isApproximate = user.isApproximate || idle.isApproximate;
    return stacks;
}

}  // namespace longpole
