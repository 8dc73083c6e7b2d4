// SPDX-License-Identifier: GPL-3.0-or-later
// The names of the rows, left of them; a tip tells what is elided, and a click folds or unfolds a row that has others
// below it.
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
    int wantedWidth() const;  // for the longest name, from 84 to 240 pixels of the usual letters
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
    void paintSparseNames(QPainter& painter, const std::vector<PlacedRow>& placed) const;

    RowModel* m_rows;
    Theme m_theme = darkTheme();
};

}  // namespace longpole
