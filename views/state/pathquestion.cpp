// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/pathquestion.h"

#include <QCoreApplication>

namespace longpole {

QString modelName(const PathModel& model)
{
    if (model.mode == PathMode::Elapsed) return QCoreApplication::translate("EdgeLevel", "elapsed path");
    return QCoreApplication::translate("EdgeLevel", "work path, edges: %1").arg(edgesName(model.edges));
}

QString edgesName(EdgeLevel level)
{
    switch (level) {
    case EdgeLevel::Messages: return QCoreApplication::translate("EdgeLevel", "messages");
    case EdgeLevel::Merges: return QCoreApplication::translate("EdgeLevel", "merges");
    case EdgeLevel::Data: return QCoreApplication::translate("EdgeLevel", "data");
    case EdgeLevel::Order: return QCoreApplication::translate("EdgeLevel", "order");
    }
    return {};
}

}  // namespace longpole
