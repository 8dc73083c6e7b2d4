// SPDX-License-Identifier: GPL-3.0-or-later
// The names of modes, edge levels, parts and edges of paths: name() for options and JSON, title() for people.
#pragma once

#include "analysis/paths/criticalpath.h"
#include "core/trace/vocabulary.h"

#include <QString>

#include <array>
#include <vector>

namespace longpole {

const char* name(PathMode mode);    // "work", "elapsed", "sweep"
const char* name(EdgeLevel edges);  // "messages", "merges", "data", "order"
const char* name(PathPart part);    // "compute", "network", "queue", "overhead", "unexplained", "startup"

QString title(PathPart part, Vocabulary words);  // "network"; of an MPI run overhead is "in MPI and barriers"
QString title(PathEdge edge);                    // "message", "inferred merge"

struct PathPartTime {
    PathPart part = PathPart::Compute;
    TimeNs time = 0;
};
std::array<PathPartTime, 6> each(const PathParts& parts);  // in the order of PathPart
// Those that such a run can have: an MPI run has no queue, others no start-up.
std::vector<PathPartTime> spoken(const PathParts& parts, Vocabulary words);

}  // namespace longpole
