// Kahn's algorithm inside groups of tasks that begin at the same instant.
#include "analysis/tieorder.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace longpole {

namespace {

// One group: tasks order[first, last), all with the same begin. Numbers below are places in the group as it came,
// which is (pe, index) order; so what is ready is taken smallest first.
class TieGroup {
public:
    TieGroup(TaskColumns& columns, TimeOrder& tasks, std::size_t first, std::size_t last)
        : m_columns(columns), m_tasks(tasks), m_first(first), m_size(last - first)
    {
        m_positions.assign(tasks.order.begin() + static_cast<std::ptrdiff_t>(first),
                           tasks.order.begin() + static_cast<std::ptrdiff_t>(last));
        m_pes.assign(tasks.pe.begin() + static_cast<std::ptrdiff_t>(first),
                     tasks.pe.begin() + static_cast<std::ptrdiff_t>(last));
        findEdges();
    }

    void sort(TieResult& result)
    {
        std::uint32_t smallest = 0;
        while (m_done.size() < m_size) {
            while (!m_ready.empty()) finish(takeReady());
            while (smallest < m_size && m_isDone[smallest]) ++smallest;
            if (smallest < m_size) breakCycle(smallest, result);
        }
        for (std::size_t i = 0; i < m_size; ++i) {
            const std::uint32_t position = m_positions[m_done[i]];
            m_tasks.order[m_first + i] = position;
            m_tasks.pe[m_first + i] = m_pes[m_done[i]];
            m_tasks.graphTaskAt[position] = static_cast<std::uint32_t>(m_first + i);
        }
    }

private:
    void findEdges()
    {
        m_sender.assign(m_size, noTask);
        m_previous.assign(m_size, noTask);
        m_waits.assign(m_size, 0);
        m_isDone.assign(m_size, false);
        m_seen.assign(m_size, 0);
        m_receivers.assign(m_size + 1, 0);
        for (std::uint32_t i = 0; i < m_size; ++i) {
            // Neighbours in a PE's list are neighbours here: the group is in position order.
            if (i > 0 && m_positions[i - 1] + 1 == m_positions[i] && m_pes[i - 1] == m_pes[i]) {
                m_previous[i] = i - 1;
                ++m_waits[i];
            }
            const std::uint32_t source = m_columns.source[m_positions[i]];
            if (source == noTask) continue;
            const std::size_t place = m_tasks.graphTaskAt[source];
            if (place < m_first || place >= m_first + m_size || place - m_first == i) continue;
            m_sender[i] = static_cast<std::uint32_t>(place - m_first);
            ++m_waits[i];
            ++m_receivers[m_sender[i] + 1];
        }
        for (std::size_t i = 0; i < m_size; ++i) m_receivers[i + 1] += m_receivers[i];
        m_receiverList.resize(m_receivers[m_size]);
        std::vector<std::uint32_t> next(m_receivers.begin(), m_receivers.end() - 1);
        for (std::uint32_t i = 0; i < m_size; ++i) {
            if (m_sender[i] != noTask) m_receiverList[next[m_sender[i]]++] = i;
            if (m_waits[i] == 0) m_ready.push(i);
        }
    }

    std::uint32_t takeReady()
    {
        const std::uint32_t task = m_ready.top();
        m_ready.pop();
        return task;
    }

    void finish(std::uint32_t task)
    {
        m_isDone[task] = true;
        m_done.push_back(task);
        if (task + 1 < m_size && m_previous[task + 1] == task) release(task + 1);
        for (std::uint32_t r = m_receivers[task]; r < m_receivers[task + 1]; ++r)
            if (m_sender[m_receiverList[r]] == task) release(m_receiverList[r]);
    }

    void release(std::uint32_t task)
    {
        if (--m_waits[task] == 0) m_ready.push(task);
    }

    // Everything left waits. Going back from `from` over what each waits for must come round; of the message edges on
    // that cycle the one into the smallest (pe, index) goes.
    void breakCycle(std::uint32_t from, TieResult& result)
    {
        ++m_round;
        std::uint32_t task = from;
        while (m_seen[task] != m_round) {
            m_seen[task] = m_round;
            task = waitsFor(task);
        }
        std::uint32_t victim = noTask;
        std::uint32_t walk = task;
        do {
            const std::uint32_t next = waitsFor(walk);
            if (next == m_sender[walk] && next != m_previous[walk]) victim = std::min(victim, walk);
            walk = next;
        } while (walk != task);
        if (result.dropped++ == 0) result.firstDropped = m_positions[victim];
        m_columns.source[m_positions[victim]] = noTask;
        m_sender[victim] = noTask;
        release(victim);
    }

    std::uint32_t waitsFor(std::uint32_t task) const
    {
        if (m_previous[task] != noTask && !m_isDone[m_previous[task]]) return m_previous[task];
        return m_sender[task];
    }

    TaskColumns& m_columns;
    TimeOrder& m_tasks;
    std::size_t m_first;
    std::size_t m_size;
    std::vector<std::uint32_t> m_positions, m_pes;
    std::vector<std::uint32_t> m_sender, m_previous, m_waits;
    std::vector<std::uint32_t> m_receivers, m_receiverList;  // who waits for whose message: CSR
    std::vector<std::uint32_t> m_seen;  // in which search for a cycle
    std::uint32_t m_round = 0;
    std::vector<bool> m_isDone;
    std::vector<std::uint32_t> m_done;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> m_ready;
};

}  // namespace

TieResult orderTies(TaskColumns& columns, TimeOrder& tasks)
{
    const std::vector<std::uint32_t>& order = tasks.order;
    TieResult result;
    std::size_t last = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t source = columns.source[order[i]];
        if (source == noTask || tasks.graphTaskAt[source] <= i || i < last) continue;
        const TimeNs begin = columns.begin[order[i]];
        if (columns.begin[source] != begin) continue;
        std::size_t first = i;
        while (first > 0 && columns.begin[order[first - 1]] == begin) --first;
        last = i + 1;
        while (last < order.size() && columns.begin[order[last]] == begin) ++last;
        TieGroup(columns, tasks, first, last).sort(result);
    }
    return result;
}

}  // namespace longpole
