// SPDX-License-Identifier: GPL-3.0-or-later
// Collects negative latencies PE by PE.
#include "analysis/statistics/negativelatency.h"

#include "analysis/mpi/calls.h"
#include "core/base/result.h"
#include "core/store/rows.h"
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
    EarlyBySender early;
    auto sources = store.rows<TaskSourceRow>(track,
                                             TaskSourceRow::Link | TaskSourceRow::Latency | TaskSourceRow::Creator);
    for (const TaskSourceRow& source : sources) {
        if (!hasSendTime(source.link()) || source.latency() >= 0) continue;
        early[index(source.creator())].push_back(saturatingSubtract(0, source.latency()));
    }
    if (const Result<> read = sources.result(); !read) return read.error();
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
    std::map<std::uint32_t, std::vector<LeftCall>> calls;
    const auto ranks = static_cast<std::int64_t>(rankCount(store));
    auto rows = store.rows<MpiRow>(MpiRow::Range | MpiRow::Severity | MpiRow::Culprit | MpiRow::CulpritSeq,
                                   {.progress = &progress});
    TrackId at = noTrack;
    const Track* track = nullptr;
    for (const MpiRow& call : rows) {
        if (rows.track() != at) track = store.track(at = rows.track());
        if (track == nullptr || !track->pe) continue;
        const std::optional<std::int64_t> culprit = call.culprit();
        if (call.duration() <= 0 || call.severity() != call.duration() || !culprit || *culprit >= ranks) continue;
        calls[static_cast<std::uint32_t>(*culprit)].push_back({call.culpritSeq().value_or(-1), index(*track->pe),
                                                               call.end()});
    }
    if (const Result<> read = rows.result(); !read) return read.error();
    return calls;
}

// Of MPI runs: edges against time are not stored, but the calls are.
Result<EarlyByPair> earlyCalls(const TraceStore& store, const Progress& progress)
{
    auto waiting = callsOfWaiting(store, progress);
    if (!waiting) return waiting.error();
    EarlyByPair pairs;
    for (auto& [culprit, calls] : *waiting) {
        if (progress.isCancelled()) return cancelledError();
        const auto isBefore = [](const LeftCall& a, const LeftCall& b) { return a.culpritCall < b.culpritCall; };
        std::sort(calls.begin(), calls.end(), isBefore);
        for (const TrackId track : mpiTracks(store, culprit)) {
            auto rows = store.rows<MpiRow>(track, MpiRow::Begin | MpiRow::Seq);
            for (const MpiRow& late : rows) {
                const auto [first, last] = std::equal_range(calls.begin(), calls.end(), LeftCall{late.seq(), 0, 0},
                                                            isBefore);
                for (auto call = first; call != last; ++call)
                    if (late.begin() > call->end)
                        pairs[{culprit, call->rank}].push_back(saturatingSubtract(late.begin(), call->end));
            }
            if (const Result<> read = rows.result(); !read) return read.error();
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
