// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a job's value comes while a menu or a dialog runs an event loop inside of the program's own.
#pragma once

#include <QThread>

namespace longpole {

inline bool isInNestedLoop() { return QThread::currentThread()->loopLevel() > 1; }

}  // namespace longpole
