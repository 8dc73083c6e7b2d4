// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/charts/efficiencytree.h"

#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"

#include <QFontMetricsF>

#include <algorithm>
#include <array>
#include <cmath>

namespace longpole {

namespace {

constexpr double margin = 12;
constexpr double columnGap = 28;     // between columns, where the lines run
constexpr double leastFormula = 44;  // pixels of height from which on a box shows its formula
constexpr double leastLoss = 0.05;

QString ratio(const QString& words, double part, double whole)
{
    const auto time = [](double ns) { return formatTime(static_cast<TimeNs>(std::llround(ns))); };
    return tr("%1: %2 / %3").arg(words, time(part), time(whole));
}

// Where the nodes of valuesOf stand: columns from the left, and rows, of which there are three, from the top.
struct Spot {
    int column;
    double row;
};
constexpr std::array<Spot, 5> spots{{{0, 0.75}, {1, 0}, {1, 1.5}, {2, 1}, {2, 2}}};

std::vector<EfficiencyNode> valuesOf(const Efficiency& e)
{
    const auto length = static_cast<double>(e.range.length());
    const auto ideal = static_cast<double>(e.ideal), most = static_cast<double>(e.usefulMax);
    std::vector<EfficiencyNode> nodes{
        {.id = QStringLiteral("parallel"),
         .name = tr("Parallel"),
         .value = e.parallel,
         .formula = ratio(tr("average busy time / duration"), e.usefulAverage, length)},
        {.id = QStringLiteral("load_balance"),
         .name = tr("Load balance"),
         .value = e.loadBalance,
         .formula = ratio(tr("average / largest busy time"), e.usefulAverage, most),
         .parent = 0},
        {.id = QStringLiteral("communication"),
         .name = tr("Communication"),
         .value = e.communication,
         .formula = ratio(tr("largest busy time / duration"), most, length),
         .parent = 0},
        {.id = QStringLiteral("serialization"),
         .name = tr("Serialization"),
         .value = e.serialization,
         .formula = ratio(tr("largest busy / on ideal network"), most, ideal),
         .parent = 2},
        {.id = QStringLiteral("transfer"),
         .name = tr("Transfer"),
         .value = e.transfer,
         .formula = ratio(tr("on an ideal network / duration"), ideal, length),
         .parent = 2},
    };
    EfficiencyNode* worst = &nodes[1];
    for (const std::size_t leaf : {std::size_t{3}, std::size_t{4}})
        if (nodes[leaf].value < worst->value) worst = &nodes[leaf];
    worst->isWorst = e.parallel > 0 && worst->value < 1 - leastLoss;
    return nodes;
}

void paintNode(QPainter& painter, const EfficiencyNode& node, const Theme& theme)
{
    const QRectF& box = node.rect;
    const double line = 20;
    const QFont figures = timelineFont(15, QFont::DemiBold);
    const double figure = QFontMetricsF(figures).horizontalAdvance(formatShare(node.value)) + 6;
    painter.setFont(timelineFont(11.5));
    painter.setPen(theme.mutedText);
    drawElided(painter, QRectF(box.left(), box.top(), box.width() - figure, line), node.name);
    painter.setFont(figures);
    painter.setPen(theme.text);
    painter.drawText(QRectF(box.left(), box.top(), box.width(), line), Qt::AlignRight | Qt::AlignVCenter,
                     formatShare(node.value));
    const QRectF bar(box.left(), box.top() + line + 3, box.width(), 5);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(bar, 2.5, 2.5);
    QRectF part = bar;
    part.setWidth(std::clamp(node.value, 0.0, 1.0) * bar.width());
    painter.setBrush(node.isWorst ? theme.warning : theme.utilization);
    if (part.width() > 0) painter.drawRoundedRect(part, 2.5, 2.5);
    if (box.height() < leastFormula) return;
    painter.setFont(timelineFont(10.5));
    painter.setPen(theme.faintText);
    // Where there is no room for what is divided, how much that is.
    const bool fits = QFontMetricsF(painter.font()).horizontalAdvance(node.formula) <= box.width();
    const QString formula = fits ? node.formula : node.formula.section(QStringLiteral(": "), -1);
    drawElided(painter, QRectF(box.left(), bar.bottom() + 3, box.width(), 16), formula);
}

// The line that forks from a node to its two factors, with a multiplication sign between them.
void paintProduct(QPainter& painter, const EfficiencyNode& node, const EfficiencyNode& first,
                  const EfficiencyNode& second, const Theme& theme)
{
    const auto middle = [](const QRectF& box) { return std::round(box.top() + 25.5) + 0.5; };
    const double x = std::round(node.rect.right() + columnGap / 2) + 0.5;
    painter.setPen(QPen(theme.faintText, 1));
    const double top = middle(first.rect), bottom = middle(second.rect);
    painter.drawLine(QPointF(node.rect.right() + 8, middle(node.rect)), QPointF(x, middle(node.rect)));
    painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    for (const double y : {top, bottom}) painter.drawLine(QPointF(x, y), QPointF(first.rect.left() - 8, y));
    painter.setFont(timelineFont(11));
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(x + 3, (top + bottom) / 2 - 9, columnGap / 2, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     QStringLiteral("×"));
}

}  // namespace

std::vector<EfficiencyNode> efficiencyNodes(const Efficiency& efficiency, QSizeF size)
{
    std::vector<EfficiencyNode> nodes = valuesOf(efficiency);
    const double width = std::min(300.0, (size.width() - 2 * margin - 2 * columnGap) / 3);
    const double row = std::clamp((size.height() - 8) / 3, 42.0, 76.0);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        nodes[i].rect = QRectF(margin + spots[i].column * (width + columnGap), 4 + spots[i].row * row, width, row - 8);
    return nodes;
}

void paintEfficiencies(QPainter& painter, const std::vector<EfficiencyNode>& nodes, const Theme& theme)
{
    if (nodes.size() < 5 || nodes[0].rect.width() < 40) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    paintProduct(painter, nodes[0], nodes[1], nodes[2], theme);
    paintProduct(painter, nodes[2], nodes[3], nodes[4], theme);
    for (const EfficiencyNode& node : nodes) paintNode(painter, node, theme);
    painter.restore();
}

}  // namespace longpole
