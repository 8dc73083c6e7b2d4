#include "analysis/replaylatencies.h"

#include "analysis/elapseddelays.h"
#include "analysis/replayarrivals.h"

#include <algorithm>
#include <bit>

namespace longpole {

namespace {

constexpr std::size_t fewestSamples = 8;
constexpr std::size_t mostSamples = 1u << 20;  // of a class; then every other is enough

// A thinned list of samples.
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

LatencyClasses::LatencyClasses(const ReplayModel& model, const ReplayFacts& facts) : m_facts(facts)
{
    const ActivityGraph& graph = *model.graph;
    std::array<Samples, 2 * sizes> samples;
    std::array<Samples, 2> all;
    for (std::uint32_t task = 0; task < graph.size(); ++task) {
        const std::uint32_t source = graph.source[task];
        if (source == noTask || graph.pe[source] == graph.pe[task] || model.is(task, ReplayModel::Glued)) continue;
        const Arrival arrival = arrivalOf(graph, task);
        const bool isLogged = (graph.flags[task] & ActivityGraph::HasReceived) != 0 && !arrival.isEstimated;
        if (!isLogged && !model.is(task, ReplayModel::Held)) continue;
        const TimeNs latency = (isLogged ? arrival.received : graph.begin[task]) - arrival.sent;
        const std::size_t number = classOf(graph, task);
        samples[number].add(latency);
        all[number / sizes].add(latency);
    }
    m_any = {all[0].quantile(0.05), all[0].quantile(0.5), all[0].quantile(0.9)};
    for (std::size_t number = 0; number < m_classes.size(); ++number) {
        Samples& known = samples[number].times.size() >= fewestSamples ? samples[number] : all[number / sizes];
        m_classes[number] = {known.quantile(0.05), known.quantile(0.5), known.quantile(0.9)};
    }
}

TimeNs LatencyClasses::ofAny(ArrivalReading reading) const
{
    if (reading == ArrivalReading::Late) return m_any.late;
    return reading == ArrivalReading::Likely ? m_any.usual : m_any.least;
}

std::size_t LatencyClasses::classOf(const ActivityGraph& graph, std::uint32_t task) const
{
    const std::uint32_t from = graph.pe[graph.source[task]];
    const std::uint32_t to = graph.pe[task];
    const bool isFar = from < m_facts.nodeOf.size() && to < m_facts.nodeOf.size()
                       && m_facts.nodeOf[from] != m_facts.nodeOf[to];
    const std::uint32_t bytes = task < m_facts.bytes.size() ? m_facts.bytes[task] : 0;
    return (isFar ? sizes : 0) + static_cast<std::size_t>(std::bit_width(bytes));
}

TimeNs LatencyClasses::of(const ActivityGraph& graph, std::uint32_t task, ArrivalReading reading) const
{
    if (graph.source[task] == noTask) return 0;
    const Quantiles& known = m_classes[classOf(graph, task)];
    if (reading == ArrivalReading::Late) return known.late;
    if (reading == ArrivalReading::Likely) return known.usual;
    const Arrival arrival = arrivalOf(graph, task);
    return std::min(known.least, arrival.received - arrival.sent);
}

}  // namespace longpole
