// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/matrixcanvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace longpole {

namespace {

constexpr double matrixMargin = 12;
constexpr double besideWidth = 200;  // of the scale where it stands beside the cells

}  // namespace

MatrixCanvas::MatrixCanvas(std::shared_ptr<const TraceStore> store, QWidget* parent)
    : ChartCanvas(parent), m_store(std::move(store))
{
    setAccessibleName(tr("Communication matrix"));
}

void MatrixCanvas::setGrid(std::shared_ptr<const MatrixGrid> grid)
{
    m_grid = std::move(grid);
    m_hovered.reset();
    m_selected.reset();
    m_names = m_grid ? matrixMargins(*m_store, *m_grid) : QSizeF();
    update();
}

void MatrixCanvas::setLogarithmic(bool isLog)
{
    m_isLog = isLog;
    update();
}

void MatrixCanvas::setSelected(std::optional<MatrixCellAt> cell)
{
    m_selected = cell;
    update();
}

MatrixLayout MatrixCanvas::layoutNow() const
{
    const double below = isLow() ? 0 : colourLegendHeight;
    const double beside = isLow() ? besideWidth : 0;
    const QRectF box(matrixMargin, 4, width() - 2 * matrixMargin - beside, height() - 12 - below);
    constexpr double most = 0.4;  // of the widget, for names
    return matrixLayout(*m_grid, box, std::min(m_names.width(), width() * most),
                        std::min(m_names.height(), height() * most));
}

void MatrixCanvas::paintChart(QPainter& painter)
{
    if (!m_grid || m_grid->values.empty()) return;
    const MatrixLayout layout = layoutNow();
    const ColourScale scale = matrixScale(*m_grid, theme(), ColourScaleKind::Calm, m_isLog);
    paintMatrix(
        painter, *m_grid, layout,
        {.store = m_store.get(), .theme = &theme(), .scale = &scale, .hovered = m_hovered, .selected = m_selected});
    const QRectF& plot = layout.plot;
    const QRectF legend = isLow() ? QRectF(plot.right() + 20, plot.top(), besideWidth - 20, colourLegendHeight)
                                  : QRectF(plot.left(), plot.bottom() + 8,
                                           std::min(300.0, width() - plot.left() - matrixMargin), colourLegendHeight);
    paintColourLegend(painter, legend, scale, theme());
}

bool MatrixCanvas::isLow() const
{
    constexpr int roomy = 320;
    return height() < roomy && width() > 2 * besideWidth;
}

void MatrixCanvas::hover(std::optional<MatrixCellAt> cell)
{
    if (cell == m_hovered) return;
    m_hovered = cell;
    update();
    Q_EMIT hovered(cell);
}

void MatrixCanvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_grid) return;
    const auto cell = layoutNow().cellAt(*m_grid, event->position());
    const bool isSomething = cell && cell != m_selected && m_grid->at(cell->row, cell->column) > 0;
    Q_EMIT clicked(isSomething ? cell : std::nullopt);
}

void MatrixCanvas::mouseMoveEvent(QMouseEvent* event)
{
    if (m_grid) hover(layoutNow().cellAt(*m_grid, event->position()));
}

void MatrixCanvas::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_selected) Q_EMIT clicked({});
    else ChartCanvas::keyPressEvent(event);
}

void MatrixCanvas::leaveEvent(QEvent*) { hover({}); }

QByteArray MatrixCanvas::toCsv() const
{
    if (!m_grid) return {};
    const auto quoted = [](QString text) -> QString {
        return QLatin1Char('"') % text.replace(QLatin1Char('"'), QLatin1String("\"\"")) % QLatin1Char('"');
    };
    const bool isBytes = m_grid->measure == CommMeasure::Bytes;
    QString text = QStringLiteral("from,to,%1\r\n")
                       .arg(isBytes ? QStringLiteral("delivered_bytes") : QStringLiteral("deliveries"));
    for (std::size_t row = 0; row < m_grid->rowCount(); ++row)
        for (std::size_t column = 0; column < m_grid->columnCount(); ++column)
            if (const double value = m_grid->at(row, column); value > 0)
                text += quoted(rowName(*m_store, *m_grid, row)) % QLatin1Char(',')
                        % quoted(columnName(*m_store, *m_grid, column)) % QLatin1Char(',')
                        % QString::number(static_cast<qlonglong>(value)) % QStringLiteral("\r\n");
    return text.toUtf8();
}

}  // namespace longpole
