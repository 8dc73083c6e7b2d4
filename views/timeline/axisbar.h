// SPDX-License-Identifier: GPL-3.0-or-later
// The time axis above the rows, with the numbers of iterations below it where these show.
#pragma once

#include "views/drawing/basics/theme.h"
#include "views/state/viewstate.h"

#include <QWidget>

namespace longpole {

class AxisBar : public QWidget {
    Q_OBJECT
public:
    explicit AxisBar(ViewState* state, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void setMargins(int left, int right);  // the axis lies between them, over the rows
    void paintPicture(QPainter& painter) const;

Q_SIGNALS:
    void heightChanged();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void takeBands();

    ViewState* m_state;
    Theme m_theme = darkTheme();
    int m_left = 0;
    int m_right = 0;
};

}  // namespace longpole
