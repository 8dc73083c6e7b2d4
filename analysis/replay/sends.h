// SPDX-License-Identifier: GPL-3.0-or-later
// When what a task sent arrives elsewhere, in a replay whose network may be another one.
#pragma once

#include "analysis/replay/model.h"
#include "analysis/replay/run.h"

#include <algorithm>

namespace longpole {

class ReplayDelays {
public:
    explicit ReplayDelays(const ReplayInput& input)
        : m_model(input.model), m_graph(*input.model.graph), m_network(input.question.network),
          m_delay(input.model.delay.of(input.reading)), m_startsFixedAtOnce(input.startsFixedAtOnce),
          m_isLate(input.reading == ArrivalReading::Late)
    {
    }

    // From where the message left its sender's prefix; on the sender's processor no network lies between.
    TimeNs operator()(std::uint32_t task) const
    {
        if (m_startsFixedAtOnce && m_model.is(task, ReplayModel::Fixed)) return 0;
        if (m_network == NetworkModel::Recorded || !isRemote(task)) return m_delay[task];
        const TimeNs sent = sentAfter(task);
        if (m_network == NetworkModel::Ideal) return sent;
        const TimeNs bySize = m_model.bySize.empty() ? 0 : TimeNs{m_model.bySize[task]};
        return std::min(m_delay[task], sent + bySize);
    }

    // From where a broadcast was handed on to the task that it starts.
    TimeNs afterForwarding(std::uint32_t task) const
    {
        if (m_graph.source[task] == noTask)
            return std::max<TimeNs>(0, m_graph.run.begin + m_delay[task] - m_graph.sent(task));
        const TimeNs delay = m_delay[task] - sentAfter(task);
        if (m_network == NetworkModel::Recorded || !isRemote(task)) return delay;
        if (m_network == NetworkModel::Ideal || m_model.bySize.empty()) return 0;
        return std::min(delay, TimeNs{m_model.bySize[task]});
    }

    // How long after the last thing it waits for the task arrives that is at this place of the merged ones.
    TimeNs afterMerges(std::size_t at) const
    {
        return m_network == NetworkModel::Recorded || m_isLate ? m_model.afterMerges[at] : 0;
    }

private:
    bool isRemote(std::uint32_t task) const
    {
        const std::uint32_t source = m_graph.source[task];
        return source != noTask && m_graph.pe[source] != m_graph.pe[task];
    }
    // How long after its sender's prefix it was sent.
    TimeNs sentAfter(std::uint32_t task) const
    {
        if ((m_graph.flags[task] & ActivityGraph::SentApart) == 0) return 0;
        const std::uint32_t source = m_graph.source[task];
        return std::clamp<TimeNs>(m_graph.sent(task) - (m_graph.begin[source] + m_graph.offset[task]), 0,
                                  m_delay[task]);
    }

    const ReplayModel& m_model;
    const ActivityGraph& m_graph;
    NetworkModel m_network;
    ReadingDelays::Reading m_delay;
    bool m_startsFixedAtOnce = false;
    bool m_isLate = false;
};

}  // namespace longpole
