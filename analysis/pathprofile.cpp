// The profile of a critical path.
#include "analysis/pathprofile.h"

#include "analysis/attribution.h"

#include <numeric>
#include <tuple>

namespace longpole {

void PathProfile::add(std::uint32_t task, TimeNs end)
{
    m_total += end - m_graph.begin[task];
    ++m_rows[m_graph.entry[task]].count;
    attributeToInnermost(
        m_graph, task, end, [this](std::uint32_t entry, TimeNs time) { if (time > 0) m_rows[entry].time += time; },
        [this](std::uint32_t entry) { ++m_rows[entry].count; });
}

std::vector<PathProfileRow> PathProfile::rows() const
{
    const std::vector<TimeNs>& busy = m_graph.exclusiveByEntry;
    const TimeNs allBusy = std::accumulate(busy.begin(), busy.end(), TimeNs{0});
    std::vector<PathProfileRow> rows;
    rows.reserve(m_rows.size());
    for (const auto& [entry, sums] : m_rows) {
        PathProfileRow row = sums;
        row.entry = EntryId{entry};
        row.share = m_total > 0 ? static_cast<double>(row.time) / static_cast<double>(m_total) : 0;
        if (entry < busy.size() && allBusy > 0)
            row.busyShare = static_cast<double>(busy[entry]) / static_cast<double>(allBusy);
        rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end(), [](const PathProfileRow& a, const PathProfileRow& b) {
        return std::tie(b.time, a.entry) < std::tie(a.time, b.entry);
    });
    return rows;
}

}  // namespace longpole
