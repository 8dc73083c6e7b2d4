// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/rowslack.h"

#include "core/base/drawnhash.h"

#include <algorithm>
#include <unordered_set>

namespace longpole {

namespace {

constexpr std::size_t mostLookups = 4'000'000;

std::vector<ProcessorId> processorsOf(const TraceStore& store, std::span<const TrackId> tracks)
{
    std::unordered_set<std::uint32_t, DrawnHash> wanted;
    for (const TrackId track : tracks) wanted.insert(index(track));
    std::vector<ProcessorId> found;
    for (const Processor& processor : store.processors())
        if (wanted.contains(index(processor.track))) found.push_back(processor.pe);
    return found;
}

std::vector<TimeNs> ofBins(const TileLevel& level, ProcessorId pe, const SlackPyramid& pyramid)
{
    const auto count = static_cast<std::int64_t>(level.bins.size());
    const TimeRange range{level.firstBin << level.level, (level.firstBin + count) << level.level};
    return pyramid.leastSlack(pe, range, level.bins.size());
}

}  // namespace

RowData withSlack(RowData data, const TraceStore& store, TrackId track, std::span<const TrackId> members,
                  const SlackLayer& layer)
{
    if (!layer.pyramid) return data;
    data.slackVersion = layer.version;
    const std::vector<ProcessorId> pes = processorsOf(store, members.empty() ? std::span(&track, 1) : members);
    if (data.exact) {
        if (pes.empty()) return data;
        data.segmentSlack.reserve(data.segments.size());
        for (const RowSegment& segment : data.segments)
            data.segmentSlack.push_back(layer.pyramid->leastSlack(pes.front(), segment.range).value_or(maxTime));
        return data;
    }
    if (pes.size() * data.bins.bins.size() > mostLookups) return data;
    data.binSlack.assign(data.bins.bins.size(), maxTime);
    for (const ProcessorId pe : pes) {
        const std::vector<TimeNs> least = ofBins(data.bins, pe, *layer.pyramid);
        for (std::size_t i = 0; i < least.size(); ++i) data.binSlack[i] = std::min(data.binSlack[i], least[i]);
    }
    return data;
}

std::optional<TimeNs> leastSlack(const RowData& data, TimeRange range)
{
    TimeNs least = maxTime;
    if (data.exact && data.segmentSlack.size() == data.segments.size()) {
        for (const RowSegment& segment : overlapping(data.segments, range))
            least = std::min(least, data.segmentSlack[static_cast<std::size_t>(&segment - data.segments.data())]);
    } else if (!data.exact && data.binSlack.size() == data.bins.bins.size()) {
        const auto [first, last] = binsIn(data.bins, range);
        for (std::size_t i = first; i < last; ++i) least = std::min(least, data.binSlack[i]);
    }
    return least == maxTime ? std::optional<TimeNs>() : least;
}

}  // namespace longpole
