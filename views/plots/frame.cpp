// SPDX-License-Identifier: GPL-3.0-or-later

// QCustomPlot's header is written with Qt's keywords.
#undef QT_NO_KEYWORDS
#undef QT_NO_FOREACH
#undef QT_NO_CAST_FROM_ASCII

#include "views/plots/frame.h"

#include "analysis/base/cells.h"
#include "core/base/namedfile.h"
#include "views/drawing/basics/picture.h"
#include "views/plots/ticks.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/notice.h"
#include "views/widgets/tableview.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QContextMenuEvent>
#include <QMenu>
#include <QResizeEvent>
#include <QSvgGenerator>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr int farEnough = 4;       // pixels: a press that moved less is a click
constexpr double zoomStep = 1.25;  // a notch of the wheel

PlotSpan spanOf(const QCPRange& range) { return {range.lower, range.upper}; }

// The range moved, and cut if it is longer than `whole`, so that it lies within it.
QCPRange within(QCPRange range, const PlotSpan& whole)
{
    const double size = std::min(range.size(), whole.second - whole.first);
    const double lower = std::clamp(range.lower, whole.first, std::max(whole.first, whole.second - size));
    return {lower, lower + size};
}

}  // namespace

PlotFrame::PlotFrame(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    m_plot->setAttribute(Qt::WA_OpaquePaintEvent, false);
    m_plot->installEventFilter(this);
    m_plot->setMouseTracking(true);
    m_plot->axisRect()->setAutoMargins(QCP::msAll);
    m_plot->axisRect()->setMinimumMargins(QMargins(8, 12, 14, 8));  // half a label's height at the top
    m_plot->yAxis->grid()->setZeroLinePen(Qt::NoPen);
    m_plot->setFocusPolicy(Qt::ClickFocus);
    setFocusProxy(m_plot);
    createItems();
}

void PlotFrame::createItems()
{
    m_band = new QCPItemRect(m_plot);
    m_selection = new QCPItemRect(m_plot);
    for (QCPItemRect* item : {m_band, m_selection}) {
        item->topLeft->setTypeX(QCPItemPosition::ptPlotCoords);
        item->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
        item->bottomRight->setTypeX(QCPItemPosition::ptPlotCoords);
        item->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
        item->setSelectable(false);
        item->setLayer(QStringLiteral("overlay"));
        item->setVisible(false);
    }
    m_notice = new QCPItemText(m_plot);
    m_notice->setLayer(QStringLiteral("overlay"));
    m_notice->position->setType(QCPItemPosition::ptAxisRectRatio);
    m_notice->position->setCoords(0.5, 0.5);
    m_notice->setPositionAlignment(Qt::AlignCenter);
    m_notice->setText({});  // QCustomPlot says "text"
    m_notice->setVisible(false);
}

void PlotFrame::setAxes(const PlotAxis& x, const PlotAxis& y)
{
    m_x = x;
    m_y = y;
    placeTitles();
    m_plot->xAxis->setTicker(unitTicker(x.unit));
    m_plot->yAxis->setTicker(unitTicker(y.unit));
    m_mostTicks = m_plot->yAxis->ticker()->tickCount();
    thinTicks();
}

void PlotFrame::setRowTicks(bool isX, std::function<QString(std::int64_t)> textOf)
{
    (isX ? m_plot->xAxis : m_plot->yAxis)->setTicker(rowTicker(std::move(textOf)));
    if (!isX) m_mostTicks = m_plot->yAxis->ticker()->tickCount();
    thinTicks();
}

void PlotFrame::nameRows(std::size_t rows)
{
    constexpr std::size_t most = 256;
    m_namedRows = static_cast<int>(std::min(most, rows));
    thinTicks();
}

// No more labels above each other than have room: of scales every second line may have one, names may fill each.
void PlotFrame::thinTicks()
{
    const int line = fontMetrics().height();
    const int lines = m_namedRows > 0 ? (height() - besideRows) / line : height() / (2 * line);
    m_plot->yAxis->ticker()->setTickCount(std::clamp(lines, 1, std::max(m_mostTicks, m_namedRows)));
}

