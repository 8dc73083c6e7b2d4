// SPDX-License-Identifier: GPL-3.0-or-later
// longpole compare: two runs held against each other.
#include "analysis/compare/comparison.h"
#include "app/commandline/thresholdsoption.h"
#include "app/commandline/tracepair.h"
#include "app/commands/commands.h"
#include "app/output/comparisonoutput.h"

namespace longpole {

ExitCode runCompare(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const QString &first = line.arguments[0], &second = line.arguments[1];
    const auto thresholds = thresholdsOf(line);
    if (!thresholds) return ExitCode::BadInput;
    auto pair = figuresOfPair(line, first, second, thresholds);
    if (!pair) return fail(pair.error());
    const Comparison comparison = compare(std::move(pair->a), std::move(pair->b), pair->advice);
    return deliver(line, [&](Output& output) {
        writeComparison(output, *format, comparison, {runName(first), runName(second)});
    });
}

}  // namespace longpole
