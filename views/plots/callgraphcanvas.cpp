// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/callgraphcanvas.h"

#include "analysis/base/naming.h"

#include <QMouseEvent>
#include <QPainter>

namespace longpole {

CallGraphCanvas::CallGraphCanvas(std::shared_ptr<const TraceStore> store, QWidget* parent)
    : ChartCanvas(parent), m_store(std::move(store))
{
    setAccessibleName(tr("Call graph"));
}

void CallGraphCanvas::setCalls(std::shared_ptr<const CommMatrix> matrix, CommMeasure measure,
                               std::shared_ptr<const Palette> colours)
{
    m_matrix = std::move(matrix);
    m_measure = measure;
    m_colours = std::move(colours);
    m_hovered.reset();
    arrange();
}

void CallGraphCanvas::arrange()
{
    constexpr double margin = 14;  // room for loops above boxes
    const QRectF area = QRectF(rect()).adjusted(0, margin, 0, -4);
    m_graph = m_matrix ? callGraph(*m_store, *m_matrix, m_measure, area) : CallGraph{};
    update();
}

void CallGraphCanvas::paintChart(QPainter& painter)
{
    paintCallGraph(painter, m_graph, *m_colours, theme(), m_hovered);
    if (m_graph.omitted == 0) return;
    const auto omitted = static_cast<std::int64_t>(m_graph.omitted);
    painter.setPen(theme().warning);
    painter.drawText(QRectF(rect()).adjusted(8, 0, -8, -4), Qt::AlignRight | Qt::AlignBottom,
                     m_store->words().say(counted("%1 more entry methods not shown", "%1 more entry method not shown",
                                                  omitted),
                                          counted("%1 more regions not shown", "%1 more region not shown", omitted)));
}

void CallGraphCanvas::hover(std::optional<std::size_t> box)
{
    if (box == m_hovered) return;
    m_hovered = box;
    update();
    Q_EMIT hovered(box ? std::optional(m_graph.boxes[*box].entry) : std::nullopt);
}

void CallGraphCanvas::mouseMoveEvent(QMouseEvent* event) { hover(m_graph.boxAt(event->position())); }

void CallGraphCanvas::leaveEvent(QEvent*) { hover({}); }

void CallGraphCanvas::resizeEvent(QResizeEvent* event)
{
    ChartCanvas::resizeEvent(event);
    arrange();
}

QByteArray CallGraphCanvas::toCsv() const
{
    QString text = QStringLiteral("from,to,deliveries,delivered_bytes\r\n");
    const auto quoted = [](QString name) -> QString {
        return QLatin1Char('"') % name.replace(QLatin1Char('"'), QLatin1String("\"\"")) % QLatin1Char('"');
    };
    for (const CallArrow& arrow : m_graph.arrows) {
        const CommCell& cell = m_matrix->cells[arrow.cell];
        text += quoted(m_graph.boxes[arrow.from].name) % QLatin1Char(',') % quoted(m_graph.boxes[arrow.to].name)
                % QStringLiteral(",%1,%2\r\n").arg(cell.deliveries).arg(cell.deliveredBytes);
    }
    return text.toUtf8();
}

}  // namespace longpole
