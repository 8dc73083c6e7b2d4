// SPDX-License-Identifier: GPL-3.0-or-later
// Collects negative latencies PE by PE.
#include "analysis/statistics/negativelatency.h"

#include "analysis/base/chunkcursor.h"
#include "analysis/mpi/calls.h"
#include "core/base/result.h"
#include "core/trace/issues.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace longpole {

namespace {

// How early messages from each PE were executed on one PE.
using EarlyBySender = std::map<std::uint32_t, std::vector<TimeNs>>;

Result<EarlyBySender> earlyOn(const TraceStore& store, TrackId track)
{
    constexpr std::uint32_t columns = (1u << TaskSourceColumn::Link) | (1u << TaskSourceColumn::Latency)
                                      | (1u << TaskSourceColumn::CreatorPe);
    EarlyBySender early;
    for (const ChunkRef& ref : store.chunks(ChunkKind::TaskSource, track)) {
        const Result<std::shared_ptr<const Chunk>> read = store.read(ref, columns);
        if (!read) return read.error();
        const Chunk& chunk = **read;
        for (std::uint32_t r = 0; r < chunk.rows; ++r) {
            const auto link = static_cast<Link>(chunk.at(TaskSourceColumn::Link, r));
            const TimeNs latency = chunk.at(TaskSourceColumn::Latency, r);
            if (link == Link::None || link == Link::Block || latency >= 0) continue;
            early[static_cast<std::uint32_t>(chunk.at(TaskSourceColumn::CreatorPe, r))].push_back(
                saturatingSubtract(0, latency));
        }
    }
    return early;
}

using EarlyByPair = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<TimeNs>>;

Result<EarlyByPair> earlyTasks(const TraceStore& store, const Progress& progress)
{
    EarlyByPair pairs;
    for (const Processor& processor : store.processors()) {
        if (progress.isCancelled()) return cancelledError();
        Result<EarlyBySender> early = earlyOn(store, processor.track);
        if (!early.ok()) return early.error();
        for (auto& [from, times] : *early) pairs[{from, index(processor.pe)}] = std::move(times);
    }
    return pairs;
}

// A call that was left while the call of another rank that it waited for had not begun.
struct LeftCall {
    std::int64_t culpritCall = 0;
    std::uint32_t rank = 0;
    TimeNs end = 0;
};

// The calls that waited from begin to end, by the rank that they waited for.
Result<std::map<std::uint32_t, std::vector<LeftCall>>> callsOfWaiting(const TraceStore& store, const Progress& progress)
{
    constexpr std::uint32_t columns = (1u << MpiCallColumn::Begin) | (1u << MpiCallColumn::Duration)
                                      | (1u << MpiCallColumn::Severity) | (1u << MpiCallColumn::Culprit)
                                      | (1u << MpiCallColumn::CulpritSeq);
    std::map<std::uint32_t, std::vector<LeftCall>> calls;
    const auto ranks = static_cast<std::int64_t>(rankCount(store));
    for (const ChunkRef& ref : store.chunks(ChunkKind::MpiCall)) {
        if (progress.isCancelled()) return cancelledError();
        const Track* const track = store.track(ref.track);
        if (track == nullptr || !track->pe) continue;
        const auto read = store.read(ref, columns);
        if (!read) return read.error();
        const Chunk& chunk = **read;
        for (std::uint32_t r = 0; r < chunk.rows; ++r) {
            const TimeNs length = chunk.at(MpiCallColumn::Duration, r);
            const std::int64_t culprit = chunk.at(MpiCallColumn::Culprit, r);
            if (length <= 0 || chunk.at(MpiCallColumn::Severity, r) != length || culprit < 0 || culprit >= ranks)
                continue;
            calls[static_cast<std::uint32_t>(culprit)].push_back(
                {chunk.at(MpiCallColumn::CulpritSeq, r), index(*track->pe),
                 saturatingAdd(chunk.at(MpiCallColumn::Begin, r), length)});
        }
    }
    return calls;
}

// Of MPI runs: edges against time are not stored, but the calls are.
Result<EarlyByPair> earlyCalls(const TraceStore& store, const Progress& progress)
{
    constexpr std::uint32_t columns = (1u << MpiCallColumn::Begin) | (1u << MpiCallColumn::Seq);
    auto waiting = callsOfWaiting(store, progress);
    if (!waiting) return waiting.error();
    EarlyByPair pairs;
    for (auto& [culprit, calls] : *waiting) {
        if (progress.isCancelled()) return cancelledError();
        const auto isBefore = [](const LeftCall& a, const LeftCall& b) { return a.culpritCall < b.culpritCall; };
        std::sort(calls.begin(), calls.end(), isBefore);
        for (const TrackId track : mpiTracks(store, culprit)) {
            ChunkCursor rows(store, ChunkKind::MpiCall, track, {minTime, maxTime}, columns);
            for (;;) {
                const Result<bool> next = rows.next();
                if (!next) return next.error();
                if (!*next) break;
                const auto [first, last] = std::equal_range(calls.begin(), calls.end(),
                                                            LeftCall{rows[MpiCallColumn::Seq], 0, 0}, isBefore);
                for (auto call = first; call != last; ++call)
                    if (rows[MpiCallColumn::Begin] > call->end)
                        pairs[{culprit, call->rank}].push_back(saturatingSubtract(rows[MpiCallColumn::Begin],
                                                                                  call->end));
            }
        }
    }
    return pairs;
}

}  // namespace

Result<std::vector<NegativeLatencyPair>> negativeLatencies(const TraceStore& store, const Progress& progress)
{
    std::vector<NegativeLatencyPair> pairs;
    const QString kind = issueIdentifier(IssueKind::NegativeLatency);
    const std::span<const Issue> issues = store.issues();
    if (std::none_of(issues.begin(), issues.end(), [&](const Issue& issue) { return issue.kind == kind; }))
        return pairs;
    auto early = store.info().hasRanks() ? earlyCalls(store, progress) : earlyTasks(store, progress);
    if (!early) return early.error();
    for (auto& [pair, times] : *early) {
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
        std::nth_element(times.begin(), middle, times.end());
        pairs.push_back({.from = ProcessorId{pair.first},
                         .to = ProcessorId{pair.second},
                         .count = static_cast<std::int64_t>(times.size()),
                         .worst = *std::max_element(times.begin(), times.end()),
                         .median = *middle});
    }
    std::sort(pairs.begin(), pairs.end(), [](const NegativeLatencyPair& a, const NegativeLatencyPair& b) {
        return std::tie(b.count, a.from, a.to) < std::tie(a.count, b.from, b.to);
    });
    return pairs;
}

}  // namespace longpole
