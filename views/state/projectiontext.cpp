// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/projectiontext.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

namespace longpole {

QString stageName(const Stages& stages, std::size_t stage, TimeNs zero)
{
    const TimeRange range = stages.range(stage);
    const TimeNs resolution = std::max<TimeNs>(1, range.length() / 10);
    const QString times = QStringLiteral("%1 – %2").arg(formatTimeAt(range.begin - zero, resolution),
                                                        formatTimeAt(range.end - zero, resolution));
    if (stage < stages.names.size() && !stages.names[stage].isEmpty())
        return QStringLiteral("%1 (%2)").arg(stages.names[stage], times);
    return QCoreApplication::translate("Projections", "stage %1 (%2)").arg(stage).arg(times);
}

QString processorText(Vocabulary words, std::span<const ProcessorId> pes)
{
    if (pes.size() == 1)
        return words
            .say(QCoreApplication::translate("Projections", "PE %1"),
                 QCoreApplication::translate("Projections", "Rank %1"))
            .arg(index(pes.front()));
    return words
        .say(QCoreApplication::translate("Projections", "PEs %1"),
             QCoreApplication::translate("Projections", "Ranks %1"))
        .arg(formatProcessors(pes));
}

QString valueText(double value, AttributeUnit unit, bool isApproximate)
{
    const QString text = attributeText(value, unit);
    return isApproximate ? QStringLiteral("≈ ") + text : text;
}

PlotUnit plotUnit(AttributeUnit unit)
{
    switch (unit) {
    case AttributeUnit::Time: return PlotUnit::Time;
    case AttributeUnit::Share: return PlotUnit::Share;
    case AttributeUnit::Bytes: return PlotUnit::Bytes;
    case AttributeUnit::Count:
    case AttributeUnit::Number: break;
    }
    return PlotUnit::Number;
}

}  // namespace longpole
