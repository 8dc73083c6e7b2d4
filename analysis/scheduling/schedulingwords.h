// SPDX-License-Identifier: GPL-3.0-or-later
// What branch E found, in sentences for the program's author.
#pragma once

#include "analysis/scheduling/gainbound.h"
#include "analysis/scheduling/schedulingadvice.h"

#include <QString>
#include <QStringList>

#include <cstdint>

namespace longpole {

// "35 to 38 %", "12.1 %"; a loss as positive figures as well.
QString percents(double low, double high);
// "35 to 38 % faster in replay".
QString predictionWords(const Prediction& prediction);
// Of what is not advised: "chain_hop first would cost 4 to 9 %.", "... no prediction, ...", "a or b first would change
// less than 1 %."
QStringList notAdvisedWords(const std::vector<TriedScheme>& tried);

// What all replays together say where none gains enough to advise it: of one it cannot be predicted; else some would
// gain a little, or none.
enum class TriedOutcome : std::uint8_t { Nothing, Little, Unknown };
TriedOutcome outcomeOf(const std::vector<TriedScheme>& tried);
// "Priorities won't help.", as far as that is known. `byEntry`: there is advice to go by objects.
QString noPriorityWords(TriedOutcome outcome, bool byEntry);

// Why the conditions are not met; empty if both are.
QString unmetWords(const SchedulingAnalysis& found, TimeNs duration);
// Why no order gains more than the bound, as a clause: "PE 5 has 218 ms of work"; and the sentence with it.
QString boundWords(const GainBound& bound);
QString boundSentence(const SchedulingAnalysis& found, TimeNs duration);
QString listed(QStringList names, qsizetype most = 6, const QString& lastTwo = {});  // "a, b and c", "a, b and 3 more"

}  // namespace longpole
