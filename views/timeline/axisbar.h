// SPDX-License-Identifier: GPL-3.0-or-later
// The time axis above the rows, with bookmarks below it, to which a click goes, and the numbers of iterations where
// these show.
#pragma once

#include "views/drawing/basics/theme.h"
#include "views/drawing/basics/timeaxis.h"
#include "views/state/viewstate.h"

#include <QWidget>

#include <vector>

namespace longpole {

// The ticks of the axis, which the grid behind the rows has, too: as far apart as their labels in that font need.
std::vector<AxisTick> screenTicks(const ViewState& state, double width, const QFont& font);

class AxisBar : public QWidget {
    Q_OBJECT
public:
    explicit AxisBar(ViewState* state, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void setMargins(int left, int right);  // the axis lies between them, over the rows
    int axisHeight() const;                // of the ticks, without the strips below them
    void paintPicture(QPainter& painter) const;

Q_SIGNALS:
    void heightChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;  // the tip of a bookmark
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void takeStrips();
    int stripHeight() const;  // of the flags, and of the numbers of iterations
    int flagsHeight() const;  // 0: there are none
    TimeCoordinates coordinates() const;
    const TimeFlag* flagUnder(QPoint at) const;

    ViewState* m_state;
    Theme m_theme = darkTheme();
    int m_left = 0;
    int m_right = 0;
};

}  // namespace longpole
