// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of calls as a widget: the arrows of the box under the cursor stand out.
#pragma once

#include "views/drawing/charts/callgraph.h"
#include "views/plots/chartcanvas.h"

#include <memory>
#include <optional>

namespace longpole {

class CallGraphCanvas : public ChartCanvas {
    Q_OBJECT
public:
    CallGraphCanvas(std::shared_ptr<const TraceStore> store, QWidget* parent = nullptr);

    void setCalls(std::shared_ptr<const CommMatrix> matrix, CommMeasure measure,
                  std::shared_ptr<const Palette> colours);
    const CallGraph& graph() const { return m_graph; }
    QByteArray toCsv() const override;

Q_SIGNALS:
    void hovered(std::optional<std::uint32_t> entry);  // the id of the box under the cursor, or noSender

protected:
    void paintChart(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void hover(std::optional<std::size_t> box);

    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const CommMatrix> m_matrix;
    CommMeasure m_measure = CommMeasure::Bytes;
    std::shared_ptr<const Palette> m_colours = std::make_shared<const Palette>();
    CallGraph m_graph;
    std::optional<std::size_t> m_hovered;
};

}  // namespace longpole
