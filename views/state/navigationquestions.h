// SPDX-License-Identifier: GPL-3.0-or-later
// Where a selected thing stands, and which one a key leads to from it. Answering reads chunks, so it is asked for.
#pragma once

#include "analysis/results/results.h"
#include "views/state/tasknavigation.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace longpole {

struct PlaceQuestion {
    using Answer = std::optional<SelectedPlace>;
    static constexpr const char* id = "place of a selection";

    Selection selection{};

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer&) { return sizeof(Answer); }
    friend bool operator==(const PlaceQuestion&, const PlaceQuestion&) = default;
};

// Culprit: the MPI call that the selected one waited for. Neighbour: the next or previous task or call on its row.
// SameEntry: the next or previous task of its entry method. Message: the sender, or the first task that was started.
enum class Leading : std::uint8_t { Culprit, Neighbour, SameEntry, Message };

// What lies there from a selection, `step` forward (+1) or back (-1); invalid where nothing does. Errors: none of its
// own.
struct NavigationQuestion {
    using Answer = Selection;
    static constexpr const char* id = "where a key leads";

    Selection from{};
    Leading leading = Leading::Neighbour;
    int step = 1;
    std::shared_ptr<const ActivityGraph> graph{};  // for messages forward; null: there are none

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer&) { return sizeof(Answer); }
    friend bool operator==(const NavigationQuestion&, const NavigationQuestion&) = default;
};

}  // namespace longpole
