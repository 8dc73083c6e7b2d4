// SPDX-License-Identifier: GPL-3.0-or-later
// What the samples of a run's path were over time, for drawing: thinned out as they become many.
#pragma once

#include "app/record/onlinesamples.h"

#include <QString>
#include <QStringList>

#include <map>
#include <vector>

namespace longpole {

enum class LiveBy : std::uint8_t { Procedure, Rank };

class LiveSeries {
public:
    void add(const OnlineSample& sample);
    void clear() { *this = {}; }

    std::size_t size() const { return m_points.size(); }
    std::vector<double> times() const;    // ns since the run's begin
    std::vector<double> lengths() const;  // ns, of the path up to then
    std::vector<double> covered() const;  // ns of the run that were followed up to then
    // The names with most time on the path so far, at most so many.
    QStringList largest(LiveBy by, std::size_t most) const;
    // For each point, the share that `name` has of what the path grew by since the point before, 0..1.
    std::vector<double> shares(LiveBy by, const QString& name) const;

    static constexpr std::size_t mostPoints = 2000;

private:
    using Shares = std::map<QString, TimeNs>;
    struct Point {
        TimeNs time = 0, length = 0, covered = 0;
        Shares procedures{}, ranks{};  // a name that is not there has the share of the last point that lists it
    };
    static Shares& sharesOf(Point& point, LiveBy by)
    {
        return by == LiveBy::Procedure ? point.procedures : point.ranks;
    }
    static const Shares& sharesOf(const Point& point, LiveBy by)
    {
        return by == LiveBy::Procedure ? point.procedures : point.ranks;
    }

    std::vector<Point> m_points;
    Point m_last;  // the newest share of every name that was ever listed
};

QString rankName(std::int64_t rank);

}  // namespace longpole
