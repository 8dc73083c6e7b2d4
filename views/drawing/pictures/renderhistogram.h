// SPDX-License-Identifier: GPL-3.0-or-later
// A histogram as a picture: bars stacked by entry method, axes, percentiles and a legend.
#pragma once

#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/chartframe.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/charts/histogramgeometry.h"

#include <QByteArray>
#include <QPainter>
#include <QSize>

#include <optional>
#include <vector>

namespace longpole {

// The bars, with vertical lines at the median and the 95th percentile. If there is a brush, only its bins have full
// colours, and the others are pale.
struct HistogramPaint {
    const Theme* theme = nullptr;
    std::vector<QColor> colours{};                               // by series
    std::optional<std::pair<std::size_t, std::size_t>> brush{};  // bins [first, last)
    std::optional<std::size_t> hovered{};
};
void paintHistogram(QPainter& painter, const QRectF& plot, const Histogram& histogram,
                    const HistogramGeometry& geometry, const HistogramPaint& paint);

// Name and colour of each series.
std::vector<ChartSwatch> histogramSwatches(const TraceStore& store, const Histogram& histogram, const Palette& palette,
                                           const Theme& theme);

// "Task duration"
QString quantityTitle(DistributedQuantity quantity);
// "3 219 109 tasks · 9.2 s in all · mean 3 us · median 2 us · 95 % up to 14 us · most 1.2 ms", and whether values are
// estimated or rounded.
QString histogramSummary(const Histogram& histogram);

Result<QByteArray> renderHistogram(const TraceStore& store, const Histogram& histogram, const HistogramLook& look,
                                   const ChartPicture& picture);

}  // namespace longpole
