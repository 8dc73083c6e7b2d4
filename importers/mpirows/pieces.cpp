// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/pieces.h"

#include "core/trace/columns.h"
#include "importers/mpi/rank.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace longpole {
namespace {

// The bins with entry methods instead of their numbers, by bin, then entry.
EntryBins renamed(const EntryBins& bins, const std::vector<EntryId>& entries)
{
    std::vector<std::size_t> order(bins.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto entryOf = [&](std::size_t row) { return entries[index(bins.entry[row])]; };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(bins.bin[a], entryOf(a)) < std::pair(bins.bin[b], entryOf(b));
    });
    EntryBins result;
    result.level = bins.level;
    result.firstBin = bins.firstBin;
    for (const std::size_t row : order) result.add(bins.bin[row], entryOf(row), bins.time[row], bins.tasks[row]);
    return result;
}

}  // namespace

std::uint32_t EntryNumbers::of(EntryId entry)
{
    std::uint32_t& number = m_numbers[index(entry)];
    if (number == 0) {
        m_entries.push_back(entry);
        number = static_cast<std::uint32_t>(m_entries.size());
    }
    return number - 1;
}

MpiPieces::MpiPieces(const MpiLayout& layout, std::uint32_t rank, RowSink& sink, bool keepsAll,
                     const MpiPiecesState* from)
    : MpiPiecesState(from ? *from : MpiPiecesState(layout.names().info.begin)), m_layout(layout), m_rank(rank),
      m_track(layout.rankTrack(rank)), m_sink(sink), m_keepsAll(keepsAll), m_runBegin(layout.names().info.begin)
{
    if (!from) m_result.tiles = TileBuilder({m_runBegin, maxTime}, TileBuilder::finestLevel, layout.spareBins());
}

MpiPiecesState MpiPieces::state() const
{
    MpiPiecesState copy(m_runBegin);
    copy.m_numbers = m_numbers;
    copy.m_entryBins = m_entryBins;
    copy.m_result.tasks = m_result.tasks;
    copy.m_result.busy = m_result.busy;
    copy.m_result.flush = m_result.flush;
    copy.m_result.started = m_result.started;
    copy.m_result.stopping = m_result.stopping;
    copy.m_result.busyAtStart = m_result.busyAtStart;
    copy.m_result.busyAtStop = m_result.busyAtStop;
    copy.m_result.profile = m_result.profile;
    copy.m_result.tiles = m_result.tiles;
    copy.m_begin = m_begin;
    copy.m_lastBegin = m_lastBegin;
    copy.m_measuredSince = m_measuredSince;
    copy.m_held = m_held;
    copy.m_before = m_before;
    copy.m_innermost = m_innermost;
    copy.m_lastNumber = m_lastNumber;
    copy.m_isFresh = m_isFresh;
    copy.m_isMeasuring = m_isMeasuring;
    return copy;
}

void MpiPieces::begin(TimeNs time) { m_begin = time; }

void MpiPieces::emit(TimeNs begin, TimeNs end, EntryId entry)
{
    const std::array<std::int64_t, TaskColumn::Count> row = {
        begin, saturatingSubtract(end, begin), 0, index(entry), 0, 0, 0, 0, minTime, -1, 0, 0, 0, 0, 0, 0};
    m_sink.append(ChunkKind::Task, m_track, row);
    m_lastBegin = begin;
    m_lastNumber = m_numbers.of(entry);
    ++m_result.tasks;
    if (m_keepsAll) {
        keepLast();
        m_result.entryOf.push_back(entry);
    }

    if (m_lastNumber == m_result.profile.size()) m_result.profile.emplace_back();
    ProfileRow& profile = m_result.profile[m_lastNumber];
    ++profile.count;
    if (m_layout.hasBins()) {
        m_result.tiles.task(begin);
        m_entryBins.task(begin, EntryId{m_lastNumber});
    }
    const TimeNs counted = overlap({begin, end}, {m_runBegin, maxTime});
    if (counted == 0) return;
    profile.exclusive = saturatingAdd(profile.exclusive, counted);
    m_result.busy = saturatingAdd(m_result.busy, counted);
    if (!m_layout.hasBins()) return;
    m_result.tiles.busy(begin, end, entry);
    m_entryBins.busy(begin, end, EntryId{m_lastNumber});
}

// Ends the open piece: code in a region belongs to that region, other code is named after its borders.
void MpiPieces::end(TimeNs time, std::uint32_t next)
{
    emitHeld(next);
    emit(m_begin, time, m_innermost != noRegion ? EntryId{m_innermost} : m_layout.between(m_before, next));
    if (m_isFresh) keepLast();
    m_isFresh = false;
}

