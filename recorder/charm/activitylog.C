// SPDX-License-Identifier: GPL-3.0-or-later
#include "activitylog.h"

namespace longpole_module {

namespace {

const std::size_t bytesOfLongOne = 48;  // of a node in a map
const std::uint64_t lowerBits = (std::uint64_t(1) << 48) - 1;
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
        makeRoomIn(m_inner);
        m_openInner.push_back(m_inner.end());
        m_inner.add(InnerRow{static_cast<std::uint32_t>(task), entry, now - m_begin, INT64_MAX});
        return;
    }
    m_begin = now;
    m_hasTask = true;
    m_hasIdled = false;
    const std::uint64_t bits = static_cast<std::uint64_t>(now);
    const Time era = static_cast<Time>(bits & ~lowerBits);
    if (m_eras.empty() || m_eras.back().begin != era) m_eras.push_back(Era{m_tasks.end(), era});
    makeRoomIn(m_tasks);
    m_tasks.add(TaskRow{static_cast<std::uint32_t>(bits), static_cast<std::uint16_t>((bits & lowerBits) >> 32), entry,
                        0, message.pe, message.event});
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
    makeRoomIn(m_sends);
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
    const bool isOurs = before.log == m_identity;
    if (isOurs && before.task == task) return before;
    if (!isOurs || !m_tasks.has(before.task)) return Merge{m_identity, noMerge, task};
    const MessageKey key = messageOf(before.task);
    makeRoomIn(m_merges);
    if (m_merges.has(before.row)) {
        if (m_merges[before.row].task != before.task) return Merge{m_identity, noMerge, task};
        m_merges[before.row].isLast = false;
    }
    m_merges.add(MergeRow{task, key, before.row, true});
    return Merge{m_identity, m_merges.end() - 1, task};
}

void ActivityLog::forget()
{
    m_sends.clear();
    m_events.clear();
    m_inner.clear();
    m_openInner.clear();
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
    return m_tasks.bytes() + m_sends.bytes() + m_events.bytes() + m_inner.bytes() + m_merges.bytes()
           + (m_longTasks.size() + m_longOffsets.size()) * bytesOfLongOne;
}

void ActivityLog::dropOldest()
{
    m_tasks.forgetSpare();
    m_sends.forgetSpare();
    m_events.forgetSpare();
    m_inner.forgetSpare();
    m_merges.forgetSpare();
    while (bytes() > m_mostBytes && dropOldestBlock()) m_isDropped = true;
}

// A task that is not kept any more comes out beyond the end, and is older than all that are.
std::uint64_t ActivityLog::ageOf(std::uint32_t task) const
{
    const std::uint64_t whole = m_tasks.whole(task);
    return whole < m_tasks.end() ? whole : 0;
}

// Of all kinds of rows the block that ends first: few tasks may have sent and merged without end.
bool ActivityLog::dropOldestBlock()
{
    enum Kind { Nothing, Tasks, Sends, Inner, Merges };
    Kind oldest = Nothing;
    std::uint64_t least = UINT64_MAX;
    const auto offer = [&](Kind kind, std::uint64_t age) {
        if (age >= least) return;
        oldest = kind;
        least = age;
    };
    if (m_sends.canDrop()) offer(Sends, ageOf(m_sends[m_sends.lastOfOldest()].task));
    if (m_inner.canDrop()) offer(Inner, ageOf(m_inner[m_inner.lastOfOldest()].task));
    if (m_merges.canDrop()) offer(Merges, m_merges[m_merges.lastOfOldest()].task);
    if (m_tasks.canDrop()) offer(Tasks, m_tasks.lastOfOldest());
    switch (oldest) {
    case Nothing: return false;
    case Tasks: dropTasks(); break;
    case Sends: dropSends(); break;
    case Inner: m_inner.drop(); break;
    case Merges: m_merges.drop(); break;
    }
    return true;
}

void ActivityLog::dropTasks()
{
    for (std::uint64_t row = m_tasks.first(); row <= m_tasks.lastOfOldest() && !m_longTasks.empty(); ++row)
        if (m_tasks[row].duration == isLong) m_longTasks.erase(row);
    m_tasks.drop();
}

void ActivityLog::dropSends()
{
    for (std::uint64_t row = m_sends.first(); row <= m_sends.lastOfOldest() && !m_longOffsets.empty(); ++row)
        if (m_sends[row].offset == isLong) m_longOffsets.erase(row);
    m_sends.drop();
    while (m_events.canDrop() && m_events.first() < m_sends.first()) m_events.drop();
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
    std::size_t era = m_eras.size() - 1;  // nearly always the last one
    while (era > 0 && m_eras[era].firstTask > task) --era;
    return m_eras[era].begin | static_cast<Time>((static_cast<std::uint64_t>(row.beginHigh) << 32) | row.beginLow);
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

std::uint64_t ActivityLog::firstMergeOf(std::uint64_t task) const
{
    std::uint64_t low = m_merges.first(), high = m_merges.end();
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (m_merges[middle].task < task) low = middle + 1;
        else high = middle;
    }
    return low;
}

std::uint64_t ActivityLog::earlierMerge(std::uint64_t row) const
{
    const std::uint64_t before = m_merges[row].before;
    return m_merges.has(before) && m_tasks.has(m_merges[before].task) ? before : noMerge;
}

std::vector<ActivityLog::MergeKeys> ActivityLog::allMerges() const
{
    std::vector<MergeKeys> all;
    for (std::uint64_t last = firstMergeOf(m_tasks.first()); last < m_merges.end(); ++last) {
        if (!m_merges[last].isLast) continue;
        for (std::uint64_t row = last; row != noMerge; row = earlierMerge(row))
            if (m_merges[row].key.event != blockEvent)
                all.push_back(MergeKeys{messageOf(m_merges[last].task), m_merges[row].key});
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
