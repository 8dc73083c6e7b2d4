// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of a timeline without a window, as `longpole render` and reports have them. Need a QGuiApplication
// (offscreen will do) for fonts.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/theme.h"

#include <QByteArray>
#include <QIODevice>
#include <QImage>
#include <QSize>

#include <vector>

namespace longpole {

struct TimelinePicture {
    TimeRange range;               // empty: the whole run
    std::vector<ProcessorId> pes;  // empty: all
    TimeRange marked{};            // of it; empty: nothing
    const CriticalPath* path = nullptr;
    QSize size{1440, 0};  // height 0: as high as the rows need, at most 2000
    double scale = 1.0;   // device pixels per pixel (images and PNG)
    bool legend = true;
    Theme theme = lightTheme();
    QString title;  // empty: none
};

// Errors: damaged chunks; too large a picture.
Result<QImage> renderTimeline(const TraceStore& store, const TimelinePicture& picture);
Result<QByteArray> renderTimelineFile(const TraceStore& store, const TimelinePicture& picture, bool isVector);

// User, overhead and idle time stacked, over time (in at most 400 columns) and by processor.
Result<QImage> renderUtilizationOverTime(const TraceStore& store, const TimelinePicture& picture);
Result<QImage> renderUtilizationPerProcessor(const TraceStore& store, const TimelinePicture& picture);

}  // namespace longpole
