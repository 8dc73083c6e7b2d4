// Two compared runs as text, as CSV of everything that has a value in both, and as the JSON that is documented.
#pragma once

#include "analysis/comparison.h"
#include "app/output/jsonoutput.h"
#include "app/output/output.h"

#include <QString>

namespace longpole {

// What the runs are called: "wave2d_p6".
struct RunNames {
    QString a{}, b{};
};
QString runName(const QString& path);  // of a trace as it was named on the command line

void writeComparison(Output& output, OutputFormat format, const Comparison& comparison, const RunNames& names);

JsonValue comparisonJson(const Comparison& comparison, const RunNames& names);

// "+3.1 %", "-27.7 %"; "–" where the first is 0.
QString relativeText(double a, double b);
QString signedText(std::int64_t value, CellKind kind);  // "+12.3 ms"
QString methodName(const MethodFigures& method);        // "Wave::recvGhosts", on one line
QString patternText(const Comparison& comparison);      // entry methods of the common phase, a few of them
// "B took 185.6 ms instead of 256.8 ms, 27.7 % less."; and of an iteration.
QString durationSentence(const Comparison& comparison);
QString iterationSentence(const Comparison& comparison);  // empty: no common phase

}  // namespace longpole
