// SPDX-License-Identifier: GPL-3.0-or-later
// A whole and its parts as one stacked bar, whose parts can be chosen.
#pragma once

#include "views/drawing/basics/partbar.h"
#include "views/plots/chartcanvas.h"

#include <vector>

namespace longpole {

class PartBar : public ChartCanvas {
    Q_OBJECT
public:
    // `name`: of the whole, such as "idle".
    explicit PartBar(const QString& name, QWidget* parent = nullptr);

    void setParts(std::vector<BarPart> parts);
    const std::vector<BarPart>& parts() const { return m_parts; }
    PartGeometry geometryOf(double width) const { return partGeometry(m_parts, width); }
    void setChoosable(bool on);
    int marked() const { return m_marked; }
    void setMarked(int part);  // -1: none
    QByteArray toCsv() const override;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void chosen(int part);

protected:
    void paintChart(QPainter& painter) override;
    bool event(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void step(bool forward);

    QString m_name;
    std::vector<BarPart> m_parts;
    PartGeometry m_geometry;
    bool m_choosable = false;
    int m_hovered = -1;
    int m_marked = -1;
};

}  // namespace longpole
