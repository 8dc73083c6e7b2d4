// SPDX-License-Identifier: GPL-3.0-or-later
// Entry methods as people name them: by id, or by name with or without chare and argument list.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <vector>

namespace longpole {

// Errors: there is none of that name (the nearest ones are offered), or several (their ids are named).
Result<EntryId> parseEntry(const TraceStore& store, const QString& text);

// "A,B": each once, in the order given; commas inside brackets belong to names. Errors: those of parseEntry.
Result<std::vector<EntryId>> parseEntries(const TraceStore& store, const QString& text);

}  // namespace longpole
