// SPDX-License-Identifier: GPL-3.0-or-later
// Values by column, over time or over processors: layers on top of each other, steps of several lines, or a strip for
// each of them; and above them, if wanted, a value over time with an axis of its own.
#pragma once

#include "views/plots/frame.h"

#include <QColor>
#include <QString>

#include <optional>
#include <vector>

class QCPItemRect;

namespace longpole {

struct StackLayer {
    QString name;
    QColor color;
    std::vector<double> values;  // by column; NaN: none
};

class PlotStack : public PlotFrame {
    Q_OBJECT
public:
    enum class Kind : std::uint8_t { Stacked, Lines, Rows /*the first one on top, all of one scale*/ };
    struct Content {
        Kind kind = Kind::Stacked;
        std::vector<double> edges;           // of the columns, one more than they are
        std::vector<StackLayer> layers;      // from the bottom
        double most = 0;                     // the y axis shows at least that
        bool hasGaps = false;                // columns are bars, not a course of time
        std::vector<QString> columnNames{};  // of bars
    };
    // A value over the same time with an axis of its own on the right: a step line, and points to mark.
    struct Course {
        QString name;
        QColor color;
        std::vector<double> x, y;            // from x on it is y; ascending
        std::vector<double> markX, markY;    // discs
        std::vector<double> faintX, faintY;  // small faint ones
        friend bool operator==(const Course&, const Course&) = default;
    };
    struct Hit {
        std::size_t column = 0;
        std::optional<std::size_t> layer{};  // what is there; of lines the nearest one
    };

    explicit PlotStack(QWidget* parent = nullptr);

    void setContent(Content content);
    const Content& content() const { return m_content; }
    std::optional<Hit> hitAt(double x, double y) const;
    void setCourse(std::optional<Course> course);
    const std::optional<Course>& course() const { return m_course; }
    // Labels of bars, by column.
    void setBarTicks(std::function<QString(std::int64_t)> textOf) { setRowTicks(true, std::move(textOf)); }
    void setLayerTicks();  // names of strips on the y axis
    // Outlines a column.
    void setCurrent(std::optional<std::size_t> column);
    QByteArray toCsv() const override;

protected:
    void dress(const Theme& theme) override;

private:
    void drawLayers();
    void drawCourse();
    void addLayer(const std::vector<double>& x, const std::vector<double>& y, const QColor& color, double base);
    PlotSpan valueSpan() const;
    double baseOf(std::size_t layer) const;
    std::size_t layerAt(std::size_t column, double y) const;

    Content m_content;
    std::optional<Course> m_course;
    QCPItemRect* m_current = nullptr;
};

}  // namespace longpole
