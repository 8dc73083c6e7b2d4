// SPDX-License-Identifier: GPL-3.0-or-later
// What all code that reads definitions relies on, checked once when a file opens: ids unique, in order and in range,
// references that lead somewhere, totals that the directory can hold.
#pragma once

#include "core/file/definitions.h"

#include <QString>

#include <cstdint>

namespace longpole {

// What is wrong with definitions that were read from a file of so many bytes, as half a sentence; empty if nothing is.
// O(rows).
QString contradictionIn(const Definitions& definitions, std::int64_t fileBytes);

// Of a chunk of tiles, from the begin of the first to the end of the last, at a level from 0 to 62.
bool binsHaveTimes(const ChunkRef& tiles);

// Of all chunks; a file has no more than limits::storeRows.
std::int64_t rowsIn(const Definitions& definitions);

// Whether the run ends after it begins, and it, processors, chunks and totals have only times and differences of times
// that core/base/timelimits.h allows.
bool timesAreNear(const Definitions& definitions);

}  // namespace longpole
