// SPDX-License-Identifier: GPL-3.0-or-later
// Two compared runs as text, as CSV of everything that has a value in both, and as the JSON that is documented.
#pragma once

#include "analysis/compare/comparison.h"
#include "app/output/output.h"

#include <QString>

namespace longpole {

// What the runs are called: "wave2d_p6".
struct RunNames {
    QString a{}, b{};
};
QString runName(const QString& path);  // of a trace as it was named on the command line

void writeComparison(Output& output, OutputFormat format, const Comparison& comparison, const RunNames& names);

}  // namespace longpole
