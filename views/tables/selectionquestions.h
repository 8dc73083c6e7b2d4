// SPDX-License-Identifier: GPL-3.0-or-later
// The questions about a selected thing: what the trace holds of it, the executions that its messages started, and the
// members of a collective call.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/mpi/calls.h"
#include "analysis/report/tracetables.h"
#include "analysis/results/results.h"
#include "views/state/choices.h"

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

// What the trace holds of a selection: of a task with the message that started it. What is damaged is told.
struct SelectedFacts {
    std::optional<TaskDetail> task{};
    std::optional<MessageDetail> message{};
    std::optional<MpiCallRow> call{};
    std::optional<Error> error{};         // why the selected thing itself is not there
    std::optional<Error> messageError{};  // why the message of a task is not there
};

struct SelectedFactsQuestion {
    using Answer = SelectedFacts;
    static constexpr const char* id = "fields of a selection";

    Selection selection{};

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& facts);
    friend bool operator==(const SelectedFactsQuestion&, const SelectedFactsQuestion&) = default;
};

// The messages that a task sent, in send order, with a row for each execution that one started. Executions are known
// with a graph only, and at most `limit` of the task's are listed. O(tasks). Errors: damaged chunks, cancelled.
Result<std::vector<CreatedExecution>> createdBy(const TraceStore& store, const ActivityGraph* graph, TaskId task,
                                                std::size_t limit, const Progress& progress);

struct CreatedQuestion {
    using Answer = std::vector<CreatedExecution>;
    static constexpr const char* id = "executions of messages";

    TaskId task{};
    std::shared_ptr<const ActivityGraph> graph{};
    std::size_t limit = 2000;

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& rows);
    friend bool operator==(const CreatedQuestion&, const CreatedQuestion&) = default;
};

// All members of a collective call, the call itself among them; none if the call is not collective.
struct CallMembersQuestion {
    using Answer = std::vector<MpiCallRow>;
    static constexpr const char* id = "members of a call";

    MpiCallId call{};

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& rows);
    friend bool operator==(const CallMembersQuestion&, const CallMembersQuestion&) = default;
};

}  // namespace longpole
