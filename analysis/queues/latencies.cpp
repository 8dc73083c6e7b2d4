// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/queues/latencies.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace longpole {

namespace {

constexpr std::size_t fewestSamples = 8;
constexpr std::size_t mostSamples = 1u << 20;  // samples of a class; beyond that only every other sample is kept

// Samples of latencies, thinned out where there are too many.
struct Samples {
    std::vector<TimeNs> times;
    std::uint64_t every = 1;
    std::uint64_t seen = 0;

    void add(TimeNs time)
    {
        if (seen++ % every != 0) return;
        times.push_back(time);
        if (times.size() < mostSamples) return;
        for (std::size_t i = 0; i < times.size() / 2; ++i) times[i] = times[2 * i];
        times.resize(times.size() / 2);
        every *= 2;
    }
    TimeNs quantile(double share)
    {
        if (times.empty()) return 0;
        const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size() - 1));
        std::nth_element(times.begin(), times.begin() + at, times.end());
        return times[static_cast<std::size_t>(at)];
    }
};

}  // namespace

LatencyClasses::LatencyClasses(ProcessorRecords& records)
{
    std::array<Samples, 2 * sizes> samples;
    std::array<Samples, 2> all;
    constexpr int withoutMessage = ProcessorRecord::Local | ProcessorRecord::Glued | ProcessorRecord::Fixed;
    records.each([&](std::size_t, const ProcessorRecord& record) {
        for (std::size_t k = 0; k < record.size(); ++k) {
            if (record.is(k, withoutMessage)) continue;
            const bool isLogged = record.is(k, ProcessorRecord::Logged);
            if (!isLogged && !record.is(k, ProcessorRecord::AfterIdle)) continue;
            const TimeNs latency = isLogged ? TimeNs{record.latency[k]} : record.begin[k] - record.sent[k];
            samples[record.latencyClass[k]].add(latency);
            all[record.latencyClass[k] / sizes].add(latency);
        }
        return true;
    });
    const auto quantiles = [](Samples& known) {
        return Quantiles{known.quantile(0.05), known.quantile(0.5), known.quantile(0.9)};
    };
    m_any = quantiles(all[0]);
    const std::array<Quantiles, 2> ofAll{m_any, quantiles(all[1])};
    for (std::size_t number = 0; number < m_classes.size(); ++number)
        m_classes[number] = samples[number].times.size() >= fewestSamples ? quantiles(samples[number])
                                                                          : ofAll[number / sizes];
    std::array<std::uint64_t, 2 * sizes> messages{};
    for (std::size_t number = 0; number < messages.size(); ++number) messages[number] = samples[number].seen;
    fit(messages);
}

void LatencyClasses::fit(std::span<const std::uint64_t> messages)
{
    for (std::size_t distance = 0; distance < 2; ++distance) {
        double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
        for (std::size_t bits = 0; bits < sizes; ++bits) {
            const std::size_t number = distance * sizes + bits;
            if (messages[number] < fewestSamples) continue;
            const auto w = static_cast<double>(messages[number]);
            const double bytes = bits == 0 ? 0
                                           : 0.75 * std::exp2(static_cast<double>(bits));  // the middle of the class
            const auto usual = static_cast<double>(m_classes[number].usual);
            weight += w;
            x += w * bytes;
            y += w * usual;
            xx += w * bytes * bytes;
            xy += w * bytes * usual;
        }
        const double spread = weight * xx - x * x;
        if (spread > 0) m_perByte[distance] = std::max(0.0, (weight * xy - x * y) / spread);
    }
}

TimeNs LatencyClasses::ofAny(ArrivalReading reading) const
{
    if (reading == ArrivalReading::Late) return m_any.late;
    return reading == ArrivalReading::Early ? m_any.least : m_any.usual;
}

std::uint8_t LatencyClasses::classOf(const ActivityGraph& graph, const ReplayFacts& facts, std::uint32_t task)
{
    if (graph.source[task] == noTask) return 0;
    const std::uint32_t from = graph.pe[graph.source[task]];
    const std::uint32_t to = graph.pe[task];
    const bool isFar = from < facts.nodeOf.size() && to < facts.nodeOf.size() && facts.nodeOf[from] != facts.nodeOf[to];
    const std::uint32_t bytes = task < facts.bytes.size() ? facts.bytes[task] : 0;
    return static_cast<std::uint8_t>((isFar ? sizes : 0) + static_cast<std::size_t>(std::bit_width(bytes)));
}

}  // namespace longpole
