#include "analysis/replay.h"

#include "analysis/pathend.h"
#include "analysis/replaymodel.h"
#include "analysis/replayrun.h"
#include "analysis/replaytimes.h"
#include "core/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace longpole {

namespace {

Result<ReplayedRun> run(const ReplayModel& model, const ReplayQuestion& question, ArrivalReading reading,
                        bool keepsTimes, const Progress& progress)
{
    const Result<ReplayTimes> times = ReplayTimes::of(*model.graph, question);
    if (!times) return times.error();
    const ReplayInput input{model, question, *times, reading, keepsTimes};
    return question.queue == QueueOrder::Recorded ? runRecordedOrder(input, progress) : runQueues(input, progress);
}

// A question's run and the run as it was, under one reading.
struct Pair {
    TimeNs baseline = 0;
    TimeNs changed = 0;
    std::optional<Error> error;
};

double gainOf(const Pair& pair)
{
    return pair.baseline > 0 ? 1 - static_cast<double>(pair.changed) / static_cast<double>(pair.baseline) : 0;
}

}  // namespace

Result<ReplayedRun> replay(const ReplayModel& model, const ReplayQuestion& question, ArrivalReading reading,
                           const Progress& progress)
{
    return run(model, question, reading, true, progress);
}

Result<Prediction> predict(const ReplayModel& model, const ReplayQuestion& question, const Progress& progress)
{
    constexpr std::array readings{ArrivalReading::Likely, ArrivalReading::Early, ArrivalReading::Late};
    std::array<Pair, readings.size()> pairs;
    const ReplayQuestion asItWas{.queue = question.queue == QueueOrder::Recorded ? QueueOrder::Recorded
                                                                                 : QueueOrder::Fifo};
    parallelFor(2 * readings.size(), [&](std::size_t i) {
        Pair& pair = pairs[i / 2];
        const Result<ReplayedRun> result = run(model, i % 2 == 0 ? asItWas : question, readings[i / 2], false, progress);
        if (!result) pair.error = result.error();
        else (i % 2 == 0 ? pair.baseline : pair.changed) = result->duration;
    });
    for (const Pair& pair : pairs)
        if (pair.error) return *pair.error;
    Prediction prediction{.recorded = model.graph->run.length(), .baseline = pairs[0].baseline};
    const auto recorded = static_cast<double>(prediction.recorded);
    if (prediction.recorded > 0) prediction.baselineError = static_cast<double>(prediction.baseline) / recorded - 1;
    prediction.gainLow = prediction.gainHigh = gainOf(pairs[0]);
    for (const Pair& pair : pairs) {
        prediction.gainLow = std::min(prediction.gainLow, gainOf(pair));
        prediction.gainHigh = std::max(prediction.gainHigh, gainOf(pair));
    }
    prediction.gainLow -= std::abs(prediction.baselineError);
    prediction.gainHigh += std::abs(prediction.baselineError);
    prediction.gainHigh = std::min(prediction.gainHigh, 1.0);
    prediction.low = std::llround((1 - prediction.gainHigh) * recorded);
    prediction.high = std::llround((1 - prediction.gainLow) * recorded);
    return prediction;
}

}  // namespace longpole
