// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/readout.h"

#include "analysis/base/naming.h"
#include "core/trace/format.h"
#include "views/drawing/timeline/rowcalls.h"
#include "views/timeline/timelinequestions.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>

namespace longpole {

namespace {

struct Readout {
    Q_DECLARE_TR_FUNCTIONS(longpole::Readout)
};

const RowInterval* intervalAt(const RowData& data, TimeRange pixel)
{
    const RowInterval* best = nullptr;
    for (const RowInterval& interval : data.intervals) {
        const bool touches = interval.range.isEmpty() ? pixel.contains(interval.range.begin)
                                                      : interval.range.overlaps(pixel);
        if (touches && (!best || interval.depth >= best->depth)) best = &interval;
    }
    return best;
}

// Of the regions or events there, from the outermost on, which are drawn below each other: "main › solve › foo".
QString regionNames(const TraceStore& store, const RowData& data, TimeRange pixel)
{
    constexpr std::size_t most = 8;  // of the innermost ones
    std::map<int, const RowInterval*> byDepth;
    for (const RowInterval& interval : data.intervals)
        if (interval.range.isEmpty() ? pixel.contains(interval.range.begin) : interval.range.overlaps(pixel))
            byDepth[interval.depth] = &interval;
    QStringList names;
    for (const auto& [depth, interval] : byDepth) {
        const Region* region = store.region(interval->region);
        names << (region ? region->name : Readout::tr("unnamed event"));
    }
    const auto left = std::max<qsizetype>(0, names.size() - qsizetype(most));
    return (left > 0 ? QStringLiteral("… › ") : QString()) + names.mid(left).join(QStringLiteral(" › "));
}

const RowOverhead* overheadAt(const RowData& data, TimeRange pixel)
{
    for (const RowOverhead& overhead : data.overheads)
        if (overhead.range.overlaps(pixel)) return &overhead;
    return nullptr;
}

QString overheadName(OverheadKind kind)
{
    switch (kind) {
    case OverheadKind::Pack: return Readout::tr("packing");
    case OverheadKind::Unpack: return Readout::tr("unpacking");
    case OverheadKind::Flush: return Readout::tr("writing the trace to disk, not work of the program");
    case OverheadKind::Untraced: return Readout::tr("tracing was off");
    }
    return {};
}

QString taskWords(const TraceStore& store, const RowData& data, const TimelineHit& hit)
{
    const Entry* entry = store.entry(hit.summary.entry);
    QString text = entry ? entryName(*entry)
                         : store.words().say(Readout::tr("unnamed entry method"), Readout::tr("unnamed region"));
    TimeNs time = 0;
    auto segment = std::partition_point(data.segments.begin(), data.segments.end(),
                                        [&](const RowSegment& s) { return s.range.end <= hit.pixel.begin; });
    for (; segment != data.segments.end() && segment->range.begin < hit.pixel.end; ++segment)
        if (segment->task == hit.summary.task) time = std::max(time, segment->range.length());
    if (time > 0) text += QStringLiteral(", ") + formatTime(time);
    return text;
}

QString mixtureWords(const TraceStore& store, const TimelineHit& hit, const RowData& data)
{
    const double length = static_cast<double>(hit.pixel.length()) * std::max(1, data.members);
    const double waits = std::min(1.0, hit.summary.idle / length);
    const double busy = std::min(1.0, hit.summary.busy / length);
    QString text = Readout::tr("%1 in code, %2 waiting in MPI, %3 in MPI")
                       .arg(formatShare(busy), formatShare(waits), formatShare(std::max(0.0, 1 - busy - waits)));
    if (const Entry* entry = store.entry(hit.summary.entry))
        text += Readout::tr(", most of the code %1").arg(entryName(*entry));
    return text;
}

QString summaryWords(const TraceStore& store, const TimelineHit& hit, int members)
{
    const double length = static_cast<double>(hit.pixel.length()) * members;
    const auto tasks = static_cast<std::int64_t>(std::llround(hit.summary.tasks));
    QString text;
    if (hit.summary.tasks >= 1.5)
        text = Readout::tr("%1 tasks here, %2 compute")
                   .arg(formatCount(tasks), formatShare(std::min(1.0, hit.summary.busy / length)));
    else text = Readout::tr("%1 compute").arg(formatShare(std::min(1.0, hit.summary.busy / length)));
    const Entry* entry = store.entry(hit.summary.entry);
    if (entry) text += Readout::tr(", most of it %1").arg(entryName(*entry));
    return text;
}

QString slackWords(const RowData& data, const TimelineHit& hit)
{
    const std::optional<TimeNs> slack = leastSlack(data, hit.pixel);
    if (!slack) return {};
    if (*slack == 0) return Readout::tr(" · no slack");
    return hit.task.isValid() ? Readout::tr(" · slack %1").arg(formatTime(*slack))
                              : Readout::tr(" · slack %1 or more").arg(formatTime(*slack));
}

}  // namespace

TimelineHit hitIn(const TimelineRow& row, const RowData* data, TimeRange pixel)
{
    TimelineHit hit{.time = pixel.begin + pixel.length() / 2,
                    .pixel = pixel,
                    .track = row.track,
                    .pe = row.pe,
                    .task = {},
                    .region = {},
                    .call = {},
                    .summary = {},
                    .known = data != nullptr,
                    .oneOfMany = false};
    if (!data) return hit;
    hit.summary = summarize(*data, pixel);
    if (data->exact && row.pe && hit.summary.task != noTaskIndex && hit.summary.tasks < 2.5)
        hit.task = {*row.pe, hit.summary.task};
    if (const RowInterval* interval = intervalAt(*data, pixel)) hit.region = interval->region;
    // Of two calls that share the pixel the larger one is told, as it is drawn.
    const CallInPixel found = callIn(*data, pixel);
    if (row.pe && found.call && found.call->seq >= 0 && found.count <= 2
        && static_cast<double>(found.time) >= hit.summary.busy)
        hit.call = {index(*row.pe), found.call->seq};
    return hit;
}

std::optional<Selection> thingIn(const TimelineRow& row, const RowData* data, TimeRange pixel, bool tasksOnly)
{
    if (!row.pe || row.kind == RowKind::Group) return Selection{};
    const bool tells = data && data->exact && data->range.begin <= pixel.begin && data->range.end >= pixel.end;
    return tells ? std::optional(thingInPixel(*data, *row.pe, pixel, tasksOnly)) : std::nullopt;
}

QString describe(const TraceStore& store, const TimelineRow& row, const TimelineHit& hit, const RowData* data,
                 const QString* call)
{
    const QString separator = QStringLiteral(" \u00b7 ");
    const TimeNs zero = store.info().begin;
    const QString time = formatTimeAt(hit.time - zero, std::max<TimeNs>(1, hit.pixel.length()));
    QString text = row.label + separator + Readout::tr("at %1").arg(time) + separator;
    if (!row.hasLog) return text + Readout::tr("no log");
    if (hit.time > row.recordedUntil) return text + Readout::tr("no log: it was cut before");
    if (row.kind == RowKind::Group && !row.folded)
        return text + counted("%1 rows", "%1 row", static_cast<std::int64_t>(row.members.size()));
    if (!data) return text + Readout::tr("loading");
    if (hit.call.isValid()) return text + (call ? *call : Readout::tr("loading"));
    if (hit.region) {
        const Region* region = store.region(*hit.region);
        const RowInterval* interval = intervalAt(*data, hit.pixel);
        text += regionNames(store, *data, hit.pixel);
        if (interval && interval->range.length() > 0)
            text += QStringLiteral(", ") + formatTime(interval->range.length());
        if (row.kind == RowKind::Intervals) return text;
        // Of a rank's code the innermost region is what it is called by.
        const Entry* entry = hit.task.isValid() ? store.entry(hit.summary.entry) : nullptr;
        if (entry && region && entryName(*entry) == region->name) return text + slackWords(*data, hit);
        text += separator;
    }
    if (row.kind == RowKind::Intervals && hit.summary.busy <= 0) return text + Readout::tr("nothing recorded here");
    const bool before = hit.time < zero;
    const bool isBlend = data->hasCalls
                         && (!data->exact || (!hit.task.isValid() && callIn(*data, hit.pixel).count > 0));
    if (isBlend) {
        text += mixtureWords(store, hit, *data);
    } else if (hit.summary.busy > 0) {
        text += hit.task.isValid() ? taskWords(store, *data, hit)
                                   : summaryWords(store, hit, std::max(1, data->members));
        text += slackWords(*data, hit);
    } else if (const RowOverhead* overhead = overheadAt(*data, hit.pixel)) {
        return text + overheadName(overhead->kind) + QStringLiteral(", ") + formatTime(overhead->range.length());
    } else if (!before) {
        text += data->hasCalls         ? Readout::tr("neither code nor MPI was recorded")
                : hit.summary.idle > 0 ? store.words().say(Readout::tr("idle"), Readout::tr("waiting in MPI"))
                                       : store.words().say(Readout::tr("overhead"), Readout::tr("in MPI"));
    }
    if (before) text += Readout::tr(" start-up, not counted");
    const auto isHere = [&hit](const TimeRange& lacking) { return lacking.contains(hit.time); };
    if (!data->isKept)
        text += separator
                + (std::ranges::any_of(data->lacking, isHere)
                       ? Readout::tr("mean of a bin: events are not kept here")
                       : Readout::tr("mean of a bin: zoom in, its events are kept"));
    return text.trimmed();
}

}  // namespace longpole
