// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/reportpictures.h"

#include "views/drawing/pictures/render.h"

namespace longpole {

Result<QImage> reportPicture(const TraceStore& store, const FindingFigure& figure, const CriticalPath* path,
                             const Theme& theme, int width, double scale)
{
    TimelinePicture picture;
    picture.range = figure.range;
    picture.pes = figure.pes;
    picture.marked = figure.marked;
    if (figure.withPath) picture.path = figure.path ? figure.path.get() : path;
    picture.size = QSize(width, 0);
    picture.scale = scale;
    picture.theme = theme;
    switch (figure.kind) {
    case FigureKind::UtilizationOverTime: return renderUtilizationOverTime(store, picture);
    case FigureKind::UtilizationPerProcessor: return renderUtilizationPerProcessor(store, picture);
    case FigureKind::Timeline: break;
    }
    return renderTimeline(store, picture);
}

}  // namespace longpole
