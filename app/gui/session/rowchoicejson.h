// SPDX-License-Identifier: GPL-3.0-or-later
// Folded, pinned and ordered rows as JSON, by the tracks' names, so that they fit another trace of the same program
// too.
#pragma once

#include "core/store/tracestore.h"
#include "views/drawing/timeline/timelinerows.h"

#include <QJsonObject>

namespace longpole {

QJsonObject toJson(const RowChoice& choice, const TraceStore& store);
// Tracks and PEs that the trace does not have are left out.
RowChoice rowChoiceFrom(const QJsonObject& object, const TraceStore& store);

}  // namespace longpole
