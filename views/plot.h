// A line plot in the program's look (QCustomPlot): a few series over one axis, with a marker that the hand can move.
#pragma once

#include "core/result.h"

#include <QColor>
#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QCustomPlot;
class QCPItemLine;
class QCPItemText;

namespace longpole {

// What the numbers of an axis are: that decides how its ticks read.
enum class PlotUnit : std::uint8_t { Number, Time /*ns*/, Share /*0..1, in percent*/, Factor /*0..n, in percent*/ };

struct PlotAxis {
    QString title;
    PlotUnit unit = PlotUnit::Number;
};

struct PlotSeries {
    QString name;
    QColor color;
    std::vector<double> x;  // ascending
    std::vector<double> y;
    bool hasDots = false;   // marks every point
};

class Plot : public QWidget {
    Q_OBJECT
public:
    explicit Plot(QWidget* parent = nullptr);

    void setAxes(const PlotAxis& x, const PlotAxis& y);
    // Both axes show all of them and `yFrom`, if given. What the colours mean, the table beside the plot says.
    void setSeries(std::vector<PlotSeries> series, std::optional<double> yFrom = {});
    // A vertical line at x that can be dragged; empty: none. `text` stands beside it.
    void setMarker(std::optional<double> x, const QString& text = {});
    // A thin horizontal line to compare with; empty: none.
    void setLevel(std::optional<double> y);
    // What stands in the middle of an empty plot: why there is nothing, or that it is being computed.
    void setNotice(const QString& text);

    const std::vector<PlotSeries>& series() const { return m_series; }
    QByteArray toCsv() const;  // x and y of all series, RFC 4180
    bool save(const QString& path);  // .png, .svg or .csv

Q_SIGNALS:
    void markerMoved(double x);   // while it is dragged
    void markerDropped(double x);
    void exportFailed(const longpole::Error& error);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applyTheme();
    void drawSeries();
    void placeTitles();
    void placeMarker();
    QByteArray toSvg();
    QByteArray toPng();
    double xAt(const QPointF& at) const;
    void exportTo();

    QCustomPlot* m_plot;
    QCPItemLine* m_markerLine;
    QCPItemText* m_markerText;
    QCPItemLine* m_levelLine;
    QCPItemText* m_notice;
    PlotAxis m_x, m_y;
    std::vector<PlotSeries> m_series;
    std::optional<double> m_marker;
    std::optional<double> m_level;
    bool m_dragging = false;
};

}  // namespace longpole
