// SPDX-License-Identifier: GPL-3.0-or-later
// Names of the rows at their left: elided with the whole name as tooltip; a click on a group or parent folds it.
#pragma once

#include "views/drawing/basics/theme.h"
#include "views/timeline/rowmodel.h"

#include <QWidget>

namespace longpole {

class LocationLabels : public QWidget {
    Q_OBJECT
public:
    explicit LocationLabels(RowModel* rows, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    int wantedWidth() const;  // of the longest label that shows, within 64..240
    void paintPicture(QPainter& painter) const;

Q_SIGNALS:
    void contextMenuRequested(std::size_t row, const QPoint& globalPosition);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool event(QEvent* event) override;

private:
    void paintRow(QPainter& painter, const PlacedRow& placed) const;

    RowModel* m_rows;
    Theme m_theme = darkTheme();
};

}  // namespace longpole
