// SPDX-License-Identifier: GPL-3.0-or-later
#include "activitylog.h"

#include <iterator>

namespace longpole_module {

namespace {

const std::uint32_t eventMask = 0x7fffffffu;  // event numbers are int in Charm++; negative ones are no messages'

std::uint32_t ownEvent(std::uint64_t send) { return static_cast<std::uint32_t>(send + 1) & eventMask; }

}  // namespace

std::uint32_t ActivityLog::packed(Time time, std::unordered_map<std::uint64_t, Time> &longOnes, std::uint64_t row)
{
    if (time < 0) time = 0;
    if (time < static_cast<Time>(isLong)) return static_cast<std::uint32_t>(time);
    longOnes[row] = time;
    return isLong;
}

void ActivityLog::begin(Time now, std::uint16_t entry, MessageKey message)
{
    if (m_depth++ > 0) {
        const std::uint64_t task = m_tasks.end() - 1;
        m_openInner.push_back(m_inner.end());
        m_inner.add(InnerRow{static_cast<std::uint32_t>(task), entry, now - m_begin, INT64_MAX});
        return;
    }
    m_begin = now;
    m_hasTask = true;
    m_hasIdled = false;
    m_tasks.add(TaskRow{static_cast<std::uint32_t>(now),
                        static_cast<std::uint16_t>(static_cast<std::uint64_t>(now) >> 32), entry, 0, message.pe,
                        message.event});
    if (m_tasks.end() % Blocks<TaskRow>::perBlock == 0 && m_readers == 0 && bytes() > m_mostBytes) dropOldest();
}

void ActivityLog::end(Time now)
{
    if (m_depth == 0) return;
    if (--m_depth > 0) {
        if (m_openInner.empty()) return;
        const std::uint64_t row = m_openInner.back();
        m_openInner.pop_back();
        if (m_inner.has(row)) m_inner[row].end = now - m_begin;
        return;
    }
    m_openInner.clear();
    m_tasks.last().duration = packed(now - m_begin, m_longTasks, m_tasks.end() - 1);
}

void ActivityLog::addSend(Time now, std::uint16_t entry, bool isArrayBroadcast)
{
    std::uint16_t kind = isArrayBroadcast ? ArrayBroadcast : 0;
    Time offset = 0;
    if (!m_hasTask || (m_depth == 0 && m_hasIdled)) kind |= FromNothing;
    else if (m_depth > 0) offset = now - m_begin;
    else offset = durationOf(m_tasks.end() - 1, now);  // the run-time system went on from the task before
    const std::uint32_t after = packed(offset, m_longOffsets, m_sends.end());
    m_sends.add(SendRow{static_cast<std::uint32_t>(m_tasks.end() - 1), after, entry, kind});
}

std::uint32_t ActivityLog::send(Time now, std::uint16_t entry, bool isArrayBroadcast)
{
    addSend(now, entry, isArrayBroadcast);
    return ownEvent(m_sends.end() - 1);
}

void ActivityLog::send(Time now, std::uint16_t entry, bool isArrayBroadcast, std::uint32_t event)
{
    addSend(now, entry, isArrayBroadcast);
    m_events.add(event);
}

ActivityLog::Merge ActivityLog::merge(Merge before)
{
    if (m_depth == 0 || !m_hasTask) return before;
    const std::uint64_t task = m_tasks.end() - 1;
    if (before.task == task) return before;
    if (before.task == noTask || !m_tasks.has(before.task)) return Merge{noMerge, task};
    if (before.row != noMerge && before.row >= m_mergesDropped) m_merges[before.row - m_mergesDropped].isLast = false;
    m_merges.push_back(MergeRow{task, messageOf(before.task), before.row, true});
    return Merge{m_mergesDropped + m_merges.size() - 1, task};
}

void ActivityLog::forget()
{
    m_sends.clear();
    m_events.clear();
    m_inner.clear();
    m_openInner.clear();
    m_mergesDropped += m_merges.size();
    m_merges.clear();
    m_longTasks.clear();
    m_longOffsets.clear();
    const bool runs = m_depth > 0;
    const TaskRow running = runs ? m_tasks.last() : TaskRow();
    m_tasks.clear();
    m_hasTask = runs;
    m_isDropped = false;
    if (runs) m_tasks.add(running);
    else m_hasIdled = true;
}

std::size_t ActivityLog::bytes() const
{
    return m_tasks.bytes() + m_sends.bytes() + m_events.bytes() + m_inner.bytes() + m_merges.size() * sizeof(MergeRow);
}

void ActivityLog::dropOldest()
{
    while (bytes() > m_mostBytes && m_tasks.canDrop()) {
        m_tasks.drop();
        const std::uint64_t first = m_tasks.first();
        const std::size_t perBlock = Blocks<SendRow>::perBlock;
        while (m_sends.canDrop() && m_tasks.whole(m_sends[m_sends.first() + perBlock - 1].task) >= m_tasks.end())
            m_sends.drop();
        while (m_events.canDrop() && m_events.first() + perBlock <= m_sends.first()) m_events.drop();
        while (m_inner.canDrop() && m_tasks.whole(m_inner[m_inner.first() + perBlock - 1].task) >= m_tasks.end())
            m_inner.drop();
        std::size_t merges = 0;
        while (merges < m_merges.size() && m_merges[merges].task < first) ++merges;
        m_merges.erase(m_merges.begin(), m_merges.begin() + static_cast<std::ptrdiff_t>(merges));
        m_mergesDropped += merges;
        for (auto row = m_longTasks.begin(); row != m_longTasks.end();)
            row = row->first < first ? m_longTasks.erase(row) : std::next(row);
        for (auto row = m_longOffsets.begin(); row != m_longOffsets.end();)
            row = row->first < m_sends.first() ? m_longOffsets.erase(row) : std::next(row);
        m_isDropped = true;
    }
}

bool ActivityLog::findSend(std::uint32_t event, std::uint64_t &send) const
{
    if (event > eventMask || m_sends.end() == m_sends.first()) return false;
    if (m_events.end() == m_events.first()) {
        const std::uint32_t ahead = (event - ownEvent(m_sends.first())) & eventMask;
        send = m_sends.first() + ahead;
        return m_sends.has(send);
    }
    std::uint64_t low = m_sends.first(), high = m_sends.end();
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (m_events[middle] < event) low = middle + 1;
        else high = middle;
    }
    send = low;
    return low < m_sends.end() && m_events[low] == event;
}