// In a low panel the titles of the axes would take the room that curves need.
void PlotFrame::placeTitles()
{
    constexpr int roomy = 190;
    const bool hasRoom = height() >= roomy;
    m_plot->xAxis->setLabel(hasRoom ? m_x.title : QString());
    m_plot->yAxis->setLabel(hasRoom ? m_y.title : QString());
    m_plot->setToolTip(hasRoom || m_y.title.isEmpty() ? QString() : tr("%1 against %2").arg(m_y.title, m_x.title));
}

void PlotFrame::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeTitles();
    thinTicks();
    Q_EMIT shownChanged();
}

void PlotFrame::setNotice(const QString& text)
{
    m_notice->setText(text);
    m_notice->setVisible(!text.isEmpty());
    draw();
}

void PlotFrame::setBand(std::optional<PlotSpan> band)
{
    m_bandAt = band;
    m_band->setVisible(band.has_value());
    if (band) {
        m_band->topLeft->setCoords(band->first, 0);
        m_band->bottomRight->setCoords(band->second, 1);
    }
    draw();
}

void PlotFrame::setLeastLeft(int pixels)
{
    QMargins margins = m_plot->axisRect()->minimumMargins();
    margins.setLeft(pixels);
    m_plot->axisRect()->setMinimumMargins(margins);
    draw();
}

void PlotFrame::draw() { m_plot->replot(QCustomPlot::rpQueuedReplot); }

PlotSpan PlotFrame::xShown() const { return spanOf(m_plot->xAxis->range()); }

PlotSpan PlotFrame::yShown() const { return spanOf(m_plot->yAxis->range()); }

void PlotFrame::showX(PlotSpan x)
{
    m_plot->xAxis->setRange(within({x.first, x.second}, m_wholeX));
    Q_EMIT shownChanged();
    draw();
}

void PlotFrame::showAll()
{
    m_plot->xAxis->setRange(m_wholeX.first, m_wholeX.second);
    m_plot->yAxis->setRange(m_wholeY.first, m_wholeY.second);
    Q_EMIT shownChanged();
    Q_EMIT moved();
    draw();
}

void PlotFrame::setWhole(PlotSpan x, PlotSpan y)
{
    const bool keepsX = x == m_wholeX;
    const bool keepsY = y == m_wholeY && m_yZooms;
    m_wholeX = x;
    m_wholeY = y;
    if (!keepsX) m_plot->xAxis->setRange(x.first, x.second);
    if (!keepsY) m_plot->yAxis->setRange(y.first, y.second);
    draw();
}

QRect PlotFrame::axesRect() const { return m_plot->axisRect()->rect().translated(m_plot->pos()); }

QPointF PlotFrame::toPixels(double x, double y) const
{
    return QPointF(m_plot->xAxis->coordToPixel(x), m_plot->yAxis->coordToPixel(y)) + m_plot->pos();
}

QPointF PlotFrame::at(const QPointF& pixel) const
{
    const QCPRange x = m_plot->xAxis->range(), y = m_plot->yAxis->range();
    return {std::clamp(m_plot->xAxis->pixelToCoord(pixel.x()), x.lower, x.upper),
            std::clamp(m_plot->yAxis->pixelToCoord(pixel.y()), y.lower, y.upper)};
}

void PlotFrame::dress(const Theme& theme)
{
    m_plot->setBackground(theme.window);
    m_plot->axisRect()->setBackground(theme.panel);
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setBasePen(QPen(theme.line));
        axis->setTickPen(QPen(theme.line));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(theme.mutedText);
        axis->setLabelColor(theme.mutedText);
        axis->setTickLabelFont(font());
        axis->setLabelFont(font());
        axis->grid()->setPen(QPen(theme.gridLine));
    }
    m_band->setPen(m_bandIsOutlined ? QPen(theme.text, 1, Qt::DashLine) : QPen(Qt::NoPen));
    m_band->setBrush(m_bandIsOutlined ? QBrush(Qt::NoBrush) : QBrush(theme.markedRange));
    m_selection->setPen(QPen(theme.text, 1));
    m_selection->setBrush(theme.markedRange);
    m_notice->setColor(theme.mutedText);
    m_notice->setFont(font());
    draw();
}

