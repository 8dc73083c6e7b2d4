// SPDX-License-Identifier: GPL-3.0-or-later
// What the expert answers in words and figures, the same in panels, pictures and files.
#pragma once

#include "analysis/expert/decisiontree.h"
#include "analysis/scheduling/advice.h"
#include "core/trace/vocabulary.h"

#include <QString>

namespace longpole {

QString verdictText(Verdict verdict);       // "fired", "did not fire", "not followed", "not judged"
QString causeText(IdleCause cause);         // "synchronization"
QString causeExplanation(IdleCause cause);  // when idle time counts as that, in a sentence
QString classText(EntryClass entryClass);   // "good"

// A value or threshold of a test: "42.1 %", "1.85", "12.3 ms", "1 200", "120 /s".
QString metricText(MetricKind kind, double value);
// "42.1 < 70.0 %"; where there is little room "42 < 70 %", as long as that says which is larger.
enum class Digits : std::uint8_t { All, Few };
QString comparisonText(const NodeTest& test, Digits digits = Digits::All);
QString testText(const NodeTest& test);  // the same behind the name of the metric
QString shareText(double share, Digits digits);

QString processorTime(Vocabulary vocabulary, TimeNs time);  // a sum over processors: "1.21 PE-s"
// A part of T with its sign: "−31.2 %"; what is lost is "+2.0 %". Without a decimal from 10 % on.
QString gainShare(double gain);
// What following it gains of the run's duration: the interval of a usable prediction, else the bound; empty if neither
// is known, or if the bound is nearly all of it and says nothing.
QString gainText(const Advice& advice, TimeNs duration);
bool isPredicted(const Advice& advice);  // whether that is a prediction

QString firstSentence(const QString& text);  // all of it if it is one
// No line breaks between a figure and its unit.
QString unbroken(QString text);

// "PE 3 · 12.1 … 15.3 ms", since `zero`.
QString placeText(Vocabulary vocabulary, const Evidence& evidence, TimeNs zero);

}  // namespace longpole