// The open piece ends where the tool's own work begins, and is named when it is known what comes behind that.
void MpiPieces::hold(TimeNs time)
{
    m_held.push_back({m_begin, time, m_isFresh});
    m_isFresh = false;
}

void MpiPieces::emitHeld(std::uint32_t next)
{
    for (const HeldPiece& piece : m_held) {
        emit(piece.begin, piece.end, m_layout.between(m_before, next));
        if (piece.isFresh) keepLast();
    }
    m_held.clear();
}

void MpiPieces::stopMeasuring(TimeNs time)
{
    m_isMeasuring = false;
    m_isFresh = true;
    if (time == m_measuredSince) return;
    m_result.flush = saturatingAdd(m_result.flush, overlap({m_measuredSince, time}, {m_runBegin, maxTime}));
    const std::array<std::int64_t, OverheadColumn::Count> row = {m_measuredSince,
                                                                 saturatingSubtract(time, m_measuredSince),
                                                                 static_cast<std::int64_t>(OverheadKind::Flush)};
    m_sink.append(ChunkKind::Overhead, m_track, row);
}

// A piece of no length is left out, unless a call needs one.
void MpiPieces::border(TimeNs time, std::uint32_t region, std::uint32_t innermost, bool isMeasuring)
{
    const bool isOwnWork = m_layout.isOwnWork(region);
    if (m_isMeasuring && !isMeasuring) {
        stopMeasuring(time);
    } else if (!m_isMeasuring) {
        if (time > m_begin || (isMeasuring && isOwed())) {
            if (isOwnWork && isMeasuring && m_innermost == noRegion) hold(time);
            else end(time, region);
        }
        if (isMeasuring) m_measuredSince = time;
        m_isMeasuring = isMeasuring;
    }
    if (!isOwnWork) emitHeld(region);
    m_begin = time;
    if (!isOwnWork) m_before = region;
    m_innermost = innermost;
}

MpiPieces::CallTasks MpiPieces::beginCall(TimeNs time, std::uint32_t region)
{
    if (m_isMeasuring) {
        stopMeasuring(time);
        m_begin = time;
    }
    if (time > m_begin || m_isFresh) end(time, region);
    keepLast();
    if (m_layout.isRegion(region) && m_layout.call(region).isFinalize && m_result.stopping == maxTime) {
        m_result.stopping = time;
        m_result.busyAtStop = m_result.busy;
    }
    CallTasks tasks{m_result.tasks - 1, noPiece};
    if (m_layout.hasHub(region)) {
        const std::uint32_t number = m_lastNumber;
        tasks.hub = m_result.tasks;
        emit(time, time, EntryId{region});
        keepLast();
        m_lastNumber = number;  // what the call sends comes from the code before it
    }
    return tasks;
}

std::uint32_t MpiPieces::endCall(TimeNs time, std::uint32_t region, std::uint32_t innermost, bool isMeasuring)
{
    const std::uint32_t after = m_result.tasks;
    if (m_layout.isRegion(region) && m_layout.call(region).isInit && m_result.started == minTime) {
        m_result.started = time;
        m_result.busyAtStart = m_result.busy;
    }
    m_begin = time;
    m_before = region;
    m_innermost = innermost;
    m_isFresh = true;
    if (isMeasuring) {
        end(time, noRegion);
        m_measuredSince = time;
        m_isMeasuring = true;
    }
    return after;
}

void MpiPieces::sent(std::int64_t bytes)
{
    ProfileRow& profile = m_result.profile[m_lastNumber];
    ++profile.messages;
    profile.bytes = saturatingAdd(profile.bytes, std::max<std::int64_t>(bytes, 0));
}

void MpiPieces::finishProfile()
{
    for (std::size_t number = 0; number < m_result.profile.size(); ++number) {
        ProfileRow& row = m_result.profile[number];
        row.pe = ProcessorId{m_rank};
        row.entry = m_numbers.entries()[number];
        row.time = row.exclusive;
    }
    std::sort(m_result.profile.begin(), m_result.profile.end(),
              [](const ProfileRow& a, const ProfileRow& b) { return a.entry < b.entry; });
}

MpiPiecesResult MpiPieces::finish(TimeNs time)
{
    if (m_isMeasuring) stopMeasuring(time);
    else if (time > m_begin || isOwed()) end(time, noRegion);
    emitHeld(noRegion);
    m_result.end = time;
    finishProfile();
    if (m_layout.hasBins()) {
        m_sink.append(m_track, renamed(m_entryBins.finish(), m_numbers.entries()));
        m_result.tiles.shrink();
    }
    return std::move(m_result);
}

}  // namespace longpole
