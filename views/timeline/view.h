// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline as one widget: minimap, axis, row names and rows.
#pragma once

#include "core/base/result.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/timeline/legend.h"
#include "views/state/viewstate.h"
#include "views/timeline/readout.h"
#include "views/timeline/rowmodel.h"

#include <QWidget>

class QPushButton;
class QScrollBar;

namespace longpole {

class AxisBar;
class LocationLabels;
class Minimap;
class FilterBar;
class LegendBar;
class SlackBar;
class TaskCard;
class TimelineCanvas;
class TimelineGestures;

class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(ViewState* state, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);

    RowModel& rows() { return *m_rows; }
    void setRowOrder(const std::vector<ProcessorId>& order);  // empty: as the trace has them

    TimelineGestures& gestures();
    TimelineCanvas& canvas() { return *m_canvas; }
    TaskCard& taskCard() { return *m_card; }
    LegendBar& legendBar() { return *m_legend; }
    // "3 of 8 ×" above the rows while they are not all processors; a click shows all again.
    void setMinimapShown(bool shown);
    int minimapHeight() const;  // 0 if it is hidden

    // The view as shown, with a title and a legend. Errors: the file cannot be written.
    void setPictureTitle(const QString& title) { m_title = title; }
    QImage picture();
    Result<> saveImage(const QString& path);
    Result<> saveSvg(const QString& path);

Q_SIGNALS:
    void damageMet(const longpole::Error& error);  // once: something that should show cannot be read
    void hovered(const QString& text);             // what is under the cursor; empty when nothing is
    void contextMenuRequested(const longpole::TimelineHit& hit, const QPoint& globalPosition);
    void rowMenuRequested(std::size_t row, const QPoint& globalPosition);  // on a row's name

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void arrange();
    void followProcessors();
    void placeChip(int room);
    void updateScrollBar();
    void revealSelection();
    void paintPicture(QPainter& painter, bool vector);
    QSize pictureSize();
    std::vector<LegendItem> pictureItems();

    ViewState* m_state;
    RowModel* m_rows;
    Minimap* m_minimap;
    AxisBar* m_axis;
    LocationLabels* m_labels;
    TimelineCanvas* m_canvas;
    QScrollBar* m_scrollBar;
    SlackBar* m_slack;
    LegendBar* m_legend;
    TaskCard* m_card;
    QString m_title;  // of pictures
    FilterBar* m_filter;
    QPushButton* m_chip;  // "3 of 8 ×" above the rows while not all processors show; a click shows all again
    Theme m_theme = darkTheme();
};

}  // namespace longpole
