// SPDX-License-Identifier: GPL-3.0-or-later
// What the expert asks of the parts of a run that did badly, once these are known.
#pragma once

#include "analysis/expert/rankinputs.h"
#include "distributed/advice/hostednoise.h"
#include "distributed/answers/workpass.h"

namespace longpole {

// All processes call it; `inputs` are process 0's, and get what their scope needs. Errors: damaged chunks, cancelled.
Result<> findInScope(const WorkPass& pass, const TraceStore& store, const HostedNoise& noise, RankInputs& inputs,
                     const Progress& progress);

}  // namespace longpole
