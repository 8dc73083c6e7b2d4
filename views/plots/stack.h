// SPDX-License-Identifier: GPL-3.0-or-later
// Several values for each column (a stage or a processor): as layers on top of each other, as lines, or as strips below
// each other; and over them, if wanted, the course of another value with an axis of its own.
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
        std::vector<double> edges;           // of the columns, one more than there are columns
        std::vector<StackLayer> layers;      // from the bottom
        double most = 0;                     // the y axis reaches at least to this
        bool hasGaps = false;                // columns are separate bars
        std::vector<QString> columnNames{};  // of bars
    };
    // A value over the same time, with its axis at the right: a line of steps, and points that are marked.
    struct Course {
        QString name;
        QColor color;
        std::vector<double> x, y;            // from x (ascending) on the value is y
        std::vector<double> markX, markY;    // points marked by discs
        std::vector<double> faintX, faintY;  // points marked by small faint discs
        friend bool operator==(const Course&, const Course&) = default;
    };
    struct Hit {
        std::size_t column = 0;
        std::optional<std::size_t> layer{};  // the one there; of lines the nearest
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
