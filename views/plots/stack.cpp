// SPDX-License-Identifier: GPL-3.0-or-later
// Layers are filled steps down to zero, drawn from the top one down: each covers the lower part of the one before.

// QCustomPlot's header is written with Qt's keywords.
#undef QT_NO_KEYWORDS
#undef QT_NO_FOREACH
#undef QT_NO_CAST_FROM_ASCII

#include "views/plots/stack.h"

#include "views/plots/ticks.h"
#include "views/widgets/tableview.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double barWidth = 0.8;  // of a column
constexpr double manyTimes = 20;  // the axis of a course is logarithmic if its largest value is so many times its least
constexpr double stripHeight = 0.9;  // of the room for a strip

double known(double value) { return std::isnan(value) ? 0 : value; }

}  // namespace

PlotStack::PlotStack(QWidget* parent) : PlotFrame(parent)
{
    m_current = new QCPItemRect(&canvas());
    for (QCPItemPosition* corner : {m_current->topLeft, m_current->bottomRight}) {
        corner->setTypeX(QCPItemPosition::ptPlotCoords);
        corner->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    m_current->setVisible(false);
    m_current->setLayer(QStringLiteral("overlay"));
    canvas().setNotAntialiasedElements(QCP::aeFills);
    dress(themeOf(*this));
}

void PlotStack::dress(const Theme& theme)
{
    PlotFrame::dress(theme);
    m_current->setPen(QPen(theme.selection, 1));
    m_current->setBrush(Qt::NoBrush);
    QCPAxis* const right = canvas().yAxis2;
    right->setBasePen(QPen(theme.line));
    right->setTickPen(QPen(theme.line));
    right->setSubTickPen(Qt::NoPen);
    right->setTickLabelColor(theme.mutedText);
    right->setLabelColor(theme.mutedText);
    right->setTickLabelFont(font());
    right->setLabelFont(font());
}

void PlotStack::setContent(Content content)
{
    m_content = std::move(content);
    setCurrent({});
    drawLayers();
    for (QCPAxis* axis : {canvas().xAxis, canvas().yAxis}) axis->setVisible(!m_content.layers.empty());
    if (m_content.edges.size() < 2) {
        draw();
        return;
    }
    const PlotSpan x{m_content.edges.front(), m_content.edges.back()};
    const PlotSpan values = valueSpan();
    if (m_content.kind == Kind::Rows) {
        setWhole(x, {0, static_cast<double>(m_content.layers.size())});
        return;
    }
    const bool isFull = m_content.kind == Kind::Stacked && values.second <= m_content.most * 1.0001;
    setWhole(x, {values.first, isFull ? m_content.most : values.second * 1.05});
}

// From zero or the least negative value to the largest value or sum, at least to Content::most.
PlotSpan PlotStack::valueSpan() const
{
    double most = m_content.most, least = 0;
    for (std::size_t column = 0; column + 1 < m_content.edges.size(); ++column) {
        double sum = 0;
        for (const StackLayer& layer : m_content.layers) {
            const double value = known(layer.values[column]);
            sum = m_content.kind == Kind::Stacked ? sum + value : value;
            most = std::max(most, sum);
            least = std::min(least, sum);
        }
    }
    return {least, most > least ? most : least + 1};
}

void PlotStack::setCourse(std::optional<Course> course)
{
    m_course = std::move(course);
    QCPAxis* const right = canvas().yAxis2;
    right->setVisible(m_course.has_value());
    if (m_course && !m_course->y.empty()) {
        const auto [least, most] = std::minmax_element(m_course->y.begin(), m_course->y.end());
        const bool isLogarithmic = *least > 0 && *most > manyTimes * *least;
        const double room = *most > *least ? (*most - *least) * 0.06 : std::max(1.0, std::abs(*most) * 0.1);
        right->setScaleType(isLogarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        if (isLogarithmic) right->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
        else right->setTicker(unitTicker(PlotUnit::Number));
        right->setNumberFormat(QStringLiteral("g"));
        right->setNumberPrecision(6);
        if (isLogarithmic) right->setRange(*least / 1.2, *most * 1.2);
        else right->setRange(std::min(*least, *least >= 0 ? 0.0 : *least - room), *most + room);
    }
    drawLayers();
    draw();
}

void PlotStack::drawCourse()
{
    if (!m_course) return;
    const auto add = [this](const std::vector<double>& x, const std::vector<double>& y) {
        QCPGraph* graph = canvas().addGraph(canvas().xAxis, canvas().yAxis2);
        graph->setData(QVector<double>(x.begin(), x.end()), QVector<double>(y.begin(), y.end()), true);
        graph->setPen(QPen(m_course->color, 1.2));
        return graph;
    };
    const auto mark = [&](const std::vector<double>& x, const std::vector<double>& y, QColor color, double size) {
        if (x.empty()) return;
        QCPGraph* const marks = add(x, y);
        marks->setLineStyle(QCPGraph::lsNone);
        marks->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(Qt::NoPen), color, size));
    };
    QColor faint = m_course->color;
    faint.setAlphaF(0.35f);
    mark(m_course->faintX, m_course->faintY, faint, 2.5);
    add(m_course->x, m_course->y)->setLineStyle(QCPGraph::lsStepLeft);
    mark(m_course->markX, m_course->markY, m_course->color, m_course->markX.size() > 50 ? 3 : 5);
}

