// SPDX-License-Identifier: GPL-3.0-or-later
// Goes through a thread's outermost regions beside its calls and barriers, which lie inside regions where those were
// recorded.
#include "analysis/statistics/otherthreads.h"

#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace longpole {

namespace {

// The next of ranges that come in order; empty behind the last.
using NextRange = std::function<std::optional<TimeRange>()>;

// The time that both have.
TimeNs common(const NextRange& nextOfOne, const NextRange& nextOfOther, TimeRange range)
{
    TimeNs sum = 0;
    std::optional<TimeRange> one = nextOfOne(), other = nextOfOther();
    while (one && other) {
        sum = saturatingAdd(sum, overlap(intersection(*one, *other), range));
        if (one->end < other->end) one = nextOfOne();
        else other = nextOfOther();
    }
    return sum;
}

TimeNs sumOf(const NextRange& next, TimeRange range)
{
    TimeNs sum = 0;
    while (const std::optional<TimeRange> one = next()) sum = saturatingAdd(sum, overlap(*one, range));
    return sum;
}

RowScan<MpiRow> callsOf(const TraceStore& store, TrackId track, TimeRange range, const Progress& progress)
{
    return store.rows<MpiRow>(track, MpiRow::Range, {.touching = range, .progress = &progress});
}
RowScan<ThreadWaitRow> barriersOf(const TraceStore& store, TrackId track, TimeRange range, const Progress& progress)
{
    return store.rows<ThreadWaitRow>(track, ThreadWaitRow::All, {.touching = range, .progress = &progress});
}
RowScan<IntervalRow> regionsOf(const TraceStore& store, TrackId track, TimeRange range, const Progress& progress)
{
    return store.rows<IntervalRow>(track, IntervalRow::All, {.touching = range, .progress = &progress});
}

template <typename Row>
std::optional<TimeRange> nextOf(RowScan<Row>& rows)
{
    const Row* const row = rows.next();
    return row != nullptr ? std::optional(row->range()) : std::nullopt;
}
std::optional<TimeRange> nextWaitOf(RowScan<ThreadWaitRow>& rows)
{
    const ThreadWaitRow* const row = rows.next();
    return row != nullptr ? std::optional(row->wait()) : std::nullopt;
}
std::optional<TimeRange> nextOutermostOf(RowScan<IntervalRow>& rows)
{
    for (const IntervalRow* row = rows.next(); row != nullptr; row = rows.next())
        if (row->depth() == 0) return row->range();
    return {};
}

Result<> addThread(const TraceStore& store, TrackId track, TimeRange range, const Progress& progress,
                   OtherThreads& threads)
{
    auto calls = callsOf(store, track, range, progress);
    threads.inMpi = saturatingAdd(threads.inMpi, sumOf([&] { return nextOf(calls); }, range));
    auto barriers = barriersOf(store, track, range, progress);
    threads.waited = saturatingAdd(threads.waited, sumOf([&] { return nextWaitOf(barriers); }, range));
    auto regions = regionsOf(store, track, range, progress);
    TimeNs inRegions = sumOf([&] { return nextOutermostOf(regions); }, range);
    auto again = regionsOf(store, track, range, progress);
    auto callsAgain = callsOf(store, track, range, progress);
    inRegions -= common([&] { return nextOutermostOf(again); }, [&] { return nextOf(callsAgain); }, range);
    auto onceMore = regionsOf(store, track, range, progress);
    auto barriersAgain = barriersOf(store, track, range, progress);
    inRegions -= common([&] { return nextOutermostOf(onceMore); }, [&] { return nextWaitOf(barriersAgain); }, range);
    threads.inRegions = saturatingAdd(threads.inRegions, std::max<TimeNs>(0, inRegions));
    for (const Result<>& read : {calls.result(), barriers.result(), regions.result(), again.result(),
                                 callsAgain.result(), onceMore.result(), barriersAgain.result()})
        if (!read) return read;
    return Unit{};
}

bool isOfRank(const TraceStore& store, const Track& track)
{
    if (track.kind != TrackKind::Thread || !track.pe) return false;
    const Processor* const processor = store.processor(*track.pe);
    return processor == nullptr || processor->track != track.id;
}

bool hasRows(const TraceStore& store, TrackId track)
{
    constexpr std::array kinds{ChunkKind::MpiCall, ChunkKind::Interval, ChunkKind::ThreadWait};
    return std::any_of(kinds.begin(), kinds.end(), [&](ChunkKind kind) { return !store.chunks(kind, track).empty(); });
}

}  // namespace

Result<OtherThreads> otherThreads(const TraceStore& store, TimeRange range, const Progress& progress)
{
    OtherThreads threads;
    if (!store.info().hasRanks()) return threads;
    for (const Track& track : store.tracks()) {
        if (!isOfRank(store, track) || !hasRows(store, track.id)) continue;
        if (progress.isCancelled()) return cancelledError();
        ++threads.count;
        if (Result<> added = addThread(store, track.id, range, progress, threads); !added) return added.error();
    }
    return threads;
}

QString otherThreadsSentence(const OtherThreads& threads)
{
    if (threads.count == 0) return {};
    QStringList parts;
    if (threads.inRegions > 0) parts << tr("%1 in regions").arg(formatTime(threads.inRegions));
    if (threads.inMpi > 0) parts << tr("%1 in MPI calls").arg(formatTime(threads.inMpi));
    if (threads.waited > 0) parts << tr("%1 waiting for each other or for devices").arg(formatTime(threads.waited));
    return tr("These are figures of the ranks' own threads. %1 of theirs had, all together: %2.")
        .arg(counted("%1 other threads", "%1 other thread", threads.count),
             parts.isEmpty() ? tr("nothing") : parts.join(tr(", ")));
}

}  // namespace longpole
