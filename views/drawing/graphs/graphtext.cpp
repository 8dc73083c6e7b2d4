// SPDX-License-Identifier: GPL-3.0-or-later
// A subgraph as text for other programs: Graphviz's DOT, and CSV.
#include "analysis/report/pathtables.h"
#include "core/trace/format.h"
#include "views/drawing/basics/colourscale.h"
#include "views/drawing/graphs/graphpainter.h"
#include "views/drawing/graphs/graphrender.h"

#include <QCoreApplication>

#include <algorithm>

namespace longpole {

namespace {

// As a double-quoted string of DOT: backslashes, quotes and line feeds escaped, other control characters as blanks.
QString quoted(QString text)
{
    text.replace(QLatin1Char('\\'), QStringLiteral("\\\\")).replace(QLatin1Char('"'), QStringLiteral("\\\""));
    text.replace(QLatin1Char('\n'), QStringLiteral("\\n"));
    for (QChar& c : text)
        if (c.category() == QChar::Other_Control) c = QLatin1Char(' ');
    return QLatin1Char('"') % text % QLatin1Char('"');
}

QString quoted(const QColor& colour) { return quoted(colour.name()); }

QString nodeText(const TraceStore& store, const Subgraph::Node& node, const Palette& palette, const Theme& theme)
{
    const Entry* entry = store.entry(node.entry);
    const QString label = (entry ? entryName(*entry) % QLatin1Char('\n') : QString()) % toText(node.id)
                          % QStringLiteral(" · ") % formatTime(node.end - node.begin);
    const QColor fill = graphFill(node.entry, node.onPath, palette, theme);
    QString text = QStringLiteral("    ") % quoted(toText(node.id)) % QStringLiteral(" [label=") % quoted(label)
                   % QStringLiteral(", fillcolor=") % quoted(fill) % QStringLiteral(", fontcolor=")
                   % quoted(QColor(inkOn(fill.rgb())));
    if (node.onPath) text += QStringLiteral(", color=") % quoted(theme.accent) % QStringLiteral(", penwidth=2.4");
    return text % QStringLiteral("];\n");
}

QString edgeText(const Subgraph& graph, const Subgraph::Edge& edge, const Theme& theme)
{
    const char* style = "solid";
    if (edge.kind == PathEdge::InferredMerge) style = "dashed";
    else if (edge.kind == PathEdge::Order && !edge.onPath) style = "dotted";
    const QPen pen = graphPen(edge.kind, edge.onPath, theme);
    return QStringLiteral(
               "  %1 -> %2 [style=%3, color=%4, penwidth=%5, kind=%6, offset_ns=%7, length_ns=%8, "
               "on_path=%9];\n")
        .arg(quoted(toText(graph.nodes[edge.source].id)), quoted(toText(graph.nodes[edge.target].id)),
             QLatin1String(style), quoted(pen.color()), QString::number(pen.widthF()), QLatin1String(name(edge.kind)),
             QString::number(edge.offset), QString::number(edge.length), QLatin1String(edge.onPath ? "true" : "false"));
}

}  // namespace

QByteArray graphDot(const TraceStore& store, const GraphPicture& picture)
{
    const Subgraph& graph = *picture.graph;
    const Theme& theme = picture.theme;
    const Palette palette(store, theme, picture.palette);
    QString text = QStringLiteral("digraph ") % quoted(store.info().program) % QStringLiteral(" {\n");
    if (const QString omitted = omittedText(graph); !omitted.isEmpty())
        text += QStringLiteral("  label=") % quoted(omitted) % QStringLiteral(";\n");
    text += QStringLiteral("  rankdir=LR;\n  bgcolor=") % quoted(theme.window) % QStringLiteral(";\n  fontcolor=")
            % quoted(theme.text) % QStringLiteral(";\n  node [shape=box, style=\"rounded,filled\", color=")
            % quoted(theme.line) % QStringLiteral("];\n");
    std::vector<const Subgraph::Node*> byPe;
    for (const Subgraph::Node& node : graph.nodes) byPe.push_back(&node);
    std::stable_sort(byPe.begin(), byPe.end(), [](const auto* a, const auto* b) { return a->id.pe < b->id.pe; });
    for (std::size_t i = 0; i < byPe.size(); ++i) {
        const std::uint32_t pe = index(byPe[i]->id.pe);
        if (i == 0 || byPe[i - 1]->id.pe != byPe[i]->id.pe)
            text += QStringLiteral("  subgraph \"cluster_%1\" {\n    label=\"PE %1\"; color=%2;\n")
                        .arg(pe)
                        .arg(quoted(theme.line));
        text += nodeText(store, *byPe[i], palette, theme);
        if (i + 1 == byPe.size() || byPe[i + 1]->id.pe != byPe[i]->id.pe) text += QStringLiteral("  }\n");
    }
    for (const Subgraph::Edge& edge : graph.edges) text += edgeText(graph, edge, theme);
    return QString(text % QStringLiteral("}\n")).toUtf8();
}

QByteArray graphCsv(const Subgraph& graph)
{
    const Table<NamedDependency> table = dependencyTable(Vocabulary());
    const std::vector<Column> columns = table.heads();
    QString text = csvHeads(columns) % QLatin1Char('\n');
    for (const NamedDependency& dependency : dependencies(graph))
        text += csvRow(table.cells(dependency), columns, nullptr) % QLatin1Char('\n');
    return text.toUtf8();
}

}  // namespace longpole
