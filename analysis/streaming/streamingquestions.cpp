// SPDX-License-Identifier: GPL-3.0-or-later
// One pass over the trace, or a few.
#include "analysis/streaming/streamingquestions.h"

#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"

namespace longpole {

Result<std::shared_ptr<const StreamingResult>> StreamingQuestion::compute(Results& results,
                                                                          const Progress& progress) const
{
    return sharedAnswer(streamingPath(results.store(), request, progress));
}

std::int64_t StreamingQuestion::bytes(const StreamingResult& result)
{
    return bytesOf(result.shares) + bytesOf(result.nets)
           + bytesOfAll(result.samples, [](const StreamingSample& sample) { return bytesOf(sample.shares); });
}

Result<std::shared_ptr<const TopShares>> TopSharesQuestion::compute(Results& results, const Progress& progress) const
{
    return sharedAnswer(entriesAbove(results.store(), parts, range, progress));
}

std::int64_t TopSharesQuestion::bytes(const TopShares& top) { return bytesOf(top.entries); }

}  // namespace longpole
