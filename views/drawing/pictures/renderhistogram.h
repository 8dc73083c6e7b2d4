// SPDX-License-Identifier: GPL-3.0-or-later
// A histogram as a picture: bars stacked by entry method, axes, percentiles and a legend. QtGui only.
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

// The plot's bars, with vertical marks at the median and the 95th percentile. Bins of `brush` are in full colour, the
// others quiet; without one all are.
struct HistogramPaint {
    const Theme* theme = nullptr;
    std::vector<QColor> colours;                                 // by series
    std::optional<std::pair<std::size_t, std::size_t>> brush{};  // bins [first, last)
    std::optional<std::size_t> hovered{};
};
void paintHistogram(QPainter& painter, const QRectF& plot, const Histogram& histogram,
                    const HistogramGeometry& geometry, const HistogramPaint& paint);

// By series: what they are called and their colour. The rest is grey; idling has its own colour.
std::vector<ChartSwatch> histogramSwatches(const TraceStore& store, const Histogram& histogram, const Palette& palette,
                                           const Theme& theme);

// "Task duration", "of tasks" in a title.
QString quantityTitle(DistributedQuantity quantity);
// "3 219 109 tasks · median 2 us · 95 % below 14 us · longest 1.2 ms"; says what is estimated or rounded.
QString histogramSummary(const Histogram& histogram);

struct ChartPicture {
    QSize size{960, 420};
    double scale = 1;
    bool isVector = false;
    Theme theme = lightTheme();
    PaletteOptions palette{};
};
Result<QByteArray> renderHistogram(const TraceStore& store, const Histogram& histogram, const HistogramLook& look,
                                   const ChartPicture& picture);

}  // namespace longpole
