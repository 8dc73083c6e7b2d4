// SPDX-License-Identifier: GPL-3.0-or-later
// What a replay waits for: messages on their way to a processor, its queue, and which processor acts next. All are flat
// heaps that allocate nothing per element.
#pragma once

#include "core/base/timerange.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace longpole {

// The smallest element first. O(log n), and O(1) for what comes in ascending order.
template <typename Element>
class FlatHeap {
public:
    bool isEmpty() const { return m_elements.empty(); }
    const Element& top() const { return m_elements.front(); }

    void push(Element element)
    {
        std::size_t at = m_elements.size();
        m_elements.push_back(element);
        while (at > 0) {
            const std::size_t parent = (at - 1) / arity;
            if (!(element < m_elements[parent])) break;
            m_elements[at] = m_elements[parent];
            at = parent;
        }
        m_elements[at] = element;
    }

    Element pop()
    {
        const Element result = m_elements.front();
        const Element last = m_elements.back();
        m_elements.pop_back();
        const std::size_t size = m_elements.size();
        if (size == 0) return result;
        std::size_t at = 0;
        for (std::size_t child = 1; child < size; child = at * arity + 1) {
            std::size_t least = child;
            for (std::size_t other = child + 1; other < std::min(child + arity, size); ++other)
                if (m_elements[other] < m_elements[least]) least = other;
            if (!(m_elements[least] < last)) break;
            m_elements[at] = m_elements[least];
            at = least;
        }
        m_elements[at] = last;
        return result;
    }

private:
    static constexpr std::size_t arity = 4;
    std::vector<Element> m_elements;
};

// First in, first out.
class TaskLine {
public:
    bool isEmpty() const { return m_first == m_tasks.size(); }
    void push(std::uint32_t task) { m_tasks.push_back(task); }
    std::uint32_t pop()
    {
        const std::uint32_t task = m_tasks[m_first++];
        if (isEmpty()) {
            m_tasks.clear();
            m_first = 0;
        }
        return task;
    }

private:
    std::vector<std::uint32_t> m_tasks;
    std::size_t m_first = 0;
};

// A message on its way.
struct Arriving {
    TimeNs time;
    std::uint32_t task;
    bool operator<(const Arriving& other) const { return time != other.time ? time < other.time : task < other.task; }
};

// A message in the queue: the smallest order first; of equal ones the smallest sequence, so that with ~sequence the
// newest comes first.
struct Queued {
    std::int32_t order;
    std::uint32_t sequence;
    std::uint32_t task;
    bool operator<(const Queued& other) const
    {
        return order != other.order ? order < other.order : sequence < other.sequence;
    }
};

// The processors by the time at which each takes its next task. O(log PEs) to change one, O(1) for the first.
class ProcessorClock {
public:
    explicit ProcessorClock(std::size_t processors) : m_at(processors)
    {
        for (std::uint32_t pe = 0; pe < processors; ++pe) {
            m_at[pe] = pe;
            m_heap.push_back({maxTime, pe});
        }
    }

    bool isOver() const { return m_heap.empty() || m_heap.front().time == maxTime; }
    std::uint32_t first() const { return m_heap.front().pe; }
    TimeNs timeOf(std::uint32_t pe) const { return m_heap[m_at[pe]].time; }

    void set(std::uint32_t pe, TimeNs time)
    {
        const std::size_t at = m_at[pe];
        if (time < m_heap[at].time) rise(at, {time, pe});
        else sink(at, {time, pe});
    }

private:
    struct Turn {
        TimeNs time;
        std::uint32_t pe;
        bool operator<(const Turn& other) const { return time != other.time ? time < other.time : pe < other.pe; }
    };
    static constexpr std::size_t arity = 4;

    void put(std::size_t at, const Turn& turn)
    {
        m_heap[at] = turn;
        m_at[turn.pe] = static_cast<std::uint32_t>(at);
    }
    void rise(std::size_t at, const Turn& turn)
    {
        for (; at > 0 && turn < m_heap[(at - 1) / arity]; at = (at - 1) / arity) put(at, m_heap[(at - 1) / arity]);
        put(at, turn);
    }
    void sink(std::size_t at, const Turn& turn)
    {
        for (std::size_t child = arity * at + 1; child < m_heap.size(); child = arity * at + 1) {
            std::size_t least = child;
            for (std::size_t other = child + 1; other < std::min(child + arity, m_heap.size()); ++other)
                if (m_heap[other] < m_heap[least]) least = other;
            if (!(m_heap[least] < turn)) break;
            put(at, m_heap[least]);
            at = least;
        }
        put(at, turn);
    }

    std::vector<Turn> m_heap;
    std::vector<std::uint32_t> m_at;  // per PE: its place in the heap
};

}  // namespace longpole
