// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline asks about single tasks and calls: where the selected one lies, with its arrows, and what an MPI
// call waited for. Answering reads chunks, which neither painting nor hovering may do.
#pragma once

#include "analysis/mpi/calls.h"
#include "analysis/results/results.h"
#include "views/drawing/timeline/messagearrows.h"
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

}  // namespace longpole
