// What waits on a processor of a replay - messages on their way, and the queue - and which processor acts next: flat
// heaps without allocation per element.
#pragma once

#include "core/timerange.h"

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
    bool operator<(const Arriving& other) const
    {
        return time != other.time ? time < other.time : task < other.task;
    }
};

// A message in the queue: the smallest order first, then the first that came (the last, with ~sequence).
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
    explicit ProcessorClock(std::size_t processors) : m_time(processors, maxTime), m_at(processors)
    {
        for (std::uint32_t pe = 0; pe < processors; ++pe) m_heap.push_back(m_at[pe] = pe);
    }

    bool isOver() const { return m_heap.empty() || m_time[m_heap.front()] == maxTime; }
    std::uint32_t first() const { return m_heap.front(); }
    TimeNs timeOf(std::uint32_t pe) const { return m_time[pe]; }

    void set(std::uint32_t pe, TimeNs time)
    {
        const bool isEarlier = time < m_time[pe];
        m_time[pe] = time;
        if (isEarlier) rise(m_at[pe]);
        else sink(m_at[pe]);
    }

private:
    bool isBefore(std::uint32_t a, std::uint32_t b) const
    {
        return m_time[a] != m_time[b] ? m_time[a] < m_time[b] : a < b;
    }
    void put(std::size_t at, std::uint32_t pe)
    {
        m_heap[at] = pe;
        m_at[pe] = static_cast<std::uint32_t>(at);
    }
    void rise(std::size_t at)
    {
        const std::uint32_t pe = m_heap[at];
        for (; at > 0 && isBefore(pe, m_heap[(at - 1) / 2]); at = (at - 1) / 2) put(at, m_heap[(at - 1) / 2]);
        put(at, pe);
    }
    void sink(std::size_t at)
    {
        const std::uint32_t pe = m_heap[at];
        for (std::size_t child = 2 * at + 1; child < m_heap.size(); child = 2 * at + 1) {
            if (child + 1 < m_heap.size() && isBefore(m_heap[child + 1], m_heap[child])) ++child;
            if (!isBefore(m_heap[child], pe)) break;
            put(at, m_heap[child]);
            at = child;
        }
        put(at, pe);
    }

    std::vector<TimeNs> m_time;           // per PE
    std::vector<std::uint32_t> m_heap;
    std::vector<std::uint32_t> m_at;      // per PE: its place in the heap
};

}  // namespace longpole
