// SPDX-License-Identifier: GPL-3.0-or-later
// What every plot with QCustomPlot shares: the program's look and its way of writing numbers, zooming and panning, a
// marked range, and export.
#pragma once

#include "core/base/result.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <optional>
#include <utility>

class QCPAxis;
class QCPItemRect;
class QCPItemText;
class QCustomPlot;

namespace longpole {

struct Theme;

// What the numbers of an axis are, which decides how its ticks are written.
enum class PlotUnit : std::uint8_t {
    Number,
    Time /*ns*/,
    Share /*0..1, in percent*/,
    Factor /*0..n, in percent*/,
    Bytes
};

struct PlotAxis {
    QString title;
    PlotUnit unit = PlotUnit::Number;
};

using PlotSpan = std::pair<double, double>;  // from, to; in the numbers of an axis

// Gestures: the wheel zooms the x axis at the cursor, Ctrl+wheel the y axis if setYZooms allows it; Shift+wheel,
// Shift+drag and a middle drag pan; a double-click outside the axes' rectangle and Home show all again.
class PlotFrame : public QWidget {
    Q_OBJECT
public:
    explicit PlotFrame(QWidget* parent = nullptr);

    void setAxes(const PlotAxis& x, const PlotAxis& y);
    // Words in the middle of an empty plot: why there is nothing, or that it is being computed.
    void setNotice(const QString& text);
    // A marked part of the x axis; empty: none.
    void setBand(std::optional<PlotSpan> band);

    void setLeastLeft(int pixels);  // what the y axis takes at least, so that plots below each other line up
    void setProvisional(bool is) { m_isProvisional = is; }  // not exact yet: can be neither copied nor exported
    bool isProvisional() const { return m_isProvisional; }
    PlotUnit xUnit() const { return m_x.unit; }
    PlotSpan xShown() const;
    PlotSpan yShown() const;
    void showX(PlotSpan x);
    void showAll();
    QRect axesRect() const;  // in this widget's pixels
    QPointF toPixels(double x, double y) const;

    static constexpr int besideRows = 44;  // pixels of the height, above the axes and below

    virtual QByteArray toCsv() const = 0;  // what is plotted, RFC 4180
    Result<> save(const QString& path);    // .png, .svg or .csv

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);
    void shownChanged();               // zoomed, panned, resized
    void moved();                      // zoomed or panned by hand
    void hovered(double x, double y);  // within the axes' rectangle
    void left();
    void clicked(double x, double y);
    void doubleClicked(double x, double y);
    void dragged(const QRectF& area, bool isDone);  // with the left button; in the axes' numbers

protected:
    QCustomPlot& canvas() { return *m_plot; }
    const QCustomPlot& canvas() const { return *m_plot; }
    const PlotAxis& xAxis() const { return m_x; }
    const PlotAxis& yAxis() const { return m_y; }
    // What showAll() shows. An axis whose whole is the same as before stays zoomed.
    void setWhole(PlotSpan x, PlotSpan y);
    // Labels an axis at whole numbers, each of which is a row (or bar).
    void setRowTicks(bool isX, std::function<QString(std::int64_t)> textOf);
    // The axis has so many rows, each with a name: all are written where they have the room.
    void nameRows(std::size_t rows);
    void setYZooms(bool zooms) { m_yZooms = zooms; }
    void setDragShown(bool isArea) { m_dragIsArea = isArea; }  // a drag shows as a rectangle, else as a range of x
    void setBandOutlined(bool isOutlined) { m_bandIsOutlined = isOutlined; }  // where colours beneath mean values
    void draw();  // once, soon; further calls until then cost nothing
    virtual void dress(const Theme& theme);

    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    QPointF at(const QPointF& pixel) const;  // in the axes' numbers, clamped to what is shown

private:
    enum class Drag : std::uint8_t { None, Press, Select, Pan };
    void createItems();
    void placeTitles();
    void thinTicks();
    void zoom(QCPAxis& axis, const PlotSpan& whole, double factor, double centre);
    void pan(double dx, double dy);
    bool wheel(const QWheelEvent& event);
    bool press(const QMouseEvent&event), move(const QMouseEvent&event), release(const QMouseEvent&event);
    bool doubleClick(const QMouseEvent& event);
    void showSelection(const QPointF& to);
    QRectF selected(const QPointF& to) const;
    QByteArray toSvg(), toPng();
    void exportTo();

    QCustomPlot* m_plot;
    QCPItemText* m_notice = nullptr;
    QCPItemRect* m_band = nullptr;
    QCPItemRect* m_selection = nullptr;
    PlotAxis m_x, m_y;
    PlotSpan m_wholeX{0, 1}, m_wholeY{0, 1};
    std::optional<PlotSpan> m_bandAt;
    bool m_yZooms = false, m_isProvisional = false;
    bool m_dragIsArea = false, m_bandIsOutlined = false;
    int m_mostTicks = 5;  // of the vertical axis
    int m_namedRows = 0;
    Drag m_drag = Drag::None;
    QPointF m_pressed, m_last;  // pixels
};

// Exact: whole numbers without a point, others with 17 digits; nothing for NaN.
QString csvNumber(double value);
QString csvQuoted(QString text);

}  // namespace longpole
