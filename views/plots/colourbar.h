// SPDX-License-Identifier: GPL-3.0-or-later
// The scale of a heat map's colours, with two handles to drag: the values at which the colours begin and end.
#pragma once

#include "analysis/projection/attribute.h"
#include "views/drawing/basics/colourscale.h"

#include <QWidget>

namespace longpole {

class ColourBar : public QWidget {
    Q_OBJECT
public:
    explicit ColourBar(QWidget* parent = nullptr);

    // The bar shows the axis `whole`; the handles stand at the ends of the scale, which lie within it.
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
    bool m_movesHigh = true;  // the upper handle was taken last, not the lower
};

}  // namespace longpole
