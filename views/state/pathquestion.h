// SPDX-License-Identifier: GPL-3.0-or-later
// What the questions about paths are called on the screen.
#pragma once

#include "analysis/paths/pathquestions.h"

#include <QString>

namespace longpole {

QString modelName(const PathModel& model);  // "work path, edges: order"

// What a level is called, as on the command line.
QString edgesName(EdgeLevel level);

}  // namespace longpole
