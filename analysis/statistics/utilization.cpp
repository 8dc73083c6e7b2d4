// SPDX-License-Identifier: GPL-3.0-or-later
// User, idle and overhead per PE from the processor table, over time from the tiles of all PEs together.
#include "analysis/statistics/utilization.h"

#include "core/base/result.h"
#include "core/base/wide.h"

#include <algorithm>

namespace longpole {

namespace {

// floor(value x part / whole) without overflow.
TimeNs portion(TimeNs value, TimeNs part, TimeNs whole) { return static_cast<TimeNs>(Wide{value} * part / whole); }

std::vector<TimeNs> edgesOf(TimeRange run, int stages)
{
    std::vector<TimeNs> edges;
    for (int i = 0; i <= stages; ++i) edges.push_back(run.begin + portion(run.length(), i, std::max(stages, 1)));
    return edges;
}

// Gives a bin's time to the stages it lies in, in proportion where an edge cuts it; what is handed out adds up exactly.
class StageFiller {
public:
    explicit StageFiller(Utilization& result) : m_result(result) {}

    void add(TimeRange bin, TimeNs busy, TimeNs idle)
    {
        const TimeNs total = saturatingAdd(busy, idle);
        TimeNs given = 0, givenUser = 0;  // of busy + idle, of busy
        while (m_stage + 1 < m_result.perStage.size() && m_result.stageEdges[m_stage + 1] <= bin.begin) ++m_stage;
        for (std::size_t stage = m_stage; stage < m_result.perStage.size(); ++stage) {
            const TimeNs until = std::min(m_result.stageEdges[stage + 1], bin.end);
            const bool isLast = until == bin.end || stage + 1 == m_result.perStage.size();
            const TimeNs both = isLast ? total : portion(total, until - bin.begin, bin.length());
            const TimeNs user = isLast ? busy : portion(busy, until - bin.begin, bin.length());
            Usage& usage = m_result.perStage[stage];
            usage.user = saturatingAdd(usage.user, user - givenUser);
            usage.idle = saturatingAdd(usage.idle, both - given - (user - givenUser));
            given = both;
            givenUser = user;
            if (isLast) break;
            m_result.stagesAreExact = false;
        }
    }

private:
    Utilization& m_result;
    std::size_t m_stage = 0;
};

}  // namespace

Result<Utilization> utilization(const TraceStore& store, int stages, const Progress& progress)
{
    Utilization result;
    result.run = store.info().range();
    for (const Processor& processor : store.processors()) {
        if (processor.kind == TrackKind::CommThread) continue;
        const Usage usage{processor.busy, processor.idle, result.run.length() - processor.busy - processor.idle};
        result.pes.push_back(processor.pe);
        result.perPe.push_back(usage);
        result.total.user = saturatingAdd(result.total.user, usage.user);
        result.total.idle = saturatingAdd(result.total.idle, usage.idle);
        result.total.overhead = saturatingAdd(result.total.overhead, usage.overhead);
    }
    result.stageEdges = edgesOf(result.run, std::max(stages, 0));
    result.perStage.resize(static_cast<std::size_t>(std::max(stages, 0)));
    if (result.perStage.empty() || result.run.isEmpty()) return result;
    if (progress.isCancelled()) return cancelledError();

    const Result<TileLevel> tiles = store.overview();
    if (!tiles) return tiles.error();
    StageFiller filler(result);
    for (std::size_t b = 0; b < tiles->bins.size(); ++b) {
        const TimeNs begin = (tiles->firstBin + static_cast<std::int64_t>(b)) << tiles->level;
        const TimeRange bin = intersection({begin, begin + (TimeNs{1} << tiles->level)}, result.run);
        if (!bin.isEmpty()) filler.add(bin, tiles->bins[b].busy, tiles->bins[b].idle);
    }
    const auto pes = static_cast<TimeNs>(result.pes.size());
    for (std::size_t i = 0; i < result.perStage.size(); ++i) {
        Usage& stage = result.perStage[i];
        const TimeNs whole = saturatingMultiply(result.stageEdges[i + 1] - result.stageEdges[i], pes);
        stage.overhead = saturatingSubtract(saturatingSubtract(whole, stage.user), stage.idle);
    }
    return result;
}

bool lacksLog(const TraceStore& store, ProcessorId pe)
{
    const Processor* const processor = store.processor(pe);
    return processor != nullptr && !processor->hasLog;
}

std::vector<TimeNs> startTimes(const TraceStore& store, const std::vector<TimeNs>& stageEdges,
                               const std::vector<Usage>& perStage)
{
    std::vector<TimeNs> times(perStage.size());
    if (!store.info().hasRanks()) return times;
    for (std::size_t s = 0; s < perStage.size(); ++s) {
        const TimeRange stage{stageEdges[s], stageEdges[s + 1]};
        for (const Processor& processor : store.processors())
            if (processor.kind != TrackKind::CommThread)
                times[s] = saturatingAdd(times[s], stage.length() - overlap(stage, processor.active()));
        times[s] = std::min(times[s], perStage[s].overhead);
    }
    return times;
}

}  // namespace longpole
