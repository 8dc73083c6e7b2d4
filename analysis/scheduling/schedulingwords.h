// SPDX-License-Identifier: GPL-3.0-or-later
// What branch E found, in sentences for the program's author.
#pragma once

#include "analysis/scheduling/gainbound.h"
#include "analysis/scheduling/schedulingadvice.h"

#include <QString>
#include <QStringList>

namespace longpole {

// "35 to 38 %", "12.1 %"; a loss as positive figures as well.
QString percents(double low, double high);
// "takes 108 to 112 ms instead of 173.4 ms, 35 to 38 % less".
QString predictionWords(const Prediction& prediction);
// Of what is not advised: "chain_hop first would cost 4 to 9 %.", "... no prediction, ...", "a or b first would change
// less than 1 %."
QStringList notAdvisedWords(const std::vector<TriedScheme>& tried);

// Why the conditions are not met; empty if both are.
QString unmetWords(const SchedulingAnalysis& found, TimeNs duration);
// Why no order gains more than the bound: "PE 5 is busy 218 ms".
QString boundWords(const GainBound& bound);
// The waits of critical tasks of an entry method, and behind what (noEntry: not known).
QString waitWords(const PathEntry& entry, const QString& name, const QString& behind);
QString listed(QStringList names, qsizetype most = 6, const QString& lastTwo = {});  // "a, b and c", "a, b and 3 more"

}  // namespace longpole
