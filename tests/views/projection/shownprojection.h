// SPDX-License-Identifier: GPL-3.0-or-later
// A panel of projections over a drawn trace, and a hand on its plots: clicks, drags, the cursor, colours.
#pragma once

#include "views/drawnstore.h"
#include "views/plots/frame.h"
#include "views/projection/stagefields.h"
#include "views/seen.h"
#include "views/state/viewstate.h"

#include <QColor>
#include <QCoreApplication>
#include <QImage>
#include <QMouseEvent>
#include <QPixmap>
#include <QTest>

#include <cstdlib>

namespace longpole::test {

inline const QStringList projectedRows{QStringLiteral("AAAABBBB.."), QStringLiteral("AA..BB..CC")};

template <typename Panel>
struct ShownProjection {
    DrawnStore store;
    ViewState state;
    Panel panel;

    explicit ShownProjection(const QStringList& lines = projectedRows)
        : store(lines), state(store.shared()), panel(state)
    {
        panel.resize(1000, 500);
        panel.show();
        stages(QStringLiteral("stages=5"));
    }
    void stages(const QString& text) { fill(stagesField(panel), text); }
    bool isExact() const { return panel.stateText() == QLatin1String("exact"); }
};

inline QWidget* canvasOf(PlotFrame& plot) { return plot.findChild<QWidget*>(QString(), Qt::FindDirectChildrenOnly); }

inline void settle(PlotFrame& plot)
{
    QTest::qWait(30);  // queued replots
    QVERIFY(!plot.axesRect().isEmpty());
}

inline QPoint at(PlotFrame& plot, double x, double y) { return plot.toPixels(x, y).toPoint(); }

inline void click(PlotFrame& plot, double x, double y)
{
    QTest::mouseClick(canvasOf(plot), Qt::LeftButton, {}, at(plot, x, y));
}

inline void drag(PlotFrame& plot, QPoint from, QPoint to)
{
    QTest::mousePress(canvasOf(plot), Qt::LeftButton, {}, from);
    for (const QPoint& point : {(from + to) / 2, to}) {
        QMouseEvent move(QEvent::MouseMove, QPointF(point), QPointF(point), Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(canvasOf(plot), &move);
    }
    QTest::mouseRelease(canvasOf(plot), Qt::LeftButton, {}, to);
}

inline void hover(PlotFrame& plot, double x, double y)
{
    const QPointF point = at(plot, x, y);
    QMouseEvent move(QEvent::MouseMove, point, point, Qt::NoButton, Qt::NoButton, {});
    QCoreApplication::sendEvent(canvasOf(plot), &move);
}

inline QColor pixel(PlotFrame& plot, double x, double y) { return plot.grab().toImage().pixelColor(at(plot, x, y)); }

inline bool isClose(const QColor& a, const QColor& b)
{
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 12;
}

}  // namespace longpole::test
