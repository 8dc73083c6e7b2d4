// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/latertiles.h"

#include "core/base/timerange.h"

#include <algorithm>

namespace longpole {
namespace {

// As a TileBuilder has them.
constexpr std::int64_t tasksPerBin = 32;
constexpr std::size_t coarsestBins = 4;

}  // namespace

LaterTiles::LaterTiles(TimeNs runBegin, std::int64_t spare)
    : m_begin(runBegin), m_spare(spare), m_sums{TileBuilder::finestLevel, runBegin >> TileBuilder::finestLevel, {}}
{
}

void LaterTiles::Bin::add(const Bin& other)
{
    idle = saturatingAdd(idle, other.idle);
    messages = saturatingAdd(messages, other.messages);
    bytes = saturatingAdd(bytes, other.bytes);
}

// In place: each bin goes into its parent, which lies before it or where it lies.
void LaterTiles::widen(Level& level)
{
    const std::int64_t firstBin = level.firstBin >> 2;
    std::size_t parents = 0;
    for (std::size_t i = 0; i < level.bins.size(); ++i) {
        const Bin bin = level.bins[i];
        const auto parent = static_cast<std::size_t>(((level.firstBin + static_cast<std::int64_t>(i)) >> 2) - firstBin);
        for (; parents <= parent; ++parents) level.bins[parents] = {};
        level.bins[parent].add(bin);
    }
    level.bins.resize(parents);
    level.level += 2;
    level.firstBin = firstBin;
}

LaterTiles::Bin& LaterTiles::binAt(TimeNs time, std::int64_t tasks)
{
    while ((time >> m_sums.level) - m_sums.firstBin >= m_spare + tasks / tasksPerBin) widen(m_sums);
    const auto position = static_cast<std::size_t>((time >> m_sums.level) - m_sums.firstBin);
    if (position >= m_sums.bins.capacity()) m_sums.bins.reserve(position + position / 4 + 64);
    if (position >= m_sums.bins.size()) m_sums.bins.resize(position + 1);
    return m_sums.bins[position];
}

void LaterTiles::idle(TimeRange range, std::int64_t tasks)
{
    const TimeRange part = intersection(range, {m_begin, maxTime});
    if (part.isEmpty()) return;
    binAt(part.end - 1, tasks);  // may widen the bins, so it comes first
    for (TimeNs from = part.begin; from < part.end;) {
        const std::int64_t bin = from >> m_sums.level;
        const TimeNs end = bin >= maxTime >> m_sums.level ? maxTime : (bin + 1) << m_sums.level;
        const TimeNs to = std::min(end, part.end);
        addSaturating(m_sums.bins[static_cast<std::size_t>(bin - m_sums.firstBin)].idle, to - from);
        from = to;
    }
}

void LaterTiles::message(TimeNs sent, std::int64_t bytes, std::int64_t tasks)
{
    Bin& bin = binAt(std::clamp(sent, m_begin, maxTime - 1), tasks);
    ++bin.messages;
    bin.bytes = saturatingAdd(bin.bytes, bytes);
}

bool LaterTiles::addTo(TilePyramid& pyramid) const
{
    if (m_sums.bins.empty()) return true;
    if (pyramid.levels.empty() || pyramid.levels.front().level < m_sums.level) return false;
    TileLevel& base = pyramid.levels.front();
    Level sums = m_sums;
    while (sums.level < base.level) widen(sums);
    if (base.bins.size() < sums.bins.size()) base.bins.resize(sums.bins.size());
    for (std::size_t i = 0; i < sums.bins.size(); ++i) {
        TileBin& bin = base.bins[i];
        bin.idle = saturatingAdd(bin.idle, sums.bins[i].idle);
        addSaturating(bin.messages, sums.bins[i].messages);
        bin.bytes = saturatingAdd(bin.bytes, sums.bins[i].bytes);
    }
    pyramid.levels.resize(1);
    while (pyramid.levels.back().bins.size() > coarsestBins) pyramid.levels.push_back(coarser(pyramid.levels.back()));
    return true;
}

}  // namespace longpole
