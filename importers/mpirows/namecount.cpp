// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/namecount.h"

#include "core/base/translate.h"

namespace longpole {

Result<> MpiNameCount::verdict() const
{
    if (isPlausible()) return Unit{};
    return impossibleFigure(tr("The names of what the run consists of have %1 characters").arg(m_characters),
                            limits::mpiNames, m_info.sourceBytes, m_info.source);
}

Result<> checkNames(const MpiRunNames& names)
{
    MpiNameCount count(names.info);
    for (const MpiRegion& region : names.regions) {
        count.add(region.name);
        count.add(region.group);
    }
    for (const MpiCommunicator& communicator : names.communicators) count.add(communicator.name);
    for (const MpiLocation& location : names.locations) count.add(location.name);
    for (const QString& counter : names.counters) count.add(counter);
    return count.verdict();
}

}  // namespace longpole