void PlotFrame::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) dress(themeOf(*this));
}

void PlotFrame::zoom(QCPAxis& axis, const PlotSpan& whole, double factor, double centre)
{
    QCPRange range = axis.range();
    range = {centre - (centre - range.lower) * factor, centre + (range.upper - centre) * factor};
    if (range.size() < (whole.second - whole.first) * 1e-7) return;
    axis.setRange(within(range, whole));
}

void PlotFrame::pan(double dx, double dy)
{
    m_plot->xAxis->setRange(within(m_plot->xAxis->range() + dx, m_wholeX));
    if (m_yZooms) m_plot->yAxis->setRange(within(m_plot->yAxis->range() + dy, m_wholeY));
    Q_EMIT shownChanged();
    Q_EMIT moved();
    draw();
}

bool PlotFrame::wheel(const QWheelEvent& event)
{
    const int turned = event.angleDelta().y() != 0 ? event.angleDelta().y() : event.angleDelta().x();
    const double notches = turned / 120.0;
    if (notches == 0) return true;
    const QPointF centre = at(event.position());
    if (event.modifiers() & Qt::ShiftModifier) {
        pan(-notches * 0.1 * m_plot->xAxis->range().size(), 0);
        return true;
    }
    const double factor = std::pow(zoomStep, -notches);
    if (!(event.modifiers() & Qt::ControlModifier)) zoom(*m_plot->xAxis, m_wholeX, factor, centre.x());
    else if (m_yZooms) zoom(*m_plot->yAxis, m_wholeY, factor, centre.y());
    Q_EMIT shownChanged();
    Q_EMIT moved();
    draw();
    return true;
}

bool PlotFrame::press(const QMouseEvent& event)
{
    m_plot->setFocus(Qt::MouseFocusReason);
    m_pressed = m_last = event.position();
    const bool pans = event.button() == Qt::MiddleButton
                      || (event.button() == Qt::LeftButton && (event.modifiers() & Qt::ShiftModifier));
    if (pans) m_drag = Drag::Pan;
    else if (event.button() == Qt::LeftButton && m_plot->axisRect()->rect().contains(event.pos())) m_drag = Drag::Press;
    return m_drag != Drag::None;
}

bool PlotFrame::move(const QMouseEvent& event)
{
    const QPointF to = event.position();
    if (m_drag == Drag::None) {
        const bool isInside = m_plot->axisRect()->rect().contains(event.pos());
        if (isInside) Q_EMIT hovered(m_plot->xAxis->pixelToCoord(to.x()), m_plot->yAxis->pixelToCoord(to.y()));
        else Q_EMIT left();
        return false;
    }
    if (m_drag == Drag::Pan) {
        const QPointF from = m_last;
        m_last = to;
        pan(m_plot->xAxis->pixelToCoord(from.x()) - m_plot->xAxis->pixelToCoord(to.x()),
            m_plot->yAxis->pixelToCoord(from.y()) - m_plot->yAxis->pixelToCoord(to.y()));
        return true;
    }
    if (m_drag == Drag::Press && (to - m_pressed).manhattanLength() >= farEnough) m_drag = Drag::Select;
    if (m_drag == Drag::Select) {
        showSelection(to);
        Q_EMIT dragged(selected(to), false);
    }
    return true;
}

QRectF PlotFrame::selected(const QPointF& to) const { return QRectF(at(m_pressed), at(to)).normalized(); }

void PlotFrame::showSelection(const QPointF& to)
{
    const QRectF rect = m_plot->axisRect()->rect();
    const double height = std::max(1.0, rect.height());
    const auto ratio = [&](double y) { return std::clamp((y - rect.top()) / height, 0.0, 1.0); };
    const double top = m_dragIsArea ? ratio(std::min(m_pressed.y(), to.y())) : 0;
    const double bottom = m_dragIsArea ? ratio(std::max(m_pressed.y(), to.y())) : 1;
    const QRectF area = selected(to);
    m_selection->topLeft->setCoords(area.left(), top);
    m_selection->bottomRight->setCoords(area.right(), bottom);
    m_selection->setVisible(true);
    draw();
}

