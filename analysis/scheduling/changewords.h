// SPDX-License-Identifier: GPL-3.0-or-later
// What a replay changes, in the words by which a replayed run is known ever after.
#pragma once

#include "analysis/replay/replay.h"
#include "core/store/tracestore.h"

#include <QString>

namespace longpole {

// "Worker::chain_hop at priority -5, messages taking no time"; empty: the run as it was. What a written replay's
// command line ends with (writtentrace.h), so that other runs can be told from it. On one line.
QString changeWords(const TraceStore& store, const ReplayQuestion& question);

}  // namespace longpole
