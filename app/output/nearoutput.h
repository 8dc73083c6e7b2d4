// SPDX-License-Identifier: GPL-3.0-or-later
// The next longest paths as text, as CSV of their steps, and as JSON (resources/schema/near-critical.schema.json).
#pragma once

#include "analysis/paths/nearcritical.h"
#include "analysis/paths/pathquestions.h"
#include "app/output/pathoutput.h"

#include <QString>

#include <memory>
#include <vector>

namespace longpole {

using NearPaths = std::vector<NearCriticalPath>;

// The paths that were asked for, and if they are only the critical one, with it the longest other one.
struct NearAnswer {
    std::shared_ptr<const NearPaths> paths{}, longest{};
    PathModel model{};
    NearCriticalOptions options{};
    QString text{};  // what was left out
};

// "Shorten the first path by more than 1.2 ms, and the second takes over", or why there is no second one.
QString takeoverText(const NearAnswer& answer);

void writeNear(Output& output, OutputFormat format, const TraceStore& store, const NearAnswer& answer,
               const PathNotes& notes = {});

}  // namespace longpole
