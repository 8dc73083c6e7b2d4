// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts a log at two times, without looking ahead: what was open at the start of the range is opened there again in the
// same order, so that a reader repairs lost ends as it would have in the whole log.
#include "importers/projections/cut.h"

#include "importers/projections/lines.h"

#include <algorithm>

namespace longpole {
namespace {

// More than that are open only in a damaged log, of which only the innermost ones are kept.
constexpr std::size_t mostOpen = 256;        // each end looks through them
constexpr std::size_t longestOpen = 65'536;  // bytes of its line: what comes behind is no tracer's

std::int64_t microseconds(TimeNs time) { return time / 1000; }

bool isEnd(RecordType type)
{
    switch (type) {
    case RecordType::EndProcessing:
    case RecordType::EndInterrupt:
    case RecordType::BeginTrace:
    case RecordType::EndIdle:
    case RecordType::EndPack:
    case RecordType::EndUnpack:
    case RecordType::EndFunction:
    case RecordType::EndUserEventPair: return true;
    default: return false;
    }
}

RecordType beginOf(RecordType end)
{
    if (end == RecordType::BeginTrace) return RecordType::EndTrace;
    return static_cast<RecordType>(static_cast<int>(end) - 1);
}

bool hasEvent(RecordType type)
{
    switch (type) {
    case RecordType::Creation:
    case RecordType::CreationBroadcast:
    case RecordType::CreationMulticast:
    case RecordType::UserEvent:
    case RecordType::BeginUserEventPair:
    case RecordType::EndUserEventPair:
    case RecordType::UserEventPair: return true;
    default: return false;
    }
}

}  // namespace

LogCut::LogCut(const ProjectionsLog& log, const RecordLayout& layout, const LogCutting& cutting, Sink sink)
    : m_layout(layout), m_cutting(cutting), m_sink(std::move(sink)),
      m_isAbsolute(log.isDelta() && (isRange() || !cutting.path.empty())),
      m_phase(cutting.range.begin == minTime ? Phase::Inside : Phase::Before)
{
}

// The record's time as the import takes it: never below that of the record before, except for records that are written
// when what they describe has ended.
TimeNs LogCut::advance(Decoded decoded, const LogRecord& record)
{
    if (decoded != Decoded::Record || record.time < 0) return m_now;
    if (record.type == RecordType::UserEventPair || record.type == RecordType::BracketedNote) return record.time;
    m_now = std::max(m_now, record.time);
    return m_now;
}

void LogCut::add(Decoded decoded, const LogRecord& record, std::string_view line)
{
    const TimeNs time = advance(decoded, record);
    if (decoded != Decoded::Record) return plain(decoded, record, time, line);
    switch (record.type) {
    case RecordType::UserEventPair: return pair(record, line);
    case RecordType::BracketedNote: return note(record, line);
    case RecordType::BeginComputation:
    case RecordType::EndComputation: return frame(record, time, line);
    default: return plain(decoded, record, time, line);
    }
}

void LogCut::plain(Decoded decoded, const LogRecord& record, TimeNs time, std::string_view line)
{
    const bool isRead = decoded == Decoded::Record;
    const TimeRange range = m_cutting.range;
    if (m_phase == Phase::Before) {
        if (time < range.begin || (time == range.begin && isRead && closesOpen(record))) {
            m_isVerbatim = false;
            if (isRead) track(record, line);
            return;
        }
        enter();
    }
    if (m_phase == Phase::Inside && time >= range.end && !(time == range.end && isRead && closesOpen(record))) leave();
    if (m_phase == Phase::After) {
        m_isVerbatim = false;
        return;
    }
    givePath(time);
    if (!isRead) return give(line);
    giveRecord(record, line);
    if (range.end != maxTime) track(record, line);
}

void LogCut::giveRecord(const LogRecord& record, std::string_view line)
{
    if (hasEvent(record.type)) m_largestEvent = std::max(m_largestEvent, record.event);
    if (!m_isAbsolute || record.time < 0) return give(line);
    giveChanged(withTime(line, record.type, microseconds(record.time)));
}

// BEGIN_COMPUTATION and END_COMPUTATION are the log's first and last record, whatever the range: they move into it.
void LogCut::frame(const LogRecord& record, TimeNs time, std::string_view line)
{
    const bool isLast = record.type == RecordType::EndComputation;
    if (isLast) {
        if (m_phase == Phase::Before && time >= m_cutting.range.begin) enter();
        if (m_phase == Phase::Inside && time >= m_cutting.range.end) leave();
        givePath(maxTime);
    }
    const TimeNs inside = clamped(time);
    if (inside == time) return give(line);
    giveChanged(withTime(line, record.type, microseconds(inside)));
}

TimeNs LogCut::clamped(TimeNs time) const { return std::clamp(time, m_cutting.range.begin, m_cutting.range.end); }

bool LogCut::overlaps(TimeNs begin, TimeNs end) const
{
    const TimeRange range = m_cutting.range;
    return begin == end ? range.contains(begin) : begin < range.end && end > range.begin;
}

// Handles a line of a pair: two lines in a row, a begin and an end, which are both written at the end.
void LogCut::pair(const LogRecord& record, std::string_view line)
{
    if (m_cutting.replacesPath && record.entry == m_cutting.pathEvent) {
        m_isVerbatim = false;
        return;
    }
    if (!isRange()) return giveRecord(record, line);
    if (m_halfLine.empty() || m_half.entry != record.entry || m_half.event != record.event) {
        if (!m_halfLine.empty()) m_isVerbatim = false;
        m_half = record;
        m_halfLine = line;
        return;
    }
    const TimeNs begin = std::min(m_half.time, record.time);
    const TimeNs end = std::max(m_half.time, record.time);
    if (overlaps(begin, end)) {
        m_largestEvent = std::max(m_largestEvent, record.event);
        const bool isInside = clamped(begin) == begin && clamped(end) == end && !m_isAbsolute;
        if (isInside) {
            give(m_halfLine);
            give(line);
        } else {
            giveChanged(withTime(m_halfLine, record.type, microseconds(clamped(m_half.time))));
            giveChanged(withTime(line, record.type, microseconds(clamped(record.time))));
        }
    } else {
        m_isVerbatim = false;
    }
    m_halfLine.clear();
}

void LogCut::note(const LogRecord& record, std::string_view line)
{
    if (!isRange()) return giveRecord(record, line);
    const TimeNs end = std::max(record.time, record.endTime);
    if (!overlaps(record.time, end)) {
        m_isVerbatim = false;
        return;
    }
    if (clamped(record.time) == record.time && clamped(end) == end && !m_isAbsolute) return give(line);
    giveChanged(withTimes(line, microseconds(clamped(record.time)), microseconds(clamped(end))));
}

void LogCut::enter()
{
    m_phase = Phase::Inside;
    const std::int64_t begin = microseconds(m_cutting.range.begin);
    std::ptrdiff_t innermost = findOpen(RecordType::BeginProcessing);
    const bool idles = findOpen(RecordType::BeginIdle) >= 0;
    for (const Open& open : m_open) {
        giveChanged(withTime(open.line, open.type, begin));
        // A block in which the PE idled may turn out to have ended there.
        if (innermost-- != 0 || !m_idledInside || idles) continue;
        for (const char* type : {"14 ", "15 "})
            giveChanged(type + std::to_string(begin) + ' ' + std::to_string(m_cutting.pe) + '\n');
    }
}

void LogCut::leave()
{
    givePath(m_cutting.range.end);
    m_phase = Phase::After;
    const std::int64_t end = microseconds(m_cutting.range.end);
    for (auto open = m_open.rbegin(); open != m_open.rend(); ++open)
        giveChanged(endLine(open->line, open->type, m_layout, end));
    m_open.clear();
}

void LogCut::finish()
{
    givePath(maxTime);
    if (!m_halfLine.empty()) m_isVerbatim = false;
}

void LogCut::track(const LogRecord& record, std::string_view line)
{
    if (isBegin(record.type)) trackBegin(record, line);
    else if (isEnd(record.type)) trackEnd(record);
}

void LogCut::trackBegin(const LogRecord& record, std::string_view line)
{
    const bool hasBlock = findOpen(RecordType::BeginProcessing) >= 0;
    std::int64_t key = 0;
    if (record.type == RecordType::BeginProcessing) {
        if (hasBlock && m_idledInside) dropBlocks();
        if (!hasBlock) std::erase_if(m_open, [](const Open& open) { return open.type == RecordType::BeginIdle; });
        m_idledInside = false;
        key = record.event;
    } else if (record.type == RecordType::BeginUserEventPair) {
        key = record.value;
    } else if (record.type != RecordType::BeginFunction) {
        // Records of other types have no number, and at most one of a type is open.
        if (record.type == RecordType::EndTrace) {
            std::erase_if(m_open, [](const Open& open) {
                return open.type != RecordType::BeginUserEventPair && open.type != RecordType::BeginFunction
                       && open.type != RecordType::EndTrace;
            });
        }
        if (findOpen(record.type) >= 0) return;
        if (record.type == RecordType::BeginIdle && hasBlock) m_idledInside = true;
    }
    if (m_open.size() >= mostOpen) m_open.erase(m_open.begin(), m_open.begin() + mostOpen / 2);
    m_open.push_back({record.type, record.entry, key, std::string(line.substr(0, longestOpen))});
}

void LogCut::trackEnd(const LogRecord& record)
{
    const std::ptrdiff_t found = findOpen(record);
    if (found < 0) return;
    if (record.type == RecordType::EndProcessing) {
        // The blocks inside it end with it.
        const auto inside = m_open.begin() + found;
        m_open.erase(std::remove_if(inside, m_open.end(),
                                    [](const Open& open) { return open.type == RecordType::BeginProcessing; }),
                     m_open.end());
        m_idledInside = false;
        return;
    }
    m_open.erase(m_open.begin() + found);
}

bool LogCut::closesOpen(const LogRecord& record) const { return isEnd(record.type) && findOpen(record) >= 0; }

std::ptrdiff_t LogCut::findOpen(RecordType type) const
{
    for (std::size_t i = m_open.size(); i-- > 0;) {
        if (m_open[i].type == type) return static_cast<std::ptrdiff_t>(i);
    }
    return -1;
}

// Finds what an end ends: the innermost one with its key; if there is none, the end of a block ends the innermost
// block.
std::ptrdiff_t LogCut::findOpen(const LogRecord& end) const
{
    const RecordType type = beginOf(end.type);
    const bool isBlock = type == RecordType::BeginProcessing;
    const bool isPair = type == RecordType::BeginUserEventPair;
    const bool isKeyed = isBlock || isPair || type == RecordType::BeginFunction;
    const std::int64_t key = isBlock ? end.event : isPair ? end.value : 0;
    for (std::size_t i = isKeyed ? m_open.size() : 0; i-- > 0;) {
        const Open& open = m_open[i];
        if (open.type == type && open.number == end.entry && open.key == key) return static_cast<std::ptrdiff_t>(i);
    }
    return isBlock || !isKeyed ? findOpen(type) : -1;
}

void LogCut::dropBlocks()
{
    std::erase_if(m_open, [](const Open& open) { return open.type == RecordType::BeginProcessing; });
}

void LogCut::give(std::string_view line)
{
    ++m_lines;
    m_sink(line);
}

void LogCut::giveChanged(std::string_view line)
{
    m_isVerbatim = false;
    give(line);
}

// Writes the path's steps that end before this time; an interval is written when it ends.
void LogCut::givePath(TimeNs before)
{
    for (; m_pathDone < m_cutting.path.size() && m_cutting.path[m_pathDone].end < before; ++m_pathDone) {
        const TimeRange step = m_cutting.path[m_pathDone];
        const std::int32_t event = static_cast<std::int32_t>(
            std::min<std::int64_t>(std::int64_t{m_cutting.firstPathEventNumber} + static_cast<std::int64_t>(m_pathDone),
                                   std::numeric_limits<std::int32_t>::max()));
        const std::string lines = pairLines({m_cutting.pathEvent, event, m_cutting.pe, m_cutting.pathNestedId},
                                            microseconds(step.begin), microseconds(step.end));
        const std::size_t half = lines.find('\n') + 1;
        giveChanged(std::string_view(lines).substr(0, half));
        giveChanged(std::string_view(lines).substr(half));
    }
}

}  // namespace longpole
