// SPDX-License-Identifier: GPL-3.0-or-later
// What the expert has looked at in a run, as tables of a trace that keeps parts of its events: it judges by them again.
#pragma once

#include "analysis/expert/rankinputs.h"
#include "analysis/results/results.h"
#include "core/trace/storedanswers.h"

#include <cstdint>
#include <vector>

namespace longpole {

// `places`: where in the source each piece of advice is about, in its order. Nothing is stored of more ranks than have
// two million stages together: advice is not kept then.
void storeInputs(StoredAnswers& answers, const TraceStore& store, const RankInputs& inputs, std::int64_t stages,
                 const std::vector<std::uint32_t>& places);

struct StoredInputs {
    RankInputs inputs{};
    std::vector<std::uint32_t> places{};
};
// With the waits and paths that the trace has as well. Errors: as requireEvents(), if there are none for these
// thresholds; damaged.
Result<StoredInputs> storedInputs(Results& results, const Thresholds& thresholds, const Progress& progress);

// What the expert says by them. Errors: these; as requireEvents(), where thresholds lead to other parts of the run.
Result<std::shared_ptr<const Expert>> expertOfParts(Results& results, const Thresholds& thresholds,
                                                    const Progress& progress);

}  // namespace longpole
