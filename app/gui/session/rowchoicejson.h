// SPDX-License-Identifier: GPL-3.0-or-later
// Folded, pinned, chosen and ordered rows as JSON. Tracks are named, so that this fits another trace of the program
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
