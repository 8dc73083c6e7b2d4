// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/idleparts.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QStringList>

#include <algorithm>

namespace longpole {

void IdleParts::add(const MpiRow& call, TimeNs waited)
{
    // Where the parts before and after overlap, time counts once.
    const TimeNs idle = std::min(call.duration(), saturatingAdd(call.waitBefore(), call.waitAfter()));
    const TimeNs states = std::min(waited, idle);
    const TimeNs after = std::min(call.waitAfter(), idle - states);
    inStates = saturatingAdd(inStates, states);
    afterFirst = saturatingAdd(afterFirst, after);
    beforeLast = saturatingAdd(beforeLast, idle - states - after);
}

IdleParts& IdleParts::operator+=(const IdleParts& other)
{
    inStates = saturatingAdd(inStates, other.inStates);
    beforeLast = saturatingAdd(beforeLast, other.beforeLast);
    afterFirst = saturatingAdd(afterFirst, other.afterFirst);
    elsewhere = saturatingAdd(elsewhere, other.elsewhere);
    return *this;
}

QString idleSentence(const IdleParts& parts)
{
    QStringList others;
    if (parts.beforeLast > 0)
        others
            << tr("%1 in calls with a root or of prefixes until the last rank came").arg(formatTime(parts.beforeLast));
    if (parts.afterFirst > 0)
        others << tr("%1 in such calls after the first rank had left").arg(formatTime(parts.afterFirst));
    QString text = others.isEmpty()
                       ? tr("Ranks were idle %1: in wait states only.").arg(formatTime(parts.idle()))
                       : tr("Ranks were idle %1: %2 in wait states, %3.")
                             .arg(formatTime(parts.idle()), formatTime(parts.inStates), others.join(tr(", ")));
    if (parts.elsewhere > 0)
        text += tr(" %1 was waited on other threads, which is no idle time of ranks.").arg(formatTime(parts.elsewhere));
    return text;
}

}  // namespace longpole
