// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline of a drawn trace, and hands that use it: wheel, drags and hovers at times of rows.
#pragma once

#include "views/drawnstore.h"
#include "views/timeline/canvas.h"
#include "views/timeline/view.h"

#include <QCoreApplication>
#include <QMouseEvent>
#include <QTest>
#include <QWheelEvent>

namespace longpole {

inline const QStringList timelineLines{QStringLiteral("AAAAAAAAAA..........BBBBBBBBBB          "),
                                       QStringLiteral("..........CCCCCCCCCCCCCCCCCCCC..........")};

struct TimelineWindow {
    DrawnStore store;
    ViewState state;
    TimelineView view;

    explicit TimelineWindow(const QStringList& lines = timelineLines, const DrawnStore::Options& options = {},
                            QSize size = {700, 400})
        : store(lines, options), state(store.shared()), view(&state)
    {
        view.resize(size);
        view.show();
        QCoreApplication::processEvents();
        view.canvas().loadNow();
    }
    TimelineCanvas& canvas() { return view.canvas(); }
    QPoint at(TimeNs time, std::size_t row)
    {
        const RowBox box = view.rows().boxOf(row);
        return QPointF(canvas().coordinates().x(time), box.bodyTop + box.bodyHeight / 2).toPoint();
    }
    void wheel(QPoint position, int delta, Qt::KeyboardModifiers modifiers)
    {
        QWheelEvent event(position, canvas().mapToGlobal(position), QPoint(), QPoint(0, delta), Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&canvas(), &event);
    }
    void drag(QPoint from, QPoint to, Qt::MouseButton button, Qt::KeyboardModifiers modifiers)
    {
        QTest::mousePress(&canvas(), button, modifiers, from);
        for (const QPoint step : {from + (to - from) / 2, to}) {
            QMouseEvent move(QEvent::MouseMove, step, canvas().mapToGlobal(step), Qt::NoButton, button, modifiers);
            QCoreApplication::sendEvent(&canvas(), &move);
        }
        QTest::mouseRelease(&canvas(), button, modifiers, to);
    }
    void hover(QPoint position)
    {
        QMouseEvent move(QEvent::MouseMove, position, canvas().mapToGlobal(position), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QCoreApplication::sendEvent(&canvas(), &move);
    }
    QRgb pixel(TimeNs time, std::size_t row) { return canvas().grab().toImage().pixel(at(time, row)) | 0xff000000u; }
    QRgb entryColour(char letter) { return canvas().colours().entry(DrawnStore::entryOf(letter)) | 0xff000000u; }
};

inline TaskId drawnTask(std::uint32_t pe, std::uint32_t number) { return {ProcessorId{pe}, number}; }

}  // namespace longpole
