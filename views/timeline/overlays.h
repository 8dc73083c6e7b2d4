// SPDX-License-Identifier: GPL-3.0-or-later
// Paints what lies over the rows: the selection's outline and arrows, the marked range, iterations, ruler and zoom box.
#pragma once

#include "analysis/mpi/calls.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/basics/timecoordinates.h"
#include "views/drawing/timeline/messagearrows.h"
#include "views/state/viewstate.h"
#include "views/timeline/rowmodel.h"

#include <QCoreApplication>

class QPainter;

namespace longpole {

class OverlayPainter {
    Q_DECLARE_TR_FUNCTIONS(longpole::OverlayPainter)
public:
    struct Surroundings {
        const ViewState& state;
        const RowModel& rows;
        const Theme& theme;
        TimeCoordinates at;
        double height = 0;
        double textScale = 1;
    };
    OverlayPainter(QPainter& painter, const Surroundings& surroundings);

    void paintPhaseBands();
    void paintMarked();
    void paintArrows(const MessageArrows& arrows);
    void paintNotDrawn(const QString& text);  // at the right of the foot
    void paintSelection(const TaskDetail& task);
    void paintSelection(const MpiCallRow& call);
    void paintRuler(TimeRange ruler);  // its end may be before its begin
    void paintZoomBox(const QRectF& box);

    // What arrows there are beside those that show: arrows of the selection that are too many or whose rows do not
    // show, and messages of the path that would cover its tasks. Empty: none.
    static QString notDrawnText(const MessageArrows& arrows, const RowModel& rows, std::int64_t ofPath);

private:
    void outline(std::size_t row, TimeRange range);

    QPainter& m_painter;
    Surroundings m_in;
};

}  // namespace longpole
