// SPDX-License-Identifier: GPL-3.0-or-later
// The names of paths and levels of edges on the screen.
#pragma once

#include "analysis/paths/pathquestions.h"

#include <QString>

namespace longpole {

QString modelName(const PathModel& model);  // "work path, edges: order"

QString edgesName(EdgeLevel level);  // "order", as on the command line

}  // namespace longpole
