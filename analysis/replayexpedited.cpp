#include "analysis/replayexpedited.h"

#include "analysis/elapseddelays.h"

#include <algorithm>
#include <map>

namespace longpole {

namespace {

// Of a user's entry, which may look expedited by chance: at least so many overtakings, and so many for each wait.
constexpr std::int64_t fewestOvertakings = 3;
constexpr std::int64_t mostOvertakings = 4;

struct Conduct {
    std::int64_t overtook = 0;
    std::int64_t waited = 0;
};

class ConductCount {
public:
    ConductCount(const ReplayModel& model, const ReplayFacts& facts, const LatencyClasses& latencies)
        : m_model(model), m_graph(*model.graph), m_facts(facts), m_latencies(latencies)
    {
        for (const std::vector<std::uint32_t>& tasks : m_graph.byProcessor) countOvertakings(tasks);
        for (const std::vector<std::uint32_t>& tasks : m_graph.byProcessor) countWaits(tasks);
    }

    bool isExpedited(std::uint32_t entry) const
    {
        const auto found = m_conduct.find(entry);
        const Conduct conduct = found == m_conduct.end() ? Conduct{} : found->second;
        if (conduct.overtook == 0 && conduct.waited == 0)
            return entry < m_facts.isExpedited.size() && m_facts.isExpedited[entry] != 0;
        if (isSystem(entry)) return conduct.overtook > conduct.waited;
        return conduct.overtook >= fewestOvertakings && conduct.overtook > mostOvertakings * conduct.waited;
    }

private:
    bool isSystem(std::uint32_t entry) const
    {
        return entry < m_facts.isSystem.size() && m_facts.isSystem[entry] != 0;
    }
    bool mayBeExpedited(std::uint32_t entry) const
    {
        const auto found = m_conduct.find(entry);
        return isSystem(entry) || (found != m_conduct.end() && found->second.overtook >= fewestOvertakings);
    }
    bool isQueued(std::uint32_t task) const
    {
        return (m_model.traits[task] & (ReplayModel::Held | ReplayModel::Glued | ReplayModel::Fixed)) == 0;
    }
    bool isLocal(std::uint32_t task) const { return m_graph.pe[m_graph.source[task]] == m_graph.pe[task]; }

    void countOvertakings(const std::vector<std::uint32_t>& tasks)
    {
        TimeNs earliest = maxTime;  // sent of those that ran later
        for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
            if (!isQueued(*task)) continue;
            const TimeNs sent = arrivalOf(m_graph, *task).sent;
            if (sent > earliest) ++m_conduct[m_graph.entry[*task]].overtook;
            if (isLocal(*task) && !isSystem(m_graph.entry[*task])) earliest = std::min(earliest, sent);
        }
    }

    void countWaits(const std::vector<std::uint32_t>& tasks)
    {
        TimeNs begin = minTime;  // of the last task before it that waited in the queue itself
        for (const std::uint32_t task : tasks) {
            if (isQueued(task)) {
                const TimeNs latency = isLocal(task) ? 0 : m_latencies.of(m_graph, task, ArrivalReading::Late);
                if (arrivalOf(m_graph, task).sent + latency < begin) ++m_conduct[m_graph.entry[task]].waited;
            }
            if (!m_model.is(task, ReplayModel::Glued) && !mayBeExpedited(m_graph.entry[task]))
                begin = m_graph.begin[task];
        }
    }

    const ReplayModel& m_model;
    const ActivityGraph& m_graph;
    const ReplayFacts& m_facts;
    const LatencyClasses& m_latencies;
    std::map<std::uint32_t, Conduct> m_conduct;  // by entry
};

}  // namespace

void findExpedited(ReplayModel& model, const ReplayFacts& facts, const LatencyClasses& latencies)
{
    const ConductCount conduct(model, facts, latencies);
    std::map<std::uint32_t, bool> known;
    for (std::uint32_t task = 0; task < model.graph->size(); ++task) {
        const std::uint32_t entry = model.graph->entry[task];
        const auto [is, isNew] = known.try_emplace(entry, false);
        if (isNew) is->second = conduct.isExpedited(entry);
        if (is->second && !model.is(task, ReplayModel::Glued)) model.traits[task] |= ReplayModel::Expedited;
    }
}

}  // namespace longpole
