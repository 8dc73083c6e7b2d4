// SPDX-License-Identifier: GPL-3.0-or-later
// How a user wants a change to be tried: the command, where it runs, what the change is, how often. Kept per program.
#pragma once

#include "analysis/base/json.h"
#include "analysis/compare/trial.h"
#include "core/base/result.h"

#include <QString>
#include <QStringList>

namespace longpole {

struct TrialChoice {
    QString command{};           // as typed; words with blanks stand in double quotes
    QString folder{};            // where it runs
    bool copied = false;         // each run has a copy of the folder
    QString variables{};         // NAME=VALUE ... that the changed runs have
    QString versus{};            // the changed runs' command; empty: the same
    bool withPriorities = true;  // those of the advice, where it has some
    int pairs = 5;
    friend bool operator==(const TrialChoice&, const TrialChoice&) = default;
};

JsonValue toJson(const TrialChoice& choice);
TrialChoice trialChoiceFrom(const JsonValue& object);  // what is missing or of another type is as usual

// The options and words for `longpole try`, behind the trace. `priorities`: a file; empty: none. Error, what to do: no
// command, no change, a variable without a value, a folder that is not there.
Result<QStringList> trialArguments(const TrialChoice& choice, const QString& priorities);
// The change in the middle of a sentence: "A=1, the advised priorities".
QString trialChange(const TrialChoice& choice, bool withPriorities);
// What is going to run, before it does: "Runs 10 times in /home/me/run: 5 without and 5 with A=1, in turn."
QString trialSentence(const TrialChoice& choice, bool withPriorities);

}  // namespace longpole
