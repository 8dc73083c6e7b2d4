// Gestures of the chart of speculative work.
#include "views/speculationchart.h"

#include "core/format.h"
#include "views/drawing/experttext.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>

namespace longpole {

SpeculationChart::SpeculationChart(SpeculativeSeries series, QWidget* parent)
    : ChartCanvas(parent), m_series(std::move(series))
{
    setFixedHeight(96);
    setAccessibleName(summary());
}

QString SpeculationChart::summary() const
{
    const double share = m_series.totalUser > 0
                             ? static_cast<double>(m_series.total) / static_cast<double>(m_series.totalUser) : 0;
    QString text = tr("%1 of %2 of work (%3) was done between a better value of %4 and its delivery")
                       .arg(processorTime(m_series.total), processorTime(m_series.totalUser), formatShare(share),
                            m_series.variable);
    if (m_series.hasReads)
        text += tr(", %1 of it by executions that had read the value that was surpassed")
                    .arg(processorTime(m_series.totalOutdated));
    return text + tr(". Ticks: the %1 updates that made it better, of %2.")
                      .arg(formatCount(static_cast<std::int64_t>(m_series.best.size())),
                           formatCount(static_cast<std::int64_t>(m_series.updates.size())));
}

TimeRange SpeculationChart::rangeOf(int stage) const
{
    const auto at = static_cast<std::size_t>(stage);
    return {m_series.edges[at], m_series.edges[at + 1]};
}

QString SpeculationChart::tip(int stage) const
{
    const auto at = static_cast<std::size_t>(stage);
    const TimeNs zero = m_series.edges.front();
    const TimeRange range = rangeOf(stage);
    const TimeNs resolution = std::max<TimeNs>(1, range.length() / 10);
    return tr("%1 … %2: %3 of work, %4 speculative")
        .arg(formatTimeAt(range.begin - zero, resolution), formatTimeAt(range.end - zero, resolution),
             processorTime(at < m_series.user.size() ? m_series.user[at] : 0),
             processorTime(at < m_series.speculative.size() ? m_series.speculative[at] : 0));
}

void SpeculationChart::paintChart(QPainter& painter) { paintSpeculation(painter, geometryNow(), theme(), m_hovered); }

bool SpeculationChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return ChartCanvas::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int stage = stageAt(geometryNow(), help->pos());
    if (stage >= 0) QToolTip::showText(help->globalPos(), tip(stage), this);
    else QToolTip::hideText();
    return true;
}

void SpeculationChart::mouseMoveEvent(QMouseEvent* event)
{
    m_hovered = stageAt(geometryNow(), event->position());
    setCursor(m_hovered >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void SpeculationChart::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

void SpeculationChart::mouseReleaseEvent(QMouseEvent* event)
{
    const int stage = stageAt(geometryNow(), event->position());
    if (event->button() == Qt::LeftButton && stage >= 0) Q_EMIT rangeChosen(rangeOf(stage));
}

QByteArray SpeculationChart::toCsv() const
{
    QByteArray csv("begin_ns,end_ns,user_ns,speculative_ns,outdated_ns\n");
    for (std::size_t i = 0; i + 1 < m_series.edges.size(); ++i) {
        const auto value = [i](const std::vector<TimeNs>& values) { return i < values.size() ? values[i] : 0; };
        for (const TimeNs time : {m_series.edges[i], m_series.edges[i + 1], value(m_series.user), value(m_series.speculative)})
            csv += QByteArray::number(static_cast<qlonglong>(time)) % ',';
        csv += QByteArray::number(static_cast<qlonglong>(value(m_series.outdated))) % '\n';
    }
    return csv;
}

}  // namespace longpole
