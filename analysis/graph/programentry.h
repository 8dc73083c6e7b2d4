// SPDX-License-Identifier: GPL-3.0-or-later
// The program's own entry method behind one of the run-time system's: what it delivers, or who makes it run. Nobody can
// change CkArray::recvNoKeepBroadcast; advice has to name what it is about.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>

namespace longpole {

struct ProgramEntry {
    enum class Kind : std::uint8_t {
        Own,       // it is the program's
        Delivers,  // the run-time system runs `entry` in it, behind it with the same message, or starts it
        SentBy,    // `entry` makes the run-time system do it
        Unknown    // the trace shows neither
    };
    EntryId entry = noEntry;
    Kind kind = Kind::Unknown;
};

// Of several entry methods the one that runs longest counts, of those that send the one that does so most often.
// O(tasks).
ProgramEntry programEntryOf(const TraceStore& store, const ActivityGraph& graph, EntryId entry);

// Whether it is of the run-time system; an entry that the trace does not know is not.
bool isOfRuntime(const TraceStore& store, EntryId entry);
// Whether it reports that nothing runs and nothing is under way anywhere.
bool isOfQuiescence(const Entry& entry);
// "W::start"; of the run-time system "the runtime's CkArray::ckDestroy".
QString nameWithOwner(const TraceStore& store, EntryId entry);

}  // namespace longpole
