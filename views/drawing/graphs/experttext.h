// SPDX-License-Identifier: GPL-3.0-or-later
// The expert's verdicts and figures in words, the same in panels, pictures and files.
#pragma once

#include "analysis/expert/decisiontree.h"
#include "analysis/scheduling/advice.h"
#include "core/trace/vocabulary.h"

#include <QString>

namespace longpole {

// "42.1 < 70.0 %"; with few digits "42 < 70 %", unless that would make both sides look equal.
enum class Digits : std::uint8_t { All, Few };
QString comparisonText(const NodeTest& test, Digits digits = Digits::All);
QString testText(const NodeTest& test);  // with all digits, behind the name of the metric
QString shareText(double share, Digits digits);

QString processorTime(Vocabulary vocabulary, TimeNs time);  // a sum over processors: "1.21 s of PE-time"

// A gain as the change of the run's duration: "−31.2 %", a loss "+2.0 %". Without a decimal from 10 % on.
QString gainShare(double gain);
// What following the advice gains of the run's duration: the interval of a usable prediction, else at most its bound.
// Empty if neither is known, or if the bound is over 90 % of the duration and so says nothing.
QString gainText(const Advice& advice, TimeNs duration);

QString firstSentence(const QString& text);  // all of it if it is one

// With no-break spaces between figures and their units.
QString unbroken(QString text);

// "PE 3 · 12.1 … 15.3 ms"; times count from `zero`.
QString placeText(Vocabulary vocabulary, const Evidence& evidence, TimeNs zero);

}  // namespace longpole
