// SPDX-License-Identifier: GPL-3.0-or-later

// QCustomPlot's header is written with Qt's keywords.
#undef QT_NO_KEYWORDS
#undef QT_NO_FOREACH
#undef QT_NO_CAST_FROM_ASCII

#include "views/plots/ticks.h"

#include "core/trace/format.h"
#include "views/drawing/basics/timeaxis.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

class UnitTicker : public QCPAxisTicker {
public:
    explicit UnitTicker(PlotUnit unit) : m_unit(unit) { setTickCount(5); }

protected:
    double getTickStep(const QCPRange& range) override
    {
        // Steps of time are those of the timeline: 1, 2, 5, never 2.5, which its labels would round.
        m_step = m_unit == PlotUnit::Time ? static_cast<double>(niceStep(range.size() / tickCount()))
                                          : QCPAxisTicker::getTickStep(range);
        return m_step;
    }

    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        switch (m_unit) {
        case PlotUnit::Time:
            return formatTimeAt(static_cast<TimeNs>(std::llround(tick)), std::max<TimeNs>(1, std::llround(m_step)));
        case PlotUnit::Share:
        case PlotUnit::Factor: return QString::number(tick * 100, 'f', m_step < 0.0095 ? 1 : 0) % QStringLiteral(" %");
        case PlotUnit::Bytes: return formatBytes(std::llround(tick));
        case PlotUnit::Number: break;
        }
        return QString::number(tick, 'g', 6);
    }

private:
    PlotUnit m_unit;
    double m_step = 1;
};

class RowTicker : public QCPAxisTicker {
public:
    explicit RowTicker(std::function<QString(std::int64_t)> textOf) : m_textOf(std::move(textOf)) { setTickCount(12); }

protected:
    // Whole rows: half a row has no name.
    double getTickStep(const QCPRange& range) override
    {
        return std::max(1.0, std::ceil(QCPAxisTicker::getTickStep(range)));
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return m_textOf(std::llround(tick)); }

private:
    std::function<QString(std::int64_t)> m_textOf;
};

}  // namespace

QSharedPointer<QCPAxisTicker> unitTicker(PlotUnit unit) { return QSharedPointer<UnitTicker>::create(unit); }

QSharedPointer<QCPAxisTicker> rowTicker(std::function<QString(std::int64_t)> textOf)
{
    return QSharedPointer<RowTicker>::create(std::move(textOf));
}

QString csvNumber(double value)
{
    if (std::isnan(value)) return {};
    return value == std::floor(value) && std::abs(value) < 9e15 ? QString::number(static_cast<qlonglong>(value))
                                                                : QString::number(value, 'g', 17);
}

QString csvQuoted(QString text)
{
    return QLatin1Char('"') % text.replace(QLatin1Char('"'), QLatin1String("\"\"")) % QLatin1Char('"');
}

}  // namespace longpole
