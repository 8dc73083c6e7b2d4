// SPDX-License-Identifier: GPL-3.0-or-later
// Makes rows of the records that the program itself put into a processor's log: user events and brackets, statistics,
// memory, notes, merge edges, phases, hardware counters.
#include "core/trace/columns.h"
#include "importers/projections/processor.h"

#include <algorithm>
#include <bit>

namespace longpole {
namespace {

constexpr std::uint32_t mostRanks = 1u << 28;
constexpr std::size_t mostTexts = 1'000'000;

}  // namespace

void ProjectionsProcessor::handleUser(const LogRecord& record, TimeNs time, std::int64_t line)
{
    switch (record.type) {
    case RecordType::UserEvent: return mark(RegionKind::UserEvent, record.entry, time, 0, 0, {});
    case RecordType::UserEventPair: return pairLine(record, time, line);
    case RecordType::BeginUserEventPair: return openPair(record, RegionKind::UserEvent, time, line);
    case RecordType::EndUserEventPair: return closePair(record, RegionKind::UserEvent, time, line);
    case RecordType::BeginFunction: return openPair(record, RegionKind::Function, time, line);
    case RecordType::EndFunction: return closePair(record, RegionKind::Function, time, line);
    case RecordType::UserStat: return counter(RegionKind::Stat, record.entry, time, record.number, record.userTime);
    case RecordType::UserSupplied:
        return counter(RegionKind::UserSupplied, 0, time, static_cast<double>(record.value), -1);
    case RecordType::MemoryUsage: return counter(RegionKind::Memory, 0, time, static_cast<double>(record.value), -1);
    case RecordType::UserSuppliedNote: return note(record.text, time);
    case RecordType::BracketedNote:
        return mark(RegionKind::UserEvent, record.entry, time, std::max<TimeNs>(record.endTime - time, 0), 0,
                    record.text);
    case RecordType::EndPhase: return mark(RegionKind::Phase, record.entry, time, 0, record.entry, {});
    default: return;  // the frame of the log
    }
}

void ProjectionsProcessor::papi(const LogRecord& record, TimeNs time)
{
    if (m_run.layout.papiCounters == 0) return;
    for (std::uint32_t i = 0; i < record.papiValues; ++i) {
        counter(RegionKind::Counter, i, time, static_cast<double>(record.papi[i]), -1);
    }
}

void ProjectionsProcessor::counter(RegionKind kind, std::uint32_t number, TimeNs time, double value, double userTime)
{
    const std::uint32_t region = regionNumber(kind, number);
    m_result.regions.insert(region);
    const std::array<std::int64_t, CounterColumn::Count> row = {time, region, std::bit_cast<std::int64_t>(value),
                                                                std::bit_cast<std::int64_t>(userTime)};
    m_sink.append(ChunkKind::Counter, m_track, row);
}

void ProjectionsProcessor::mark(RegionKind kind, std::uint32_t number, TimeNs time, TimeNs duration, std::int64_t value,
                                std::string_view text)
{
    const std::uint32_t region = regionNumber(kind, number);
    m_result.regions.insert(region);
    std::int64_t textId = -1;
    constexpr std::int64_t around = 64;  // what a text takes besides its bytes
    const auto bytes = static_cast<std::int64_t>(text.size()) + around;
    if (!text.empty() && bytes > m_textBytes) m_log.add(IssueKind::LongText);
    if (!text.empty() && bytes <= m_textBytes && m_result.texts.size() < mostTexts) {
        m_textBytes -= bytes;
        textId = (std::int64_t{m_pe} << 32) | static_cast<std::int64_t>(m_result.texts.size());
        m_result.texts.push_back(QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
    }
    m_marks.add({time, duration, textId, value, region, 0}, m_spill);
}

// Makes a merge edge of a note that records one, and a mark of any other.
void ProjectionsProcessor::note(std::string_view text, TimeNs time)
{
    if (const std::optional<RecordedMerge> merge = parseMerge(text)) m_result.merges.push_back(*merge);
    else mark(RegionKind::Note, 0, time, 0, 0, text);
}

void ProjectionsProcessor::openPair(const LogRecord& record, RegionKind kind, TimeNs time, std::int64_t line)
{
    constexpr std::size_t mostOpen = 65536;
    std::vector<TimeNs>& begins = m_openPairs[{regionNumber(kind, record.entry), record.value}];
    begins.push_back(time);
    if (begins.size() < mostOpen && m_openPairs.size() < mostOpen) return;
    m_log.add(IssueKind::UnpairedUserEvent, line,
              static_cast<std::int64_t>(std::max(begins.size(), m_openPairs.size())));
    m_openPairs.clear();
}

void ProjectionsProcessor::closePair(const LogRecord& record, RegionKind kind, TimeNs time, std::int64_t line)
{
    const auto open = m_openPairs.find({regionNumber(kind, record.entry), record.value});
    if (open == m_openPairs.end()) {
        m_log.add(IssueKind::UnpairedUserEvent, line);
        return;
    }
    interval(open->first.first, record.value, open->second.back(), time);
    open->second.pop_back();
    if (open->second.empty()) m_openPairs.erase(open);
}

// A 100 pair: two lines in a row with the same event number, begin and end.
void ProjectionsProcessor::pairLine(const LogRecord& record, TimeNs time, std::int64_t line)
{
    if (m_halfPair && m_halfPair->number == record.entry && m_halfPair->event == record.event) {
        const TimeNs begin = std::min(m_halfPair->begin, time);
        interval(regionNumber(RegionKind::UserEvent, record.entry), record.value, begin,
                 std::max(m_halfPair->begin, time));
        m_halfPair.reset();
        return;
    }
    if (m_halfPair) m_log.add(IssueKind::UnpairedUserEvent, line);
    m_halfPair = HalfPair{record.entry, record.event, time};
}

void ProjectionsProcessor::interval(std::uint32_t region, std::int64_t nestedId, TimeNs begin, TimeNs end)
{
    m_result.regions.insert(region);
    TimedRow row{begin, end - begin, 0, nestedId, region, 0};
    if (m_run.isAmpi && nestedId >= 0 && nestedId < mostRanks) {
        row.lane = static_cast<std::uint32_t>(nestedId);
        m_result.rankIntervals.addInterval(row, m_spill);
    } else {
        m_intervals.addInterval(row, m_spill);
    }
}

void ProjectionsProcessor::closeOpenPairs()
{
    if (m_halfPair) m_log.add(IssueKind::UnpairedUserEvent);
    for (const auto& [key, begins] : m_openPairs) {
        for (const TimeNs begin : begins) {
            m_log.add(IssueKind::UnpairedUserEvent);
            interval(key.first, key.second, begin, std::max(begin, m_now));
        }
    }
    m_openPairs.clear();
}

void ProjectionsProcessor::emitUserRows()
{
    m_intervals.finish(m_spill);
    m_marks.finish(m_spill);
    m_result.rankIntervals.finish(m_spill);
    m_result.hasUserEventTrack = !m_intervals.isEmpty();
    TimedRows::merge({&m_intervals}, m_spill, [this](const TimedRow& row, std::uint32_t depth) {
        const std::array<std::int64_t, IntervalColumn::Count> values = {row.begin, row.duration, row.extra,
                                                                        depth,     row.region,   row.value};
        m_sink.append(ChunkKind::Interval, userEventTrack(m_pe), values);
    });
    TimedRows::merge({&m_marks}, m_spill, [this](const TimedRow& row, std::uint32_t) {
        const std::array<std::int64_t, MarkColumn::Count> values = {row.begin, row.duration, row.region, row.value,
                                                                    row.extra};
        m_sink.append(ChunkKind::Mark, m_track, values);
    });
}

}  // namespace longpole