bool PlotFrame::release(const QMouseEvent& event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    m_selection->setVisible(false);
    draw();
    const QPointF to = at(event.position());
    if (drag == Drag::Press) Q_EMIT clicked(to.x(), to.y());
    if (drag == Drag::Select) Q_EMIT dragged(selected(event.position()), true);
    return drag != Drag::None;
}

bool PlotFrame::doubleClick(const QMouseEvent& event)
{
    if (event.button() != Qt::LeftButton) return false;
    const QPointF to = at(event.position());
    if (m_plot->axisRect()->rect().contains(event.pos())) Q_EMIT doubleClicked(to.x(), to.y());
    else showAll();
    return true;
}

bool PlotFrame::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_plot) return QWidget::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::Wheel: return wheel(*static_cast<QWheelEvent*>(event));
    case QEvent::MouseButtonPress: return press(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove: return move(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonRelease: return release(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonDblClick: return doubleClick(*static_cast<QMouseEvent*>(event));
    case QEvent::Leave: Q_EMIT left(); return false;
    case QEvent::Resize:  // QCustomPlot would paint on no pixels, and say so
        return static_cast<QResizeEvent*>(event)->size().isEmpty();
    case QEvent::KeyPress:
        if (static_cast<QKeyEvent*>(event)->key() != Qt::Key_Home) return false;
        showAll();
        return true;
    default: return false;
    }
}

void PlotFrame::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Show all"), this, &PlotFrame::showAll);
    menu.addSeparator();
    menu.addAction(tr("Copy picture"), this, [this] {
        QApplication::clipboard()->setPixmap(m_plot->toPixmap());
        tell(*this, tr("Copied: the picture."));
    });
    auto* copy = menu.addAction(m_isProvisional ? tr("Copy values (when they are counted)") : tr("Copy values"), this,
                                [this] {
                                    copyText(*this, QString::fromUtf8(safeCsv(toCsv())), tr("the values, as CSV"));
                                });
    auto* give = menu.addAction(m_isProvisional ? tr("Export … (when it is counted)") : tr("Export …"), this,
                                &PlotFrame::exportTo);
    for (QAction* action : {copy, give}) action->setEnabled(!m_isProvisional);
    menu.exec(event->globalPos());
}

QByteArray PlotFrame::toSvg()
{
    QBuffer bytes;
    bytes.open(QIODevice::WriteOnly);
    QSvgGenerator svg;
    svg.setOutputDevice(&bytes);
    svg.setSize(size());
    svg.setViewBox(rect());
    QCPPainter painter;
    painter.begin(&svg);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    m_plot->toPainter(&painter, width(), height());
    painter.end();
    return allowedInXml(bytes.data());
}

QByteArray PlotFrame::toPng()
{
    QBuffer bytes;
    bytes.open(QIODevice::WriteOnly);
    m_plot->toPixmap(width(), height(), 2.0).save(&bytes, "PNG");
    return bytes.data();
}

Result<> PlotFrame::save(const QString& path)
{
    const auto isA = [&path](const char* ending) { return path.endsWith(QLatin1String(ending), Qt::CaseInsensitive); };
    return writeNamedFile(path, isA(".csv") ? safeCsv(toCsv()) : isA(".svg") ? toSvg() : toPng());
}

void PlotFrame::exportTo()
{
    const QString path = askFileToSave(this, tr("Export plot"), QStringLiteral("plot.png"),
                                       tr("PNG picture (*.png);;SVG picture (*.svg);;Values (*.csv)"));
    if (path.isEmpty()) return;
    if (const Result<> saved = save(path); !saved) Q_EMIT exportFailed(saved.error());
    else tell(*this, tr("The plot is in %1.").arg(path), path);
}

}  // namespace longpole
