// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline asks the trace for: where the selected task or call lies, with its arrows, what an MPI call waited
// for, what lies under a pixel, and the whole run in a strip. Answering reads chunks, which the UI thread never does.
#pragma once

#include "analysis/mpi/calls.h"
#include "analysis/results/results.h"
#include "core/store/tiles.h"
#include "views/drawing/timeline/messagearrows.h"
#include "views/drawing/timeline/rowdata.h"
#include "views/state/choices.h"

#include <QString>

#include <memory>
#include <optional>

namespace longpole {

// The selected task or call, and the arrows that show with it.
struct SelectionMarks {
    std::optional<TaskDetail> task{};
    std::optional<MpiCallRow> call{};
    MessageArrows arrows{};
};

struct SelectionMarksQuestion {
    using Answer = SelectionMarks;
    static constexpr const char* id = "selection on the timeline";

    Selection selection{};
    ArrowMode arrows = ArrowMode::None;
    std::shared_ptr<const ActivityGraph> graph{};  // null: the arrows are those that the store knows

    Result<std::shared_ptr<const SelectionMarks>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const SelectionMarks& marks);
    friend bool operator==(const SelectionMarksQuestion&, const SelectionMarksQuestion&) = default;
};

// An MPI call in words (callSentence); empty if the call cannot be read.
struct CallSentenceQuestion {
    using Answer = QString;
    static constexpr const char* id = "words about a call";

    MpiCallId call{};

    Result<std::shared_ptr<const QString>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const QString& text) { return std::int64_t{2} * text.size(); }
    friend bool operator==(const CallSentenceQuestion&, const CallSentenceQuestion&) = default;
};

// The task with most time in a pixel of a processor's row and, unless `tasksOnly`, the MPI call if that has more;
// invalid where there is neither. `exact`: data of the row that has segments.
Selection thingInPixel(const RowData& exact, ProcessorId pe, TimeRange pixel, bool tasksOnly);

struct ThingInPixelQuestion {
    using Answer = Selection;
    static constexpr const char* id = "thing under the cursor";

    TrackId track{};
    ProcessorId pe{};
    TimeRange pixel{};
    bool tasksOnly = false;

    Result<std::shared_ptr<const Selection>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Selection&) { return sizeof(Selection); }
    friend bool operator==(const ThingInPixelQuestion&, const ThingInPixelQuestion&) = default;
};

// What all processors did over the run, for the strip above the timeline (overviewTiles). Errors: damaged chunks.
struct OverviewQuestion {
    using Answer = TileLevel;
    static constexpr const char* id = "overview";

    double pixels = 2000;

    Result<std::shared_ptr<const TileLevel>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const TileLevel& overview);
    friend bool operator==(const OverviewQuestion&, const OverviewQuestion&) = default;
};

}  // namespace longpole
