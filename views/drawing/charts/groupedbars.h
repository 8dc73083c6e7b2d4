// SPDX-License-Identifier: GPL-3.0-or-later
// Bars to the right in groups: several things, each by the same measures, to be compared.
#pragma once

#include "views/drawing/basics/chartframe.h"
#include "views/drawing/basics/valueaxis.h"

#include <QRectF>
#include <QString>

#include <cstddef>
#include <vector>

namespace longpole {

struct GroupedBars {
    QString title;
    QString summary;                          // behind the title
    std::vector<ChartSwatch> measures;        // from above in each group
    std::vector<QString> groups;              // from above
    std::vector<std::vector<double>> values;  // by group, then measure; NaN: no bar
    ValueUnit unit = ValueUnit::Share;
};

struct GroupBar {
    std::size_t group = 0, measure = 0;
    QRectF rect{};  // of no width where the value is 0
};

ValueAxis axisOf(const GroupedBars& bars);
// The bars in `plot`, which the groups share evenly; negative ones go to the left of 0. O(groups x measures).
std::vector<GroupBar> barsOf(const GroupedBars& bars, const ValueAxis& axis, const QRectF& plot);

// With names at the left, each value at the end of its bar, an axis and a legend below. A height of 0 means as high as
// the groups need. Errors: of pictureBytes.
Result<QByteArray> renderGroupedBars(const GroupedBars& bars, const ChartPicture& picture);

}  // namespace longpole
