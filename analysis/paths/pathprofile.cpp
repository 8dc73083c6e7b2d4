// SPDX-License-Identifier: GPL-3.0-or-later
// The profile of a critical path.
#include "analysis/paths/pathprofile.h"

#include "analysis/base/naming.h"
#include "analysis/graph/attribution.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace longpole {

PathProfile::PathProfile(const ActivityGraph& graph) : m_graph(graph), m_sums(graph.exclusiveByEntry.size()) {}

void PathProfile::add(std::uint32_t task, TimeRange part)
{
    addSaturating(m_total, part.end - part.begin);
    ++of(m_graph.entry[task]).count;
    attributeToInnermost(
        m_graph, task, part,
        [this](std::uint32_t entry, TimeNs time) {
            if (time > 0) addSaturating(of(entry).time, time);
        },
        [this](std::uint32_t entry) { ++of(entry).count; });
}

void PathProfile::add(EntryId entry, std::int64_t count, TimeNs time)
{
    addSaturating(m_total, time);
    addSaturating(of(index(entry)).count, count);
    addSaturating(of(index(entry)).time, time);
}

std::vector<PathProfileRow> PathProfile::rows(const std::vector<TimeNs>& busy) const
{
    const TimeNs allBusy = std::accumulate(busy.begin(), busy.end(), TimeNs{0}, saturatingAdd);
    std::vector<PathProfileRow> rows;
    const auto addRow = [&](std::uint32_t entry, const Sums& sums) {
        if (sums.count == 0 && sums.time == 0) return;
        PathProfileRow row{.entry = EntryId{entry}, .count = sums.count, .time = sums.time};
        row.share = ratio(row.time, m_total);
        if (entry < busy.size()) row.busyShare = ratio(busy[entry], allBusy);
        rows.push_back(row);
    };
    for (std::uint32_t entry = 0; entry < m_sums.size(); ++entry) addRow(entry, m_sums[entry]);
    for (const auto& [entry, sums] : m_others) addRow(entry, sums);
    std::sort(rows.begin(), rows.end(), [](const PathProfileRow& a, const PathProfileRow& b) {
        return std::tie(b.time, a.entry) < std::tie(a.time, b.entry);
    });
    return rows;
}

}  // namespace longpole
