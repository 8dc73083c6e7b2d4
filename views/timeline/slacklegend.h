// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of slack from none to much, with figures, and a handle to drag: tasks with more slack than it says are
// dimmed.
#pragma once

#include "views/drawing/basics/slackscale.h"

#include <QWidget>

#include <optional>

namespace longpole {

class SlackLegend : public QWidget {
    Q_OBJECT
public:
    explicit SlackLegend(QWidget* parent = nullptr);

    // Without a scale the legend is grey and disabled.
    void setScale(std::optional<SlackScale> scale);
    void setMost(std::optional<TimeNs> most);  // of the handle; empty: nothing is dimmed
    double xOf(TimeNs slack) const;            // where a slack lies on the colours

Q_SIGNALS:
    void mostChosen(std::optional<longpole::TimeNs> most);

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void takeFont();
    QRectF colours() const;
    void choose(double x);

    std::optional<SlackScale> m_scale;
    std::optional<TimeNs> m_most;
};

}  // namespace longpole
