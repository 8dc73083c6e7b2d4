// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts runs into stages and reads what people write about them.
#include "analysis/projection/stages.h"

#include "core/base/drawnhash.h"
#include "core/base/translate.h"
#include "core/base/wide.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <unordered_map>

namespace longpole {

namespace {

TimeNs edgeAt(TimeRange range, std::int64_t i, std::int64_t count)
{
    const Wide offset = static_cast<Wide>(range.length()) * i / count;
    return saturatingAdd(range.begin, static_cast<TimeNs>(offset));
}

Error stageError(const QString& what, const QString& text)
{
    return Error{.what = what,
                 .where = text,
                 .hint = tr("Write a timestep such as 500us, or a number of stages "
                            "such as stages=100.")};
}

// Cuts at the given times, which need not be sorted; the first and last edge are those of the range.
Stages stagesBetween(TimeRange range, std::vector<TimeNs> cuts)
{
    constexpr TimeNs together = 1000;  // marks of the same step on several PEs
    std::sort(cuts.begin(), cuts.end());
    Stages stages;
    stages.edges.push_back(range.begin);
    TimeNs last = minTime;
    for (const TimeNs cut : cuts) {
        if (cut <= range.begin || cut >= range.end || cut < saturatingAdd(last, together)) continue;
        stages.edges.push_back(cut);
        last = cut;
    }
    stages.edges.push_back(range.end);
    return stages;
}

// Occurrences of these regions: of the k-th of each on each track the earliest, so that a step that all PEs mark cuts
// once.
Result<std::vector<TimeNs>> occurrences(const TraceStore& store, const std::vector<RegionId>& wanted,
                                        const Progress& progress)
{
    struct Occurrences {
        std::vector<TimeNs> times{};
        std::size_t number = 0;  // on the track
        TrackId track = noTrack;
    };
    std::unordered_map<std::uint32_t, Occurrences, DrawnHash> found;
    for (const RegionId region : wanted) found[index(region)];
    const auto gather = [&]<typename Row>(RowScan<Row> rows, auto timeOf) -> Result<> {
        for (auto& [region, of] : found) of.track = noTrack;
        for (const Row& row : rows) {
            const auto place = found.find(index(row.region()));
            if (place == found.end()) continue;
            Occurrences& of = place->second;
            if (of.track != rows.track()) of.number = 0;
            of.track = rows.track();
            const TimeNs time = timeOf(row);
            if (of.number < of.times.size()) of.times[of.number] = std::min(of.times[of.number], time);
            else of.times.push_back(time);
            ++of.number;
        }
        return rows.result();
    };
    if (auto marks = gather(store.rows<MarkRow>(MarkRow::Time | MarkRow::Region, {.progress = &progress}),
                            [](const MarkRow& mark) { return mark.time(); });
        !marks)
        return marks.error();
    if (auto pairs = gather(store.rows<IntervalRow>(IntervalRow::Begin | IntervalRow::Region, {.progress = &progress}),
                            [](const IntervalRow& interval) { return interval.begin(); });
        !pairs)
        return pairs.error();
    std::vector<TimeNs> all;
    for (const auto& [region, of] : found) all.insert(all.end(), of.times.begin(), of.times.end());
    return all;
}

Error nothingMarked(const QString& name)
{
    return Error{.what = tr("Nothing cuts the range into stages: \"%1\" is not marked inside it.").arg(name),
                 .where = name,
                 .hint = tr("Choose a number of stages or a timestep.")};
}

}  // namespace

std::size_t Stages::at(TimeNs time) const
{
    const auto after = std::upper_bound(edges.begin(), edges.end(), time);
    const auto stage = after == edges.begin() ? 0 : static_cast<std::size_t>(after - edges.begin()) - 1;
    return std::min(stage, count() - 1);
}

Stages equalStages(TimeRange range, std::int64_t count)
{
    Stages stages;
    stages.edges.reserve(static_cast<std::size_t>(count) + 1);
    for (std::int64_t i = 0; i <= count; ++i) stages.edges.push_back(edgeAt(range, i, count));
    return stages;
}

Result<Stages> timestepStages(TimeRange range, TimeNs timestep)
{
    const QString text = formatTime(timestep);
    if (timestep <= 0) return stageError(tr("The timestep must be longer than zero."), text);
    if (timestep > range.length())
        return stageError(tr("The timestep is longer than the range of %1.").arg(formatTime(range.length())), text);
    if ((range.length() - 1) / timestep + 1 > mostStages)
        return stageError(tr("That would be more than %1 stages.").arg(formatCount(mostStages)), text);
    Stages stages;
    for (TimeNs edge = range.begin; edge < range.end; edge = saturatingAdd(edge, timestep))
        stages.edges.push_back(edge);
    stages.edges.push_back(range.end);
    return stages;
}

Result<Stages> parseStages(const QString& text, TimeRange range)
{
    QString words = text.trimmed().toLower();
    bool isCount = false;
    if (words.startsWith(QLatin1String("stages="))) {
        words = words.mid(7).trimmed();
        isCount = true;
    } else if (words.endsWith(QLatin1String("stages")) || words.endsWith(QLatin1String("stage"))) {
        words = words.left(words.lastIndexOf(QLatin1String("stage"))).trimmed();
        isCount = true;
    }
    bool isNumber = false;
    const qlonglong count = words.toLongLong(&isNumber);
    if (isCount && !isNumber) return stageError(tr("\"%1\" is not a number of stages.").arg(words), text);
    if (isNumber) {
        if (count < 1) return stageError(tr("There must be at least one stage."), text);
        if (count > mostStages)
            return stageError(tr("That would be more than %1 stages.").arg(formatCount(mostStages)), text);
        return equalStages(range, count);
    }
    const Result<TimeNs> step = parseTime(words);
    if (!step) return stageError(tr("\"%1\" is neither a timestep nor a number of stages.").arg(text), text);
    return timestepStages(range, *step);
}

Result<Stages> phaseStages(const TraceStore& store, TimeRange range, const Progress& progress)
{
    std::vector<RegionId> phases;
    for (const Region& region : store.regions())
        if (region.kind == RegionKind::Phase) phases.push_back(region.id);
    auto cuts = occurrences(store, phases, progress);
    if (!cuts) return cuts.error();
    Stages stages = stagesBetween(range, std::move(*cuts));
    if (stages.count() < 2) return nothingMarked(tr("phase"));
    return stages;
}

Result<Stages> eventStages(const TraceStore& store, RegionId event, TimeRange range, const Progress& progress)
{
    const auto times = occurrences(store, {event}, progress);
    if (!times) return times.error();
    Stages stages = stagesBetween(range, *times);
    const Region* region = store.region(event);
    if (stages.count() < 2) return nothingMarked(region ? region->name : QString::number(index(event)));
    return stages;
}

std::vector<RegionId> stageEvents(const TraceStore& store)
{
    std::vector<RegionId> events;
    for (const Region& region : store.regions())
        if (region.kind == RegionKind::UserEvent || region.kind == RegionKind::Phase) events.push_back(region.id);
    return events;
}

Stages iterationStages(TimeRange range, std::span<const TimeRange> iterations)
{
    Stages stages;
    stages.edges.push_back(range.begin);
    const auto close = [&](TimeNs end, const QString& name) {
        const TimeNs edge = std::clamp(end, stages.edges.back(), range.end);
        if (edge == stages.edges.back()) return;
        stages.edges.push_back(edge);
        stages.names.push_back(name);
    };
    if (!iterations.empty()) close(iterations.front().begin, tr("before"));
    for (std::size_t i = 0; i < iterations.size(); ++i)
        close(i + 1 < iterations.size() ? iterations[i + 1].begin : iterations[i].end,
              tr("iteration %1").arg(formatCount(static_cast<std::int64_t>(i + 1))));
    close(range.end, iterations.empty() ? QString() : tr("after"));
    if (stages.edges.size() == 1) stages = {{range.begin, range.end}, {QString()}};
    return stages;
}

Result<std::vector<std::size_t>> parseStageSet(const QString& text, std::size_t count)
{
    std::vector<std::size_t> chosen;
    if (text.trimmed().isEmpty()) {
        for (std::size_t i = 0; i < count; ++i) chosen.push_back(i);
        return chosen;
    }
    // The grammar is that of processors; only its words are about something else.
    const auto numbers = parseProcessors(text, static_cast<std::int64_t>(count));
    if (!numbers)
        return Error{.what = tr("\"%1\" is not a set of stages from 0 to %2.").arg(text, QString::number(count - 1)),
                     .where = text,
                     .hint = tr("Write numbers and ranges with steps, such as 1,3-9:3,11.")};
    for (const ProcessorId number : *numbers) chosen.push_back(index(number));
    return chosen;
}

}  // namespace longpole
