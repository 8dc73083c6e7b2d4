// Dresses QCustomPlot in the theme, writes its ticks as the program writes numbers, and drags the marker.

// QCustomPlot's header is written with Qt's keywords.
#undef QT_NO_KEYWORDS
#undef QT_NO_FOREACH
#undef QT_NO_CAST_FROM_ASCII

#include "views/plot.h"

#include "core/format.h"
#include "views/tableview.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QMenu>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

// Ticks at round numbers of the unit, in the words of core/format.
class UnitTicker : public QCPAxisTicker {
public:
    explicit UnitTicker(PlotUnit unit) : m_unit(unit) { setTickCount(5); }

protected:
    double getTickStep(const QCPRange& range) override
    {
        m_step = QCPAxisTicker::getTickStep(range);
        return m_step;
    }

    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        switch (m_unit) {
        case PlotUnit::Time:
            return formatTimeAt(static_cast<TimeNs>(std::llround(tick)), std::max<TimeNs>(1, std::llround(m_step)));
        case PlotUnit::Share: case PlotUnit::Factor: return QString::number(std::llround(tick * 100)) % QStringLiteral(" %");
        case PlotUnit::Number: break;
        }
        return QString::number(tick, 'g', 6);
    }

private:
    PlotUnit m_unit;
    double m_step = 1;
};

QString csvNumber(double value)
{
    return value == std::floor(value) && std::abs(value) < 9e15 ? QString::number(static_cast<qlonglong>(value))
                                                                : QString::number(value, 'g', 17);
}

}  // namespace

Plot::Plot(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    m_plot->setAttribute(Qt::WA_OpaquePaintEvent, false);
    m_plot->installEventFilter(this);
    m_plot->setMouseTracking(true);
    m_plot->axisRect()->setAutoMargins(QCP::msAll);
    m_plot->axisRect()->setMinimumMargins(QMargins(8, 8, 14, 8));
    m_plot->yAxis->grid()->setZeroLinePen(Qt::NoPen);
    m_levelLine = new QCPItemLine(m_plot);
    m_markerLine = new QCPItemLine(m_plot);
    m_markerText = new QCPItemText(m_plot);
    m_notice = new QCPItemText(m_plot);
    m_notice->position->setType(QCPItemPosition::ptAxisRectRatio);
    m_notice->position->setCoords(0.5, 0.5);
    m_notice->setPositionAlignment(Qt::AlignCenter);
    for (QCPItemLine* line : {m_levelLine, m_markerLine})
        for (QCPItemPosition* end : {line->start, line->end}) {
            const bool isLevel = line == m_levelLine;
            end->setTypeX(isLevel ? QCPItemPosition::ptAxisRectRatio : QCPItemPosition::ptPlotCoords);
            end->setTypeY(isLevel ? QCPItemPosition::ptPlotCoords : QCPItemPosition::ptAxisRectRatio);
        }
    m_markerText->position->setTypeX(QCPItemPosition::ptPlotCoords);
    m_markerText->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_markerText->setClipToAxisRect(false);
    applyTheme();
    placeMarker();
}

void Plot::setAxes(const PlotAxis& x, const PlotAxis& y)
{
    m_x = x;
    m_y = y;
    placeTitles();
    m_plot->xAxis->setTicker(QSharedPointer<UnitTicker>::create(x.unit));
    m_plot->yAxis->setTicker(QSharedPointer<UnitTicker>::create(y.unit));
}

// In a low panel the room is the curves'.
void Plot::placeTitles()
{
    constexpr int roomy = 190;
    const bool hasRoom = height() >= roomy;
    m_plot->xAxis->setLabel(hasRoom ? m_x.title : QString());
    m_plot->yAxis->setLabel(hasRoom ? m_y.title : QString());
    m_plot->setToolTip(hasRoom ? QString() : tr("%1 against %2").arg(m_y.title, m_x.title));
}

void Plot::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeTitles();
}

void Plot::setSeries(std::vector<PlotSeries> series, std::optional<double> yFrom)
{
    m_series = std::move(series);
    drawSeries();
    m_plot->rescaleAxes();
    QCPRange y = m_plot->yAxis->range();
    if (yFrom) y.lower = *yFrom;
    if (y.size() <= 0) y.upper = y.lower + std::max(1.0, std::abs(y.lower) * 0.1);
    y.upper += y.size() * 0.06;
    m_plot->yAxis->setRange(y);
    placeMarker();
}

void Plot::drawSeries()
{
    m_plot->clearGraphs();
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) axis->setVisible(!m_series.empty());
    const Theme& theme = themeOf(*this);
    for (const PlotSeries& one : m_series) {
        QCPGraph* graph = m_plot->addGraph();
        graph->setName(one.name);
        graph->setPen(QPen(one.color, 1.8));
        if (one.hasDots)
            graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(one.color), theme.window, 5));
        graph->setData(QVector<double>(one.x.begin(), one.x.end()), QVector<double>(one.y.begin(), one.y.end()), true);
    }
}

