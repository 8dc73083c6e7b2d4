// SPDX-License-Identifier: GPL-3.0-or-later
// A critical path in one sentence: its name, how much of the run it is, and which processor carries most of it.
#pragma once

#include "analysis/paths/countedpath.h"
#include "core/trace/vocabulary.h"

#include <QString>

namespace longpole {

// "Scheduled path".
QString pathName(PathMode mode, EdgeLevel edges);
// What it means, in a sentence.
QString pathMeaning(Vocabulary words, PathMode mode, EdgeLevel edges);
// "Scheduled path: 3.202 of 3.335 s; PE 2 carries 46 %".
QString pathSentence(Vocabulary words, const CountedPath& counted);
// Two times in one unit: "3.202 of 3.335 s"; each with its own where they differ too much for that.
QString timeOf(TimeNs part, TimeNs whole);

}  // namespace longpole
