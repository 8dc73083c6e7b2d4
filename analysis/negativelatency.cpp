// Collects negative latencies PE by PE.
#include "analysis/negativelatency.h"

#include "analysis/pathend.h"
#include "core/issues.h"

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

}  // namespace

Result<std::vector<NegativeLatencyPair>> negativeLatencies(const TraceStore& store, const Progress& progress)
{
    std::vector<NegativeLatencyPair> pairs;
    const QString kind = issueIdentifier(IssueKind::NegativeLatency);
    const std::span<const Issue> issues = store.issues();
    if (std::none_of(issues.begin(), issues.end(), [&](const Issue& issue) { return issue.kind == kind; })) return pairs;
    for (const Processor& processor : store.processors()) {
        if (progress.isCancelled()) return cancelledError();
        Result<EarlyBySender> early = earlyOn(store, processor.track);
        if (!early.ok()) return early.error();
        for (auto& [from, times] : *early) {
            const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
            std::nth_element(times.begin(), middle, times.end());
            pairs.push_back({.from = ProcessorId{from}, .to = processor.pe,
                             .count = static_cast<std::int64_t>(times.size()),
                             .worst = *std::max_element(times.begin(), times.end()), .median = *middle});
        }
    }
    std::sort(pairs.begin(), pairs.end(), [](const NegativeLatencyPair& a, const NegativeLatencyPair& b) {
        return std::tie(b.count, a.from, a.to) < std::tie(a.count, b.from, b.to);
    });
    return pairs;
}

}  // namespace longpole
