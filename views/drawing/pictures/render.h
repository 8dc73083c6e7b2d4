// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of a timeline without a window: what `longpole render`, reports and "export picture" draw. QtGui and QtSvg
// only; needs a QGuiApplication (offscreen will do) for fonts.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/theme.h"

#include <QIODevice>
#include <QImage>
#include <QSize>

#include <vector>

namespace longpole {

struct TimelinePicture {
    TimeRange range;               // empty: the whole run
    std::vector<ProcessorId> pes;  // empty: all
    const CriticalPath* path = nullptr;
    QSize size{1440, 0};  // height 0: as high as the rows need, at most 2000
    double scale = 1.0;   // device pixels per pixel (PNG)
    bool legend = true;
    Theme theme = lightTheme();
    QString title;  // empty: none
};

Result<QImage> renderTimeline(const TraceStore& store, const TimelinePicture& picture);
Result<> renderTimelineSvg(const TraceStore& store, const TimelinePicture& picture, QIODevice& out);

// Stacked user / overhead / idle over time (1 .. few hundred bins) and per processor, for reports.
Result<QImage> renderUtilizationOverTime(const TraceStore& store, const TimelinePicture& picture);
Result<QImage> renderUtilizationPerProcessor(const TraceStore& store, const TimelinePicture& picture);

}  // namespace longpole