void PlotStack::drawLayers()
{
    canvas().clearGraphs();
    const std::size_t columns = m_content.edges.size() < 2 ? 0 : m_content.edges.size() - 1;
    if (columns == 0) return;
    std::vector<double> x;
    for (std::size_t column = 0; column < columns; ++column) {
        const double begin = m_content.edges[column], end = m_content.edges[column + 1];
        const double margin = m_content.hasGaps ? (end - begin) * (1 - barWidth) / 2 : 0;
        x.push_back(begin + margin);
        if (m_content.hasGaps) x.push_back(end - margin);
    }
    x.push_back(m_content.edges.back());
    const std::size_t step = m_content.hasGaps ? 2 : 1;
    std::vector<std::vector<double>> ys;
    std::vector<double> sums(columns, 0);
    const PlotSpan span = valueSpan();
    for (std::size_t i = 0; i < m_content.layers.size(); ++i) {
        const StackLayer& layer = m_content.layers[i];
        std::vector<double> y(x.size(), m_content.kind == Kind::Stacked ? 0 : std::nan(""));
        for (std::size_t column = 0; column < columns; ++column) {
            sums[column] += known(layer.values[column]);
            const double value = layer.values[column];
            y[column * step] = m_content.kind == Kind::Stacked ? sums[column]
                               : m_content.kind == Kind::Lines ? value
                                                               : baseOf(i) + stripHeight * value / span.second;
        }
        y.back() = m_content.hasGaps ? 0 : y[(columns - 1) * step];
        ys.push_back(std::move(y));
    }
    for (std::size_t i = m_content.layers.size(); i-- > 0;) addLayer(x, ys[i], m_content.layers[i].color, baseOf(i));
    drawCourse();
}

double PlotStack::baseOf(std::size_t layer) const
{
    return m_content.kind == Kind::Rows ? static_cast<double>(m_content.layers.size() - 1 - layer) : 0;
}

void PlotStack::addLayer(const std::vector<double>& x, const std::vector<double>& y, const QColor& color, double base)
{
    const auto add = [&](const std::vector<double>& values) {
        QCPGraph* graph = canvas().addGraph();
        graph->setLineStyle(QCPGraph::lsStepLeft);
        graph->setAdaptiveSampling(false);
        graph->setData(QVector<double>(x.begin(), x.end()), QVector<double>(values.begin(), values.end()), true);
        graph->setPen(Qt::NoPen);
        return graph;
    };
    if (m_content.kind == Kind::Rows) {
        QCPGraph* ground = add(std::vector<double>(x.size(), base));
        QCPGraph* strip = add(y);
        strip->setBrush(color);
        strip->setChannelFillGraph(ground);
        return;
    }
    QCPGraph* graph = add(y);
    if (m_content.kind == Kind::Stacked) {
        graph->setBrush(color);
        return;
    }
    graph->setPen(QPen(color, 1.6));
    QColor below = color;
    below.setAlphaF(0.14f);
    if (m_content.layers.size() == 1) graph->setBrush(below);
}

void PlotStack::setLayerTicks()
{
    setRowTicks(false, [this](std::int64_t tick) {
        const auto count = static_cast<std::int64_t>(m_content.layers.size());
        return tick >= 0 && tick < count ? m_content.layers[static_cast<std::size_t>(count - 1 - tick)].name
                                         : QString();
    });
}

std::size_t PlotStack::layerAt(std::size_t column, double y) const
{
    const std::size_t none = m_content.layers.size();
    if (m_content.kind == Kind::Rows) {
        const auto strip = static_cast<std::size_t>(std::max(0.0, y));
        return strip < none ? none - 1 - strip : none;
    }
    double sum = 0, least = INFINITY;
    std::size_t nearest = none;
    for (std::size_t i = 0; i < none; ++i) {
        const double value = m_content.layers[i].values[column];
        if (m_content.kind == Kind::Stacked) {
            sum += known(value);
            if (y >= 0 && y < sum) return i;
        } else if (!std::isnan(value) && std::abs(value - y) < least) {
            least = std::abs(value - y);
            nearest = i;
        }
    }
    return nearest;
}

std::optional<PlotStack::Hit> PlotStack::hitAt(double x, double y) const
{
    const std::vector<double>& edges = m_content.edges;
    if (edges.size() < 2 || m_content.layers.empty() || x < edges.front() || x > edges.back()) return {};
    const auto after = std::upper_bound(edges.begin(), edges.end(), x);
    const auto column = static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(after - edges.begin() - 1, 0, static_cast<std::ptrdiff_t>(edges.size()) - 2));
    Hit hit{.column = column};
    if (const std::size_t layer = layerAt(column, y); layer < m_content.layers.size()) hit.layer = layer;
    return hit;
}

void PlotStack::setCurrent(std::optional<std::size_t> column)
{
    m_current->setVisible(column.has_value() && *column + 1 < m_content.edges.size());
    if (m_current->visible()) {
        m_current->topLeft->setCoords(m_content.edges[*column], 0);
        m_current->bottomRight->setCoords(m_content.edges[*column + 1], 1);
    }
    draw();
}

QByteArray PlotStack::toCsv() const
{
    const bool isNamed = !m_content.columnNames.empty();
    QString text = isNamed ? csvQuoted(xAxis().title) : QStringLiteral("\"from\",\"to\"");
    for (const StackLayer& layer : m_content.layers) text += QLatin1Char(',') % csvQuoted(layer.name);
    text += QStringLiteral("\r\n");
    for (std::size_t column = 0; column + 1 < m_content.edges.size(); ++column) {
        text += isNamed
                    ? csvQuoted(m_content.columnNames[column])
                    : csvNumber(m_content.edges[column]) % QLatin1Char(',') % csvNumber(m_content.edges[column + 1]);
        for (const StackLayer& layer : m_content.layers) text += QLatin1Char(',') % csvNumber(layer.values[column]);
        text += QStringLiteral("\r\n");
    }
    return text.toUtf8();
}

}  // namespace longpole