void Plot::setMarker(std::optional<double> x, const QString& text)
{
    m_marker = x;
    m_markerText->setText(text);
    placeMarker();
}

void Plot::setLevel(std::optional<double> y)
{
    m_level = y;
    placeMarker();
}

void Plot::setNotice(const QString& text)
{
    m_notice->setText(text);
    m_notice->setVisible(!text.isEmpty());
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void Plot::placeMarker()
{
    const bool isThere = m_marker.has_value() && !m_series.empty();
    m_markerLine->setVisible(isThere);
    m_markerText->setVisible(isThere && !m_markerText->text().isEmpty());
    if (isThere) {
        m_markerLine->start->setCoords(*m_marker, 0);
        m_markerLine->end->setCoords(*m_marker, 1);
        const bool isRight = *m_marker > m_plot->xAxis->range().center();
        m_markerText->position->setCoords(*m_marker, 0.02);
        m_markerText->setPositionAlignment(Qt::AlignTop | (isRight ? Qt::AlignRight : Qt::AlignLeft));
    }
    m_levelLine->setVisible(m_level.has_value() && !m_series.empty());
    if (m_level) {
        m_levelLine->start->setCoords(0, *m_level);
        m_levelLine->end->setCoords(1, *m_level);
    }
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void Plot::applyTheme()
{
    const Theme& theme = themeOf(*this);
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
    m_levelLine->setPen(QPen(theme.faintText, 1, Qt::DashLine));
    m_markerLine->setPen(QPen(theme.text, 1));
    m_markerText->setColor(theme.text);
    m_markerText->setFont(font());
    m_markerText->setPadding(QMargins(6, 2, 6, 2));
    m_markerText->setBrush(theme.panel);
    m_notice->setColor(theme.mutedText);
    m_notice->setFont(font());
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void Plot::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) applyTheme();
}

double Plot::xAt(const QPointF& at) const
{
    const QCPRange range = m_plot->xAxis->range();
    return std::clamp(m_plot->xAxis->pixelToCoord(at.x()), range.lower, range.upper);
}

bool Plot::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_plot || !m_marker) return QWidget::eventFilter(watched, event);
    const auto* mouse = dynamic_cast<const QMouseEvent*>(event);
    if (mouse == nullptr) return false;
    if (event->type() == QEvent::MouseButtonPress && mouse->button() == Qt::LeftButton) m_dragging = true;
    if (!m_dragging) return false;
    Q_EMIT markerMoved(xAt(mouse->position()));
    if (event->type() == QEvent::MouseButtonRelease && mouse->button() == Qt::LeftButton) {
        m_dragging = false;
        Q_EMIT markerDropped(xAt(mouse->position()));
    }
    return true;
}

void Plot::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Copy picture"), this, [this] { QApplication::clipboard()->setPixmap(m_plot->toPixmap()); });
    menu.addAction(tr("Export …"), this, &Plot::exportTo);
    menu.exec(event->globalPos());
}

QByteArray Plot::toCsv() const
{
    const auto quoted = [](QString text) -> QString {
        return QLatin1Char('"') % text.replace(QLatin1Char('"'), QLatin1String("\"\"")) % QLatin1Char('"');
    };
    QString text = QStringLiteral("\"series\",") % quoted(m_x.title) % QLatin1Char(',') % quoted(m_y.title)
                   % QStringLiteral("\r\n");
    for (const PlotSeries& one : m_series)
        for (std::size_t i = 0; i < one.x.size(); ++i)
            text += quoted(one.name) % QLatin1Char(',') % csvNumber(one.x[i]) % QLatin1Char(',') % csvNumber(one.y[i])
                    % QStringLiteral("\r\n");
    return text.toUtf8();
}

QByteArray Plot::toSvg()
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
    return bytes.data();
}

QByteArray Plot::toPng()
{
    QBuffer bytes;
    bytes.open(QIODevice::WriteOnly);
    m_plot->toPixmap(width(), height(), 2.0).save(&bytes, "PNG");
    return bytes.data();
}

bool Plot::save(const QString& path)
{
    const auto isA = [&path](const char* ending) { return path.endsWith(QLatin1String(ending), Qt::CaseInsensitive); };
    const QByteArray bytes = isA(".csv") ? toCsv() : isA(".svg") ? toSvg() : toPng();
    QSaveFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
}

void Plot::exportTo()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Export plot"), QStringLiteral("plot.png"),
                                                      tr("PNG picture (*.png);;SVG picture (*.svg);;Values (*.csv)"));
    if (path.isEmpty() || save(path)) return;
    Q_EMIT exportFailed(Error{.what = tr("The plot could not be written."), .where = path,
                              .hint = tr("Choose another folder or free some space.")});
}

}  // namespace longpole
