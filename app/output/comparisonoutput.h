// SPDX-License-Identifier: GPL-3.0-or-later
// Two compared runs as text, as CSV of everything that can have a value in both, and as JSON
// (resources/schema/compare.schema.json).
#pragma once

#include "analysis/compare/comparison.h"
#include "app/output/output.h"

#include <QString>

namespace longpole {

// What the output calls the runs, "wave2d_p6" for instance.
struct RunNames {
    QString a{}, b{};
};

void writeComparison(Output& output, OutputFormat format, const Comparison& comparison, const RunNames& names);

}  // namespace longpole
