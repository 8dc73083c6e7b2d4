// SPDX-License-Identifier: GPL-3.0-or-later
// Reads sizes beside the graph's tasks and fits latencies to them.
#include "analysis/statistics/messagelatency.h"

#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/rows.h"

#include <algorithm>
#include <bit>

namespace longpole {

namespace {

constexpr std::size_t sampleSize = 4096;  // latencies kept of each size, every n-th
constexpr std::size_t sizes = 48;

struct Sample {
    std::int64_t count = 0, bytes = 0, every = 1;
    std::vector<TimeNs> latencies{};

    void add(TimeNs latency, std::int64_t size)
    {
        addSaturating(bytes, size);
        if (count++ % every != 0) return;
        latencies.push_back(latency);
        if (latencies.size() < sampleSize) return;
        for (std::size_t i = 0; 2 * i < latencies.size(); ++i) latencies[i] = latencies[2 * i];
        latencies.resize(latencies.size() / 2);
        every *= 2;
    }
};
using Samples = std::array<std::array<Sample, sizes>, messageWays>;

TimeNs medianOf(std::vector<TimeNs>& values)
{
    if (values.empty()) return 0;
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

LatencyFit fitOf(std::array<Sample, sizes>& samples)
{
    LatencyFit fit;
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    std::vector<TimeNs> all;
    fit.least = maxTime;
    for (Sample& sample : samples) {
        if (sample.count == 0) continue;
        fit.messages += sample.count;
        const double size = double(sample.bytes) / double(sample.count), weight = double(sample.count);
        const double median = double(medianOf(sample.latencies));
        all.insert(all.end(), sample.latencies.begin(), sample.latencies.end());
        for (const TimeNs latency : sample.latencies) fit.least = std::min(fit.least, latency);
        n += weight;
        x += weight * size;
        y += weight * median;
        xx += weight * size * size;
        xy += weight * size * median;
    }
    if (fit.messages == 0) return {};
    fit.median = medianOf(all);
    const double spread = n * xx - x * x;
    fit.perByte = spread > 1e-9 * n * xx ? std::max(0.0, (n * xy - x * y) / spread) : 0;
    fit.base = std::max(0.0, (y - fit.perByte * x) / n);
    return fit;
}

}  // namespace

Result<MessageLatency> messageLatency(const TraceStore& store, const ActivityGraph& graph, std::int64_t smallBytes,
                                      const Progress& progress)
{
    MessageLatency result;
    result.received.resize(graph.processors);
    std::vector<std::uint32_t> nodeOf(graph.processors);
    for (const Processor& processor : store.processors())
        if (index(processor.pe) < nodeOf.size()) nodeOf[index(processor.pe)] = processor.node;
    Samples samples;
    for (std::uint32_t pe = 0; pe < graph.byProcessor.size(); ++pe) {
        const Processor* processor = store.processor(ProcessorId{pe});
        if (processor == nullptr) continue;
        const bool isCounted = pe < nodeOf.size();  // not of a number beyond the count of PEs
        const std::uint32_t node = isCounted ? nodeOf[pe] : processor->node;
        RowSeeker<TaskRow> sizesOf(store, processor->track, TaskRow::Bytes);
        RowSeeker<TaskSourceRow> sources(store, processor->track, TaskSourceRow::Creator | TaskSourceRow::Delivers);
        std::uint32_t sinceLook = 0;
        for (const std::uint32_t task : graph.byProcessor[pe]) {
            if (++sinceLook % 65536 == 0 && progress.isCancelled()) return cancelledError();
            const TimeNs sent = graph.sent(task);
            if (sent == minTime || (graph.flags[task] & ActivityGraph::BlockEdge) != 0) continue;
            const Result<const TaskRow*> row = sizesOf.find(graph.taskIndex[task]);
            const Result<const TaskSourceRow*> source = sources.find(graph.taskIndex[task]);
            if (!row) return row.error();
            if (!source) return source.error();
            if (*row == nullptr || *source == nullptr || !(*source)->delivers()) continue;
            const std::int64_t bytes = (*row)->bytes();
            const std::size_t creator = index((*source)->creator());
            const MessageWay way = creator == pe                                        ? MessageWay::OwnProcessor
                                   : creator < nodeOf.size() && nodeOf[creator] == node ? MessageWay::OwnNode
                                                                                        : MessageWay::OtherNode;
            ++result.messages[std::size_t(way)];
            addSaturating(result.bytes[std::size_t(way)], bytes);
            result.small += bytes < smallBytes;
            if (isCounted) ++result.received[pe];
            const bool isKnown = (graph.flags[task] & ActivityGraph::HasReceived) != 0
                                 && (graph.flags[task] & ActivityGraph::Estimated) == 0;
            const bool wasAwaited = (graph.flags[task] & ActivityGraph::AfterIdle) != 0;
            const TimeNs received = isKnown      ? graph.received(task)
                                    : wasAwaited ? graph.begin[task]
                                                 : graph.received(task);
            if (received == minTime) continue;
            addSaturating(result.underWay, std::max<TimeNs>(0, received - sent));
            addSaturating(result.queued, graph.begin[task] - received);
            if (!isKnown && !wasAwaited) continue;
            const auto size = std::min<std::size_t>(
                std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0))), sizes - 1);
            samples[std::size_t(way)][size].add(std::max<TimeNs>(0, received - sent), bytes);
        }
    }
    for (std::size_t way = 0; way < messageWays; ++way) result.fits[way] = fitOf(samples[way]);
    return result;
}

}  // namespace longpole
