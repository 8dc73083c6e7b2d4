// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/replayedgains.h"

#include "analysis/replay/replayquestions.h"

namespace longpole {

Result<> predictGains(std::vector<Advice>& advice, Results& results, const Progress& progress)
{
    for (Advice& one : advice) {
        if (!one.replay || one.prediction) continue;
        const auto prediction = results.ask(PredictionQuestion{*one.replay}, progress);
        if (!prediction) {
            if (wasCancelled(prediction.error())) return prediction.error();
            continue;
        }
        one.prediction = **prediction;
        if (const QString why = whyUnusable(*one.prediction); !why.isEmpty()) one.doubts << why;
        sayNumbers(one, results.store());
    }
    return Unit{};
}

}  // namespace longpole
