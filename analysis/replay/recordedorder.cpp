// SPDX-License-Identifier: GPL-3.0-or-later
// The machine of runRecordedOrder: one pass over the tasks in the order of their recorded begins, which every
// dependency follows.
#include "analysis/replay/run.h"
#include "analysis/replay/sends.h"

#include "analysis/base/bigarray.h"
#include "core/base/result.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::uint32_t orderedPerReport = 1u << 16;

class RecordedMachine {
public:
    explicit RecordedMachine(const ReplayInput& input)
        : m_model(input.model), m_graph(*input.model.graph), m_times(input.times), m_delays(input),
          m_free(m_graph.byProcessor.size(), m_graph.run.begin), m_merges(input.model.merges)
    {
        std::sort(m_merges.begin(), m_merges.end());
        resizeBig(m_run.begin, m_graph.size());
        if (!m_times.areRecorded()) resizeBig(m_run.length, m_graph.size());
    }

    Result<ReplayedRun> run(const Progress& progress)
    {
        TimeNs last = m_graph.run.begin;
        auto merge = m_merges.begin();
        std::size_t at = 0;  // in model.merged
        for (std::uint32_t task = 0; task < m_model.firstOfTail; ++task) {
            if (task % orderedPerReport == 0) {
                if (progress.isCancelled()) return cancelledError();
                progress.report(static_cast<double>(task) / static_cast<double>(m_graph.size()));
            }
            TimeNs& free = m_free[m_graph.pe[task]];
            TimeNs begin = std::max(free + m_model.gap[task], arrival(task));
            TimeNs merged = minTime;
            for (; merge != m_merges.end() && merge->task == task; ++merge)
                merged = std::max(merged, m_run.begin[merge->source] + m_times.part(merge->source, merge->offset));
            if (merged > minTime) begin = std::max(begin, merged + m_delays.afterMerges(at++));
            m_run.begin[task] = begin;
            const TimeNs length = m_times.length(task);
            if (!m_run.length.empty()) m_run.length[task] = length;
            free = begin + length;
            last = std::max(last, free);
        }
        m_run.duration = last + m_model.afterLastEnd - m_graph.run.begin;
        for (std::size_t task = m_model.firstOfTail; task < m_graph.size(); ++task) {
            m_run.begin[task] = m_graph.begin[task] + last - m_model.endBeforeTail;
            if (!m_run.length.empty()) m_run.length[task] = m_graph.duration[task];
        }
        return std::move(m_run);
    }

private:
    TimeNs arrival(std::uint32_t task) const
    {
        const std::uint32_t source = m_graph.source[task];
        if (source == noTask) return m_graph.run.begin + m_delays(task);
        return m_run.begin[source] + m_times.part(source, m_graph.offset[task]) + m_delays(task);
    }

    const ReplayModel& m_model;
    const ActivityGraph& m_graph;
    const ReplayTimes& m_times;
    ReplayDelays m_delays;
    std::vector<TimeNs> m_free;       // per PE: the end of its last task
    std::vector<MergeEdge> m_merges;  // by task
    ReplayedRun m_run;
};

}  // namespace

Result<ReplayedRun> runRecordedOrder(const ReplayInput& input, const Progress& progress)
{
    if (input.model.graph->size() == 0) return ReplayedRun{.duration = input.model.graph->run.length()};
    return RecordedMachine(input).run(progress);
}

}  // namespace longpole
