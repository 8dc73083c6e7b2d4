// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows of a run when its report is written: a section of the report, with pictures.
#pragma once

#include "analysis/base/finding.h"
#include "analysis/paths/countedpath.h"
#include "app/gui/session/bookmarks.h"
#include "core/base/ids.h"
#include "core/store/tracestore.h"

#include <memory>
#include <vector>

namespace longpole {

struct ViewedRun {
    TimeRange visible;                    // empty: the whole run
    TimeRange marked;                     // empty: none
    std::vector<ProcessorId> processors;  // empty: all
    std::shared_ptr<const CountedPath> path;
    PathQuestion question;  // whose answer the path is
    std::vector<Bookmark> bookmarks;
};

// Whether there is anything to say: a part of the run, a mark, bookmarks, or another path than the usual one.
bool isLookedAt(const ViewedRun& run);

// Its id is "view".
Finding viewedFinding(const TraceStore& store, const ViewedRun& run);

}  // namespace longpole
