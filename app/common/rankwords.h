// SPDX-License-Identifier: GPL-3.0-or-later
// The words of MPI: while a trace with ranks is shown, texts say rank instead of PE and region instead of entry method.
#pragma once

#include "core/trace/trace.h"

#include <QString>

namespace longpole {

// "Order PEs by their idle time" -> "Order ranks by their idle time"; other texts as they are.
QString inRankWords(const QString& text);

// From here on all translated texts of the program are in the words of such a trace. A program that shows several
// traces calls it for the one that is looked at. From the main thread; texts that widgets show already stay.
void speakOf(const TraceInfo& info);

}  // namespace longpole
