// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/live/liveseries.h"

#include "core/base/translate.h"

#include <algorithm>

namespace longpole {

QString rankName(std::int64_t rank) { return tr("rank %1").arg(rank); }

void LiveSeries::add(const OnlineSample& sample)
{
    Point point{.time = sample.time, .length = sample.length, .covered = sample.covered};
    for (const OnlineProcedure& row : sample.procedures) point.procedures[row.name] = row.share;
    for (const OnlineRank& row : sample.ranks) point.ranks[rankName(row.rank)] = row.share;
    for (const LiveBy by : {LiveBy::Procedure, LiveBy::Rank})
        for (const auto& [name, share] : sharesOf(point, by)) sharesOf(m_last, by)[name] = share;
    m_points.push_back(std::move(point));
    if (m_points.size() <= mostPoints) return;
    std::vector<Point> half;
    half.reserve(mostPoints);
    // Every second point goes, the newest one stays. Shares that only the point that goes has listed move to the next.
    for (std::size_t at = (m_points.size() - 1) % 2; at < m_points.size(); at += 2) {
        for (const LiveBy by : {LiveBy::Procedure, LiveBy::Rank})
            if (at > 0) sharesOf(m_points[at], by).merge(sharesOf(m_points[at - 1], by));
        half.push_back(std::move(m_points[at]));
    }
    m_points = std::move(half);
}

std::vector<double> LiveSeries::times() const
{
    std::vector<double> values;
    for (const Point& point : m_points) values.push_back(static_cast<double>(point.time));
    return values;
}

std::vector<double> LiveSeries::lengths() const
{
    std::vector<double> values;
    for (const Point& point : m_points) values.push_back(static_cast<double>(point.length));
    return values;
}

std::vector<double> LiveSeries::covered() const
{
    std::vector<double> values;
    for (const Point& point : m_points) values.push_back(static_cast<double>(point.covered));
    return values;
}

QStringList LiveSeries::largest(LiveBy by, std::size_t most) const
{
    if (m_points.empty()) return {};
    const Shares& shares = sharesOf(m_last, by);
    std::vector<std::pair<QString, TimeNs>> sorted(shares.begin(), shares.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    QStringList names;
    for (const auto& [name, share] : sorted)
        if (share > 0 && static_cast<std::size_t>(names.size()) < most) names << name;
    return names;
}

std::vector<double> LiveSeries::shares(LiveBy by, const QString& name) const
{
    std::vector<double> values;
    TimeNs length = 0, share = 0;
    for (const Point& point : m_points) {
        // Time on the path never becomes less: where a sample does not list a name, its last time holds.
        const auto found = sharesOf(point, by).find(name);
        const TimeNs now = found == sharesOf(point, by).end() ? share : found->second;
        const TimeNs more = point.length - length, own = now - share;
        // The path does not grow while it is not followed: the curve goes on level.
        const double last = values.empty() ? 0 : values.back();
        values.push_back(more > 0 ? std::clamp(static_cast<double>(own) / static_cast<double>(more), 0.0, 1.0) : last);
        length = point.length;
        share = now;
    }
    return values;
}

}  // namespace longpole
