// SPDX-License-Identifier: GPL-3.0-or-later
// A change that was tried by running the program with it and without it, beside what was predicted of it.
#pragma once

#include "analysis/base/json.h"
#include "analysis/compare/trialgain.h"
#include "analysis/replay/replay.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

enum class MeasuredBy : std::uint8_t {
    MpiTimes,         // from the first MPI_Init's end to the last MPI_Finalize's begin, taken by the recorder's library
    ProjectionsLogs,  // that the run left in its folder
    WallTime          // of the command
};
const char* name(MeasuredBy by);  // "mpi", "projections", "wall"
std::optional<MeasuredBy> measuredByOf(const QString& text);
QString measuredByText(MeasuredBy by);  // behind "the time": "between MPI_Init and MPI_Finalize"

constexpr int mostTrialPairs = 1000;  // of runs

struct Trial {
    std::vector<TrialRun> runs{};            // in their order
    MeasuredBy by = MeasuredBy::WallTime;    // all of them
    std::optional<Prediction> prediction{};  // empty: nothing is predicted of the change
    QString change{};                        // in words, in the middle of a sentence
    std::vector<QString> missing{};          // entry methods of the priorities that the trace does not have
};

// Whether the measured gain lies in the predicted interval, to a tenth of a point, as it is printed; empty without a
// prediction that can be used.
std::optional<bool> isAsPredicted(const Trial& trial);

// What counts, in a sentence or two: longer, shorter or not decided, and whether as predicted.
QString verdictOf(const Trial& trial);
QString predictedGainText(const Trial& trial);      // "4.3 % to 5.3 %", or why there is nothing
QString measuredText(const TrialGain& gain);        // "5.0 %, of the pairs 4.1 % to 5.6 %"
QString mediansText(const TrialGain& gain);         // "1.203 s without, 1.144 s with (medians)"
QString gainIntervalText(double low, double high);  // "4.3 % to 5.3 %"; one figure if they are printed alike

JsonValue toJson(const TrialRun& run);  // {with, duration_ns}
std::optional<TrialRun> trialRunFrom(const JsonValue& object);
JsonValue toJson(const Trial& trial);  // resources/schema/try.schema.json
// What toJson wrote, whose prediction is its interval alone; texts are cut as names are. Empty if it is none: no runs,
// more than a trial has, or some that nobody can read.
std::optional<Trial> trialFrom(const JsonValue& object);

}  // namespace longpole
