// SPDX-License-Identifier: GPL-3.0-or-later
// What the colours of a heat map mean, with two handles at the values where they begin and end.
#pragma once

#include "analysis/projection/attribute.h"
#include "views/drawing/basics/colourscale.h"

#include <QWidget>

namespace longpole {

class ColourBar : public QWidget {
    Q_OBJECT
public:
    explicit ColourBar(QWidget* parent = nullptr);

    // `whole`: all values there are; the scale's own ends lie within.
    void setScale(const ColourScale& scale, const ValueAxis& whole, AttributeUnit unit);
    void setEmpty();
    double low() const { return m_scale.axis().low; }
    double high() const { return m_scale.axis().high; }
    QPointF handle(bool isHigh) const;  // in pixels

Q_SIGNALS:
    void rangeChosen(double low, double high);
    void resetRequested();  // double-click

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF colours() const;
    void choose(double x);
    void paintTicks(QPainter& painter, const Theme& theme) const;

    ColourScale m_scale;
    ValueAxis m_whole;
    AttributeUnit m_unit = AttributeUnit::Number;
    bool m_isThere = false;
    bool m_movesHigh = true;  // the handle that was taken last
};

}  // namespace longpole