ActivityLog::Time ActivityLog::beginOf(std::uint64_t task) const
{
    const TaskRow &row = m_tasks[task];
    return static_cast<Time>((static_cast<std::uint64_t>(row.beginHigh) << 32) | row.beginLow);
}

ActivityLog::Time ActivityLog::durationOf(std::uint64_t task, Time now) const
{
    if (m_depth > 0 && task + 1 == m_tasks.end()) return now > m_begin ? now - m_begin : 0;
    const std::uint32_t duration = m_tasks[task].duration;
    return duration == isLong ? m_longTasks.at(task) : static_cast<Time>(duration);
}

ActivityLog::Send ActivityLog::sendAt(std::uint64_t send) const
{
    const SendRow &row = m_sends[send];
    const std::uint64_t task = m_tasks.whole(row.task);
    const bool isKnown = (row.kind & FromNothing) == 0 && m_tasks.has(task);
    return Send{isKnown ? task : noTask, row.offset == isLong ? m_longOffsets.at(send) : static_cast<Time>(row.offset),
                row.entry, (row.kind & ArrayBroadcast) != 0};
}

void ActivityLog::mergesOf(std::uint64_t task, std::vector<MessageKey> &keys) const
{
    keys.clear();
    std::size_t low = 0, high = m_merges.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (m_merges[middle].task < task) low = middle + 1;
        else high = middle;
    }
    for (; low < m_merges.size() && m_merges[low].task == task; ++low)
        for (std::uint64_t row = m_mergesDropped + low; row != noMerge && row >= m_mergesDropped;
             row = m_merges[row - m_mergesDropped].before)
            if (m_merges[row - m_mergesDropped].key.event != blockEvent)
                keys.push_back(m_merges[row - m_mergesDropped].key);
}

std::vector<ActivityLog::MergeKeys> ActivityLog::allMerges() const
{
    std::vector<MergeKeys> all;
    for (std::size_t i = 0; i < m_merges.size(); ++i) {
        if (!m_merges[i].isLast) continue;
        for (std::uint64_t row = m_mergesDropped + i; row != noMerge && row >= m_mergesDropped;
             row = m_merges[row - m_mergesDropped].before)
            if (m_merges[row - m_mergesDropped].key.event != blockEvent)
                all.push_back(MergeKeys{messageOf(m_merges[i].task), m_merges[row - m_mergesDropped].key});
    }
    return all;
}

std::uint64_t ActivityLog::firstInner(std::uint64_t task) const
{
    std::uint64_t low = m_inner.first(), high = m_inner.end();
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        const std::uint64_t other = m_tasks.whole(m_inner[middle].task);
        // A row of a task that is not kept any more comes out beyond the end, and is before all that are.
        if (other < task || other >= m_tasks.end()) low = middle + 1;
        else high = middle;
    }
    return low;
}

}  // namespace longpole_module
